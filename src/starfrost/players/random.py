"""`random`: any legal action, each as likely as the next."""

from random import Random
from typing import Any

from starfrost.games.core import Game

__all__ = ["RandomBot"]


class RandomBot:
    """A player without a plan; the floor that every other bot stands on."""

    name = "random"

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Draw one of the legal actions."""
        return rng.choice(game.legal_actions(state))
