"""The coaches and the puzzles by game id."""

from typing import Final

from starfrost.coach.judging import Coach
from starfrost.coach.puzzles import PuzzleSet
from starfrost.registry import Registry

COACHES: Final[Registry[Coach]] = Registry(
    "starfrost.coach",
    {"dicy-cards": "starfrost.coach.dicy_cards_kit:COACH", "dice-stars": "starfrost.coach.dice_stars_kit:COACH"},
)
PUZZLES: Final[Registry[PuzzleSet]] = Registry(
    "starfrost.coach.puzzles",
    {
        "dicy-cards": "starfrost.coach.dicy_cards_puzzles:PUZZLES",
        "dice-stars": "starfrost.coach.dice_stars_puzzles:PUZZLES",
    },
)
