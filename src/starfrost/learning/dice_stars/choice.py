"""Choices in Dice Stars by value: every option becomes a position that a network evaluates.

A turn has two choices. Before the dice: keep the reserve and draw 1, 2 or 3, or return it (then 3 must be drawn); the
evaluated position is the one with the draw announced. After the dice: what to take; the evaluated position is the start
of the next seat's turn, from that seat's view, so the share of the seat that took is the last one.
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from starfrost.learning.dice_stars.features import features
from starfrost.learning.dice_stars.network import SCORE_UNIT, forward, shares
from starfrost.vector.arrays import U32, Array, module_of, where
from starfrost.vector.dice_stars import sheet as stars_sheet
from starfrost.vector.dice_stars.engine import (
    COLOUR,
    OVER,
    PENALTY,
    REFILL,
    STARS,
    StarsState,
    VectorStars,
    draw_limits,
    keep_reserve,
    next_turn,
    options,
    phase_of,
    return_reserve,
    take_dice,
)
from starfrost.vector.game import choose

F32 = np.float32
_ORDERS = np.array([(*pair, *(r for r in range(5) if r not in pair)) for pair in permutations(range(5), 2)])


class Values(NamedTuple):
    """The values of positions by a network (after the end by the rules), on the last axis from the acting seat on."""

    shares: Array
    scores: Array


def over_batch(state: StarsState, ending: Any = None) -> StarsState:
    """Add a last axis of length one to every word, or index it with `ending`."""
    index = (..., None) if ending is None else ending

    def grow(value: Any) -> Any:
        if isinstance(value, tuple):
            parts = [grow(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value[index]

    grown: StarsState = grow(state)
    return grown


def value(game: VectorStars, params: Mapping[str, Array], state: StarsState, draw: Array) -> Values:
    """Return the values of positions: by the rules if the game is over, else by the network."""
    xp = module_of(state.meta)
    logits, scores = forward(params, features(state, draw, game.solo_boxes))
    final = [stars_sheet.score(sheet) for sheet in state.sheets]
    exact = xp.stack(game.shares(state, final), axis=-1)
    over = (phase_of(state) == U32(OVER))[..., None]
    final_scores = xp.stack(final, axis=-1).astype(F32) / SCORE_UNIT
    return Values(where(over, exact, shares(logits)), where(over, final_scores, scores))


def utility(values: Values, seat: int, weight: Any) -> Array:
    """Return a seat's utility (counted from the acting seat): its share of victory, plus points with a small weight."""
    own = values.scores[..., seat]
    seats = values.scores.shape[-1]
    if seats > 1:
        own = own - (values.scores.sum(axis=-1) - own) / F32(seats - 1)
    return values.shares[..., seat] + weight * own


def taker_utility(after: StarsState, values: Values, weight: Any) -> Array:
    """Return the utility of the seat that has just taken: last in the next seat's view, first after the end."""
    first = utility(values, 0, weight)
    last = utility(values, len(after.sheets) - 1, weight)
    return where(phase_of(after) == U32(OVER), first, last)


def draw_options(state: StarsState) -> tuple[StarsState, Array, Array]:
    """List keep and draw 1, 2, 3, and return and draw 3: positions on a last axis of 4, draws, and a legal mask."""
    can_return = phase_of(state) == U32(REFILL)
    kept = choose(can_return, keep_reserve(state), state)
    fewest, most = draw_limits(kept)
    index = np.arange(4, dtype=U32)
    draw = np.array([1, 2, 3, 3], dtype=U32)
    returns = index == 3
    allowed = (fewest[..., None] <= draw) & (most[..., None] >= draw) & ~returns | can_return[..., None] & returns
    positions = choose(returns, over_batch(return_reserve(state)), over_batch(kept))
    return positions, draw + (state.meta & U32(0))[..., None], allowed


def star_takes(boxes: tuple[Array, ...], stars: Array) -> tuple[Array, ...]:
    """Return twenty ways to tick `stars` boxes, on a new last axis: fill row after row, in twenty orders."""
    free = module_of(stars).stack(boxes, axis=-1)
    left = stars[..., None] + np.zeros(len(_ORDERS), dtype=U32)
    ticks = left[..., None] * np.zeros(5, dtype=U32)
    for place in range(5):
        here = module_of(free).minimum(free[..., _ORDERS[:, place]], left)
        left = left - here
        ticks = ticks + here[..., None] * (_ORDERS[:, place, None] == np.arange(5)).astype(U32)
    return tuple(ticks[..., row] for row in range(5))


def every_star_take(boxes: tuple[int, ...], stars: int) -> np.ndarray:
    """List every way to tick `stars` boxes: shape (ways, 5)."""
    ways: list[tuple[int, ...]] = [()]
    for row, free in enumerate(boxes):
        later = sum(boxes[row + 1 :])
        ways = [
            (*way, n) for way in ways for n in range(max(0, stars - sum(way) - later), min(free, stars - sum(way)) + 1)
        ]
    return np.array(ways, dtype=U32).reshape(-1, 5)


def take_options(game: VectorStars, state: StarsState, stars: tuple[Array, ...]) -> tuple[StarsState, Array, Array]:
    """List the takes (or penalties): nine lines, then the star takes given on the last axis.

    Returns the positions at the start of the next turn, the action numbers (`STARS` for a star take) and a legal mask.
    """
    xp = module_of(state.meta)
    can = options(state)
    number = stars[0].shape[-1]
    fits = can.takes[..., None] >> np.array([*range(9)] + [9] * number, dtype=U32)
    lines = can.penalties[..., None] >> np.array([*range(9)] + [31] * number, dtype=U32)
    punished = (can.takes == 0)[..., None]
    allowed = (where(punished, lines, fits) & U32(1)) != 0
    kinds = np.array([*range(9)] + [STARS - COLOUR] * number, dtype=U32)
    action = where(punished, U32(PENALTY), U32(COLOUR)) + kinds
    nothing = (state.meta & U32(0))[..., None] + np.zeros(9, dtype=U32)
    rows = tuple(
        xp.concatenate([nothing, xp.broadcast_to(row, (*nothing.shape[:-1], number))], axis=-1) for row in stars
    )
    is_stars = xp.broadcast_to(kinds >= U32(9), action.shape)
    action = where(is_stars, U32(STARS), action)
    taken = take_dice(over_batch(state), action, rows)
    after = next_turn(taken, is_stars, game.solo_boxes)
    shape = action.shape
    sheets = tuple(type(s)(*(xp.broadcast_to(word, shape) for word in s)) for s in after.sheets)
    solo = xp.broadcast_to(after.solo, shape)
    return after._replace(sheets=sheets, solo=solo), action, allowed
