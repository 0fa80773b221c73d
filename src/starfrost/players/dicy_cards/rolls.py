"""Dice as numbered multisets: the 924 ways to hold up to six dice, and the arrays that lead from one to the next.

Every multiset of dice is a row: first the empty hand, then one die, and so on to the 462 rolls of six. Arrays with
one row a multiset let a whole turn be worked out by a few NumPy operations instead of a walk.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice import FACES, dice_text, rolls
from starfrost.games.dicy_cards import options

__all__ = ["DICE", "ROLLS", "Hands", "Takings", "hands", "takings"]

DICE: Final = 6
ROLLS: Final = 462

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]


class Hands(NamedTuple):
    """All multisets of up to six dice."""

    dice: tuple[str, ...]
    """The dice of each row, highest first."""
    row: dict[str, int]
    """The row of each multiset, by its dice."""
    first: tuple[int, ...]
    """Where the multisets of each size start; the last entry is the number of rows."""
    more: Ints
    """[face, row]: the row with one die of that face more (for up to five dice)."""
    less: Ints
    """[place, row]: the row without the die at that place; the row itself where it has fewer dice."""
    chance: Floats
    """The probability of each of the 462 rolls of six dice."""


@lru_cache(maxsize=1)
def hands() -> Hands:
    """Number the multisets."""
    dice = tuple(some for size in range(DICE + 1) for some, _ in rolls(size))
    row = {some: at for at, some in enumerate(dice)}
    first = [next(at for at, some in enumerate(dice) if len(some) == size) for size in range(DICE + 1)]
    more = [[row[dice_text(some + face)] for face in FACES] for some in dice if len(some) < DICE]
    less = [[row[some[:at] + some[at + 1 :]] for at in range(DICE)] for some in dice]
    chance = np.array([weight / 6**DICE for _, weight in rolls(DICE)])
    return Hands(dice, row, (*first, len(dice)), np.array(more).T.copy(), np.array(less).T.copy(), chance)


class Takings(NamedTuple):
    """What one card can give on every roll."""

    points: Ints
    """The different points that the card can give at all, rising."""
    best: Ints
    """[roll]: the place in `points` of the most that the roll gives, -1 if nothing."""
    choices: Ints
    """[roll, k]: the places in `points` of everything that the roll gives, the best repeated; -1 if nothing."""


@lru_cache(maxsize=12)
def takings(card: str) -> Takings:
    """Work out what a card gives on each of the 462 rolls."""
    book = hands()
    given = [sorted({points for _, points in options(card, roll)}) for roll in book.dice[book.first[DICE] :]]
    points = sorted(set().union(*given))
    place = {value: at for at, value in enumerate(points)}
    width = max(map(len, given))
    choices = np.full((ROLLS, width), -1)
    for roll, values in enumerate(given):
        if values:
            choices[roll] = [place[value] for value in values] + [place[values[-1]]] * (width - len(values))
    return Takings(np.array(points), choices[:, -1].copy(), choices)
