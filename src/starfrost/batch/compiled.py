"""The chance of numbered games for loops that Numba compiles (see `chance`).

Keys are passed as two numbers: a row of an array would cost a counted reference at every call.
"""

from typing import Any

import numpy as np

from starfrost.batch import chance
from starfrost.compiling import lean
from starfrost.vector.chance import CHANCE, POLICY

_words: Any = lean(chance.words)
_MASK, _STRIDE = chance.MASK, chance.STRIDE
_CHANCE, _POLICY = CHANCE, POLICY

any_number: Any = np.int64
"""Numba compiles a function again for a constant argument; this makes it a number like any other."""


@lean
def eight_words(one: int, two: int, seat: int, turn: int, roll: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Return the words of the first eight draws in a roll."""
    first = (np.int64(one) + _STRIDE * turn) & _MASK
    second = np.int64(two) ^ (seat << 28) ^ (roll << 8)
    a, b, c, d = _words(first, second, _CHANCE)
    e, f, g, h = _words(first, second ^ 1, _CHANCE)
    return a, b, c, d, e, f, g, h


@lean
def luck_words(one: int, two: int, decision: int, four: int) -> Any:
    """Return four words of a bot's luck in a decision: those of the draws from 4 * `four` on."""
    return _words((np.int64(one) + _STRIDE * decision) & _MASK, np.int64(two) ^ four, _POLICY)


@lean
def below(word: int, bound: int) -> int:
    """Return a number below a bound from a random word."""
    return (word * bound) >> 32
