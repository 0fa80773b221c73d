"""The trainers by game id, for games with a learned bot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starfrost.registry import Registry


@dataclass(frozen=True)
class Trainer:
    """The training of a bot by `starfrost train`."""

    run: Callable[..., None]
    """Train: `run(players, minutes, out, resume, seed, **options)`, with the given options."""
    options: Mapping[str, tuple[type, str]] = field(default_factory=dict)
    """The type and the help text of each further option by name."""
    draw: Callable[[Path], Path] | None = None
    """Draw the curves of a training folder and return the picture; None if there is nothing to draw."""


TRAINERS: Final[Registry[Trainer]] = Registry(
    "starfrost.learning",
    {"dice-stars": "starfrost.learning.dice_stars.kit:KIT", "dicy-cards": "starfrost.learning.dicy_cards.kit:KIT"},
)
