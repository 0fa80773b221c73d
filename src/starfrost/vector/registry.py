"""The vector engines by game id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.registry import Registry


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
    unpack: Callable[[Any, Any], list[Any]] | None = None
    """Return states of the reference engine for packed ones in NumPy arrays: game, states; None: bots by name cannot
    play on this engine."""


ENGINES: Final[Registry[EngineKit]] = Registry(
    "starfrost.vector",
    {"dice-stars": "starfrost.vector.dice_stars.kit:KIT", "dicy-cards": "starfrost.vector.dicy_cards.kit:KIT"},
)

DEFAULT: Final = next(iter(ENGINES))
"""The default game of an environment."""
