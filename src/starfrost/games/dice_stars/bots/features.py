"""The features of a position for the Dice Stars network: numbers near one, from the view of the seat to act.

Two kinds of position are evaluated: the start of a turn (`draw` is 0), and a turn whose draw is announced but not yet
rolled (`draw` is 1 to 3). The same code runs on NumPy for play and on JAX for training.
"""

from functools import cache

import numpy as np

from starfrost.games.dice_stars.sheet import BOX_POINTS
from starfrost.games.dice_stars.vector import sheet as stars_sheet
from starfrost.games.dice_stars.vector.engine import ALL_DICE, REFILL, StarsState, held, phase_of, seat_of
from starfrost.games.dice_stars.vector.sheet import BOXES, OFFSETS, SIZES, Sheet
from starfrost.vector.arrays import U32, Array, module_of, nibble_sum, popcount

F32 = np.float32
_COLUMN = np.array([stars_sheet.COLUMN << c for c in range(4)], dtype=U32)
_ROW = np.array([((1 << size) - 1) << offset for offset, size in zip(OFFSETS, SIZES, strict=True)], dtype=U32)
_FACE_VALUES = np.array([0, 2, 3, 4, 5, 6], dtype=F32)


def size(seats: int) -> int:
    """Return the number of features of a position."""
    return 126 * seats + 112


@cache
def units(seats: int) -> np.ndarray:
    """Return the number that turns each feature into a whole number, which compiled code computes."""
    table = [(64, 1), (4, 10), (8, 3), (3, 1), (1, 7), (5, 1), (1, 7), (2 + seats, 1), (9, 1), (4, 10), (5, 2)]
    grid = [(1, 20), (1, 10), (1, 4), (1, 30), (1, 1), (1, 20)]
    sheet = [(30, 1), (15, 20), (10, 1), *((1, most) for most in BOXES), (60, 1), (1, 20), (1, 1), (1, 20), (2, 50)]
    parts = [*table, *grid, *(sheet * seats)]
    return np.repeat([float(unit) for _, unit in parts], [number for number, _ in parts]).astype(F32)


def _steps(values: Array, most: int) -> Array:
    """Convert small numbers to `most` flags: at least 1, at least 2…"""
    flags = values[..., None] >= np.arange(1, most + 1, dtype=U32)
    return flags.reshape(*values.shape[:-1], values.shape[-1] * most).astype(F32)


def _sheet(sheet: Sheet) -> list[Array]:
    xp = module_of(sheet.spaces)
    spaces = ((sheet.spaces[..., None] >> np.arange(30, dtype=U32)) & U32(1)).astype(F32)
    low = (sheet.sums[..., None] >> np.arange(0, 32, 8, dtype=U32)) & U32(0xFF)
    sums = xp.concatenate([low, sheet.marks[..., None] & U32(0xFF)], axis=-1).astype(F32) / F32(20)
    ticked = (sheet.marks[..., None] >> np.arange(16, 31, 3, dtype=U32)) & U32(7)
    missing = np.array(BOXES, dtype=U32) - ticked
    none, full = (ticked == 0).astype(F32), (missing == 0).astype(F32)
    partial = F32(1) - none - full
    columns = U32(5) - popcount(sheet.spaces[..., None] & _COLUMN)
    rows = np.array(SIZES, dtype=U32) - popcount(sheet.spaces[..., None] & _ROW)
    white = U32(20) - popcount(sheet.spaces & U32(stars_sheet.WHITE))[..., None]
    penalty = ((sheet.marks >> U32(8)) & U32(0xFF))[..., None]
    score = stars_sheet.score(sheet)[..., None].astype(F32)
    return [
        spaces,
        sums,
        sums * partial,
        sums * full,
        none,
        full,
        ticked.astype(F32) / np.array(BOXES, dtype=F32),
        _steps(missing, 3),
        _steps(columns, 5),
        _steps(rows, 4),
        _steps(white, 5),
        white.astype(F32) / F32(20),
        (penalty > 0).astype(F32),
        penalty.astype(F32) / F32(20),
        score / F32(50),
        F32(0.02) * xp.maximum(score - F32(50), F32(0)),
    ]


def features(state: StarsState, draw: Array, solo_boxes: int) -> Array:
    """Return the features of positions on a new last axis; `draw` has the shape of the batch."""
    xp = module_of(state.meta, draw)
    seats = len(state.sheets)
    shape = np.broadcast_shapes(state.meta.shape, draw.shape, state.reserve[0].shape)
    faces = xp.stack([word[..., None] >> np.arange(0, 24, 4, dtype=U32) for word in state.reserve], axis=-2) & U32(15)
    by_face = faces[..., 0, :] + faces[..., 1, :] + faces[..., 2, :] + faces[..., 3, :]
    by_colour = faces.sum(axis=-1, dtype=U32)
    points = (faces.astype(F32) * _FACE_VALUES).sum(axis=-1)
    bag = (state.meta[..., None] >> np.arange(0, 16, 4, dtype=U32)) & U32(15)
    total = nibble_sum(state.meta & U32(0xFFFF))[..., None]
    away = (U32(ALL_DICE) - held(state.reserve) - (state.meta & U32(0xFFFF)))[..., None]
    away = (away >> np.arange(0, 16, 4, dtype=U32)) & U32(15)
    sheet = state.sheets[0]
    column_room = U32(5) - popcount(sheet.spaces[..., None] & _COLUMN)
    row_room = np.array(SIZES, dtype=U32) - popcount(sheet.spaces[..., None] & _ROW)
    fits_column = ((by_colour > 0) & (by_colour <= column_room)).astype(F32)
    fits_row = ((by_face[..., 1:] > 0) & (by_face[..., 1:] <= row_room)).astype(F32)
    ending = stars_sheet.is_full(sheet) | stars_sheet.has_penalty(sheet)
    for other in state.sheets[1:]:
        ending = ending | stars_sheet.is_full(other) | stars_sheet.has_penalty(other)
    solo = state.solo[..., None].astype(F32)
    ahead = stars_sheet.score(sheet)[..., None].astype(F32) - F32(BOX_POINTS) * solo
    left = F32(max(solo_boxes, 1)) - solo
    parts = [
        faces.reshape(*faces.shape[:-2], 24).astype(F32),
        _steps(by_colour, 4),
        _steps(by_face, 4),
        points / F32(10),
        bag.astype(F32) / F32(3),
        away.astype(F32) / F32(3),
        _steps(total, 3),
        total.astype(F32) / F32(7),
        (phase_of(state) == U32(REFILL))[..., None].astype(F32),
        (draw[..., None] == np.arange(4, dtype=U32)).astype(F32),
        by_colour.sum(axis=-1, keepdims=True, dtype=U32).astype(F32) / F32(7),
        (by_face[..., 1:].sum(axis=-1, keepdims=True, dtype=U32) == 0).astype(F32),
        (seat_of(state)[..., None] == np.arange(seats, dtype=U32)).astype(F32),
        ending[..., None].astype(F32),
        fits_column,
        fits_row,
        fits_column * points / F32(10),
        fits_row * by_face[..., 1:].astype(F32) / F32(2),
        solo / F32(20),
        left / F32(10),
        xp.minimum(left, F32(8)) / F32(4),
        ahead / F32(30),
        (ahead > 0).astype(F32),
        xp.maximum(ahead, F32(0)) / F32(20),
    ]
    for each in state.sheets:
        parts += _sheet(each)
    return xp.concatenate([xp.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
