"""`perfect` for Dicy Cards with two players: it chooses by the exact values of the solved game.

Until a set of cards is solved, it is solved in the background and the bot plays like the planner.
"""

from random import Random
from typing import Any

from starfrost.games.core import Game
from starfrost.games.dicy_cards import Action, DicyCards
from starfrost.players.core import Bot
from starfrost.players.dicy_cards.planner import DicyCardsPlanner
from starfrost.solver import on_demand as service
from starfrost.solver.adviser import Adviser

_advisers: dict[DicyCards, Adviser] = {}


def adviser_for(game: DicyCards) -> Adviser | None:
    """Return the adviser of a setup if its cards are solved; otherwise start to solve them and return None."""
    if game not in _advisers:
        values = service.wanted(game.kinds, game.goal)
        if values is None:
            return None
        while len(_advisers) >= 8:
            del _advisers[next(iter(_advisers))]
        _advisers[game] = Adviser(game, values)
    return _advisers[game]


class DicyCardsPerfect:
    """A player of two-player Dicy Cards that makes no mistake."""

    name = "perfect"

    def __init__(self) -> None:
        self._meanwhile: Bot = DicyCardsPlanner()

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Return the best action; of equal ones the first in a fixed order."""
        adviser = adviser_for(game) if isinstance(game, DicyCards) else None
        if adviser is None:
            action: Action = self._meanwhile.choose(game, state, rng)
            return action
        return adviser.best(state).action
