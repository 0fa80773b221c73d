"""Array helpers for rules that are written once and run on NumPy or JAX, depending on their inputs."""

from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""A NumPy or JAX array of any shape; packed words are uint32."""

U32 = np.uint32


def module_of(*values: Array) -> ModuleType:
    """Return `numpy` if every value is a NumPy array or a plain number, else `jax.numpy`."""
    if all(isinstance(value, np.ndarray | np.generic | int | float) for value in values):
        return np
    import jax.numpy

    return jax.numpy


def where(condition: Array, yes: Array, no: Array) -> Array:
    """Choose elementwise."""
    return module_of(condition, yes, no).where(condition, yes, no)


def popcount(word: Array) -> Array:
    """Count the set bits of a uint32."""
    if module_of(word) is np:
        return np.bitwise_count(word).astype(U32)
    import jax.lax

    return jax.lax.population_count(word)


def nibble_sum(word: Array) -> Array:
    """Add the eight nibbles of a word; exact up to 255."""
    pairs = (word & U32(0x0F0F0F0F)) + ((word >> U32(4)) & U32(0x0F0F0F0F))
    return (pairs * U32(0x01010101)) >> U32(24)


def fill_lowest(field: Array, count: Array, most: int) -> Array:
    """Set the `count` (at most `most`) lowest clear bits of a field."""
    for i in range(most):
        field = field | (field + (count > U32(i)).astype(U32))
    return field


def nth_bit(word: Array, n: Array, width: int = 32) -> Array:
    """Return the position of the n-th set bit, counted from 0; n must be less than the number of set bits."""
    position = n * U32(0)
    span = width // 2
    while span:
        low = popcount(word & U32((1 << span) - 1))
        above = n >= low
        n = where(above, n - low, n)
        word = where(above, word >> U32(span), word)
        position = where(above, position + U32(span), position)
        span //= 2
    return position


def nth_bit_of_pair(low: Array, high: Array, n: Array) -> Array:
    """Return the position (0 to 63) of the n-th set bit of a 64-bit set in two words."""
    in_low = popcount(low)
    above = n >= in_low
    word = where(above, high, low)
    return nth_bit(word, where(above, n - in_low, n)) + where(above, U32(32), U32(0))
