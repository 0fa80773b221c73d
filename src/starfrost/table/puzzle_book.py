"""The answers of guests to puzzles: ratings for both sides, and streaks. Only the first answer to a puzzle counts."""

import time
from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy import Connection, insert, select, update

from starfrost.table.deck import PUZZLE, Decks, put
from starfrost.table.puzzle_standing import Attempt, PuzzleRating, Standing
from starfrost.table.ratings import Rating, met
from starfrost.table.schema import puzzle_attempts, puzzle_ratings
from starfrost.table.store import Conflict, Store


class PuzzleBook:
    """The answers of all guests."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.decks = Decks(store)

    async def standing(self, guest: str) -> Standing:
        """Return what a guest has answered. Raises Refused."""
        columns = [puzzle_attempts.c[name] for name in Attempt._fields]
        query = select(*columns).where(puzzle_attempts.c.guest == guest).order_by(puzzle_attempts.c.at)
        return Standing([Attempt(*row) for row in await self._store.rows(query)])

    async def ratings(self, puzzles: Sequence[str] = ()) -> dict[str, PuzzleRating]:
        """Return the ratings of the puzzles that have been answered: of all, or of some. Raises Refused."""
        query = select(puzzle_ratings)
        if puzzles:
            query = query.where(puzzle_ratings.c.puzzle.in_(puzzles))
        return {row[0]: PuzzleRating(*row[1:]) for row in await self._store.rows(query)}

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
            if not solved:
                put(connection, guest, game, PUZZLE, [(puzzle, "")], moment)
            new = PuzzleRating(*opponent, old.answers + 1, old.solved + solved)._asdict()
            if row:
                connection.execute(update(puzzle_ratings).where(same).values(**new))
            else:
                connection.execute(insert(puzzle_ratings), [{"puzzle": puzzle, **new}])
            return True

        for _ in range(2):
            # Another process may store an answer at the same moment; look at it and try again.
            with suppress(Conflict):
                return await self._store.write(work)
        return await self._store.write(work)
