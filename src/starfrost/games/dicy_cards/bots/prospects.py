"""The value of active cards: expected points, gains over another seat, and the chance of a high score in the last turn.

A seat alone that plays for the most points can expect `points[t][active]` in t turns. Their growth converges to the
pace of the cards, the points per turn in the long run. `gains[t][active]` counts effects as well: what a card or a skip
brings the others is taken off, as the mean over their sets of active cards, and before every turn the other seats have
frozen and reset cards at an average rate. The lead of one seat over another is the difference of their gains.
`reach(active, need)` is the best chance to score at least `need` points in one turn, the aim of a seat behind in the
last round.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Final

from starfrost.games.dicy_cards import ALL_ACTIVE, MASKS, Change, card_of, turned_over
from starfrost.games.dicy_cards.bots.turn import PlannedTurn, offers

SWEEPS: Final = 10
"""The turns of a seat alone after which the pace is measured."""
TURNS: Final = 7
"""The turns for which gains are computed; with more turns left, the cards at hand matter no more."""
SKIPS: Final = 0.12
"""The share of turns that end with a skip."""
SCORES: Final = 0.15
"""The share of turns that end with a given card that has an effect."""

Values = Sequence[float]
"""A number for every set of active cards."""


@cache
def _choices(change: Change) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(turned_over(mask, change)) for mask in range(MASKS))


def _answered(values: Values, change: Change) -> list[float]:
    """Return the values after a seat has frozen or reset the card that is best for it."""
    return [max(values[mask] for mask in choices) for choices in _choices(change)]


class Prospects:
    """The value of active cards in one set of five; the parts are computed on first use."""

    def __init__(self, cards: tuple[str, ...], seats: int) -> None:
        self.cards, self.seats = cards, seats
        self._change = {card: card_of(card).effect.change for card in cards}
        self.most = max(offers(card).points[-1] for card in cards)
        """The most points that one turn can bring."""
        self._reach: dict[tuple[int, int], float] = {}
        self._points: list[Values] = [[0.0] * MASKS]
        self._gains: list[Values] = [[0.0] * MASKS]

    def prepare(self) -> Iterator[None]:
        """Compute the points and the gains turn by turn: a device that does this has other things to do in between."""
        nothing = dict.fromkeys(self.cards, 0.0)
        while len(self._points) <= SWEEPS:
            self._points.append(self._start(self._points[-1], nothing, self._points[-1][-1]))
            yield
        while len(self._gains) <= TURNS:
            self._gains.append(self._gained(self._gains[-1]))
            yield

    def _start(self, ahead: Values, cost: Mapping[str, float], skip: float) -> Values:
        """Return the value of a turn for the most points, less the cost of scoring a card, and of what is ahead."""
        turn = PlannedTurn(self.cards, ALL_ACTIVE, lambda card, points, left: points - cost[card] + ahead[left], skip)
        return [turn.start[mask] for mask in range(MASKS)]

    @cached_property
    def points(self) -> list[Values]:
        """The most points that a seat alone can expect, [turns][active]."""
        while len(self._points) <= SWEEPS:
            next(self.prepare())
        return self._points

    @cached_property
    def pace(self) -> float:
        """The points per turn in the long run."""
        return (self.points[-1][-1] - self.points[-5][-1]) / 4

    @cached_property
    def _most(self) -> int:
        return int(min(self.points[-1]))

    def turns(self, points: float, active: int) -> float:
        """Estimate the turns that a seat alone needs for a number of points."""
        within = min(max(points, 0), self._most)
        column = [row[active] for row in self.points]
        turn = min(bisect_right(column, within), SWEEPS)
        low, high = column[turn - 1], column[turn]
        return turn - 1 + (within - low) / (high - low) + (max(points, self._most) - self._most) / self.pace

    @cached_property
    def gains(self) -> list[Values]:
        """What a seat gains on another one, [turns][active]."""
        for _ in self.prepare():
            pass
        return self._gains

    def _gained(self, now: Values) -> Values:
        """Return the gains with a turn more."""
        changes = list(self._change.values())
        resets = (self.seats - 1) * (SKIPS + SCORES * changes.count(Change.RESET))
        freezes = (self.seats - 1) * SCORES * changes.count(Change.FREEZE)
        after = {change: _answered(now, change) for change in Change}
        given = {change: sum(values) / MASKS - sum(now) / MASKS for change, values in after.items()}
        ahead = [
            (1 - resets - freezes) * plain + resets * reset + freezes * frozen
            for plain, reset, frozen in zip(now, after[Change.RESET], after[Change.FREEZE], strict=True)
        ]
        cost = {card: given[change] for card, change in self._change.items()}
        return self._start(ahead, cost, ahead[-1] - given[Change.RESET])

    def lead(self, rounds: float, extra: int, own: int, other: int) -> float:
        """Return what a seat gains on another one in some rounds, which can be a fraction.

        The other one moves next, and has `extra` turns besides.
        """
        at = min(rounds, TURNS - 1.0)
        return self._gain(at, own) - self._gain(at + extra, other)

    def _gain(self, turns: float, active: int) -> float:
        row = min(int(turns), TURNS - 1)
        part = turns - row
        return self.gains[row][active] * (1 - part) + self.gains[row + 1][active] * part

    def reach(self, active: int, need: int) -> float:
        """Return the best chance to score at least `need` points in one turn with these cards active."""
        if not 0 < need <= self.most:
            return float(need <= 0)
        if (active, need) not in self._reach:
            turn = PlannedTurn(self.cards, active, lambda _, points, left: float(points >= need), 0.0)
            self._reach.update(((mask, need), value) for mask, value in turn.start.items())
        return self._reach[active, need]


@lru_cache(maxsize=64)
def prospects(cards: tuple[str, ...], seats: int) -> Prospects:
    """Return the cached prospects of a set of cards, for a number of seats."""
    return Prospects(cards, seats)
