"""What every game needs to play on a device of JAX: the device, and the words of dice and luck (`chance`) as arrays."""

from typing import Any, Final

import numpy as np

from starfrost.batch.chance import STRIDE
from starfrost.errors import MissingExtra, UsageError, quoted
from starfrost.vector.arrays import U32, Array
from starfrost.vector.chance import CHANCE, POLICY, words

try:
    import jax
except ModuleNotFoundError as missing:
    raise MissingExtra("A device needs JAX: pip install 'starfrost[vector]'.") from missing

__all__ = [
    "AT_ONCE",
    "below",
    "device_of",
    "dice_words",
    "filled_up",
    "jax",
    "lanes_for",
    "luck_words",
    "nth_of",
]

AT_ONCE: Final = 262_144
"""The most games that a device plays at once."""
SIZES: Final = (256, 4096, 16_384, AT_ONCE)
"""The sizes of batches: a smaller one is filled up, so that JAX compiles few of them."""


def device_of(name: str) -> Any:
    """Return the first device of this kind. Raises UsageError if there is none."""
    try:
        return jax.devices(name)[0]
    except RuntimeError as error:
        raise UsageError("JAX finds no device %(name)s here.", name=quoted(name)) from error


def lanes_for(number: int) -> int:
    """Return the size of a batch for so many games."""
    return next((size for size in SIZES if size >= number), number)


def filled_up(rows: Array, lanes: int) -> Array:
    """Add rows of zeros."""
    return np.concatenate([rows, np.zeros((lanes - len(rows), *rows.shape[1:]), rows.dtype)])


def below(word: Array, bound: Array) -> Array:
    """Return the upper half of the product of a word and a bound of at most 16 bits (`chance.below`)."""
    return ((word >> U32(16)) * bound + ((word & U32(0xFFFF)) * bound >> U32(16))) >> U32(16)


def dice_words(keys: Array, seat: Array, turn: Array, roll: Array) -> tuple[Array, ...]:
    """Return the words of the first eight draws in a roll (`compiled.eight_words`)."""
    first = keys[..., 0] + U32(STRIDE) * turn
    second = keys[..., 1] ^ seat << U32(28) ^ roll << U32(8)
    return (*words((first, second), CHANCE), *words((first, second ^ U32(1)), CHANCE))


def luck_words(keys: Array, decision: Array, four: Array = U32(0)) -> tuple[Array, ...]:
    """Return four words of a bot's luck in a decision, by default the first ones (`compiled.luck_words`)."""
    return words((keys[..., 0] + U32(STRIDE) * decision, keys[..., 1] ^ four), POLICY)


def nth_of(counts: Array, nth: Array) -> tuple[Array, Array]:
    """Return the place on the last axis where the n-th of so many things is, and its number there."""
    ends = jax.numpy.cumsum(counts, axis=-1, dtype=counts.dtype)
    place = (nth[..., None] >= ends).sum(axis=-1, dtype=np.int32)
    before = jax.numpy.take_along_axis(
        ends - counts, jax.numpy.clip(place, 0, counts.shape[-1] - 1)[..., None], axis=-1
    )
    return place, nth - before[..., 0]
