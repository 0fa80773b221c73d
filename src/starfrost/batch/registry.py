"""The batched bots by game id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.games.registry import Part


class Results(NamedTuple):
    """The results of games, one row each."""

    scores: NDArray[np.int64]
    """The points by seat."""
    credits: NDArray[np.float64]
    """The shares of victory by seat."""
    turns: NDArray[np.int64]
    """The turns of all seats together."""
    facts: NDArray[np.int64]
    """What each seat did, by seat and fact (`BatchKit.facts`)."""


Chooser = Callable[[Any, Keys, NDArray[np.int64]], NDArray[np.int64]]
"""Choose an action of the acting seat's bot in each of some positions, by the keys of its luck and its decisions.

Positions are packed in NumPy arrays (`vector.registry.EngineKit.pack`), and in each of them somebody acts. Actions are
the numbers of the vector engine. `BotRandom(key, decision)` is the same luck for a single bot.
"""


@dataclass(frozen=True)
class BatchKit:
    """The bots of a game that play many games at once."""

    size: Callable[[Any, Sequence[str]], int]
    """Return the number of games that a process should play at once with these bots: about a second's work.

    It is 1 if one of the bots can only play single games, or if an optional package is missing.
    """
    facts: Callable[[Any], tuple[str, ...]]
    """Name what is counted for each seat of a game."""
    count: Callable[[Any, Sequence[tuple[Any, Any]], Any], Sequence[Sequence[int]]]
    """Return these facts by seat for a single game: its decisions, each with its position, and its last position."""
    play: Callable[[Any, Sequence[str], Keys, Sequence[Keys]], Results]
    """Play games of one setup: the game, the bots in seat order, the keys of the games and of each seat's luck."""
    chooser: Callable[[Any, Sequence[str]], Chooser] | None = None
    """Return what chooses for these bots, in seat order, where `size` is more than 1; None if nothing does."""


BATCHES: Final = Part[BatchKit]("compiled")
