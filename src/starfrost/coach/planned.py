"""A coach that needs nothing but Python: it values what can be done as the bot `planner` does.

A device without a server has no room for solved values and no NumPy for networks. So it says what `planner` would do,
and how sure that is: the error is the one that was measured against the coach of a server.
"""

from collections.abc import Mapping
from typing import Any, Final

from starfrost.coach.judge import Coach, Difference, Judge, Option, Parts, Shares
from starfrost.games.core import OVER

MOST_SEATS: Final = 2
"""With more players the chances of all the others are not known."""


class PlannedJudge:
    """Estimates for a game of at most two seats."""

    def __init__(self, game: Any, error: float) -> None:
        self.game, self.error = game, error
        self._known: tuple[Any, Mapping[Any, float]] = None, {}

    def chances(self, state: Any) -> Mapping[Any, float]:
        """Return the acting seat's chance to win after every legal action."""
        raise NotImplementedError

    def chance(self, state: Any) -> float:
        """Return the chance of the seat that is about to roll."""
        raise NotImplementedError

    def value(self, state: Any) -> Shares:
        """Return the value of a position before a roll, or of an end."""
        if self.game.actor(state) == OVER:
            winners = self.game.winners(state)
            return tuple((seat in winners) / len(winners) if winners else 0.0 for seat in range(self.game.seats))
        return self._shares(self.game.turn_of(state), self.chance(state))

    def options(self, state: Any) -> list[Option]:
        """Return every action with its value, the best for the acting seat first."""
        seat = self.game.actor(state)
        ranked = sorted(self._chances(state).items(), key=lambda pair: -pair[1])
        return [Option(action, self._shares(seat, chance)) for action, chance in ranked]

    def compare(self, state: Any, one: Any, other: Any) -> Difference:
        """Return the estimated difference of two actions."""
        found, seat = self._chances(state), self.game.actor(state)
        mean = found[one] - found[other]
        both = (mean, -mean) if seat == 0 else (-mean, mean)
        return Difference(both[: self.game.seats], self.error, mean > self.error)

    def parts(self, state: Any, better: Any, worse: Any, difference: float) -> Parts:
        """Return nothing: an estimate is not split."""
        return ()

    def _chances(self, state: Any) -> Mapping[Any, float]:
        if self._known[0] != state:
            self._known = state, self.chances(state)
        return self._known[1]

    def _shares(self, seat: int, chance: float) -> Shares:
        own = min(1.0, max(0.0, chance))
        both = (own, 1.0 - own) if seat == 0 else (1.0 - own, own)
        return both[: self.game.seats]


class PlannedCoach(Coach):
    """Hints and judged moves, but no judged games: those would keep a device busy for too long."""

    reviews = False

    def can_judge(self, game: Any) -> bool:
        """Return whether there are at most two players."""
        return bool(game.seats <= MOST_SEATS)

    def judge(self, game: Any) -> Judge | None:
        """Return the judge of this set-up; None for more players."""
        return self.planned(game) if self.can_judge(game) else None

    def planned(self, game: Any) -> Judge:
        """Return the judge of a game."""
        raise NotImplementedError
