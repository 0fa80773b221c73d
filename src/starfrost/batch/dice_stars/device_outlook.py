"""What the planner of Dice Stars expects of sheets (`players.dice_stars.evaluation`), on a device of JAX.

Games are on the last axis of all arrays. A compiled bot looks an outlook up when it needs it; here the outlooks of all
takes are computed at the start of a turn, so that every roll that the planner imagines is only looked up. Points are
rounded as they are by the single bot: the last digits of a device's functions, and sums that it contracts, decide
nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.dice_stars.desk import mind
from starfrost.batch.on_device import jax
from starfrost.games.dice_stars.components import ALL_DICE
from starfrost.players.dice_stars.evaluation import POINTS_UNIT, Weights
from starfrost.vector.arrays import U32, Array, nibble_sum, popcount, where
from starfrost.vector.dice_stars import sheet as stars_sheet
from starfrost.vector.dice_stars.engine import allocations, face_sum
from starfrost.vector.dice_stars.sheet import BOXES, OFFSETS, SIZES, WHITE, Sheet

jnp = jax.numpy

STARS = 9
"""The line of the stars, after four colours and five rows."""
_ROWS = len(BOXES)
_ALL_BOXES = sum(BOXES)
_MOST = np.array([*ALL_DICE, *SIZES, sum(ALL_DICE)])
"""The most dice of each line that can be taken; of the stars, that can be rolled."""
_RANKS = 4096
"""More than the ways to tick boxes."""


class _Takes(NamedTuple):
    """Takes that fill spaces: a row for each in the tables of outlooks."""

    line: NDArray[np.int64]
    dice: NDArray[np.int64]
    total: NDArray[np.int64]


@cache
def _takes() -> _Takes:
    """List the takes of each line, by number of dice and, for a colour, their sum."""
    rows = [
        (line, count, total)
        for line in range(STARS)
        for count in range(1, _MOST[line] + 1)
        for total in (range(6 * count + 1) if line < 4 else [count * (line - 2)])
    ]
    return _Takes(*np.array(rows).T)


@cache
def _first() -> NDArray[np.int32]:
    """Return where the tables of outlooks have the first take of each line."""
    line = _takes().line
    return np.array([*np.searchsorted(line, np.arange(STARS)), len(line)], np.int32)


@cache
def _nothing() -> int:
    """Return the last row of the tables, for what cannot be taken."""
    return int(_first()[STARS] + _MOST[STARS])


class Lines(NamedTuple):
    """The dice of a reserve in each line, on the first axis."""

    count: Array
    total: Array
    entry: Array
    """Where the tables of outlooks have the take of them."""


def lines_in(reserve: Sequence[Array]) -> Lines:
    """Sort the dice of reserves, given by colour as the packed engine has them, into lines."""
    by_face = reserve[0] + reserve[1] + reserve[2] + reserve[3]
    faces = [(by_face >> U32(4 * face)) & U32(15) for face in (1, 2, 3, 4, 5, 0)]
    numbers = [count * U32(row + 2) for row, count in enumerate(faces[:5])]
    count = jnp.stack([*(nibble_sum(word) for word in reserve), *faces]).astype(np.int32)
    total = jnp.stack([*(face_sum(word) for word in reserve), *numbers, by_face & U32(0)]).astype(np.int32)
    by_line = (STARS + 1, *(1,) * by_face.ndim)
    is_colour = np.arange(STARS + 1).reshape(by_line) < 4
    # One die of a colour has 7 rows in the tables, two have 13 and so on.
    within = (count - 1) * jnp.where(is_colour, 3 * count + 1, 1) + jnp.where(is_colour, total, 0)
    fits = (count > 0) & (count <= _MOST.reshape(by_line))
    return Lines(count, total, jnp.where(fits, _first().reshape(by_line) + within, _nothing()))


class _Time(NamedTuple):
    """What becomes of a plan that misses a number of stars."""

    share: Array
    """The share of the empty spaces that can be filled."""
    chance: Array
    """The chance that the stars come in time."""
    possible: Array


class _Sheets(NamedTuple):
    """Sheets as plans see them."""

    sums: tuple[Array, ...]
    hopes: tuple[Array, ...]
    """The expected points of each row's empty spaces."""
    ticked: tuple[Array, ...]
    filling: Array
    """The turns to fill the white spaces."""
    limit: Array

    def time(self, weights: Weights, missing: Array) -> _Time:
        """Return the time for plans that miss so many stars."""
        turns, star_turns = self.turns(weights, missing), missing / weights.stars
        chance = 1.0 / (1.0 + jnp.exp((missing - weights.supply * turns) / weights.luck))
        return _Time((turns - star_turns) / self.filling, jnp.where(missing > 0, chance, 1.0), star_turns <= self.limit)

    def turns(self, weights: Weights, missing: Array) -> Array:
        """Return the turns that plans take."""
        return jnp.minimum(self.filling + missing / weights.stars, self.limit)


@cache
def _mind(weights: Weights) -> Any:
    return mind(weights)[0]


def _sheets(weights: Weights, sheet: Sheet, limit: Array) -> _Sheets:
    known = _mind(weights)
    spaces = [
        ((sheet.spaces >> U32(first)) & U32((1 << size) - 1)).astype(np.int32)
        for first, size in zip(OFFSETS, SIZES, strict=True)
    ]
    return _Sheets(
        tuple(points.astype(np.float64) for points in stars_sheet.row_sums(sheet)),
        tuple(jnp.asarray(known["hopes"][row])[filled] for row, filled in enumerate(spaces)),
        tuple(boxes.astype(np.int32) for boxes in stars_sheet.ticked(sheet)),
        weights.filling * jnp.asarray(known["powers"])[_open_white(sheet)],
        limit,
    )


def _open_white(sheet: Sheet) -> Array:
    return popcount(~sheet.spaces & U32(WHITE)).astype(np.int32)


def _best_plan(
    weights: Weights, sheets: _Sheets, time: Callable[[Array], _Time], shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Return the points of the best plan in units, and the stars that it misses (`Evaluation._best_plan`).

    A plan is a set of rows to double, as bits. Of plans with the same points the first counts.
    """

    def weigh(plan: Array, found: tuple[Array, Array]) -> tuple[Array, Array]:
        nothing = jnp.zeros((), np.float64)
        sure_points, sure_hope, doubled_points, doubled_hope = (nothing,) * 4
        missing, possible = jnp.zeros((), np.int32), jnp.ones((), bool)
        for row, (points, hope, ticked) in enumerate(zip(sheets.sums, sheets.hopes, sheets.ticked, strict=True)):
            planned, blank, full = (plan >> row & 1) == 1, ticked == 0, ticked == BOXES[row]
            kept = jnp.where(blank, jnp.where(planned, weights.retreat, 1.0), 0.0)
            sure = jnp.where(full, 2.0, kept)
            gain = jnp.where(planned, jnp.where(blank, 2.0 - weights.retreat, 2.0), 0.0)
            sure_points, sure_hope = sure_points + sure * points, sure_hope + sure * hope
            doubled_points, doubled_hope = doubled_points + gain * points, doubled_hope + gain * hope
            missing = missing + jnp.where(planned, BOXES[row] - ticked, 0)
            possible = possible & ~(planned & full)
        share, chance, in_time = time(missing)
        expected = sure_points + share * sure_hope + chance * (doubled_points + share * doubled_hope)
        units = jnp.floor(expected * POINTS_UNIT + 0.5)
        better = possible & in_time & (units > found[0])
        return jnp.where(better, units, found[0]), jnp.where(better, missing, found[1])

    start = jnp.full(shape, -jnp.inf, np.float64), jnp.zeros(shape, np.int32)
    best: tuple[Array, Array] = jax.lax.fori_loop(0, 1 << _ROWS, weigh, start)
    return best


def finished(sheet: Sheet) -> Array:
    """Return whether sheets end the game with the round (G1)."""
    return stars_sheet.is_full(sheet) | stars_sheet.has_penalty(sheet)


def outlook(weights: Weights, sheet: Sheet, limit: Array) -> tuple[Array, Array]:
    """Return the expected points and turns of sheets with at most `limit` more turns (`Evaluation.outlook`)."""
    sheets = _sheets(weights, sheet, limit)
    units, missing = _best_plan(
        weights,
        sheets,
        lambda stars: sheets.time(weights, stars),
        jnp.broadcast_shapes(sheet.spaces.shape, limit.shape),
    )
    done = finished(sheet) | (limit <= 0)
    points = jnp.where(done, stars_sheet.score(sheet).astype(np.float64), units / POINTS_UNIT)
    return points, jnp.where(done, 0.0, sheets.turns(weights, missing))


def turns_to_finish(weights: Weights, sheet: Sheet, fills: Array) -> Array:
    """Estimate the turns that a seat needs for its white spaces (`Evaluation.turns_to_finish`)."""
    powers = _mind(weights)["powers"]
    ticks = sum(boxes.astype(np.float64) for boxes in stars_sheet.ticked(sheet))
    played = fills.astype(np.float64) + ticks / weights.stars
    usual = weights.pace * powers[20]
    left = weights.pace * jnp.asarray(powers)[_open_white(sheet)]
    return left * (played + weights.habit) / (usual - left + weights.habit)


class _Ticks(NamedTuple):
    """All sets of ticked boxes: those with fewer first, then those with more in upper rows, as takes are ordered."""

    rows: NDArray[np.int32]
    """The ticked boxes of each row."""
    marks: NDArray[np.uint32]
    """The same as a sheet has them."""
    first: list[int]
    """The first set with a number of boxes, and the end."""


@cache
def _ticks() -> _Ticks:
    rows = allocations(BOXES).astype(np.int32)
    rows = rows[np.lexsort((*-rows.T[::-1], rows.sum(axis=1)))]
    marks = (rows << (16 + 3 * np.arange(_ROWS))).sum(axis=1).astype(U32)
    return _Ticks(rows, marks, np.searchsorted(rows.sum(axis=1), np.arange(_ALL_BOXES + 2)).tolist())


def _best_ticks(weights: Weights, sheet: Sheet, limit: Array) -> Array:
    """Return the marks of each sheet after the best way to tick 1, 2, 3… stars, on the first axis (`Reach._tick`).

    They are of no use if there are fewer empty boxes.
    """
    ticks, now = _ticks(), _sheets(weights, sheet, limit)
    after = sheet._replace(marks=(sheet.marks & U32(0xFFFF)) | ticks.marks[:, None])
    times = now.time(weights, jnp.arange(_ALL_BOXES + 1)[:, None])
    shape = (len(ticks.rows), *sheet.spaces.shape)
    tried = now._replace(ticked=tuple(ticks.rows[:, row, None] for row in range(_ROWS)))
    units, _ = _best_plan(weights, tried, lambda missing: _Time(*(part[missing[:, 0]] for part in times)), shape)
    done = finished(sheet) | (limit <= 0)
    units = jnp.where(done, stars_sheet.score(after).astype(np.float64) * POINTS_UNIT, units).astype(np.int64)
    possible = jnp.ones(shape, bool)
    for boxes, old in zip(tried.ticked, now.ticked, strict=True):
        possible = possible & (boxes >= old)
    # Of equal ways the first in the order of the takes counts.
    rank = np.arange(len(ticks.rows))[:, None]
    keys = jnp.where(possible, units * _RANKS + (_RANKS - 1 - rank), np.iinfo(np.int64).min)
    best = jnp.stack([keys[ticks.first[n] : ticks.first[n + 1]].max(axis=0) for n in range(_ALL_BOXES + 1)])
    ticked = sum(now.ticked[1:], now.ticked[0]) + np.arange(1, _MOST[STARS] + 1)[:, None]
    found = jnp.take_along_axis(best, jnp.minimum(ticked, _ALL_BOXES), axis=0)
    return jnp.asarray(ticks.marks)[_RANKS - 1 - (found & (_RANKS - 1))] | (sheet.marks & U32(0xFFFF))


class Reach(NamedTuple):
    """The outlooks of sheets after every take, a row for each (`Lines.entry`)."""

    points: Array
    """Minus infinity where there is no room."""
    turns: Array
    marks: Array
    """The marks of the sheet after the best way to tick 1, 2, 3… stars."""


def reach(weights: Weights, sheet: Sheet, limit: Array) -> Reach:
    """Look at all takes (`weighing.Reach`)."""
    takes = _takes()
    line, count, total = (part[:, None] for part in takes)
    by_number = line >= 4
    filled = stars_sheet.fill(
        sheet, by_number, where(by_number, line - 4, line).astype(U32), count.astype(U32), total.astype(U32)
    )
    marks = _best_ticks(weights, sheet, limit)
    ticked = Sheet(*(jnp.broadcast_to(word, marks.shape) for word in (sheet.spaces, sheet.sums, marks)))
    tried = Sheet(*(jnp.concatenate(words) for words in zip(filled, ticked, strict=True)))
    points, turns = outlook(weights, tried, limit)
    room = jnp.stack(
        [
            *(stars_sheet.column_empty(sheet, colour) for colour in range(4)),
            *(stars_sheet.row_empty(sheet, row) for row in range(_ROWS)),
            U32(_ALL_BOXES) - sum(stars_sheet.ticked(sheet), U32(0)),
        ]
    ).astype(np.int32)
    stars = np.arange(1, _MOST[STARS] + 1)
    lines, counts = np.concatenate([takes.line, 0 * stars + STARS]), np.concatenate([takes.dice, stars])
    points = jnp.where(counts[:, None] <= room[lines], points, -jnp.inf)
    end = jnp.full_like(points[:1], -jnp.inf)
    return Reach(jnp.concatenate([points, end]), jnp.concatenate([turns, jnp.zeros_like(end)]), marks)
