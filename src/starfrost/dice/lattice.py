"""The lattice of dice: every multiset of up to six dice, and the steps of one die between them.

Multisets are numbered by size, the kept ones (0 to 5 dice) from 0 and the rolls (6 dice) from `KEPT`. Within a size
they are in the order of their digits. A text of dice is digits, highest first, as in records.
"""

from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["KEPT", "ROLLS", "Lattice", "lattice"]

KEPT: Final = 462
"""The number of multisets of 0 to 5 dice."""

ROLLS: Final = 462
"""The number of multisets of 6 dice."""


class Lattice(NamedTuple):
    """The numbered multisets of dice."""

    dice: tuple[str, ...]
    """The multisets as texts."""
    number: dict[str, int]
    """The number of a text."""
    first: tuple[int, ...]
    """Where each size starts; `first[7]` is the end."""
    up: NDArray[np.int32]
    """`up[kept, face]`: the multiset with one die more."""
    down: NDArray[np.int32]
    """`down[multiset, j]`: the multisets with one die less, lowest face first; the first fills the rest of the row."""
    down_count: NDArray[np.int32]
    """How many entries of a row of `down` are meant: the number of different faces."""
    chance: NDArray[np.float64]
    """The probability of each roll of six dice."""


@lru_cache(maxsize=1)
def lattice() -> Lattice:
    """Build the lattice once."""
    dice: list[str] = []
    first = [0]
    for size in range(7):
        dice += ["".join(reversed(text)) for text in combinations_with_replacement("123456", size)]
        first.append(len(dice))
    index = {text: number for number, text in enumerate(dice)}
    up = np.zeros((KEPT, 6), np.int32)
    down = np.zeros((KEPT + ROLLS, 6), np.int32)
    down_count = np.zeros(KEPT + ROLLS, np.int32)
    for number, text in enumerate(dice):
        if number < KEPT:
            up[number] = [index["".join(sorted(text + face, reverse=True))] for face in "123456"]
        below = [index[text.replace(face, "", 1)] for face in "123456" if face in text]
        down_count[number] = len(below)
        if below:
            down[number] = (below + below[:1] * 6)[:6]
    chance = np.array(
        [factorial(6) // prod(factorial(text.count(face)) for face in "123456") / 6**6 for text in dice[KEPT:]]
    )
    return Lattice(tuple(dice), index, tuple(first), up, down, down_count, chance)
