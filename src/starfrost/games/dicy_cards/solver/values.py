"""The values of all positions between turns of one set of cards and one goal.

`between[seat, own score, other's score, other's mask, own mask]` is the probability that the seat to move wins, a
shared victory counting one half. Once the first seat has reached the goal, only the gap to it matters:
`last[gap, other's mask, own mask]` is the second seat's value in its last turn, 0 from the last gap on.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import ALL_ACTIVE, MASKS, Change, check_cards, rank, result
from starfrost.games.dicy_cards.solver.card_set import ANSWERS, CardSet, card_set
from starfrost.games.dicy_cards.solver.turn import SolvedTurn

GREATEST_GOAL: Final = 200
"""The highest goal that the solver accepts."""

_COUNTS: Final = np.array([mask.bit_count() for mask in range(MASKS)])


def numbered(cards: Sequence[str], goal: int) -> CardSet:
    """Return five cards as numbers. Raises UsageError for unknown or repeated cards and for a goal out of range."""
    chosen = check_cards(tuple(cards))
    if not 1 <= goal <= GREATEST_GOAL:
        raise UsageError("The solver takes goals from 1 to 200, not %(goal)s.", goal=goal)
    return card_set(chosen)


class Values(NamedTuple):
    """A solved set of cards: tables that may be mapped from a file."""

    cards: tuple[str, ...]
    goal: int
    between: NDArray[np.float64]
    last: NDArray[np.float64]

    @property
    def first_player_wins(self) -> float:
        """The probability that the first seat wins from the start."""
        return float(self.between[0, 0, 0, ALL_ACTIVE, ALL_ACTIVE])

    def first_player_wins_from(self, scores: Sequence[int]) -> float:
        """Return the probability that the first seat wins if the seats start with these points."""
        return self.value(0, scores, (ALL_ACTIVE, ALL_ACTIVE))

    def value(self, seat: int, scores: Sequence[int], active: Sequence[int]) -> float:
        """Return the value of a position between turns for the seat to move."""
        return float(self.block(seat, scores)[active[1 - seat], active[seat]])

    def block(self, seat: int, scores: Sequence[int]) -> NDArray[np.float64]:
        """Return the values for the seat to move by the other's mask and its own."""
        own, other = scores[seat], scores[1 - seat]
        table = self.between[seat, own, other] if other < self.goal else self.last[min(other - own, len(self.last) - 1)]
        return np.asarray(table)

    def turn(self, seat: int, scores: Sequence[int], other_mask: int) -> SolvedTurn:
        """Solve the turn of a seat for all its masks, without Numba, in about a millisecond."""
        chosen = card_set(self.cards)
        change = np.repeat(chosen.change, np.diff(chosen.points_first))
        ends = self.ends(seat, scores, other_mask, np.append(chosen.points, 0), np.append(change, Change.RESET))
        return SolvedTurn(self.cards, ALL_ACTIVE, [ends[:-1]], float(ends[-1, ALL_ACTIVE]))

    def ends(
        self, seat: int, scores: Sequence[int], other_mask: int, points: NDArray[Any], change: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return the values of ending a seat's turn with these points and changes to the other's cards, by own mask."""
        own, other = scores[seat], scores[1 - seat]
        after = own + points
        if other >= self.goal:
            lead = rank(after[:, None], _COUNTS) - rank(other, _COUNTS[ANSWERS[change, other_mask, 0]])[:, None]
            return np.asarray(result(lead))
        masks, answers = np.arange(MASKS)[:, None], ANSWERS[change, other_mask][:, None]
        short, reached = np.flatnonzero(after < self.goal), np.flatnonzero(after >= self.goal)
        ends = np.ones((len(after), MASKS))
        following = self.between[1 - seat, other]
        ends[short] -= following[after[short, None, None], masks, answers[short]].max(axis=-1)
        if seat == 0:
            gaps = np.minimum(after[reached] - other, len(self.last) - 1)
            ends[reached] -= self.last[gaps[:, None, None], masks, answers[reached]].max(axis=-1)
        return ends
