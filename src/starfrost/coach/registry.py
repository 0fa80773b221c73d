"""The coaches by game id."""

from typing import Final

from starfrost.coach.judging import Coach
from starfrost.registry import Registry

COACHES: Final[Registry[Coach]] = Registry(
    "starfrost.coach",
    {"dicy-cards": "starfrost.coach.dicy_cards_kit:COACH", "dice-stars": "starfrost.coach.dice_stars_kit:COACH"},
)
