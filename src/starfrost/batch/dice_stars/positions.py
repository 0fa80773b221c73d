"""The positions of a batch of games of Dice Stars, for all ways to play it."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.games.dice_stars.components import ALL_DICE

RANDOM, GREEDY, PLANNER, NETWORK, STRONG = range(5)
"""The codes of the bots; those from `NETWORK` on play by a network."""
NAMES: Final = ("random", "greedy", "planner", "network", "strong")
LINES: Final = 9
ROWS: Final = 5
Numbers = NDArray[np.int64]


class Games(NamedTuple):
    """The positions of a batch between turns, one row a game."""

    filled: Numbers
    """The filled spaces of each seat's sheet as bits."""
    sums: Numbers
    """The points written in each row."""
    ticked: Numbers
    """The ticked star boxes of each row."""
    penalty: Numbers
    """The penalty, or -1."""
    fills: Numbers
    """The takes that filled spaces."""
    reserve: Numbers
    bag: Numbers
    solo: Numbers
    """The ticked boxes of the solo grid."""
    seat: Numbers
    """The seat whose turn it is; -1 when the game is over."""
    asks: Numbers
    """Whether the turn starts with the choice to keep or return the reserve."""
    turns: Numbers
    decisions: Numbers
    dice: Keys
    luck: Keys


def start(seats: int, dice: Keys, luck: Keys) -> Games:
    """Return the start of games with these keys."""
    number = len(dice)

    def zeros(*shape: int) -> Numbers:
        return np.zeros((number, *shape), np.int64)

    return Games(
        zeros(seats),
        zeros(seats, ROWS),
        zeros(seats, ROWS),
        zeros(seats) - 1,
        zeros(seats),
        zeros(4, 6),
        np.tile(np.array(ALL_DICE, np.int64), (number, 1)),
        zeros(),
        zeros(),
        zeros(),
        zeros(seats),
        zeros(seats),
        dice,
        luck,
    )
