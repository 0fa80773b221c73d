"""The interface of a bot: it gets a game, a state and a source of randomness, and returns one legal action."""

from random import Random
from typing import Any, Protocol

from starfrost.games.core import Game


class Bot(Protocol):
    """A player that chooses a legal action; it never sees a seed and never rolls the game's dice."""

    @property
    def name(self) -> str:
        """The id on the command line and in the strength table."""

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Return one of the acting seat's legal actions; ties and noise use only `rng`."""
