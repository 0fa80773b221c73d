"""The vector engines by game id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.games.registry import GAMES, Part


@dataclass(frozen=True)
class EngineKit:
    """A vector engine, and the conversion to and from the reference engine."""

    make: Callable[[Any], Any]
    """Return the engine that plays the same game as a reference game."""
    state: type
    """The class of its packed states."""
    pack: Callable[[Sequence[Any]], Any]
    """Pack states of the reference engine."""
    number: Callable[[Any, Any, Any], int]
    """Return the number of an action of the reference engine: game, state, action."""
    action: Callable[[Any, Any, int], Any]
    """Return the action of the reference engine that a legal number stands for: game, state, number."""
    mask: Callable[[Any, Any], Any]
    """Return which numbers are legal in a state of the reference engine, as int8; the caller must not change it."""
    observe: Callable[[Any, Any, int], Any]
    """Return what the engine observes of one state of the reference engine from a seat: game, state, seat."""
    unpack: Callable[[Any, Any], list[Any]] | None = None
    """Return states of the reference engine for packed ones in NumPy arrays: game, states; None: bots by name cannot
    play on this engine."""


ENGINES: Final = Part[EngineKit]("engine")

DEFAULT: Final = next(game for game in ENGINES if 1 in GAMES[game].seats)
"""The default game of an environment: one that can be played alone."""
