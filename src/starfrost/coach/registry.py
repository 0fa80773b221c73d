"""The coaches and the puzzles by game id."""

from importlib.util import find_spec
from typing import Any, Final

from starfrost.coach.judge import Coach
from starfrost.coach.puzzles import PuzzleSet
from starfrost.games.core import Game
from starfrost.games.registry import Part

COACHES: Final = Part[Coach]("coach")
COACHED: Final = find_spec("numpy") is not None
"""Whether coaches can be imported: a browser has no NumPy."""
PUZZLES: Final = Part[PuzzleSet]("puzzles")


def coach_of(game: Game[Any, Any]) -> Coach | None:
    """Return the coach of a game that can judge it now or work out what it needs; None if there is none."""
    coach = COACHES.get(game.name) if COACHED else None
    return coach if coach is not None and (coach.can_judge(game) or coach.can_solve(game)) else None
