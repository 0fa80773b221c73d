"""What cards are worth before they are played: points to come, and the chance of one great last turn.

For a set of cards, `Prospects.points[t, active]` is the most points that a seat can expect to score in its next t
turns when it starts them with these cards active and nobody disturbs it: t sweeps of the exact turn. The growth
from one t to the next settles at the set's pace, the points that a turn brings in the long run.
`Prospects.reach[active, need]` is the best chance to score at least `need` points in one turn, which is what a seat
behind in the last round plays for.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from starfrost.players.dicy_cards.rolls import Floats, Ints, takings
from starfrost.players.dicy_cards.turn import solve

__all__ = ["Prospects", "prospects"]

SWEEPS: Final = 24
"""Turns that the table of points to come looks ahead; beyond them every turn brings the pace."""


class Prospects:
    """The worth of active cards in one set of five; the parts are worked out when they are first asked for."""

    def __init__(self, cards: tuple[str, ...]) -> None:
        self.takings = tuple(takings(card) for card in cards)
        points = [np.zeros(1 << len(cards))]
        for _ in range(SWEEPS):
            ahead = points[-1]
            turn = solve(ahead[-1], self.takings, [taking.points[:, None] + ahead for taking in self.takings])
            points.append(turn.start.copy())
        self.points: Floats = np.array(points)
        self.pace: float = float(points[-1][-1] - points[-5][-1]) / 4
        self._reach: Floats | None = None

    def ahead(self, turns: Floats | float) -> Floats:
        """Give the points to come in a number of turns that need not be whole: [turns…, active]."""
        turns = np.asarray(turns)
        within = np.minimum(turns, SWEEPS - 1e-9)
        whole: Ints = within.astype(np.intp)
        part = (within - whole)[..., None]
        return self.points[whole] * (1 - part) + self.points[whole + 1] * part + (turns - within)[..., None] * self.pace

    @property
    def reach(self) -> Floats:
        """The best chance of at least so many points in one turn, [active, need]; the last need is out of reach."""
        if self._reach is None:
            most = max(int(taking.points[-1]) for taking in self.takings)
            need = np.arange(most + 2)
            enough = [(taking.points[:, None] >= need).astype(float) for taking in self.takings]
            worths = [np.repeat(each[:, None, :], 1 << len(self.takings), axis=1) for each in enough]
            self._reach = solve((need <= 0).astype(float), self.takings, worths).start.copy()
        return self._reach

    def reaches(self, active: int, need: Ints | int) -> Floats:
        """Give the best chance to score at least `need` points in one turn with these cards active."""
        chances: Floats = self.reach[active][np.clip(need, 0, self.reach.shape[1] - 1)]
        return chances


@lru_cache(maxsize=64)
def prospects(cards: tuple[str, ...]) -> Prospects:
    """Work out a set of cards once."""
    return Prospects(cards)
