"""The answers of guests to puzzles: ratings for both sides, and streaks. Only the first answer to a puzzle counts."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple

from sqlalchemy import Connection, insert, select, update

from starfrost.table.ratings import Rating, met
from starfrost.table.refusals import unavailable
from starfrost.table.schema import puzzle_attempts, puzzle_ratings
from starfrost.table.store import Conflict, Store, Unavailable

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
        found = {day_of(attempt.at) for attempt in self.attempts}
        day, count = today if today in found else today - timedelta(1), 0
        while day in found:
            day, count = day - timedelta(1), count + 1
        return count

    def rating(self, game: str) -> Rating:
        """Return the rating in puzzles of a game."""
        latest = next((attempt for attempt in reversed(self.attempts) if attempt.game == game), None)
        return Rating(latest.rating, latest.deviation) if latest else Rating()

    def change(self, puzzle: str) -> float:
        """Return by how much the answer to a puzzle changed the rating."""
        attempt = self.answered[puzzle]
        before = Standing([other for other in self.attempts if other.at < attempt.at])
        return attempt.rating - before.rating(attempt.game).value


def day_of(at: float) -> date:
    """Return the day of a moment; days begin at midnight UTC, everywhere."""
    return datetime.fromtimestamp(at, UTC).date()


class PuzzleBook:
    """The answers of all guests."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def standing(self, guest: str) -> Standing:
        """Return what a guest has answered. Raises Refused."""
        columns = [puzzle_attempts.c[name] for name in Attempt._fields]
        query = select(*columns).where(puzzle_attempts.c.guest == guest).order_by(puzzle_attempts.c.at)
        try:
            async with self._store.read() as connection:
                return Standing([Attempt(*row) for row in (await connection.execute(query)).all()])
        except Unavailable:
            raise unavailable() from None

    async def ratings(self, puzzles: Sequence[str] = ()) -> dict[str, PuzzleRating]:
        """Return the ratings of the puzzles that have been answered: of all, or of some. Raises Refused."""
        query = select(puzzle_ratings)
        if puzzles:
            query = query.where(puzzle_ratings.c.puzzle.in_(puzzles))
        try:
            async with self._store.read() as connection:
                return {row[0]: PuzzleRating(*row[1:]) for row in (await connection.execute(query)).all()}
        except Unavailable:
            raise unavailable() from None

    async def answer(
        self, guest: str, puzzle: str, game: str, action: str, *, solved: bool, shipped: float, at: float | None = None
    ) -> bool:
        """Store an answer if it is the guest's first to this puzzle, and rate both; return whether it is the first.

        `shipped` is the puzzle's rating before anybody has answered it. Raises Refused.
        """
        moment = time.time() if at is None else at

        def work(connection: Connection) -> bool:
            mine = puzzle_attempts.c.guest == guest
            if connection.execute(select(puzzle_attempts.c.at).where(mine, puzzle_attempts.c.puzzle == puzzle)).first():
                return False
            same = puzzle_ratings.c.puzzle == puzzle
            row = connection.execute(select(puzzle_ratings).where(same).with_for_update()).first()
            old = PuzzleRating(*row[1:]) if row else PuzzleRating(shipped)
            latest = connection.execute(
                select(puzzle_attempts.c.rating, puzzle_attempts.c.deviation)
                .where(mine, puzzle_attempts.c.game == game)
                .order_by(puzzle_attempts.c.at.desc())
                .limit(1)
            ).first()
            person, opponent = met(
                Rating(*latest) if latest else Rating(), Rating(old.rating, old.deviation), float(solved)
            )
            attempt = Attempt(puzzle, game, action, solved, moment, *person)
            connection.execute(insert(puzzle_attempts), [{"guest": guest, **attempt._asdict()}])
            new = PuzzleRating(*opponent, old.answers + 1, old.solved + solved)._asdict()
            if row:
                connection.execute(update(puzzle_ratings).where(same).values(**new))
            else:
                connection.execute(insert(puzzle_ratings), [{"puzzle": puzzle, **new}])
            return True

        for _ in range(3):
            try:
                return await self._store.write(work)
            except Conflict:
                # Another process stored an answer at the same moment; look at it and try again.
                continue
            except Unavailable:
                break
        raise unavailable()
