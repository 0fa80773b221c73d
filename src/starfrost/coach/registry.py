"""The coaches and the puzzles by game id."""

from importlib.util import find_spec
from typing import Any, Final

from starfrost.coach.judge import Coach
from starfrost.coach.puzzles import PuzzleSet
from starfrost.games.core import Game
from starfrost.games.registry import Part

COACHES: Final = Part[Coach]("coach" if find_spec("numpy") else "planned")
"""A browser has no NumPy, and with it the coaches that need none."""
PUZZLES: Final = Part[PuzzleSet]("puzzles")


def coach_of(game: Game[Any, Any]) -> Coach | None:
    """Return the coach of a game that can judge it now or work out what it needs; None if there is none."""
    coach = COACHES.get(game.name)
    return coach if coach is not None and (coach.can_judge(game) or coach.can_solve(game)) else None
