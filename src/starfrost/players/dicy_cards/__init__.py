"""The bots of Dicy Cards."""

from typing import Final

from starfrost.players.registry import Entry

__all__ = ["BOTS"]

_TABLES: Final = "starfrost.players.dicy_cards.tables"

BOTS: Final = {
    "greedy": Entry("starfrost.players.dicy_cards.greedy:DicyCardsGreedy", "takes the best it can see now"),
    "planner": Entry(
        "starfrost.players.dicy_cards.planner:DicyCardsPlanner",
        "plans its own turn and minds what it leaves to the others",
    ),
    "master": Entry(
        "starfrost.players.dicy_cards.master:DicyCardsMaster",
        "knows the solved games of all pairs and learned the rest against itself; three and four players",
        seats=(3, 4),
        tables=_TABLES,
        needs="numba",
    ),
    "perfect": Entry(
        "starfrost.players.dicy_cards.perfect:DicyCardsPerfect",
        "knows the exact value of every action; two players",
        seats=(2,),
        tables=_TABLES,
        needs="numba",
    ),
}
