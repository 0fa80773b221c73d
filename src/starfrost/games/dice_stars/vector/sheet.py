"""A Dice Stars sheet in three uint32 words (P3, F1-F4, G2).

spaces  30 bits, one per space, row by row from 2 to 6; a row is its four white spaces, then its green ones
sums    four bytes: the points written in rows 2 to 5
marks   byte 0: the points written in row 6; byte 1: penalty + 1, or 0 without one; from bit 16 three bits per
        row: the ticked star boxes

The place of a number within its row has no effect on the rest of the game, so it is not stored.
"""

from typing import NamedTuple

from starfrost.games.dice_stars.sheet import BOX_POINTS, STAR_BOXES
from starfrost.games.dice_stars.variant import Rules
from starfrost.vector.arrays import U32, Array, fill_lowest, popcount, where

OFFSETS = (0, 8, 15, 21, 26)
"""The first bit of each row's spaces."""

SIZES = (8, 7, 6, 5, 4)
"""The spaces of each row: four white ones and the green ones."""

BOXES = STAR_BOXES
"""The star boxes of each row."""

WHITE = sum(0xF << offset for offset in OFFSETS)
"""All twenty white spaces."""

COLUMN = sum(1 << offset for offset in OFFSETS)
"""The five spaces of the black column."""


class Print(NamedTuple):
    """What is printed on a sheet, and the dice that belong to it, as numbers for the packed engine."""

    sizes: tuple[int, ...] = SIZES
    boxes: tuple[int, ...] = BOXES
    dice: int = 0x5432
    """The dice of each colour, one nibble per colour."""
    faces: tuple[int, ...] = (0x543210, 0x543210, 0x543210, 0x543200)
    """For each colour its six faces as indices (0 is a star, 1 the number 2), one nibble per face."""
    box_points: int = BOX_POINTS
    """The points of a box of the solo grid."""
    bonus: tuple[int, ...] = (0, 0, 0, 0)
    """The points that each seat has from the start."""
    offsets: tuple[int, ...] = OFFSETS
    """The first bit of each row's spaces."""
    white: int = WHITE
    """All twenty white spaces."""
    column: int = COLUMN
    """The five spaces of the black column; shift by the colour for the others."""


OFFICIAL = Print()


def printed(rules: Rules) -> Print:
    """Return what is printed by the rules of a game."""
    sizes = tuple(4 + green for green in rules.green)
    offsets = tuple(sum(sizes[:row]) for row in range(5))
    return Print(
        sizes,
        rules.stars,
        sum(number << (4 * colour) for colour, number in enumerate(rules.dice)),
        tuple(
            sum(max(face - 1, 0) << (4 * place) for place, face in enumerate(sorted(faces))) for faces in rules.faces
        ),
        rules.box_points,
        (*rules.handicap, 0, 0, 0, 0)[:4],
        offsets,
        sum(0xF << offset for offset in offsets),
        sum(1 << offset for offset in offsets),
    )


class Sheet(NamedTuple):
    """One seat's sheet, packed."""

    spaces: Array
    sums: Array
    marks: Array


def row_sums(sheet: Sheet) -> tuple[Array, ...]:
    """Return the points written in the five rows."""
    low = tuple((sheet.sums >> U32(8 * row)) & U32(0xFF) for row in range(4))
    return (*low, sheet.marks & U32(0xFF))


def ticked(sheet: Sheet) -> tuple[Array, ...]:
    """Return the ticked star boxes of the five rows."""
    return tuple((sheet.marks >> U32(16 + 3 * row)) & U32(7) for row in range(5))


def has_penalty(sheet: Sheet) -> Array:
    """Return whether a penalty is written (F6)."""
    return (sheet.marks & U32(0xFF00)) != 0


def is_full(sheet: Sheet, shape: Print = OFFICIAL) -> Array:
    """Return whether all twenty white spaces are filled (G1)."""
    return (sheet.spaces & U32(shape.white)) == U32(shape.white)


def score(sheet: Sheet, shape: Print = OFFICIAL) -> Array:
    """Return the score of the sheet (G2, G3); int32, because it can be negative."""
    penalty = (sheet.marks >> U32(8)) & U32(0xFF)
    total = where(penalty > 0, U32(1) - penalty, penalty)
    for points, boxes, full in zip(row_sums(sheet), ticked(sheet), shape.boxes, strict=True):
        total = total + where(boxes == 0, points, where(boxes == U32(full), points + points, U32(0)))
    return total.astype("int32")


def row_empty(sheet: Sheet, row: int, shape: Print = OFFICIAL) -> Array:
    """Count the empty spaces of a row."""
    size = shape.sizes[row]
    field = (sheet.spaces >> U32(shape.offsets[row])) & U32((1 << size) - 1)
    return U32(size) - popcount(field)


def column_empty(sheet: Sheet, colour: int, shape: Print = OFFICIAL) -> Array:
    """Count the empty spaces of a colour's column."""
    return U32(5) - popcount(sheet.spaces & U32(shape.column << colour))


def _row(line: Array, shape: Print) -> tuple[Array, Array]:
    """Return the first bit and the number of spaces of a row."""
    if shape.sizes == SIZES:
        return line * U32(8) - ((line * (line - U32(1))) >> U32(1)), U32(8) - line
    offset, size = line * U32(0), line * U32(0) + U32(shape.sizes[0])
    for row in range(1, 5):
        offset = where(line == U32(row), U32(shape.offsets[row]), offset)
        size = where(line == U32(row), U32(shape.sizes[row]), size)
    return offset, size


def fill(sheet: Sheet, is_number: Array, line: Array, count: Array, points: Array, shape: Print = OFFICIAL) -> Sheet:
    """Fill `count` spaces of a row (line 0-4) or a colour's column (line 0-3) and write the points (F1, F2)."""
    offsets = shape.offsets
    offset, size = _row(line, shape)
    shift = where(is_number, offset, line)
    shifted = sheet.spaces >> shift
    # Gather the five bits of a column.
    column = shifted & U32(1)
    for row in range(1, 5):
        column = column | ((shifted >> U32(offsets[row] - row)) & U32(1 << row))
    width = where(is_number, size, U32(5))
    # Bits beyond the line count as filled; they are cleared below.
    line_mask = (U32(1) << width) - U32(1)
    before = where(is_number, shifted, column) & line_mask
    after = fill_lowest(before, count, 8)
    fresh = after ^ before
    spread = fresh & U32(1)
    for row in range(1, 5):
        spread = spread | ((fresh & U32(1 << row)) << U32(offsets[row] - row))
    spaces = sheet.spaces | (where(is_number, fresh, spread) << shift)
    # The highest new bit is the last space filled; in a column, it gives the row.
    last = U32(0) * fresh
    for row in range(1, 5):
        last = where(fresh >= U32(1 << row), U32(row), last)
    row = where(is_number, line, last)
    in_sums = row < U32(4)
    written = points << (U32(8) * (row & U32(3)))
    return Sheet(
        spaces,
        sheet.sums + where(in_sums, written, U32(0)),
        sheet.marks + where(in_sums, U32(0), points),
    )
