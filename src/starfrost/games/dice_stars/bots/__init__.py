"""The bots of Dice Stars."""

from typing import Final

from starfrost.bots.registry import RANDOM, Entry

__all__ = ["BOTS"]

# Ratings: the mean of the measured ones in docs/bots.md, with two to four players.
BOTS: Final = {
    "random": RANDOM._replace(rating=791),
    "greedy": Entry(
        "starfrost.games.dice_stars.bots.greedy:DiceStarsGreedy", "takes the best it can see now", rating=1827
    ),
    "planner": Entry(
        "starfrost.games.dice_stars.bots.planner:DiceStarsPlanner",
        "plans its own turn and minds what it leaves to the others",
    ),
    "network": Entry(
        "starfrost.games.dice_stars.bots.strong:DiceStarsNetwork",
        "strong without its look-ahead, for large numbers of games",
        official=True,
        listed=False,
    ),
    "strong": Entry(
        "starfrost.games.dice_stars.bots.strong:DiceStarsStrong",
        "learned from millions of games against itself what a position is worth",
        official=True,
        rating=2243,
    ),
}
