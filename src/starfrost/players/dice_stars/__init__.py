"""The bots of Dice Stars."""

from typing import Final

from starfrost.players.registry import Entry

__all__ = ["BOTS"]

BOTS: Final = {
    "greedy": Entry("starfrost.players.dice_stars.greedy:DiceStarsGreedy", "takes the best it can see now"),
    "planner": Entry(
        "starfrost.players.dice_stars.planner:DiceStarsPlanner",
        "plans its own turn and minds what it leaves to the others",
    ),
    "strong": Entry(
        "starfrost.players.dice_stars.strong:DiceStarsStrong",
        "learned from millions of games against itself what a position is worth",
    ),
}
