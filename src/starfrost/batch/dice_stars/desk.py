"""What the planner of Dice Stars knows: its weights, and the tables of one turn."""

from typing import NamedTuple

import numpy as np

from starfrost.batch.dice_stars.positions import LINES, ROWS
from starfrost.solver.kernels import Array

_LINES, _ROWS = LINES, ROWS
_COUNTS, _SUMS = 9, 64
"""More dice, and more points, than a line can bring."""


class Mind(NamedTuple):
    """The weights of the planner (`Weights`) and its number of samples."""

    white: Array
    green: Array
    powers: Array
    """The number of open white spaces, raised to `bend`."""
    filling: float
    pace: float
    habit: float
    stars: float
    supply: float
    luck: float
    retreat: float
    gift: float
    swing: float
    boxes: float
    samples: int


class Desk(NamedTuple):
    """What the planner knows in one turn; the first axis of most tables is the own sheet, then the next seat's."""

    filled: Array
    sums: Array
    ticked: Array
    numbers: Array
    """The grid, its ticked boxes, whether the seat is the last, and the other seats."""
    limit: Array
    next_points: Array
    theirs: Array
    """The points of the other seats, the next one first: if the game goes on, and if this round is the last."""
    known: Array
    """The turn (`clock`) in which an outlook was computed, by line, count and sum."""
    points: Array
    turns: Array
    star_known: Array
    star_points: Array
    """The outlook of the best way to tick a number of stars; minus infinity if there is none."""
    star_turns: Array
    star_rows: Array
    clock: Array
    timed: Array
    """The turn in which the chances of stars were computed, by sheet and open white spaces."""
    chances: Array
    """The chance that so many stars come in time, by sheet, open white spaces and stars; the third sheet is any."""
    hopes: Array
    """The expected points of the empty spaces of each row."""
    plans: Array
    trial: Array
    """A sheet's sums and ticks, tried out."""
    way: Array
    ways: Array
    option: Array
    """The options of a take: line, points, turns, hope."""
    rooms: Array
    """The empty spaces of each line."""
    tally: Array
    """The reserve: dice by colour, their sums, dice by face."""
    rest: Array
    """The same after a take."""
    bag: Array
    rounds: Array
    drawn: Array
    """The colours and faces of a sampled roll."""
    empty: Array
    """A reserve without dice."""


def desk() -> Desk:
    """Return empty tables."""
    return Desk(
        np.zeros(2, np.int64),
        np.zeros((2, _ROWS), np.int64),
        np.zeros((2, _ROWS), np.int64),
        np.zeros(4, np.int64),
        np.zeros(2),
        np.zeros(1),
        np.zeros((2, 4)),
        np.zeros((2, _LINES, _COUNTS, _SUMS), np.int64),
        np.zeros((2, _LINES, _COUNTS, _SUMS)),
        np.zeros((2, _LINES, _COUNTS, _SUMS)),
        np.zeros((2, 15), np.int64),
        np.zeros((2, 15)),
        np.zeros((2, 15)),
        np.zeros((2, 15, _ROWS), np.int64),
        np.zeros(1, np.int64),
        np.zeros((3, 21), np.int64),
        np.zeros((3, 21, 21)),
        np.zeros(_ROWS),
        np.zeros((32, 5)),
        np.zeros((2, _ROWS), np.int64),
        np.zeros(_ROWS, np.int64),
        np.zeros((_ROWS + 1, 15), np.int64),
        np.zeros((_LINES + 1, 4)),
        np.zeros((2, _LINES), np.int64),
        np.zeros(14, np.int64),
        np.zeros(14, np.int64),
        np.zeros(4, np.int64),
        np.zeros(4),
        np.zeros((2, 3), np.int64),
        np.zeros((4, 6), np.int64),
    )
