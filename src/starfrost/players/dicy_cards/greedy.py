"""`greedy` for Dicy Cards: the most points that lie on the table now.

It scores the card and the dice with the most points, and of two equal offers the one whose card brings fewer points
on an ordinary roll, so that the better card stays. It never rerolls, and skips only when no active card can score.
Made to freeze a card it gives up the one with the lowest mean points, and resets the one with the highest.
"""

from functools import lru_cache
from random import Random
from typing import Any

from starfrost.games.core import Game
from starfrost.games.dice import rolls
from starfrost.games.dicy_cards import Action, options

__all__ = ["DicyCardsGreedy", "mean_points"]


@lru_cache(maxsize=12)
def mean_points(card: str) -> float:
    """Return the points that a card brings on one roll, on average, if its best selection is scored."""
    given = [(options(card, dice), weight) for dice, weight in rolls(6)]
    return sum(weight * found[0][1] for found, weight in given if found) / 6**6


class DicyCardsGreedy:
    """A player who sees the dice and nothing else."""

    name = "greedy"

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Score the most points; give up the worst card, take back the best."""
        legal: tuple[Action, ...] = game.legal_actions(state)
        if legal[0].verb == "freeze":
            return min(legal, key=lambda action: mean_points(action.card))
        if legal[0].verb == "reset":
            return max(legal, key=lambda action: mean_points(action.card))
        scores = [action for action in legal if action.verb == "score"]
        if not scores:
            return next(action for action in legal if action.verb == "skip")
        given = {action.card: dict(options(action.card, state.dice)) for action in scores}
        return max(scores, key=lambda action: (given[action.card][action.dice], -mean_points(action.card)))
