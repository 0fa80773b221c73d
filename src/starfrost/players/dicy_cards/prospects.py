"""The value of cards before they are played: leads to come, and the chance of one great last turn.

Two seats that play for the lead in points, a known number of turns long, are a small game that can be solved
exactly: `Prospects.lead[k, active, other]` is the lead that the seat to move gains in the last k turns (its own and
the other's, one after the other) when both play their best, effects on each other's cards included. Its differences
show the value of a card, what a skip costs when the other gets a card back for it, and how both change as the end
comes near. The growth of `Prospects.points[t]`, the most that a seat alone can expect in t turns, settles at the
set's pace, the points that a turn brings in the long run. `Prospects.reach[active, need]` is the best chance to
score at least `need` points in one turn, which is what a seat behind in the last round plays for. At larger tables
the duel is the same, only that third seats freeze both players' cards and give them back at an average rate.
"""

from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.card_set import ANSWERS, card_set
from starfrost.dice.turn import offers_of, solve_turn
from starfrost.games.dicy_cards import ALL_ACTIVE, MASKS, Change

__all__ = ["Floats", "Ints", "Prospects", "prospects"]

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

SWEEPS: Final = 10
"""Turns of a seat alone, after which the pace is read off."""
TURNS: Final = 12
"""Turns that the table of leads looks ahead; an even number, so that both ways to move first are known at the end."""
SKIPS: Final = 0.12
"""How often a seat skips a turn."""
SCORES: Final = 0.15
"""How often a seat ends a turn with a given card that has an effect."""
SHORT: Final = np.float32
"""Seven digits are plenty for an estimate, and twice as fast as fifteen."""


def _answered(lead: Floats, change: Change) -> Floats:
    """Let the seat to move next freeze or reset the card that it likes best, [its active, other]."""
    best: Floats = lead[ANSWERS[change]].max(axis=1)
    return best


class Prospects:
    """The value of active cards in one set of five; the parts are worked out when they are first asked for."""

    def __init__(self, cards: tuple[str, ...], seats: int) -> None:
        self.seats = seats
        self.card_set = card_set(cards)
        # More points are never worth less here: nothing but the lead counts.
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
        """The points that a turn brings in the long run."""
        return float(self.points[-1, -1] - self.points[-5, -1]) / 4

    @cached_property
    def _turns(self) -> Floats:
        """The turns in which a seat alone can expect so many points, [points, active], up to what the sweeps bring."""
        most = int(self.points[-1].min())
        sweeps = np.arange(len(self.points))
        return np.array([np.interp(np.arange(most + 1), points, sweeps) for points in self.points.T]).T

    def turns(self, points: Ints) -> Floats:
        """Estimate the turns that a seat needs for so many points, [points, active]."""
        most = len(self._turns) - 1
        within = np.clip(points, 0, most)
        return self._turns[within] + (np.maximum(points, most) - most)[:, None] / self.pace

    @cached_property
    def lead(self) -> Floats:
        """The lead that the seat to move gains, [turns left, its active cards, the other's]."""
        leads = [np.zeros((MASKS, MASKS), dtype=SHORT)]
        for _ in range(TURNS):
            # What the other gains next: as it stands, or after it froze or reset a card for this turn's effect.
            plain = self._meanwhile(leads[-1])
            after = np.array([_answered(plain, change).T for change in Change])
            ends = self.card_set.points[:, None, None].astype(SHORT) - after[self._change]
            leads.append(solve_turn(self._offers, ends, -after[Change.RESET, ALL_ACTIVE]).start)
        return np.array(leads, dtype=np.float64)

    def _meanwhile(self, lead: Floats) -> Floats:
        """Let the turns of third seats pass: each may freeze a card of both, or give both one back."""
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
        """Return what another seat gains on one that has just played, like `rounds` [any, active cards of the latter].

        The other has these active cards, and `extra` turns beyond the rounds that follow, which need not be whole.
        """
        table = self.lead[extra::2, active]
        within = np.clip(rounds, 0, len(table) - 1.001)
        whole: Ints = within.astype(np.intp)
        part = within - whole
        own = np.arange(MASKS)
        return table[whole, own] * (1 - part) + table[whole + 1, own] * part

    @cached_property
    def reach(self) -> Floats:
        """The best chance of at least so many points in one turn, [active, need]; the last need is out of reach."""
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
    """Work out a set of cards once, for a number of seats."""
    return Prospects(cards, seats)
