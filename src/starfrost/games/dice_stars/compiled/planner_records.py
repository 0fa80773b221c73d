"""What the planner of Dice Stars knows: its weights, and the tables of one turn.

Both are records, not tuples of arrays: a compiled function gets a record as one address, a tuple as hundreds of
numbers.

A tally counts dice in one integer: four bits for the number of each line and of the stars (line 9), then six for the
sum of each colour.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice_stars.bots.evaluation import Weights
from starfrost.games.dice_stars.bots.planner import SAMPLES
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS
from starfrost.games.dice_stars.components import FACES, STAR
from starfrost.games.dice_stars.sheet import GREEN_SPACES, ROW_SPACES
from starfrost.games.dice_stars.sheet import ROWS as ROW_LABELS

PlannerWeights = Any
PlannerScratch = Any

SUMS = 4 * (LINES + 1)
"""Where a tally has the sums of the colours."""
COLOUR_ENTRIES = 4 * 6 * 32
"""The entries of a table for the takes of a colour, by number of dice and sum."""
ENTRIES = COLOUR_ENTRIES + 6 * 16
"""The same with the takes of a row or of stars, by number of dice; penalties come after them."""

WAYS = np.array([[faces.count(value) for value in (STAR, *ROW_LABELS)] for faces in FACES], np.int64)
"""How many of a die's faces show a star, 2, 3, 4, 5 and 6, by colour."""

_NUMBER, _FLOAT = np.int64, np.float64

_WEIGHTS = [name for name in Weights._fields if name not in ("white", "green", "bend")]
_KNOWN = np.dtype(
    [
        *((name, _FLOAT) for name in _WEIGHTS),
        # The number of open white spaces, raised to `bend`.
        ("powers", _FLOAT, 21),
        # The expected points of the empty spaces of a row, by its filled ones as bits.
        ("hopes", _FLOAT, (ROWS, 256)),
    ]
)

# The first axis of most tables is the own sheet, then the next seat's; a third is any sheet.
_SCRATCH = np.dtype(
    [
        ("filled", _NUMBER, 2),
        ("sums", _NUMBER, (2, ROWS)),
        ("ticked", _NUMBER, (2, ROWS)),
        ("penalty", _NUMBER, 2),
        ("rooms", _NUMBER, (2, LINES + 1)),
        ("limit", _FLOAT, 3),
        ("most", _NUMBER, 3),
        ("rounds", _FLOAT, 4),
        ("next_points", _FLOAT),
        # The points of the other seats, the next one first: if the game goes on, and if this round is the last.
        ("theirs", _FLOAT, (2, 4)),
        ("grid", _NUMBER),
        ("solo", _NUMBER),
        ("last_seat", _NUMBER),
        ("others", _NUMBER),
        # The hope of each own take, and the points of each take of the next seat: infinity if not known yet, minus
        # infinity if there is no room for it. Then the outlooks of the own takes.
        ("worth", _FLOAT, (2, ENTRIES)),
        ("points", _FLOAT, ENTRIES + LINES),
        ("turns", _FLOAT, ENTRIES + LINES),
        ("star_rows", _NUMBER, (2, 16, ROWS)),
        # By sheet, open white spaces and missing stars: the turns left, the share of the spaces that they fill, and the
        # chance that the stars come in time; and the turn of the game (`clock`) in which they were computed.
        ("clock", _NUMBER),
        ("timed", _NUMBER, (3, 21)),
        ("left", _FLOAT, (3, 21, 21)),
        ("share", _FLOAT, (3, 21, 21)),
        ("chance", _FLOAT, (3, 21, 21)),
        # The plans of a sheet: missing stars; points and hopes of the rows to double and of the others.
        ("missing", _NUMBER, 32),
        ("doubled_points", _FLOAT, 32),
        ("doubled_hope", _FLOAT, 32),
        ("sure_points", _FLOAT, 32),
        ("sure_hope", _FLOAT, 32),
        # A sheet's sums, ticks and hopes, tried out.
        ("trial_sums", _NUMBER, ROWS),
        ("trial_ticked", _NUMBER, ROWS),
        ("hopes", _FLOAT, ROWS),
        ("way", _NUMBER, ROWS),
        ("ways", _NUMBER, (ROWS + 1, 16)),
        # The tally of the reserve, and of its dice in each line.
        ("tally", _NUMBER),
        ("lines", _NUMBER, LINES + 1),
        # The options of a take: line, entry in the tables, hope.
        ("option_line", _NUMBER, LINES + 1),
        ("option_entry", _NUMBER, LINES + 1),
        ("option_hope", _FLOAT, LINES + 1),
        # The bag, and what a sampled roll leaves in it.
        ("bag", _NUMBER, 4),
        ("bag_left", _NUMBER, 4),
        # The dice of a sampled roll, and the rolls seen with the chance after each.
        ("drawn", _NUMBER, 3),
        ("seen", _NUMBER, SAMPLES),
        ("found", _FLOAT, SAMPLES),
    ]
)


def planner_weights(weights: Weights) -> NDArray[Any]:
    """Return what the planner always knows."""
    made = np.zeros(1, _KNOWN)
    for name in _WEIGHTS:
        made[name] = getattr(weights, name)
    made["powers"] = [pow(number, weights.bend) for number in range(21)]
    for row, spaces in enumerate(ROW_SPACES):
        for filled in range(1 << len(spaces)):
            white, green = 4 - (filled & 15).bit_count(), GREEN_SPACES[row] - (filled >> 4).bit_count()
            made["hopes"][0, row, filled] = white * weights.white[row] + green * weights.green[row]
    return made


def planner_scratch() -> NDArray[Any]:
    """Return empty tables."""
    return np.zeros(1, _SCRATCH)
