"""One turn of Dicy Cards, solved exactly on plain lists, so that the planner plays wherever Python runs.

The caller gives the value of every way to end the turn. Rerolls are expectations over the kept dice, built one die at a
time. A column is a set of the cards that the turn starts with: bit i stands for the i-th of them. Freezing a card leads
to a smaller column, which is solved before. `solver.turn` does the same with arrays, for many turns side by side.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from operator import itemgetter
from typing import Any, Final, NamedTuple

from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, card_of, options
from starfrost.games.dicy_cards.cards import DICE, FACES

Pick = Callable[[Sequence[float]], Sequence[float]]
"""Choose some elements of a list, in C."""

_NOTHING: Final = float("-inf")


def _pick(places: Sequence[int]) -> Pick:
    chosen: Any = itemgetter(*places)
    return chosen if len(places) > 1 else lambda values: (values[places[0]],)


class _Steps(NamedTuple):
    """The multisets of so many dice, and the steps of one die; multisets are numbered within their size."""

    number: dict[str, int]
    """The number of a text of dice, highest first."""
    up: tuple[Pick, ...]
    """For each face: from every multiset to the one with this die more."""
    down: tuple[Pick, ...]
    """From every multiset to one with a die less, at most as many as it has dice."""


@cache
def _steps() -> tuple[_Steps, ...]:
    texts = [["".join(reversed(dice)) for dice in combinations_with_replacement(FACES, n)] for n in range(DICE + 1)]
    numbers = [{text: number for number, text in enumerate(some)} for some in texts]
    found = []
    for size, some in enumerate(texts):
        up: list[Pick] = []
        if size < DICE:
            more = numbers[size + 1]
            up = [_pick([more["".join(sorted(text + face, reverse=True))] for text in some]) for face in FACES]
        fewer = [[numbers[size - 1][remove(text, die)] for die in text] for text in some] if size else []
        found.append(_Steps(numbers[size], tuple(up), tuple(map(_pick, zip(*fewer, strict=True)))))
    return tuple(found)


class Offers(NamedTuple):
    """What rolls offer on one card."""

    points: tuple[int, ...]
    """The points that the card can bring, rising: its entries."""
    entries: tuple[tuple[int, ...], ...]
    """The different sets of entries that a roll can offer."""
    of_rolls: Pick
    """From a list by such sets to one by rolls."""


@cache
def offers(card: str) -> Offers:
    """Return what rolls offer on a kind of card."""
    faces = card_of(card).faces
    shown = [dice if faces == FACES else "".join(faces[int(die) - 1] for die in dice) for dice in _steps()[-1].number]
    by_roll = [tuple(sorted({points for _, points in options(card, dice)})) for dice in shown]
    points = sorted({each for offered in by_roll for each in offered})
    different = sorted(set(by_roll))
    entries = tuple(tuple(points.index(each) for each in offered) for offered in different)
    return Offers(tuple(points), entries, _pick([different.index(offered) for offered in by_roll]))


@cache
def _points(card: str, dice: str) -> dict[str, int]:
    return dict(options(card, dice))


class PlannedTurn:
    """A turn of a seat with these active cards, with the value of every action in it."""

    def __init__(
        self, cards: tuple[str, ...], active: int, ends: Callable[[str, int, int], float], skip: float
    ) -> None:
        """Solve a turn; `ends(card, points, left)` is the value of scoring a card with these active cards left."""
        self.skip = skip
        self._places = [place for place in range(len(cards)) if active >> place & 1]
        self._held = [cards[place] for place in self._places]
        self._cards = [card_of(card).id for card in self._held]
        self._faces = card_of(cards[0]).faces
        self._offers = [offers(card) for card in self._held]
        columns = range(1 << len(self._held))
        masks = [sum(1 << place for bit, place in enumerate(self._places) if column >> bit & 1) for column in columns]
        self._column = {mask: column for column, mask in enumerate(masks)}
        self._ends = [
            {
                column: [ends(card, points, masks[column]) for points in offer.points]
                for column in columns
                if not column >> bit & 1
            }
            for bit, (card, offer) in enumerate(zip(self._held, self._offers, strict=True))
        ]
        self._kept: list[list[Sequence[float]]] = []
        """By column and number of dice: the values of keeping some dice and rolling the others."""
        again: list[Sequence[float]] = []
        for column in columns:
            self._kept.append(_kept(self._rolls(column, again)))
            again.append(_again(self._kept[-1]))

    def _rolls(self, column: int, again: Sequence[Sequence[float]]) -> Sequence[float]:
        """Return the value of every roll with some cards active; `again` has the best rerolls of smaller columns."""
        steps = _steps()
        choices: list[Iterable[float]] = [[self.skip] * len(steps[-1].number)]
        for bit, offer in enumerate(self._offers):
            if column >> bit & 1:
                rest = column ^ 1 << bit
                values = self._ends[bit][rest]
                best = [max([values[entry] for entry in entries], default=_NOTHING) for entries in offer.entries]
                choices += offer.of_rolls(best), again[rest]
        return list(map(max, *choices)) if column else [self.skip] * len(steps[-1].number)

    @property
    def start(self) -> dict[int, float]:
        """The value before the first roll, by the cards that are active then."""
        return {mask: self._kept[column][0][0] for mask, column in self._column.items()}

    def value(self, action: Action, active: int, dice: str) -> float:
        """Return the value of scoring, rerolling or skipping with six dice on the table."""
        if action.verb == "skip":
            return self.skip
        bit = self._cards.index(action.card)
        rest = self._column[active ^ 1 << self._places[bit]]
        if action.verb == "reroll":
            return self.kept(remove(dice, action.dice), active ^ 1 << self._places[bit])
        points = _points(self._held[bit], dice)[action.dice]
        return self._ends[bit][rest][self._offers[bit].points.index(points)]

    def kept(self, dice: str, active: int) -> float:
        """Return the value of keeping these dice and rolling the others, with these cards active."""
        if self._faces != FACES:
            # Dice of equal faces have equal values: the first of them stands for all.
            dice = "".join(str(self._faces.index(die) + 1) for die in dice)
        return self._kept[self._column[active]][len(dice)][_steps()[len(dice)].number[dice]]


def _kept(rolls: Sequence[float]) -> list[Sequence[float]]:
    """Return the values of all multisets by number of dice: of fewer than six, the mean over the next die."""
    sizes = [rolls]
    for step in reversed(_steps()[:-1]):
        faces = [to(sizes[-1]) for to in step.up]
        sizes.append([sum(values) / len(FACES) for values in zip(*faces, strict=True)])
    return sizes[::-1]


def _again(kept: Sequence[Sequence[float]]) -> Sequence[float]:
    """Return the value of the best reroll of every roll: of its dice, any but all can be kept."""
    best = kept[0]
    for step, values in zip(_steps()[1:-1], kept[1:], strict=False):
        best = list(map(max, values, *(to(best) for to in step.down)))
    return list(map(max, *(to(best) for to in _steps()[-1].down)))
