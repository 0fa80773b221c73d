"""A player's sheet: its layout (P3), how a take fills it (F1 to F5) and its score (G2, G3).

The thirty spaces are numbered row by row from the top, left to right, so that the spaces of every row and of every
colour column come in the order in which they are filled. A line is a column (its colour's name) or a row (its number).
"""

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from starfrost.games.dice_stars.components import COLOURS

ROWS: Final = (2, 3, 4, 5, 6)
"""The labels of the rows, from the top."""

GREEN_SPACES: Final = (4, 3, 2, 1, 0)
"""The green spaces of each row, to the right of its four white ones."""

Ticked: TypeAlias = tuple[int, int, int, int, int]
"""A number of star boxes in each row."""

STAR_BOXES: Final[Ticked] = (2, 3, 4, 5, 6)
"""The star boxes of each row."""


def _row_spaces() -> tuple[range, ...]:
    spaces, first = [], 0
    for green in GREEN_SPACES:
        spaces.append(range(first, first + 4 + green))
        first += 4 + green
    return tuple(spaces)


ROW_SPACES: Final = _row_spaces()
"""The spaces of each row: the white ones of the four columns first, then the green ones."""


def _mask(spaces: Iterable[int]) -> int:
    return sum(1 << space for space in spaces)


LINE_MASK: Final[dict[str, int]] = {
    **{colour: _mask(row[column] for row in ROW_SPACES) for column, colour in enumerate(COLOURS)},
    **{str(label): _mask(row) for label, row in zip(ROWS, ROW_SPACES, strict=True)},
}
"""The spaces of each line as bits."""

LINES: Final = tuple(LINE_MASK)
"""The four columns, then the five rows."""

WHITE: Final = sum(LINE_MASK[colour] for colour in COLOURS)
"""The twenty white spaces as bits."""

EMPTY: Final = -1
"""An empty space."""

CROSS: Final = -2
"""A space with an X; a written 0 is a number."""

NO_PENALTY: Final = -1
"""The penalty space while it is empty; a penalty can be 0."""


class Sheet(NamedTuple):
    """What a player has written."""

    filled: int
    """The filled spaces as bits: redundant with `spaces`, but faster to test."""
    spaces: tuple[int, ...]
    """The thirty spaces: `EMPTY`, `CROSS` or a number."""
    ticked: Ticked
    """The ticked star boxes of each row."""
    penalty: int
    """The penalty points, or `NO_PENALTY`."""

    def fill(self, spaces: tuple[int, ...], value: int) -> "Sheet":
        """Write the sum in the last of these spaces and an X in the others (F1, F2)."""
        written = list(self.spaces)
        filled = self.filled
        for space in spaces:
            written[space] = CROSS
            filled |= 1 << space
        written[spaces[-1]] = value
        return Sheet(filled, tuple(written), self.ticked, self.penalty)

    def tick(self, stars: Ticked) -> "Sheet":
        """Tick the given number of further star boxes in each row (F3)."""
        (a, b, c, d, e), (v, w, x, y, z) = self.ticked, stars
        return Sheet(self.filled, self.spaces, (a + v, b + w, c + x, d + y, e + z), self.penalty)

    def punish(self, points: int) -> "Sheet":
        """Write a penalty (F6)."""
        return Sheet(self.filled, self.spaces, self.ticked, points)


BLANK: Final = Sheet(0, (EMPTY,) * 30, (0, 0, 0, 0, 0), NO_PENALTY)
"""The sheet before the first turn."""


@cache
def first_spaces(empty: int, count: int) -> tuple[int, ...]:
    """Return the first `count` empty spaces of a line, skipping filled ones (F4); none if there are too few (F5)."""
    spaces = tuple(space for space in range(30) if empty >> space & 1)
    return spaces[:count] if count <= len(spaces) else ()


def ends_game(sheet: Sheet) -> bool:
    """Return whether this sheet ends the game with the round (G1): its white spaces are full or it has a penalty."""
    return sheet.penalty != NO_PENALTY or sheet.filled & WHITE == WHITE


def row_sum(sheet: Sheet, row: int) -> int:
    """Add up the numbers in a row, counted from the top (0 is row 2), green spaces included."""
    return sum(value for value in sheet.spaces[ROW_SPACES[row].start : ROW_SPACES[row].stop] if value > 0)


def multiplier(sheet: Sheet, row: int) -> int:
    """Return the factor of a row's sum (G2): 1 without stars, 2 with all of them, 0 with only some."""
    ticked = sheet.ticked[row]
    return 1 if not ticked else 2 if ticked == STAR_BOXES[row] else 0


def row_score(sheet: Sheet, row: int) -> int:
    """Return the score of a row (G2)."""
    return row_sum(sheet, row) * multiplier(sheet, row)


def total(sheet: Sheet) -> int:
    """Return the score of a sheet: its rows minus the penalty (G3)."""
    return sum(row_score(sheet, row) for row in range(5)) - max(sheet.penalty, 0)
