"""Choices in Dice Stars by value: every option becomes a position that a network evaluates.

A turn has two choices. Before the dice: keep the reserve and draw 1, 2 or 3, or return it (then 3 must be drawn); the
evaluated position is the one with the draw announced. After the dice: what to take; the evaluated position is the start
of the next seat's turn, from that seat's view, so the share of the seat that took is the last one.
"""

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from starfrost.games.dice_stars.bots.features import features
from starfrost.games.dice_stars.bots.network import SCORE_UNIT, forward, shares
from starfrost.games.dice_stars.vector import sheet as stars_sheet
from starfrost.games.dice_stars.vector.engine import (
    COLOUR,
    DRAW_DICE,
    OVER,
    PENALTY,
    REFILL,
    RETURN,
    STARS,
    StarsState,
    VectorStars,
    code_of,
    draw_limits,
    keep_reserve,
    next_turn,
    options,
    phase_of,
    return_reserve,
    take_dice,
)
from starfrost.vector.arrays import U32, Array, module_of, where
from starfrost.vector.game import choose

F32 = np.float32
ORDERS = np.array([(*pair, *(r for r in range(5) if r not in pair)) for pair in permutations(range(5), 2)])
"""The orders of the rows in which stars are ticked: any two rows first."""


DRAWS, TAKES, SOLO_TAKES = 3.4, 13.0, 9.0
"""Options of a choice on average that the network evaluates on JAX: more than there are in a large batch of games."""


class Policy(NamedTuple):
    """The policy of one side: a network with a share of random choices (1 is a random player)."""

    params: Mapping[str, Array]
    random: Any
    weight: Any
    """The weight of points against the share of victory."""


class Values(NamedTuple):
    """The values of positions by a network (after the end by the rules), on the last axis from the acting seat on."""

    shares: Array
    scores: Array


def each_word(state: StarsState, change: Callable[[Array], Array]) -> StarsState:
    """Apply a change of shape to every word of a state."""

    def grow(value: Any) -> Any:
        if isinstance(value, tuple):
            parts = [grow(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return change(value)

    grown: StarsState = grow(state)
    return grown


def over_batch(state: StarsState) -> StarsState:
    """Add a last axis of length one to every word."""
    return each_word(state, lambda word: word[..., None])


def value(game: VectorStars, params: Mapping[str, Array], state: StarsState, draw: Array) -> Values:
    """Return the values of positions: by the rules if the game is over, else by the network."""
    xp = module_of(state.meta)
    logits, scores = forward(params, features(state, draw, game.solo_boxes))
    won = shares(logits)
    final = [stars_sheet.score(sheet) for sheet in state.sheets]
    known = xp.stack(game.shares(state, final), axis=-1)
    over = (phase_of(state) == U32(OVER))[..., None]
    final_scores = xp.stack(final, axis=-1).astype(scores.dtype) / SCORE_UNIT
    return Values(where(over, known, won), where(over, final_scores, scores))


def value_where(
    game: VectorStars, params: Mapping[str, Array], state: StarsState, draw: Array, allowed: Array, room: float
) -> tuple[Values, Array]:
    """Return the values of the allowed positions, and which of them are known; all others are 0.

    The network evaluates only these. JAX needs fixed shapes: there it is at most `room` positions for each index of all
    axes but the last, on average.
    """
    xp = module_of(state.meta)
    shape, size = allowed.shape, allowed.size
    flat = allowed.reshape(-1)
    if xp is np:
        index, known = np.flatnonzero(flat), allowed
    else:
        most = min(int(room * (size // shape[-1])), size)
        (index,) = xp.nonzero(flat, size=most, fill_value=0)
        known = allowed & (xp.cumsum(flat.astype(np.int32)).reshape(shape) <= most)
    chosen = each_word(state, lambda word: xp.broadcast_to(word, shape).reshape(-1)[index])
    found = value(game, params, chosen, xp.broadcast_to(draw, shape).reshape(-1)[index])
    spread = []
    for part in found:
        whole = xp.zeros((size, part.shape[-1]), part.dtype)
        if xp is np:
            whole[index] = part
        else:
            whole = whole.at[index].set(part)
        spread.append(whole.reshape(*shape, part.shape[-1]))
    return Values(*spread), known


def best_of(utilities: Array, allowed: Array, known: Array) -> Array:
    """Return the index of the best allowed option on the last axis; an option without a value comes last."""
    xp = module_of(utilities)
    return xp.argmax(xp.where(allowed, xp.where(known, utilities, F32(-1e9)), -xp.inf), axis=-1)


def pick(tree: Any, index: Array) -> Any:
    """Return one option of each game from arrays or states with the options on the last axis."""
    if isinstance(tree, tuple):
        parts = [pick(part, index) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    xp = module_of(tree)
    return xp.take_along_axis(xp.broadcast_to(tree, (*index.shape, tree.shape[-1])), index[..., None], axis=-1)[..., 0]


def pick_value(values: Values, index: Array) -> Values:
    """Return the values of one option of each game."""
    xp = module_of(values.shares)
    return Values(*(xp.take_along_axis(part, index[..., None, None], axis=-2)[..., 0, :] for part in values))


def utility(values: Values, seat: int, weight: Any) -> Array:
    """Return a seat's utility (counted from the acting seat): its share of victory, plus points with a small weight."""
    own = values.scores[..., seat]
    seats = values.scores.shape[-1]
    if seats > 1:
        own = F32(seats) * own - values.scores.sum(axis=-1)
        weight = weight * F32(1 / (seats - 1))
    return values.shares[..., seat] + weight * own


def taker_utility(after: StarsState, values: Values, weight: Any) -> Array:
    """Return the utility of the seat that has just taken: last in the next seat's view, first after the end."""
    first = utility(values, 0, weight)
    last = utility(values, len(after.sheets) - 1, weight)
    return where(phase_of(after) == U32(OVER), first, last)


class Choices(NamedTuple):
    """The options of a decision on the last axis, with their values by a network."""

    state: StarsState
    """The positions that the options lead to."""
    draw: Array
    """The announced number of dice; 0 after a take."""
    action: Array
    """The number of the action: of keeping and drawing, only the draw; of a star take, the first of its kind."""
    allowed: Array
    known: Array
    """The options with a value: all that are allowed, unless there are more than JAX was given room for."""
    values: Values
    utilities: Array
    """The utilities for the seat that chooses."""

    def best(self) -> Array:
        """Return the index of the best option."""
        return best_of(self.utilities, self.allowed, self.known)


def value_draws(game: VectorStars, policy: Policy, state: StarsState, wanted: Array | None = None) -> Choices:
    """Return the values of keep and draw 1, 2, 3, and of return and draw 3, where wanted."""
    positions, draws, allowed = draw_options(state)
    evaluated = allowed if wanted is None else allowed & wanted[..., None]
    values, known = value_where(game, policy.params, positions, draws, evaluated, DRAWS)
    action = draws + np.array([DRAW_DICE - 1] * 3 + [RETURN - 3], dtype=np.int32).astype(U32)
    return Choices(positions, draws, action, allowed, known, values, utility(values, 0, policy.weight))


def value_takes(
    game: VectorStars,
    policy: Policy,
    rolled: StarsState,
    stars: tuple[Array, ...],
    wanted: Array | None = None,
    room: float | None = None,
) -> Choices:
    """Return the values of taking a line, and of some ways to take the stars, where wanted; equal ways count once."""
    xp = module_of(rolled.meta)
    # A star take that does not fit is masked; clipping prevents overflow into other fields of its word.
    ways = tuple(xp.minimum(way, U32(7)) for way in stars)
    afters, action, allowed = take_options(game, rolled, ways)
    allowed = allowed & xp.concatenate([xp.ones_like(allowed[..., :9]), distinct(ways)], axis=-1)
    evaluated = allowed if wanted is None else allowed & wanted[..., None]
    nothing = xp.zeros_like(afters.meta)
    room = room or (SOLO_TAKES if game.seats == 1 else TAKES)
    values, known = value_where(game, policy.params, afters, nothing, evaluated, room)
    return Choices(afters, nothing, action, allowed, known, values, taker_utility(afters, values, policy.weight))


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
    left = stars[..., None] + np.zeros(len(ORDERS), dtype=U32)
    ticks = left[..., None] * np.zeros(5, dtype=U32)
    for place in range(5):
        here = module_of(free).minimum(free[..., ORDERS[:, place]], left)
        left = left - here
        ticks = ticks + here[..., None] * (ORDERS[:, place, None] == np.arange(5)).astype(U32)
    return tuple(ticks[..., row] for row in range(5))


def distinct(ways: tuple[Array, ...]) -> Array:
    """Return which star takes differ from all before them on the last axis."""
    codes = code_of(ways)
    same = codes[..., :, None] == codes[..., None, :]
    earlier = np.tri(codes.shape[-1], k=-1, dtype=bool)
    return ~(same & earlier).any(axis=-1)


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
