"""Takes in Dice Stars on a device of JAX: the ways to tick stars, and the choices of `random` and `greedy`."""

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.on_device import below, jax, luck_words, nth_of
from starfrost.learning.dice_stars.choice import over_batch
from starfrost.vector.arrays import U32, Array, nth_bit, popcount, where
from starfrost.vector.dice_stars import sheet as stars_sheet
from starfrost.vector.dice_stars.engine import (
    COLOUR,
    PENALTY,
    REFILL,
    STARS,
    Options,
    StarsState,
    VectorStars,
    allocations,
    code_of,
    draw_limits,
    next_turn,
    options,
    phase_of,
    take_dice,
)
from starfrost.vector.dice_stars.sheet import BOXES, Sheet

jnp = jax.numpy

fenced: Any = jax.lax.optimization_barrier
"""Keeps the compiler from computing positions again for each of their hundreds of features."""

_MOST_STARS = 15
_NEVER = -100_000
"""Less than any gain."""


class Luck(NamedTuple):
    """The luck of a bot in one decision of every game."""

    keys: Array
    decision: Array


@cache
def _ways() -> NDArray[np.int32]:
    """Return the number of ways to tick stars in the rows from one on: by row, empty boxes (`code_of`) and stars."""
    free = allocations(BOXES).astype(np.int64)
    ways = np.zeros((len(BOXES) + 1, len(free), 32), np.int32)
    ways[len(BOXES), :, 0] = 1
    for row in reversed(range(len(BOXES))):
        for here in range(BOXES[row] + 1):
            fits = (free[:, row] >= here)[:, None]
            ways[row, :, here:] += fits * ways[row + 1, :, : 32 - here]
    return ways


def _nth_way(boxes: tuple[Array, ...], stars: Array, nth: Array) -> tuple[Array, ...]:
    """Return the boxes that the n-th way to tick stars ticks in each row, in the order of `choice.every_star_take`."""
    ways, code = jnp.asarray(_ways()), code_of(boxes).astype(np.int32)
    left, rows = stars.astype(np.int32), []
    for row in range(4):
        chosen, passed, done = jnp.zeros_like(left), jnp.zeros_like(left), jnp.zeros_like(left, bool)
        for here in range(BOXES[row] + 1):
            later = jnp.where(left >= here, ways[row + 1, code, jnp.maximum(left - here, 0)], 0)
            found = ~done & (nth - passed < later)
            chosen = jnp.where(found, here, chosen)
            done = done | found
            passed = jnp.where(done, passed, passed + later)
        nth, left, chosen = fenced((nth - passed, left - chosen, chosen))
        rows.append(chosen.astype(U32))
    return (*rows, left.astype(U32))


def lines_of(can: Options) -> Array:
    """Return the lines that can be taken, or written as a penalty, as bits."""
    return where(can.takes == 0, can.penalties, can.takes & U32(511))


def can_take_stars(can: Options) -> Array:
    """Return whether the stars can be taken."""
    return (can.takes >> U32(9)) != 0


def count_takes(can: Options) -> Array:
    """Count the takes: lines, then ways to tick stars."""
    stars = jnp.asarray(_ways())[0, code_of(can.boxes).astype(np.int32), can.faces[0].astype(np.int32)]
    return popcount(lines_of(can)).astype(np.int32) + jnp.where(can_take_stars(can), stars, 0)


def after_line(
    rules: VectorStars, rolled: StarsState, can: Options, line: Array, is_stars: Array, rows: tuple[Array, ...]
) -> StarsState:
    """Return the positions after a line is taken, or the stars with the boxes that they tick in each row."""
    action = where(is_stars, U32(STARS), where(can.takes == 0, U32(PENALTY), U32(COLOUR)) + line)
    return next_turn(fenced(take_dice(rolled, *fenced((action, rows)))), is_stars, rules.solo_boxes)


def after_take(rules: VectorStars, rolled: StarsState, nth: Array) -> StarsState:
    """Return the positions after the n-th take."""
    can = fenced(options(rolled))
    lines = lines_of(can)
    number = popcount(lines).astype(np.int32)
    is_stars = nth >= number
    line = nth_bit(lines, jnp.where(is_stars, 0, nth).astype(U32), 16)
    rows = fenced(_nth_way(can.boxes, jnp.where(is_stars, can.faces[0], U32(0)), jnp.where(is_stars, nth - number, 0)))
    return after_line(rules, rolled, can, line, is_stars, rows)


class _Ways(NamedTuple):
    """The best ways to tick a number of stars (on the last axis) in the rows from each one on."""

    gains: list[Array]
    ways: list[Array]
    """The number of ways with that gain."""
    ticks: list[list[Array]]
    """The gain of ticking some boxes of a row."""


def _best_ways(sheet: Sheet, free: tuple[Array, ...], greedy: bool) -> _Ways:
    """Find the ways with the highest gain; for `random`, which is not greedy, all ways gain nothing."""
    now = stars_sheet.score(sheet)
    nothing = jnp.zeros((*now.shape, _MOST_STARS), np.int32)
    found = _Ways([nothing], [nothing.at[..., 0].set(1)], [])
    for row in reversed(range(5)):
        ticks = []
        gains, ways = nothing + _NEVER, nothing
        for here in range(BOXES[row] + 1):
            more = sheet._replace(marks=sheet.marks + U32(here << (16 + 3 * row)))
            ticks.append(stars_sheet.score(more) - now if greedy else jnp.zeros_like(now))
            rest = found.ways[0][..., : _MOST_STARS - here]
            gain = jnp.where(
                (rest > 0) & (free[row] >= U32(here))[..., None],
                ticks[here][..., None] + found.gains[0][..., : _MOST_STARS - here],
                _NEVER,
            )
            old = gains[..., here:]
            same = jnp.where(gain == old, rest, 0) * (gain > _NEVER)
            many = jnp.where(gain > old, rest, ways[..., here:] + same)
            gains, ways = gains.at[..., here:].max(gain), ways.at[..., here:].set(many)
        for part, first in zip(found, fenced((gains, ways, ticks)), strict=True):
            part.insert(0, first)
    return found


def _nth_best_way(found: _Ways, free: tuple[Array, ...], stars: Array, nth: Array) -> tuple[Array, ...]:
    """Return the n-th of the ways with the highest gain, by row, in the order of the legal actions."""

    left, rows = stars.astype(np.int32), []
    for row in range(5):
        here = np.arange(BOXES[row], -1, -1, dtype=np.int32)
        rest = left[..., None] - here

        def at(table: Array, places: Array) -> Array:
            return jnp.take_along_axis(table, jnp.clip(places, 0, _MOST_STARS - 1), axis=-1)

        gain = jnp.stack(found.ticks[row][::-1], axis=-1) + at(found.gains[row + 1], rest)
        fits = (rest >= 0) & (free[row].astype(np.int32)[..., None] >= here)
        best = fits & (gain == at(found.gains[row], left[..., None]))
        place, nth = nth_of(jnp.where(best, at(found.ways[row + 1], rest), 0), nth)
        chosen = BOXES[row] - place
        nth, left, chosen = fenced((nth, left - chosen, chosen))
        rows.append(chosen.astype(U32))
    return tuple(rows)


class _Light(NamedTuple):
    """The takes between which `random` or `greedy` chooses."""

    can: Options
    best: Array
    """The highest gain."""
    lines: Array
    """The lines with that gain, as bits."""
    stars: Array
    """The number of ways to take the stars with that gain."""
    ways: _Ways


def _light(rules: VectorStars, rolled: StarsState, greedy: bool) -> _Light:
    """Weigh the takes: a gain is what the score grows by, less the points of the solo boxes ticked."""
    can = options(rolled)
    ways = _best_ways(rolled.sheets[0], can.boxes, greedy)
    stars = jnp.clip(can.faces[0].astype(np.int32), 0, _MOST_STARS - 1)[..., None]
    gain, many = (jnp.take_along_axis(table[0], stars, axis=-1)[..., 0] for table in (ways.gains, ways.ways))
    gains = jnp.zeros((*gain.shape, 10), np.int32)
    if greedy:
        kinds = np.array([*range(9), STARS - COLOUR], U32)
        each, nothing = over_batch(rolled), tuple(jnp.zeros((*gain.shape, 10), U32) for _ in range(5))
        action = where((can.takes == 0)[..., None], U32(PENALTY), U32(COLOUR)) + kinds
        taken = take_dice(each, where(kinds >= U32(9), U32(STARS), action), nothing)
        solo = next_turn(taken, jnp.broadcast_to(kinds >= U32(9), action.shape), rules.solo_boxes).solo - each.solo
        scored = stars_sheet.score(taken.sheets[0]) - stars_sheet.score(each.sheets[0])
        gains = (scored - 5 * solo.astype(np.int32)).at[..., 9].add(gain)
    allowed = lines_of(can) | where(can_take_stars(can), U32(512), U32(0))
    places = np.arange(10, dtype=U32)
    gains = jnp.where((allowed[..., None] >> places & U32(1)) != 0, gains, _NEVER)
    best = gains.max(axis=-1)
    chosen = ((gains == best[..., None]) & (gains > _NEVER)).astype(U32)
    lines = (chosen[..., :9] << places[:9]).sum(axis=-1, dtype=U32)
    return _Light(can, best, lines, jnp.where(chosen[..., 9] != 0, many, 0).astype(U32), ways)


@partial(jax.jit, static_argnames=("rules", "greedy"))
def light_draw(rules: VectorStars, greedy: bool, state: StarsState, asked: Array, luck: Luck) -> Array:
    """Return how many dice `random` or `greedy` draws, less one; 3 is to return the reserve, where that is asked."""
    (fewest, most), word = draw_limits(state), luck_words(*luck)[0]
    returns, draw = below(word, U32(2)) == 1, fewest + below(word, most - fewest + U32(1))
    if greedy:
        returns, draw = _light(rules, state, greedy).best <= 0, most
    return where(phase_of(state) == U32(REFILL), where(returns, U32(3), U32(0)), draw - U32(1))


@partial(jax.jit, static_argnames=("rules", "greedy"))
def light_take(rules: VectorStars, greedy: bool, rolled: StarsState, asked: Array, luck: Luck) -> StarsState:
    """Return the positions after the take of `random` or `greedy`: one of the best, by luck."""
    found = fenced(_light(rules, rolled, greedy))
    number = popcount(found.lines)
    nth = below(luck_words(*luck)[0], number + found.stars)
    is_stars = nth >= number
    line = nth_bit(found.lines, where(is_stars, U32(0), nth), 16)
    stars = where(is_stars, found.can.faces[0], U32(0))
    rows = _nth_best_way(found.ways, found.can.boxes, stars, where(is_stars, nth - number, U32(0)).astype(np.int32))
    return after_line(rules, rolled, found.can, line, is_stars, fenced(rows))
