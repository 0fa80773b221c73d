"""`greedy` for Dicy Cards: it scores the most points now.

It scores the card and the dice with the most points; of equal ones, the card with fewer mean points, so that the better
card stays active. It never rerolls, and skips only when no active card can score. As an affected seat it freezes the
card with the lowest mean points and resets the one with the highest.
"""

from functools import lru_cache
from random import Random
from typing import Any

from starfrost.games.core import Game
from starfrost.games.dice import rolls
from starfrost.games.dicy_cards import Action, DicyCards, card_of, options


@lru_cache(maxsize=64)
def mean_points(card: str) -> float:
    """Return the mean points of a card's best selection over one roll."""
    given = [(options(card, dice), weight) for dice, weight in rolls(6, card_of(card).faces)]
    return sum(weight * found[0][1] for found, weight in given if found) / 6**6


class DicyCardsGreedy:
    """A player that considers only the dice on the table."""

    name = "greedy"

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Return the action with the most points now; freeze the worst card, reset the best."""
        assert isinstance(game, DicyCards)
        kind, legal = game.kind, game.legal_actions(state)
        if legal[0].verb == "freeze":
            return min(legal, key=lambda action: mean_points(kind(action.card)))
        if legal[0].verb == "reset":
            return max(legal, key=lambda action: mean_points(kind(action.card)))
        scores = [action for action in legal if action.verb == "score"]
        if not scores:
            return next(action for action in legal if action.verb == "skip")
        given = {action.card: dict(options(kind(action.card), state.dice)) for action in scores}
        return max(scores, key=lambda action: (given[action.card][action.dice], -mean_points(kind(action.card))))
