"""What the trainings of both games share: their lengths, and numbers that change in the course of a training."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from research.with_jax import jnp
from starfrost.errors import Phrase, UsageError


def glide(ends: tuple[float, float], done: float) -> Any:
    """Interpolate from the first value to the last along half a cosine."""
    first, last = ends
    return jnp.float32(last + (first - last) * 0.5 * (1 + np.cos(np.pi * done)))


def numbers(text: str, what: Phrase, kind: type = int) -> list[Any]:
    """Parse numbers separated by commas. Raises UsageError."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(
            "%(text)s is not %(what)s: expected numbers separated by commas.", text=repr(text), what=what
        ) from None


def players_and_minutes(players: str, minutes: str) -> list[tuple[int, float]]:
    """Parse numbers of players with the minutes for each. Raises UsageError."""
    counts = numbers(players, Phrase("a list of players"))
    times = numbers(minutes, Phrase("a number of minutes"), float)
    if len(times) not in (1, len(counts)):
        raise UsageError("Give minutes once for all, or once for every number of players.")
    if min(times) <= 0:
        raise UsageError("The minutes must be more than 0.")
    return [(count, times[index % len(times)]) for index, count in enumerate(counts)]


def keep(files: Iterable[Path]) -> None:
    """Raise UsageError if weights are there already, which may be those of a longer training."""
    for file in files:
        if file.exists():
            raise UsageError(
                "%(file)s is there already: go on from it with --resume, or name another folder with --out.", file=file
            )
