"""The answers to puzzles on one device; only the first answer to a puzzle counts, as on a server."""

import json
import time
from collections.abc import Mapping, Sequence

from starfrost.here.tables import Keep
from starfrost.table.puzzle_standing import PUZZLE_DEVIATION, Attempt, Deck, PuzzleRating, Standing
from starfrost.table.ratings import Rating, met

ANSWERS = "puzzles"
"""The name under which the answers are kept."""


class Puzzles:
    """The answers of the person at this device."""

    def __init__(self, keep: Keep, kept: Mapping[str, str]) -> None:
        """Go on with what was kept."""
        self._keep = keep
        self.decks = _Decks()
        self._attempts = [Attempt(*one) for one in json.loads(kept.get(ANSWERS, "[]"))]

    async def standing(self, guest: str) -> Standing:
        """Return what the person has answered."""
        return Standing(self._attempts)

    async def ratings(self, puzzles: Sequence[str] = ()) -> dict[str, PuzzleRating]:
        """Return the ratings of puzzles that others have answered: none, each has the one that it was shipped with."""
        return {}

    async def answer(self, guest: str, puzzle: str, game: str, action: str, *, solved: bool, shipped: float) -> bool:
        """Keep an answer if it is the first to this puzzle, and rate the person; return whether it is the first."""
        standing = Standing(self._attempts)
        if puzzle in standing.answered:
            return False
        person, _ = met(standing.rating(game), Rating(shipped, PUZZLE_DEVIATION), float(solved))
        attempts = [*self._attempts, Attempt(puzzle, game, action, solved, time.time(), *person)]
        await self._keep({ANSWERS: json.dumps(attempts)})
        self._attempts = attempts
        return True


class _Decks:
    """The decks of positions that come back: without a coach there are none."""

    async def standing(self, guest: str) -> Deck:
        """Return an empty deck."""
        return Deck()
