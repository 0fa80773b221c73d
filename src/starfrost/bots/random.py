"""`random`: every legal action with the same probability."""

from random import Random
from typing import Any

from starfrost.games.core import Game


class RandomBot:
    """A player that chooses at random, the baseline for the other bots."""

    name = "random"

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Return a random legal action."""
        return rng.choice(game.legal_actions(state))
