"""Worths of all positions between turns by value iteration over what the reference engine answers.

No code is shared with the solver, and the way is another: every set of dice to keep is tried for every roll, the whole
distribution of a reroll is one row of a matrix, and the values of positions that skips lead back to are iterated until
nothing moves. Arrays may be NumPy's or CuPy's.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from starfrost.games.dicy_cards import DicyCards
from tests.solver.facts import ALL, CARDS, SKIP, Facts

__all__ = ["Iteration"]

MASKS = ALL + 1
Array = Any
"""An array of NumPy or of CuPy."""


class Iteration:
    """A solved game: `worth` gives any position between turns."""

    def __init__(self, game: DicyCards, *, start: float = 0.5, arrays: Any = np, together: int = 4) -> None:
        """Solve a two-player game, from any first guess, so many pairs of scores together."""
        self.game, self.start, self.xp, self.together = game, start, arrays, together
        self.facts = Facts(game)
        self._hand_over()
        goal, top = game.goal, game.goal + self.facts.most
        self.ended: Array = self.xp.full((2, top, goal, MASKS, MASKS), start)
        """Whoever ended a turn wins with this chance: by seat, own and other's score, own and other's cards."""
        self._last_turns()
        for total in range(2 * goal - 2, -1, -1):
            first = np.arange(max(0, total - goal + 1), min(goal, total + 1))
            self._settle(first, total - first)

    def _hand_over(self) -> None:
        """Copy what the engine answered to where the arrays live."""
        facts, give = self.facts, self.xp.asarray
        self.chance, self.becomes = give(facts.chance), give(facts.becomes)
        self.ways = [give(ways) for ways in facts.ways]
        self.kind = [give(kind) for kind in facts.kind]
        self.offered = [[give(places) for places in card] for card in facts.offered]
        self.endings = [[(give(own), give(other)) for own, other in seats] for seats in facts.endings]
        # Only positions in which the other seat has one of these sets of cards are ever reached by a skip.
        self.reached = give(np.unique([own for own, _ in facts.endings[SKIP]]))

    # The inside of a turn. The last axis is a lane: one pair of scores with one set of the other's cards.

    def _scores(self, brought: list[Array]) -> Iterator[Array]:
        """Return, for each set of own cards, the best value of scoring by roll and lane, from that by points."""
        kinds = []
        for card in range(CARDS):
            rows = [
                brought[card][places].max(axis=0) if len(places) else self.xp.full(brought[card].shape[1:], -1.0)
                for places in self.offered[card]
            ]
            kinds.append(self.xp.stack(rows))
        for own in range(MASKS):
            best = self.xp.full((len(self.facts.rolls), brought[0].shape[-1]), -1.0)
            for card in range(CARDS):
                if own >> card & 1:
                    self.xp.maximum(best, kinds[card][self.kind[card], own], out=best)
            yield best

    def _turn(self, scores: Iterator[Array], skip: Array) -> Array:
        """Return the value of a turn before its first roll, by own cards and lane."""
        worth = self.xp.empty_like(skip)
        worth[0] = skip[0]
        again: dict[int, Array] = {}
        for own, scored in enumerate(scores):
            best = self.xp.maximum(scored, skip[own])
            for card in range(CARDS):
                if own >> card & 1:
                    self.xp.maximum(best, again[int(self.facts.left[own, card])], out=best)
            worth[own] = self.chance @ best if own else skip[0]
            if own < ALL:
                again[own] = self._rerolled(best)
        return worth

    def _rerolled(self, best: Array) -> Array:
        """Return the value of the best reroll of every roll, from the values of the rolls that can follow."""
        means = self.becomes @ best
        return self.xp.concatenate([means[ways].max(axis=1) for ways in self.ways])

    def _after(self, table: Array, way: int, seat: int) -> Array:
        """Let the other seat choose what is worst for the seat that ended its turn so."""
        own, other = self.endings[way][seat]
        return table[..., own, other].min(axis=-1)

    # All positions

    def _last_turns(self) -> None:
        """Fill in ended games, and the last turns of the second seat when the first has reached the goal.

        Who has won is asked for every gap between the scores. That the gap alone matters is taken for granted here;
        the last turns among those of `expectimax` have all kinds of scores and would differ.
        """
        facts, goal, top = self.facts, self.game.goal, self.game.goal + self.facts.most
        won: dict[int, Array] = {}
        for gap in range(-top, top):
            scores = (max(goal, gap + goal), max(goal, gap + goal) - gap)
            won[gap] = self.xp.asarray(facts.won(1, scores))
        for first in range(goal):
            for second in range(goal, top):
                assert facts.over(1, (first, second))
                self.ended[1, second, first] = won[first - second]
        for first in range(goal, top):
            for second in range(goal):
                assert not facts.over(0, (first, second))
                assert facts.over(1, (first, second))
        for gaps in np.array_split(np.arange(1, top), -(-(top - 1) // self.together)):
            tables = [self.xp.stack([won[gap] for gap in gaps])[:, None]]
            tables += [
                self.xp.stack([self.xp.stack([won[gap - points] for points in facts.points[card]]) for gap in gaps])
                for card in range(CARDS)
            ]
            skip, *brought = (
                _lanes(self._after(table, way, 1)) for table, way in zip(tables, (SKIP, *range(CARDS)), strict=True)
            )
            worth = self._turn(self._scores(brought), skip[0])
            blocks = 1 - worth.reshape(MASKS, len(gaps), MASKS)
            for place, gap in enumerate(gaps):
                for first in range(goal, top):
                    if 0 <= first - gap < goal:
                        self.ended[0, first, first - gap] = blocks[:, place].T

    def _settle(self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> None:
        """Solve all pairs of scores of one total: iterate what skips lead back to, then give every position."""
        scores = [(first, second), (second, first)]
        for seat in range(2):
            for own, other in zip(*scores[seat], strict=True):
                assert not self.facts.over(seat, (own, other) if seat == 0 else (other, own))
        bare = [list(self._scores(self._brought(seat, *scores[seat], self.reached))) for seat in range(2)]
        moved = 1.0
        while moved > 5e-16:
            moved = 0.0
            for seat in range(2):
                skip = self._skip(seat, *scores[seat], self.reached)
                moved = max(moved, self._write(seat, *scores[seat], self.reached, self._turn(iter(bare[seat]), skip)))
        every = self.xp.arange(MASKS)
        for part in np.array_split(np.arange(len(first)), -(-len(first) // self.together)):
            found = []
            for seat in range(2):
                own, other = scores[seat][0][part], scores[seat][1][part]
                skip = self._skip(seat, own, other, every)
                found.append(self._turn(self._scores(self._brought(seat, own, other, every)), skip))
            for seat in range(2):
                self._write(seat, scores[seat][0][part], scores[seat][1][part], every, found[seat])
        for seat in range(2):
            # What was iterated was all that mattered: a second round would not move anything either.
            skip = self._skip(seat, *scores[seat], self.reached)
            assert self._write(seat, *scores[seat], self.reached, self._turn(iter(bare[seat]), skip)) < 1e-14

    def _brought(self, seat: int, own: Array, other: Array, lanes: Array) -> list[Array]:
        """Return for each card the value of scoring with it, by points, own cards and lane."""
        found = []
        for card in range(CARDS):
            after = own[:, None] + self.facts.points[card]
            table = self.ended[seat, self.xp.asarray(after), self.xp.asarray(other[:, None])]
            found.append(_lanes(self._after(table, card, seat)[..., lanes]))
        return found

    def _skip(self, seat: int, own: Array, other: Array, lanes: Array) -> Array:
        table = self.ended[seat, self.xp.asarray(own), self.xp.asarray(other)][:, None]
        return _lanes(self._after(table, SKIP, seat)[..., lanes])[0]

    def _write(self, seat: int, own: Array, other: Array, lanes: Array, worth: Array) -> float:
        """Enter the values of the seat that ended the turn before; return the greatest change."""
        entry = (1 - worth.reshape(MASKS, len(own), len(lanes))).transpose(1, 2, 0)
        place = (1 - seat, self.xp.asarray(other)[:, None], self.xp.asarray(own)[:, None], lanes[None])
        moved = float(self.xp.abs(self.ended[place] - entry).max())
        self.ended[place] = entry
        return moved

    # What is known in the end

    def block(self, seat: int, scores: Sequence[int]) -> np.ndarray[Any, Any]:
        """Return the values for the seat to move by the other's cards and its own, last turns included."""
        block = 1 - self.ended[1 - seat, scores[1 - seat], scores[seat]]
        return block if self.xp is np else block.get()  # type: ignore[no-any-return]

    def value(self, seat: int, scores: Sequence[int], active: Sequence[int]) -> float:
        """Return the value of a position between turns for the seat to move."""
        return float(self.block(seat, scores)[active[1 - seat], active[seat]])


def _lanes(table: Array) -> Array:
    """Turn (pair, points, own, other) into (points, own, lane)."""
    pairs, points, own, other = table.shape
    return table.transpose(1, 2, 0, 3).reshape(points, own, pairs * other)
