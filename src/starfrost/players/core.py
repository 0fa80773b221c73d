"""What a bot is: it is handed a game, a state and a source of randomness, and answers with one legal action."""

from random import Random
from typing import Any, Protocol

from starfrost.games.core import Game

__all__ = ["Bot"]


class Bot(Protocol):
    """A player that answers with a legal action; it never sees a seed and never draws the game's dice."""

    @property
    def name(self) -> str:
        """The id on the command line and in the strength table."""

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Choose one of the acting seat's legal actions; ties and noise draw from `rng` alone."""
