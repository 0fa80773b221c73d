"""The atlas for the pages: all 792 sets as a map and a list, a set with its figures, and what each card does.

Every figure comes from `coach/data/atlas.csv`: the results of perfect play by both of two players.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from statistics import mean
from typing import Final
from urllib.parse import urlencode

from starfrost.boards.board import Form, form_number
from starfrost.errors import mark
from starfrost.games.dicy_cards import CARDS, CARDS_IN_A_GAME, MODES
from starfrost.games.dicy_cards.coach.atlas import Entry, atlas, card_means
from starfrost.games.dicy_cards.words import card_name, mode_name
from starfrost.games.kit import CUSTOM, MODE
from starfrost.words import Words
from starfrost.words.numbers import decimal, percent

PATH: Final = "/atlas"
ROWS: Final = 20
"""Sets on a page of the list."""


@dataclass(frozen=True)
class Figure:
    """A figure of a set: what it is called, what it means, and how it is written."""

    id: str
    name: str
    meaning: str
    value: Callable[[Entry], float]
    places: int
    share: bool = False
    """Whether it is a probability."""
    down: bool = False
    """Whether a list starts with the largest."""

    def text(self, w: Words, value: float) -> str:
        """Write a value."""
        return percent(w, value, self.places) if self.share else decimal(w, value, self.places)


FIGURES: Final[Mapping[str, Figure]] = {
    figure.id: figure
    for figure in (
        Figure(
            "fair",
            mark("First player wins"),
            mark("How often the first player wins; 50% would be fair. A shared victory counts half for each."),
            lambda entry: entry.first_player_wins,
            2,
            share=True,
            down=True,
        ),
        Figure(
            "turns",
            mark("Turns"),
            mark("How long a game is: the turns of both players together."),
            lambda entry: entry.turns,
            1,
        ),
        Figure(
            "swing",
            mark("Swing"),
            mark("How far the rolls push the chance of winning up and down in a game: the more, the more exciting."),
            lambda entry: entry.swing,
            2,
            down=True,
        ),
        Figure(
            "shared",
            mark("Shared victories"),
            mark("How often both players win together."),
            lambda entry: entry.shared,
            2,
            share=True,
            down=True,
        ),
    )
}


@dataclass(frozen=True)
class Question:
    """What a reader wants to see of the atlas. Its address holds all of it."""

    x: str = "turns"
    y: str = "fair"
    sort: str = "fair"
    down: bool = True
    page: int = 1
    held: tuple[str, ...] = ()
    """The cards that a set must have."""
    missing: tuple[str, ...] = ()
    """The cards that it must not have."""

    @classmethod
    def read(cls, form: Form) -> "Question":
        """Read an address; what it does not know stays as usual."""
        x, y, sort = (str(form.get(name, "")) for name in ("x", "y", "sort"))
        usual = cls()
        x = x if x in FIGURES else usual.x
        y = y if y in FIGURES else usual.y
        if x == y:
            y = next(name for name in FIGURES if name != x)
        sort = sort if sort in FIGURES else usual.sort
        held = tuple(card for card in CARDS if card in form.getlist("with"))
        missing = tuple(card for card in CARDS if card in form.getlist("without") and card not in held)
        down = FIGURES[sort].down if form.get("order") not in ("up", "down") else form.get("order") == "down"
        return cls(x, y, sort, down, form_number(form, "page", 1, 1, 99), held, missing)

    def address(self) -> str:
        """Return the address of this view of the atlas."""
        usual, fields = Question(), []
        for name in ("x", "y", "sort"):
            if getattr(self, name) != getattr(usual, name):
                fields.append((name, getattr(self, name)))
        if self.down != FIGURES[self.sort].down:
            fields.append(("order", "down" if self.down else "up"))
        fields += [("with", card) for card in self.held] + [("without", card) for card in self.missing]
        if self.page > 1:
            fields.append(("page", str(self.page)))
        return f"{PATH}?{urlencode(fields)}" if fields else PATH

    def with_axis(self, axis: str, figure: str) -> str:
        """Return the address with another figure along an axis; a figure on the other axis changes places with it."""
        if axis == "x":
            return replace(self, x=figure, y=self.x if self.y == figure else self.y).address()
        return replace(self, y=figure, x=self.y if self.x == figure else self.x).address()

    def sorted_by(self, figure: str) -> str:
        """Return the address with the list sorted by a figure, the other way round if it is already."""
        down = not self.down if figure == self.sort else FIGURES[figure].down
        return replace(self, sort=figure, down=down, page=1).address()

    def turned(self, card: str) -> str:
        """Return the address with a card's next state: in the set, then not in it, then either."""
        held = tuple(one for one in self.held if one != card)
        missing = tuple(one for one in self.missing if one != card)
        if card in self.held:
            missing = (*missing, card)
        elif card not in self.missing:
            held = (*held, card)
        return replace(self, held=_in_order(held), missing=_in_order(missing), page=1).address()

    def at_page(self, number: int) -> str:
        """Return the address of a page of the list."""
        return replace(self, page=number).address()

    def state(self, card: str) -> str:
        """Return whether a card must be in the set: `with`, `without` or neither."""
        return "with" if card in self.held else "without" if card in self.missing else ""

    def fits(self, entry: Entry) -> bool:
        """Return whether a set passes the filter."""
        return set(self.held) <= set(entry.cards) and not set(self.missing) & set(entry.cards)


def _in_order(cards: Sequence[str]) -> tuple[str, ...]:
    return tuple(card for card in CARDS if card in cards)


@cache
def numbers() -> Mapping[tuple[str, ...], int]:
    """Return the number of each set, from 1."""
    return {entry.cards: number for number, entry in enumerate(atlas(), start=1)}


@cache
def modes() -> Mapping[tuple[str, ...], str]:
    """Return the modes by their cards."""
    return {_in_order(mode.cards): name for name, mode in MODES.items()}


def chosen(entries: Sequence[Entry], question: Question) -> list[Entry]:
    """Return the sets that pass the filter, sorted."""
    value = FIGURES[question.sort].value
    return sorted(filter(question.fits, entries), key=value, reverse=question.down)


@dataclass(frozen=True)
class CardRow:
    """What a card does, under perfect play."""

    id: str
    name: str
    worth: str
    """How much winning probability it costs to start with it frozen, in percentage points."""
    share: float
    """The same in per cent of the largest, for a bar."""
    scored: str
    rerolls: str
    decides: str
    turns: str = ""
    """How sets with the card differ from sets without it: here in the length of the game."""
    fair: str = ""
    swing: str = ""


@lru_cache(maxsize=8)
def all_cards(w: Words) -> tuple[CardRow, ...]:
    """Return what each card does, over all sets with it and compared with all sets without it."""
    entries = atlas()

    def change(card: str, figure: str, places: int) -> str:
        value = FIGURES[figure].value
        inside = [value(entry) for entry in entries if card in entry.cards]
        outside = [value(entry) for entry in entries if card not in entry.cards]
        factor = 100 if FIGURES[figure].share else 1
        return decimal(w, factor * (mean(inside) - mean(outside)), places, signed=True)

    return tuple(
        replace(row, turns=change(row.id, "turns", 1), fair=change(row.id, "fair", 1), swing=change(row.id, "swing", 2))
        for row in card_rows(w, entries)
    )


def card_rows(w: Words, entries: Sequence[Entry]) -> list[CardRow]:
    """Return what each card of these sets does, the most valuable first."""
    scored, rerolls, decides, worth = (
        card_means(entries, field) for field in ("scored", "sacrificed", "decides", "frozen")
    )
    most = max(worth.values())
    return [
        CardRow(
            card,
            card_name(w, card),
            decimal(w, 100 * worth[card], 1),
            round(100 * worth[card] / most, 1),
            decimal(w, scored[card], 2),
            decimal(w, rerolls[card], 2),
            # The mean is per seat; the share is that of both players.
            percent(w, 2 * decides[card], 1),
        )
        for card in sorted(worth, key=lambda card: -worth[card])
    ]


@dataclass(frozen=True)
class SetView:
    """A set with its figures."""

    number: int
    cards: tuple[str, ...]
    mode: str
    """The mode with these cards; empty if there is none."""
    title: str
    names: str
    first: str
    second: str
    share: float
    """What the first player wins of a hundred games."""
    figures: tuple[tuple[Figure, str, int], ...]
    """Each figure, its value and its place among all sets."""
    scores: tuple[str, str]
    skips: str

    @property
    def address(self) -> str:
        """The address of the set's page."""
        return f"{PATH}/{self.number}"

    @property
    def play(self) -> str:
        """The query of a set-up form with these cards."""
        if self.mode:
            return urlencode({MODE: self.mode})
        return urlencode([(MODE, CUSTOM), *(("cards", card) for card in self.cards)])


@cache
def _places(figure: str) -> Mapping[tuple[str, ...], int]:
    """Return the place of each set by a figure, best first."""
    ordered = sorted(atlas(), key=FIGURES[figure].value, reverse=FIGURES[figure].down)
    return {entry.cards: place for place, entry in enumerate(ordered, start=1)}


@lru_cache(maxsize=4000)
def set_view(w: Words, number: int) -> SetView:
    """Return a set with its figures, by its number."""
    entry = atlas()[number - 1]
    mode = modes().get(entry.cards, "")
    return SetView(
        number,
        entry.cards,
        mode,
        mode_name(w, mode) if mode else w("Set %(number)s", number=number),
        " · ".join(card_name(w, card) for card in entry.cards),
        percent(w, entry.first_player_wins, 2),
        percent(w, 1 - entry.first_player_wins, 2),
        round(100 * entry.first_player_wins, 2),
        tuple(
            (figure, figure.text(w, figure.value(entry)), _places(figure.id)[entry.cards])
            for figure in FIGURES.values()
        ),
        (decimal(w, entry.score_1, 1), decimal(w, entry.score_2, 1)),
        decimal(w, entry.skips_1 + entry.skips_2, 1),
    )


@dataclass(frozen=True)
class Swap:
    """A set that differs in one card: what the exchange is good for."""

    text: str
    address: str
    value: str


@lru_cache(maxsize=500)
def swaps(w: Words, number: int) -> tuple[Swap, ...]:
    """Return the best exchanges of one card, by figure, if they are better than the set itself."""
    entry = atlas()[number - 1]
    near = [one for one in atlas() if len(set(one.cards) & set(entry.cards)) == CARDS_IN_A_GAME - 1]
    found = []
    for figure, sentence in (
        ("fair", mark("Fairer: “%(new)s” instead of “%(old)s”")),
        ("turns", mark("Shorter: “%(new)s” instead of “%(old)s”")),
        ("swing", mark("More exciting: “%(new)s” instead of “%(old)s”")),
    ):
        value, down = FIGURES[figure].value, FIGURES[figure].down
        best = (max if down else min)(near, key=value)
        if (value(best) > value(entry)) == down:
            new, old = (set(one.cards) - set(other.cards) for one, other in ((best, entry), (entry, best)))
            names = {"new": card_name(w, new.pop()), "old": card_name(w, old.pop())}
            text = FIGURES[figure].text(w, value(best))
            found.append(Swap(w(sentence, **names), f"{PATH}/{numbers()[best.cards]}", text))
    return tuple(found)


@dataclass(frozen=True)
class GoingFirst:
    """Why going first is a disadvantage, in figures."""

    mode: str
    """The name of the set that is the example: the rulebook's first."""
    first: str
    second: str
    share: float
    behind: int
    sets: int
    fairest: SetView
    least_fair: SetView


@lru_cache(maxsize=8)
def going_first(w: Words) -> GoingFirst:
    """Return the figures that show why going first is a disadvantage."""
    entries = atlas()
    name, mode = next(iter(MODES.items()))
    example = set_view(w, numbers()[_in_order(mode.cards)])
    by_chance = sorted(entries, key=lambda entry: entry.first_player_wins)
    return GoingFirst(
        mode_name(w, name),
        example.first,
        example.second,
        example.share,
        sum(entry.first_player_wins < 0.5 for entry in entries),
        len(entries),
        set_view(w, numbers()[by_chance[-1].cards]),
        set_view(w, numbers()[by_chance[0].cards]),
    )
