"""What a guest has done with puzzles: ratings, rows of solved puzzles and of days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple

from starfrost.table.daily.days import day_at, streaks
from starfrost.table.ratings import Rating

PUZZLE_DEVIATION: Final = 150.0
"""The deviation of a puzzle's rating before anybody has answered it."""


class Attempt(NamedTuple):
    """A guest's first answer to a puzzle."""

    puzzle: str
    game: str
    action: str
    solved: bool
    at: float
    rating: float
    """The guest's rating in puzzles of the game after it."""
    deviation: float


class PuzzleRating(NamedTuple):
    """A puzzle's rating and how many guests have answered it."""

    rating: float
    deviation: float = PUZZLE_DEVIATION
    answers: int = 0
    solved: int = 0


class Deck(NamedTuple):
    """How a guest's deck stands."""

    due: int = 0
    waiting: int = 0
    """Positions that come back later."""
    known: int = 0
    next: float | None = None
    """When the next one comes back, if none is due."""


@dataclass(frozen=True)
class Standing:
    """What a guest has done with puzzles, the oldest answer first."""

    attempts: Sequence[Attempt] = ()

    @property
    def answered(self) -> Mapping[str, Attempt]:
        """The answers by puzzle."""
        return {attempt.puzzle: attempt for attempt in self.attempts}

    @property
    def solved(self) -> int:
        """How many puzzles were solved at the first try."""
        return sum(attempt.solved for attempt in self.attempts)

    @property
    def row(self) -> int:
        """How many puzzles in a row were solved last."""
        return self._rows()[-1] if self.attempts and self.attempts[-1].solved else 0

    @property
    def best_row(self) -> int:
        """The longest row of solved puzzles."""
        return max(self._rows(), default=0)

    def _rows(self) -> list[int]:
        return [len(list(row)) for solved, row in groupby(self.attempts, lambda attempt: attempt.solved) if solved]

    def days(self, today: date) -> int:
        """Return on how many days in a row a puzzle was answered; today may still be missing."""
        return streaks({day_at(attempt.at) for attempt in self.attempts}, today.isoformat())[0]

    def rating(self, game: str) -> Rating:
        """Return the rating in puzzles of a game."""
        latest = next((attempt for attempt in reversed(self.attempts) if attempt.game == game), None)
        return Rating(latest.rating, latest.deviation) if latest else Rating()

    def change(self, puzzle: str) -> float:
        """Return by how much the answer to a puzzle changed the rating."""
        attempt = self.answered[puzzle]
        before = Standing([other for other in self.attempts if other.at < attempt.at])
        return attempt.rating - before.rating(attempt.game).value
