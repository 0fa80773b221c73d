"""Dice Stars played by networks in batches: one step plays a whole turn in every game of a batch.

A turn chooses refill and draw, rolls, and chooses what to take. Each turn gives two evaluated positions, one before and
one after the dice.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from research.with_jax import jax, jnp
from starfrost.games.dice_stars.bots.choice import (
    Policy,
    Values,
    best_of,
    each_word,
    pick,
    pick_value,
    star_takes,
    value_draws,
    value_takes,
)
from starfrost.games.dice_stars.bots.search import NO_SEARCH, Luck, Search, search_draws, search_takes
from starfrost.games.dice_stars.vector.engine import (
    OVER,
    StarsState,
    VectorStars,
    draw_dice,
    options,
    phase_of,
    random_ticks,
    seat_of,
)
from starfrost.vector.arrays import U32, Array
from starfrost.vector.chance import CHANCE, POLICY, words
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
    found = value_draws(game, policy, state)
    best = found.best()
    value = _by_seat(pick_value(found.values, best), seat_of(state))
    allowed = found.allowed
    if search.rolls:
        utilities, allowed = search_draws(game, policy, search, found, _luck(key))
        best = best_of(utilities, allowed, allowed)
    explored = _explores(policy, first[0])
    before, draw = pick((found.state, found.draw), jnp.where(explored, _random(allowed, first[2]), best))
    return _Draws(before, draw, value, explored)


def roll_and_take(
    game: VectorStars,
    before: StarsState,
    draw: Array,
    policy: Policy,
    key: tuple[Array, Array],
    search: Search = NO_SEARCH,
    takes: float | None = None,
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
    ways = tuple(jnp.concatenate(pair, axis=-1) for pair in zip(full, mixed, strict=True))
    found = value_takes(game, policy, rolled, ways, room=takes)
    best = found.best()
    value = _by_seat(pick_value(found.values, best), seat_of(pick(found.state, best)))
    allowed = found.allowed
    if search.rolls:
        utilities, allowed = search_takes(game, policy, search, found, _luck(key))
        best = best_of(utilities, allowed, allowed)
    explored = _explores(policy, first[1])
    return _Takes(pick(found.state, jnp.where(explored, _random(allowed, first[3]), best)), value, explored)


def play_turn(
    game: VectorStars,
    state: StarsState,
    policy: Policy,
    key: tuple[Array, Array],
    search: Search = NO_SEARCH,
    takes: float | None = None,
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
        times = jnp.broadcast_to(clock, ids.shape)
        # All games are in the same turn, so `own` plays one game of each group.
        turns_of = jnp.arange(games // game.seats) * game.seats + (clock % U32(game.seats)).astype(jnp.int32)
        at = each_word(state, lambda word: word[turns_of])
        mine, _ = play_turn(game, at, own, (ids[turns_of], times[turns_of]), search)
        if game.seats == 1:
            return mine, clock + U32(1)
        theirs, _ = play_turn(game, state, other, (ids, times), other_search)
        return jax.tree.map(lambda all_games, some: all_games.at[turns_of].set(some), theirs, mine), clock + U32(1)

    state, _ = jax.lax.while_loop(going, turn, (state, jnp.uint32(0)))
    own_seat = seat[:, None].astype(jnp.int32)
    return {
        "won": jnp.take_along_axis(game.rewards(state), own_seat, axis=-1)[:, 0],
        "score": jnp.take_along_axis(game.scores(state), own_seat, axis=-1)[:, 0],
        "solo": state.solo,
        "finished": game.over(state),
    }
