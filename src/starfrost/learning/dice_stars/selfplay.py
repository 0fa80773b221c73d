"""Dice Stars played by networks in batches: one step plays a whole turn in every game of a batch.

A turn chooses refill and draw, rolls, and chooses what to take. Each turn gives two evaluated positions, one before and
one after the dice.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from starfrost.learning.dice_stars.choice import (
    DRAWS,
    TAKES,
    Policy,
    Values,
    best_of,
    distinct,
    draw_options,
    pick,
    pick_value,
    star_takes,
    take_options,
    taker_utility,
    utility,
    value_where,
)
from starfrost.learning.dice_stars.search import NO_SEARCH, Luck, Search, search_draws, search_takes
from starfrost.learning.with_jax import jax, jnp
from starfrost.vector.arrays import U32, Array
from starfrost.vector.chance import CHANCE, POLICY, words
from starfrost.vector.dice_stars.engine import (
    OVER,
    StarsState,
    VectorStars,
    draw_dice,
    options,
    phase_of,
    random_ticks,
    seat_of,
)
from starfrost.vector.game import choose

F32 = np.float32

RANDOM_STAR_TAKES = 8
"""Random star takes tried besides the twenty that fill row after row, so that unusual ones are learned too."""


class Trace(NamedTuple):
    """The data of one turn for learning; values are in seat order."""

    before: StarsState
    draw: Array
    after: StarsState
    seat: Array
    before_value: Array
    """The value of the best position before the dice, which is the value of the previous turn's end."""
    before_explored: Array
    after_value: Array
    after_explored: Array
    over: Array


def _by_seat(values: Values, first: Array) -> Array:
    """Return shares and scores in seat order, given their first seat."""
    seats = values.shares.shape[-1]
    index = (jnp.arange(seats, dtype=U32) + U32(seats) - first[..., None]) % U32(seats)
    parts = [jnp.take_along_axis(part, index.astype(jnp.int32), axis=-1) for part in values]
    return jnp.concatenate(parts, axis=-1)


def _random(allowed: Array, word: Array) -> Array:
    noise = jnp.arange(1, allowed.shape[-1] + 1, dtype=U32) * (word[..., None] | U32(1))
    return jnp.argmax(
        jnp.where(allowed, (noise ^ (noise >> U32(15))) >> U32(8), 0).astype(jnp.int32) + allowed, axis=-1
    )


class _Draws(NamedTuple):
    """The first half of a turn: the position with a draw announced."""

    state: StarsState
    draw: Array
    value: Array
    explored: Array


class _Takes(NamedTuple):
    """The second half of a turn: the position after a take."""

    state: StarsState
    value: Array
    explored: Array


def _explores(policy: Policy, word: Array) -> Array:
    return (word >> U32(8)) < jnp.asarray(policy.random * F32(1 << 24), dtype=U32)


def _luck(key: tuple[Array, Array]) -> Luck:
    """Return the key of the rolls that a look-ahead samples: other dice than those of the game."""
    return Luck(key[0] ^ U32(POLICY), key[1])


def choose_draw(
    game: VectorStars, state: StarsState, policy: Policy, key: tuple[Array, Array], search: Search = NO_SEARCH
) -> _Draws:
    """Choose refill and draw in every game of the batch."""
    ids, clock = key
    first = words((ids, clock * U32(4)), CHANCE)
    positions, draws, allowed = draw_options(state)
    values, known = value_where(game, policy.params, positions, draws, allowed, DRAWS)
    utilities = utility(values, 0, policy.weight)
    best = best_of(utilities, allowed, known)
    value = _by_seat(pick_value(values, best), seat_of(state))
    if search.rolls:
        utilities, allowed = search_draws(
            game, policy, search, positions, draws, utilities, allowed & known, _luck(key)
        )
        best = best_of(utilities, allowed, allowed)
    explored = _explores(policy, first[0])
    before, draw = pick((positions, draws), jnp.where(explored, _random(allowed, first[2]), best))
    return _Draws(before, draw, value, explored)


def roll_and_take(
    game: VectorStars,
    before: StarsState,
    draw: Array,
    policy: Policy,
    key: tuple[Array, Array],
    search: Search = NO_SEARCH,
    takes: float = TAKES,
) -> _Takes:
    """Roll the announced dice and choose what to take in every game of the batch."""
    ids, clock = key
    first = words((ids, clock * U32(4)), CHANCE)
    rolled = draw_dice(before, draw, game.roll(before, (ids, clock * U32(4) + U32(1))))
    can = options(rolled)
    noise = [words((ids, clock * U32(4) + U32(2 + i)), CHANCE) for i in range(RANDOM_STAR_TAKES // 4)]
    random = jnp.stack([word for four in noise for word in four], axis=-1)
    full = star_takes(can.boxes, can.faces[0])
    mixed = random_ticks(tuple(free[..., None] for free in can.boxes), can.faces[0][..., None], random)
    # A star take that does not fit is masked; clipping prevents overflow into other fields of its word.
    ways = tuple(jnp.minimum(jnp.concatenate(pair, axis=-1), U32(7)) for pair in zip(full, mixed, strict=True))
    afters, _, allowed = take_options(game, rolled, ways)
    allowed = allowed & jnp.concatenate([jnp.ones_like(allowed[..., :9]), distinct(ways)], axis=-1)
    values, known = value_where(game, policy.params, afters, jnp.zeros_like(afters.meta), allowed, takes)
    utilities = taker_utility(afters, values, policy.weight)
    best = best_of(utilities, allowed, known)
    value = _by_seat(pick_value(values, best), seat_of(pick(afters, best)))
    if search.rolls:
        utilities, allowed = search_takes(game, policy, search, afters, values, utilities, allowed & known, _luck(key))
        best = best_of(utilities, allowed, allowed)
    explored = _explores(policy, first[1])
    return _Takes(pick(afters, jnp.where(explored, _random(allowed, first[3]), best)), value, explored)


def play_turn(
    game: VectorStars,
    state: StarsState,
    policy: Policy,
    key: tuple[Array, Array],
    search: Search = NO_SEARCH,
    takes: float = TAKES,
) -> tuple[StarsState, Trace]:
    """Play one whole turn in every game of the batch; finished games do not change.

    The network evaluates at most `takes` takes for each game on average.
    """
    drawn = choose_draw(game, state, policy, key, search)
    taken = roll_and_take(game, drawn.state, drawn.draw, policy, key, search, takes)
    over = phase_of(taken.state) == U32(OVER)
    trace = Trace(
        drawn.state,
        drawn.draw,
        taken.state,
        seat_of(state),
        drawn.value,
        drawn.explored,
        taken.value,
        taken.explored,
        over,
    )
    return choose(phase_of(state) == U32(OVER), state, taken.state), trace


@partial(jax.jit, static_argnames=("game", "games", "turns", "search", "other_search"))
def compare(
    game: VectorStars,
    own: Policy,
    other: Policy,
    games: int,
    turns: int,
    seed: Array,
    search: Search = NO_SEARCH,
    other_search: Search = NO_SEARCH,
) -> dict[str, Array]:
    """Play games to the end, with `own` in one seat (each in turn, on the same dice) and `other` in the rest.

    Returns what `own` won and scored in every game; groups of as many games as there are seats have the same dice.
    """
    number = jnp.arange(games, dtype=U32)
    ids = (number // U32(game.seats)) * U32(2654435761) ^ seed
    seat = number % U32(game.seats)
    state = game.blank(jnp.zeros(games, dtype=U32))

    def going(carry: tuple[StarsState, Array]) -> Array:
        return ~game.over(carry[0]).all() & (carry[1] < U32(turns))

    def turn(carry: tuple[StarsState, Array]) -> tuple[StarsState, Array]:
        state, clock = carry
        key = (ids, jnp.broadcast_to(clock, ids.shape))
        mine, _ = play_turn(game, state, own, key, search)
        if game.seats > 1:
            theirs, _ = play_turn(game, state, other, key, other_search)
            mine = choose(seat_of(state) == seat, mine, theirs)
        return mine, clock + U32(1)

    state, _ = jax.lax.while_loop(going, turn, (state, jnp.uint32(0)))
    own_seat = seat[:, None].astype(jnp.int32)
    return {
        "won": jnp.take_along_axis(game.rewards(state), own_seat, axis=-1)[:, 0],
        "score": jnp.take_along_axis(game.scores(state), own_seat, axis=-1)[:, 0],
        "solo": state.solo,
        "finished": game.over(state),
    }
