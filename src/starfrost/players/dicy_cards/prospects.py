"""The value of active cards: expected leads, and the chance of a high score in the last turn.

Two seats that play for the lead in points over a known number of turns are a small game that can be solved exactly:
`Prospects.lead[k, active, other]` is the lead that the seat to move gains in the last k turns (in alternation) when
both play optimally, including effects on each other's cards. Its differences show the value of a card, the cost of a
skip that resets a card of the other seat, and how both change towards the end. The growth of `Prospects.points[t]`,
the most points that a seat alone can expect in t turns, converges to the pace of the set, its points per turn in the
long run. `Prospects.reach[active, need]` is the best chance to score at least `need` points in one turn, the aim of a
seat behind in the last round. With more than two seats, third seats freeze and reset cards of both at an average rate.
"""

from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.card_set import ANSWERS, card_set
from starfrost.dice.turn import offers_of, solve_turn
from starfrost.games.dicy_cards import ALL_ACTIVE, MASKS, Change

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

SWEEPS: Final = 10
"""The turns of a seat alone after which the pace is measured."""
TURNS: Final = 12
"""The turns covered by the table of leads; even, so that the last two rows hold both orders of play."""
SKIPS: Final = 0.12
"""The share of turns that end with a skip."""
SCORES: Final = 0.15
"""The share of turns that end with a given card that has an effect."""
SHORT: Final = np.float32
"""Single precision is enough for an estimate and twice as fast as double."""


def _answered(lead: Floats, change: Change) -> Floats:
    """Return the lead after the next seat froze or reset its best card, [its active, other]."""
    best: Floats = lead[ANSWERS[change]].max(axis=1)
    return best


class Prospects:
    """The value of active cards in one set of five; the parts are computed on first use."""

    def __init__(self, cards: tuple[str, ...], seats: int) -> None:
        self.seats = seats
        self.card_set = card_set(cards)
        # More points never have less value here, because only the lead counts.
        self._offers = offers_of(cards, best_only=True)
        self._change = np.repeat(self.card_set.change, np.diff(self.card_set.points_first))

    @cached_property
    def points(self) -> Floats:
        """The most points that a seat alone can expect, [turns, active]."""
        points: list[Floats] = [np.zeros(MASKS)]
        for _ in range(SWEEPS):
            ahead = points[-1]
            points.append(solve_turn(self._offers, self.card_set.points[:, None] + ahead, ahead[-1]).start)
        return np.array(points)

    @cached_property
    def pace(self) -> float:
        """The points per turn in the long run."""
        return float(self.points[-1, -1] - self.points[-5, -1]) / 4

    @cached_property
    def needed(self) -> Floats:
        """The turns in which a seat alone can expect a number of points, [points, active], up to `SWEEPS` turns."""
        most = int(self.points[-1].min())
        sweeps = np.arange(len(self.points))
        return np.array([np.interp(np.arange(most + 1), points, sweeps) for points in self.points.T]).T

    def turns(self, points: Ints) -> Floats:
        """Estimate the turns that a seat needs for a number of points, [points, active]."""
        most = len(self.needed) - 1
        within = np.clip(points, 0, most)
        return self.needed[within] + (np.maximum(points, most) - most)[:, None] / self.pace

    @cached_property
    def lead(self) -> Floats:
        """The lead that the seat to move gains, [turns left, its active cards, the other's]."""
        leads = [np.zeros((MASKS, MASKS), dtype=SHORT)]
        for _ in range(TURNS):
            # The gain of the other seat next: with the same cards, or after it froze or reset a card.
            plain = self._meanwhile(leads[-1])
            after = np.array([_answered(plain, change).T for change in Change])
            ends = self.card_set.points[:, None, None].astype(SHORT) - after[self._change]
            leads.append(solve_turn(self._offers, ends, -after[Change.RESET, ALL_ACTIVE]).start)
        return np.array(leads, dtype=np.float64)

    def _meanwhile(self, lead: Floats) -> Floats:
        """Return the lead after the turns of third seats, each of which can freeze or reset a card of both seats."""
        turns = (self.seats - 2) / 2
        changes: list[int] = self.card_set.change.tolist()
        resets = turns * (SKIPS + SCORES * changes.count(Change.RESET))
        freezes = turns * SCORES * changes.count(Change.FREEZE)
        changed = lead * (1 - resets - freezes)
        for chance, change in ((resets, Change.RESET), (freezes, Change.FREEZE)):
            if chance:
                changed += chance * -_answered(-_answered(lead, change).T, change).T
        return changed.astype(SHORT)

    def leads(self, rounds: Floats, extra: int, active: int) -> Floats:
        """Return the gain of another seat on the one that just played, like `rounds` [any, active cards of the latter].

        The other seat has these active cards and `extra` turns besides the following rounds, which can be fractions.
        """
        table = self.lead[extra::2, active]
        within = np.clip(rounds, 0, len(table) - 1.001)
        whole: Ints = within.astype(np.intp)
        part = within - whole
        own = np.arange(MASKS)
        return table[whole, own] * (1 - part) + table[whole + 1, own] * part

    @cached_property
    def reach(self) -> Floats:
        """The best chance of at least `need` points in one turn, [active, need]; the last need cannot be reached."""
        need = np.arange(self.card_set.most + 2)
        reached = (self.card_set.points[:, None] >= need).astype(SHORT)[:, None]
        ends = np.repeat(reached, MASKS, axis=1)
        chances: Floats = solve_turn(self._offers, ends, (need <= 0).astype(SHORT)).start.astype(np.float64)
        return chances

    def reaches(self, active: int, need: Ints | int) -> Floats:
        """Return the best chance to score at least `need` points in one turn with these cards active."""
        chances: Floats = self.reach[active][np.clip(need, 0, self.reach.shape[1] - 1)]
        return chances


@lru_cache(maxsize=64)
def prospects(cards: tuple[str, ...], seats: int) -> Prospects:
    """Return the cached prospects of a set of cards, for a number of seats."""
    return Prospects(cards, seats)
