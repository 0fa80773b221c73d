"""One turn, opened up: what every roll, every kept multiset and every score is worth to the player to move.

The worths between turns say how good a position is; this program says how to play it. It is the sweep's recursion
again, for one position and in NumPy, so that playing and coaching need no Numba and take a few milliseconds.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.lattice import KEPT, ROLLS, lattice
from starfrost.solver.card_set import FREEZE, RESET, SetUp, set_up
from starfrost.solver.values import Values

__all__ = ["Turn", "affected_masks"]

Floats = NDArray[np.float64]


def affected_masks(effect: int, mask: int) -> list[int]:
    """List the masks that a player may be left with after freezing or resetting a card."""
    bits = [1 << card for card in range(5)]
    if effect == FREEZE and mask:
        return [mask ^ bit for bit in bits if mask & bit]
    if effect == RESET and mask != 31:
        return [mask | bit for bit in bits if not mask & bit]
    return [mask]


class _Plan(NamedTuple):
    """A set-up's offers as padded rows: one row of point numbers an offer, filled with the row of a bad worth."""

    chosen: SetUp
    rows: tuple[NDArray[np.int32], ...]


@lru_cache(maxsize=32)
def _plan(cards: tuple[str, ...], goal: int) -> _Plan:
    chosen = set_up(cards, goal)
    rows = []
    for card in range(5):
        first, end = chosen.offer_first[card], chosen.offer_first[card + 1]
        base = chosen.points_first[card]
        nothing = chosen.points_first[card + 1] - base
        lists = [
            chosen.offer_points[chosen.offer_start[offer] : chosen.offer_start[offer + 1]] - base
            for offer in range(first, end)
        ]
        padded = np.full((end - first, max(map(len, lists))), nothing, np.int32)
        for offer, entries in enumerate(lists):
            padded[offer, : len(entries)] = entries
        rows.append(padded)
    return _Plan(chosen, tuple(rows))


class _Steps(NamedTuple):
    """The lattice by sizes: where each size is, and the steps of one die up and down, one row a step."""

    parts: tuple[slice, ...]
    up: tuple[NDArray[np.intp], ...]
    down: tuple[NDArray[np.intp], ...]


@lru_cache(maxsize=1)
def _steps() -> _Steps:
    dice = lattice()
    parts = tuple(slice(dice.first[size], dice.first[size + 1]) for size in range(7))
    up, down = (tuple(np.ascontiguousarray(table[part].T, np.intp) for part in parts) for table in (dice.up, dice.down))
    return _Steps(parts, up, down)


def _greatest(best: Floats, worth: Floats, steps: NDArray[np.intp]) -> Floats:
    for step in steps:
        best = np.maximum(best, worth.take(step, 0))
    return best


class Turn:
    """The worths inside one turn of a seat, for the cards in `mask` and all their subsets."""

    def __init__(self, values: Values, seat: int, scores: Sequence[int], other_mask: int, mask: int) -> None:
        self._seat, self._other_mask = seat, other_mask
        self._own, self._other = scores[seat], scores[1 - seat]
        self._last = self._other >= values.goal
        self._open(values, mask)

    def _open(self, values: Values, mask: int) -> None:
        """Work the turn out; the worths of its ends come from `_skip_worth` and `_block_worths`."""
        self._values = values
        self._plan = _plan(values.cards, values.goal)
        self.mask = mask
        self.skip = self._skip_worth()
        """The worth of skipping."""
        self.rolls: Floats = np.full((32, ROLLS), np.nan)
        """`rolls[mask, roll]`: the worth of a roll with these cards active."""
        self.kept: Floats = np.full((32, KEPT), np.nan)
        """`kept[mask, multiset]`: the worth of rolling the other dice again, with these cards left active."""
        self._scores = [self._score_worths(card) for card in range(5)]
        self._solve()

    def _skip_worth(self) -> float:
        if self._last:
            return 0.0
        after = self._values.between[1 - self._seat, self._other, self._own, 31]
        return 1.0 - max(float(after[mask]) for mask in affected_masks(RESET, self._other_mask))

    def score_worth(self, card: int, points: int, rest: int) -> float:
        """Give the worth of scoring points with a card, the cards in `rest` staying active."""
        return float(self._block_worths(card, points)[rest])

    def _block_worths(self, card: int, points: int) -> Floats:
        """Give the worths of scoring points with a card, by the cards that stay active."""
        effect = int(self._plan.chosen.effect[card])
        after = self._own + points
        if self._last:
            gap = self._other - self._own
            active = np.array([mask.bit_count() for mask in range(32)])
            other = affected_masks(effect, self._other_mask)[0].bit_count()
            tie = np.where(active > other, 1.0, np.where(active == other, 0.5, 0.0))
            return tie if points == gap else np.full(32, float(points > gap))
        if after >= self._values.goal:
            if self._seat == 1:
                return np.ones(32)
            block = self._values.last[min(after - self._other, len(self._values.last) - 1)]
        else:
            block = self._values.between[1 - self._seat, self._other, after]
        worth: Floats = 1.0 - block[:, affected_masks(effect, self._other_mask)].max(axis=1)
        return worth

    def _score_worths(self, card: int) -> Floats:
        """Give the best worth of scoring a card, by roll and by the cards that stay active."""
        chosen = self._plan.chosen
        first, end = chosen.points_first[card], chosen.points_first[card + 1]
        by_points = np.full((end - first + 1, 32), -1.0)
        for place in range(end - first):
            by_points[place] = self._block_worths(card, int(chosen.points[first + place]))
        by_offer = by_points[self._plan.rows[card]].max(axis=1)
        best: Floats = by_offer[chosen.offer[card] - chosen.offer_first[card]]
        return best

    def _solve(self) -> None:
        parts, up, down = _steps()
        again: Floats = np.full((ROLLS, 32), np.nan)
        again[:, 0] = self.rolls[0] = self.kept[0] = self.skip
        for level in range(1, self.mask.bit_count() + 1):
            masks = [mask for mask in range(32) if mask.bit_count() == level and mask & self.mask == mask]
            # One row a multiset, so that a step on the lattice copies whole rows.
            worth: Floats = np.full((KEPT + ROLLS, len(masks)), -1.0)
            rolls = worth[KEPT:]
            for card in range(5):
                places = [place for place, mask in enumerate(masks) if mask >> card & 1]
                rests = [masks[place] ^ (1 << card) for place in places]
                offered = np.maximum(self._scores[card].take(rests, 1), again.take(rests, 1))
                rolls[:, places] = np.maximum(rolls[:, places], offered)
            for size in range(5, -1, -1):
                worth[parts[size]] = sum(worth.take(step, 0) for step in up[size]) / 6
            self.rolls[masks], self.kept[masks] = rolls.T, worth[:KEPT].T
            for size in range(1, 6):
                worth[parts[size]] = _greatest(worth[parts[size]], worth, down[size])
            again[:, masks] = _greatest(worth.take(down[6][0], 0), worth, down[6][1:])

    def before(self, mask: int) -> float:
        """Give the worth before the first roll."""
        return float(self.kept[mask, 0])
