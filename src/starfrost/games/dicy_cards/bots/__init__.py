"""The bots of Dicy Cards."""

from typing import Final

from starfrost.bots.registry import RANDOM, Entry

__all__ = ["BOTS"]

_TABLES: Final = "starfrost.games.dicy_cards.bots.solved_sets"

# Ratings: the mean of the measured ones in docs/bots.md, with two players; `master` plays with three and four.
BOTS: Final = {
    "random": RANDOM._replace(rating=407),
    "greedy": Entry(
        "starfrost.games.dicy_cards.bots.greedy:DicyCardsGreedy", "takes the best it can see now", rating=1720
    ),
    "planner": Entry(
        "starfrost.games.dicy_cards.bots.planner:DicyCardsPlanner",
        "plans its own turn and minds what it leaves to the others",
    ),
    "master": Entry(
        "starfrost.games.dicy_cards.bots.master:DicyCardsMaster",
        "knows the solved games of all pairs and learned the rest against itself; three and four players",
        seats=(3, 4),
        tables=_TABLES,
        needs="numba",
        official=True,
        rating=2050,
    ),
    "perfect": Entry(
        "starfrost.games.dicy_cards.bots.perfect:DicyCardsPerfect",
        "knows the exact value of every action; two players",
        seats=(2,),
        tables=_TABLES,
        needs="numba",
        rating=2064,
    ),
}
