"""`perfect` for Dicy Cards with two players: it chooses by the exact values of the solved game.

A set of cards that is not solved is solved first; where a person waits (`meanwhile`), it is solved in the background
and the bot plays like the planner until then.
"""

from random import Random
from typing import Any

from starfrost.bots.core import Bot
from starfrost.games.core import Game
from starfrost.games.dicy_cards import Action, DicyCards
from starfrost.games.dicy_cards.bots.planner import DicyCardsPlanner
from starfrost.games.dicy_cards.bots.solved_sets import solved
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser

_advisers: dict[DicyCards, Adviser] = {}


def adviser_for(game: DicyCards, meanwhile: bool = False) -> Adviser | None:
    """Return the adviser of a setup, whose cards are solved first; None while they are solved in the background."""
    if game not in _advisers:
        values = on_demand.find_or_start(game.kinds, game.goal) if meanwhile else solved(game)
        if values is None:
            return None
        while len(_advisers) >= 8:
            del _advisers[next(iter(_advisers))]
        _advisers[game] = Adviser(game, values)
    return _advisers[game]


class DicyCardsPerfect:
    """A player of two-player Dicy Cards that makes no mistake."""

    name = "perfect"

    def __init__(self, meanwhile: bool = False) -> None:
        self._meanwhile: Bot | None = DicyCardsPlanner() if meanwhile else None

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Return the best action; of equal ones the first in a fixed order."""
        assert isinstance(game, DicyCards)
        adviser = adviser_for(game, self._meanwhile is not None)
        if adviser is not None:
            return adviser.best(state).action
        assert self._meanwhile is not None
        action: Action = self._meanwhile.choose(game, state, rng)
        return action
