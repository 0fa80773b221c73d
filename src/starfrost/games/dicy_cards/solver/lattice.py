"""The lattice of dice: every multiset of up to six dice, and the steps of one die between them.

Multisets are numbered by size, the kept ones (0 to 5 dice) from 0 and the rolls (6 dice) from `KEPT`. Within a size
they are in the order of their digits. A text of dice is digits, highest first, as in records.
"""

from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice import subsets
from starfrost.games.dicy_cards.cards import DICE

FACES: Final = "123456"

ROLLS: Final = comb(DICE + len(FACES) - 1, DICE)
"""The number of multisets of six dice: 462."""

KEPT: Final = comb(DICE + len(FACES) - 1, DICE - 1)
"""The number of multisets of 0 to 5 dice: also 462."""

MULTISETS: Final = KEPT + ROLLS


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
    for size in range(DICE + 1):
        dice += ["".join(reversed(text)) for text in combinations_with_replacement(FACES, size)]
        first.append(len(dice))
    index = {text: number for number, text in enumerate(dice)}
    up = np.zeros((KEPT, len(FACES)), np.int32)
    down = np.zeros((MULTISETS, len(FACES)), np.int32)
    down_count = np.zeros(MULTISETS, np.int32)
    for number, text in enumerate(dice):
        if number < KEPT:
            up[number] = [index["".join(sorted(text + face, reverse=True))] for face in FACES]
        below = [index[text.replace(face, "", 1)] for face in FACES if face in text]
        down_count[number] = len(below)
        if below:
            down[number] = (below + below[:1] * 6)[:6]
    chance = np.array(
        [factorial(DICE) // prod(factorial(text.count(face)) for face in FACES) / 6**DICE for text in dice[KEPT:]]
    )
    return Lattice(tuple(dice), index, tuple(first), up, down, down_count, chance)


def shown_by(dice: str, faces: str) -> str:
    """Return what a multiset of the lattice shows on dice with these six faces (rising): the n-th face for each n."""
    return dice if faces == FACES else "".join(faces[int(die) - 1] for die in dice)


def number_of(dice: str, faces: str) -> int:
    """Return the number of a multiset that shows these dice, highest first; those of equal faces have equal values."""
    if faces != FACES:
        dice = "".join(str(faces.index(die) + 1) for die in dice)
    return lattice().number[dice]


@lru_cache(maxsize=1)
def parts() -> NDArray[np.int32]:
    """List for each roll the multisets that a reroll can keep, padded with the empty one."""
    _, number, *_ = dice = lattice()
    found = np.zeros((ROLLS, 2**DICE - 1), np.int32)
    for roll, text in enumerate(dice.dice[KEPT:]):
        kept = [number[""], *(number[part] for part in subsets(text) if part != text)]
        found[roll, : len(kept)] = kept
    return found


class Steps(NamedTuple):
    """The steps of one die, by size, as rows of numbers within the size that they lead to."""

    up: tuple[NDArray[np.intp], ...]
    """`up[size][face]`: from each multiset of this size to the one with this face more."""
    down: tuple[NDArray[np.intp], ...]
    """`down[size][j]`: from each multiset of this size to one with a die less, at most `size` different ones."""


@lru_cache(maxsize=1)
def steps() -> Steps:
    """Sort the lattice's steps by size."""
    _, _, first, up, down, _, _ = lattice()
    parts = [slice(first[size], first[size + 1]) for size in range(DICE + 1)]
    return Steps(
        tuple(np.ascontiguousarray(up[parts[size]].T - first[size + 1], np.intp) for size in range(DICE)),
        tuple(
            np.ascontiguousarray(down[parts[size], :size].T - first[max(size - 1, 0)], np.intp)
            for size in range(DICE + 1)
        ),
    )
