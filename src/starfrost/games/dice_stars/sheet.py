"""A player's sheet: its layout (P3), how a take fills it (F1 to F5) and its score (G2, G3).

The thirty spaces are numbered row by row from the top, left to right, so that the spaces of every row and of every
colour column come in the order in which they are filled. A line is a column (its colour's name) or a row (its number).
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from starfrost.games.dice_stars.components import ALL_DICE, COLOURS, FACES, Bag, Faces, drawing

ROWS: Final = (2, 3, 4, 5, 6)
"""The labels of the rows, from the top."""

Ticked: TypeAlias = tuple[int, int, int, int, int]
"""A number for each row."""

GREEN_SPACES: Final[Ticked] = (4, 3, 2, 1, 0)
"""The green spaces of each row, to the right of its four white ones."""

STAR_BOXES: Final[Ticked] = (2, 3, 4, 5, 6)
"""The star boxes of each row."""


BOX_POINTS: Final = 5
"""The points that a box of the solo grid stands for (L2, L4)."""

LINES: Final = (*COLOURS, *map(str, ROWS))
"""The four columns, then the five rows."""


def _mask(spaces: Iterable[int]) -> int:
    return sum(1 << space for space in spaces)


class Layout:
    """A printed sheet with the dice that belong to it: what a variant can change.

    Made by `layout` only, once for each set of numbers, so that layouts are compared and hashed by identity.
    """

    __slots__ = (
        "bonus", "box_points", "dice", "draw", "faces", "green", "line_mask", "made_of", "most", "row_spaces",
        "size", "stars", "white",
    )  # fmt: skip

    def __init__(self, green: Ticked, stars: Ticked, dice: Bag, faces: Faces, box_points: int, bonus: int) -> None:
        self.made_of: Final = (green, stars, dice, faces, box_points, bonus)
        self.green, self.stars, self.dice, self.faces, self.box_points, self.bonus = self.made_of
        self.draw: Final = drawing(faces)
        """Draw a die from a bag and roll it."""
        starts = [4 * row + sum(green[:row]) for row in range(6)]
        self.size: Final = starts[5]
        """The number of spaces."""
        self.row_spaces: Final = tuple(range(start, end) for start, end in pairwise(starts))
        """The spaces of each row: the white ones of the four columns first, then the green ones."""
        self.line_mask: Final = {
            **{colour: _mask(row[column] for row in self.row_spaces) for column, colour in enumerate(COLOURS)},
            **{str(label): _mask(row) for label, row in zip(ROWS, self.row_spaces, strict=True)},
        }
        """The spaces of each line as bits."""
        self.white: Final = sum(self.line_mask[colour] for colour in COLOURS)
        """The twenty white spaces as bits."""
        by_column = [min(number, 5) * max(shown) for number, shown in zip(dice, faces, strict=True)]
        by_row = [label * len(spaces) for label, spaces in zip(ROWS, self.row_spaces, strict=True)]
        self.most: Final = max(*by_column, *by_row)
        """The largest number that can be written."""

    def __reduce__(self) -> tuple[Any, ...]:
        return layout, self.made_of

    def __repr__(self) -> str:
        return f"layout{self.made_of}"


@cache
def layout(
    green: Ticked = GREEN_SPACES,
    stars: Ticked = STAR_BOXES,
    dice: Bag = ALL_DICE,
    faces: Faces = FACES,
    box_points: int = BOX_POINTS,
    bonus: int = 0,
) -> Layout:
    """Return the layout with these green spaces and star boxes by row, dice and faces by colour, points of a solo box,
    and points that the sheet has from the start.
    """
    return Layout(green, stars, dice, faces, box_points, bonus)


OFFICIAL: Final = layout(GREEN_SPACES, STAR_BOXES, ALL_DICE, FACES, BOX_POINTS, 0)
"""The sheet of the official rules (P3)."""

ROW_SPACES: Final = OFFICIAL.row_spaces
LINE_MASK: Final = OFFICIAL.line_mask
WHITE: Final = OFFICIAL.white

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
    """The spaces: `EMPTY`, `CROSS` or a number."""
    ticked: Ticked
    """The ticked star boxes of each row."""
    penalty: int
    """The penalty points, or `NO_PENALTY`."""
    layout: Layout = OFFICIAL
    """What is printed."""

    def fill(self, spaces: tuple[int, ...], value: int) -> "Sheet":
        """Write the sum in the last of these spaces and an X in the others (F1, F2)."""
        written = list(self.spaces)
        filled = self.filled
        for space in spaces:
            written[space] = CROSS
            filled |= 1 << space
        written[spaces[-1]] = value
        return Sheet(filled, tuple(written), self.ticked, self.penalty, self.layout)

    def tick(self, stars: Ticked) -> "Sheet":
        """Tick the given number of further star boxes in each row (F3)."""
        (a, b, c, d, e), (v, w, x, y, z) = self.ticked, stars
        return Sheet(self.filled, self.spaces, (a + v, b + w, c + x, d + y, e + z), self.penalty, self.layout)

    def punish(self, points: int) -> "Sheet":
        """Write a penalty (F6)."""
        return Sheet(self.filled, self.spaces, self.ticked, points, self.layout)


def blank(printed: Layout = OFFICIAL) -> Sheet:
    """Return a sheet before the first turn."""
    return Sheet(0, (EMPTY,) * printed.size, (0, 0, 0, 0, 0), NO_PENALTY, printed)


BLANK: Final = blank()
"""The official sheet before the first turn."""


@cache
def first_spaces(empty: int, count: int) -> tuple[int, ...]:
    """Return the first `count` empty spaces of a line, skipping filled ones (F4); none if there are too few (F5)."""
    spaces = tuple(space for space in range(empty.bit_length()) if empty >> space & 1)
    return spaces[:count] if count <= len(spaces) else ()


def ends_game(sheet: Sheet) -> bool:
    """Return whether this sheet ends the game with the round (G1): its white spaces are full or it has a penalty."""
    return sheet.penalty != NO_PENALTY or not sheet.layout.white & ~sheet.filled


def row_sum(sheet: Sheet, row: int) -> int:
    """Add up the numbers in a row, counted from the top (0 is row 2), green spaces included."""
    spaces = sheet.layout.row_spaces[row]
    return sum(value for value in sheet.spaces[spaces.start : spaces.stop] if value > 0)


def factor(printed: Layout, row: int, ticked: int) -> int:
    """Return the factor of a row's sum (G2): 1 without stars, 2 with all of them, 0 with only some."""
    return 1 if not ticked else 2 if ticked == printed.stars[row] else 0


def multiplier(sheet: Sheet, row: int) -> int:
    """Return the factor of a row's sum with the stars that are ticked (G2)."""
    return factor(sheet.layout, row, sheet.ticked[row])


def row_score(sheet: Sheet, row: int) -> int:
    """Return the score of a row (G2)."""
    return row_sum(sheet, row) * multiplier(sheet, row)


# Of all sheets only one changes in a turn, and every position asks for all of them.
@lru_cache(maxsize=4096)
def total(sheet: Sheet) -> int:
    """Return the score of a sheet: its rows minus the penalty (G3), and the handicap of a variant."""
    return sum(row_score(sheet, row) for row in range(5)) - max(sheet.penalty, 0) + sheet.layout.bonus
