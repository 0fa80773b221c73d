"""The positions of a batch of games of Dice Stars, for all ways to play it."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.games.dice_stars.components import ALL_DICE
from starfrost.games.dice_stars.vector.engine import REFILL, TAKE, StarsState

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


class DecisionBatch(NamedTuple):
    """Single decisions in place of turns; empty where turns are played."""

    step: Numbers
    """What is asked in each game: keep or return the reserve (0), how many dice to draw (1), what to take (2)."""
    number: Numbers
    """The answer, as the number of an action of the vector engine."""


NOTHING: Final = DecisionBatch(np.zeros(0, np.int64), np.zeros(0, np.int64))


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


def read(seats: int, positions: StarsState, luck: Keys, decisions: Numbers) -> tuple[Games, DecisionBatch]:
    """Return positions of the vector engine, and what is asked in each."""
    meta = positions.meta.astype(np.int64)
    number, seat = len(meta), meta >> 19 & 3
    order = (np.arange(seats) - seat[:, None]) % seats
    spaces, sums, marks = (
        np.take_along_axis(np.stack(words, axis=1).astype(np.int64), order, axis=1)
        for words in zip(*positions.sheets, strict=True)
    )
    rows = np.stack([sums >> 8 * row & 255 for row in range(ROWS - 1)] + [marks & 255], axis=-1)
    phase = meta >> 16 & 7
    step = np.where(phase == REFILL, 0, np.where(phase == TAKE, 2, 1))
    reserve = np.stack(positions.reserve, axis=1).astype(np.int64)
    return Games(
        spaces,
        rows,
        marks[..., None] >> 16 + 3 * np.arange(ROWS) & 7,
        (marks >> 8 & 255) - 1,
        # The engine keeps a row's sum and not its takes; a single bot sees one take for each sum, too.
        np.count_nonzero(rows, axis=-1).astype(np.int64),
        reserve[..., None] >> 4 * np.arange(6) & 15,
        meta[:, None] >> 4 * np.arange(4) & 15,
        positions.solo.astype(np.int64),
        seat,
        np.zeros(number, np.int64),
        np.zeros((number, seats), np.int64),
        np.repeat(decisions[:, None], seats, axis=1),
        luck,
        np.repeat(luck[:, None], seats, axis=1),
    ), DecisionBatch(step, np.zeros(number, np.int64))
