"""The worths of all positions between turns of one set-up.

`between[seat, own score, other's score, other's mask, own mask]` is the probability that the seat to move wins, a
shared victory counting one half. Once the first seat has reached the goal, only the gap to it matters:
`last[gap, other's mask, own mask]` is the second seat's worth in its last turn, 0 from the last gap on.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Values"]


class Values(NamedTuple):
    """A solved set-up: tables that may be mapped from a file."""

    cards: tuple[str, ...]
    goal: int
    between: NDArray[np.float64]
    last: NDArray[np.float64]

    @property
    def first_player_wins(self) -> float:
        """The probability that the first seat wins from the start."""
        return float(self.between[0, 0, 0, 31, 31])

    def worth(self, seat: int, scores: Sequence[int], active: Sequence[int]) -> float:
        """Give the worth of a position between turns for the seat to move.

        A second seat that has reached the goal has won; both seats' active cards break a tie that is left (E2).
        """
        row = self.row(seat, scores, active[1 - seat])
        return float(row[active[seat]])

    def block(self, seat: int, scores: Sequence[int]) -> NDArray[np.float64]:
        """Give the worths for the seat to move by the other's mask and its own."""
        own, other = scores[seat], scores[1 - seat]
        table = self.between[seat, own, other] if other < self.goal else self.last[min(other - own, len(self.last) - 1)]
        found: NDArray[np.float64] = table
        return found

    def row(self, seat: int, scores: Sequence[int], other_mask: int) -> NDArray[np.float64]:
        """Give the worths for the seat to move by its own mask."""
        found: NDArray[np.float64] = self.block(seat, scores)[other_mask]
        return found
