"""Dice Stars played by networks in batches: one step plays a whole turn in every game of a batch.

A turn chooses refill and draw, rolls, and chooses what to take. Each turn gives two evaluated positions, one before and
one after the dice.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from starfrost.learning.dice_stars.choice import (
    Values,
    draw_options,
    star_takes,
    take_options,
    taker_utility,
    utility,
    value,
)
from starfrost.learning.dice_stars.network import Params
from starfrost.learning.with_jax import jax, jnp
from starfrost.vector.arrays import U32, Array
from starfrost.vector.chance import CHANCE, words
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


class Policy(NamedTuple):
    """The policy of one side: a network with a share of random choices (1 is a random player)."""

    params: Params
    random: Array
    weight: Array
    """The weight of points against the share of victory."""


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


def _best(utilities: Array, allowed: Array) -> Array:
    return jnp.argmax(jnp.where(allowed, utilities, -jnp.inf), axis=-1)


def _random(allowed: Array, word: Array) -> Array:
    noise = jnp.arange(1, allowed.shape[-1] + 1, dtype=U32) * (word[..., None] | U32(1))
    return jnp.argmax(
        jnp.where(allowed, (noise ^ (noise >> U32(15))) >> U32(8), 0).astype(jnp.int32) + allowed, axis=-1
    )


def _pick(tree: Any, index: Array) -> Any:
    """Pick one option per game."""
    return jax.tree.map(lambda leaf: jnp.take_along_axis(leaf, index[..., None], axis=-1)[..., 0], tree)


def _pick_value(values: Values, index: Array) -> Values:
    return Values(*(jnp.take_along_axis(part, index[..., None, None], axis=-2)[..., 0, :] for part in values))


def play_turn(
    game: VectorStars, state: StarsState, policy: Policy, key: tuple[Array, Array]
) -> tuple[StarsState, Trace]:
    """Play one whole turn in every game of the batch; finished games do not change."""
    ids, clock = key
    first = words((ids, clock * U32(4)), CHANCE)
    limit = jnp.asarray(policy.random * F32(1 << 24), dtype=U32)
    before_explored, after_explored = (first[0] >> U32(8)) < limit, (first[1] >> U32(8)) < limit
    seat = seat_of(state)

    positions, draws, allowed = draw_options(state)
    positions = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, draws.shape), positions)
    values = value(game, policy.params, positions, draws)
    best = _best(utility(values, 0, policy.weight), allowed)
    before_value = _by_seat(_pick_value(values, best), seat)
    index = jnp.where(before_explored, _random(allowed, first[2]), best)
    before, draw = _pick((positions, draws), index)

    rolled = draw_dice(before, draw, game.roll(before, (ids, clock * U32(4) + U32(1))))
    can = options(rolled)
    noise = [words((ids, clock * U32(4) + U32(2 + i)), CHANCE) for i in range(RANDOM_STAR_TAKES // 4)]
    random = jnp.stack([word for four in noise for word in four], axis=-1)
    full = star_takes(can.boxes, can.faces[0])
    mixed = random_ticks(tuple(free[..., None] for free in can.boxes), can.faces[0][..., None], random)
    # A star take that does not fit is masked; clipping prevents overflow into other fields of its word.
    ways = [jnp.minimum(jnp.concatenate(pair, axis=-1), U32(7)) for pair in zip(full, mixed, strict=True)]
    afters, _, allowed = take_options(game, rolled, tuple(ways))
    values = value(game, policy.params, afters, jnp.zeros_like(afters.meta))
    best = _best(taker_utility(afters, values, policy.weight), allowed)
    after_value = _by_seat(_pick_value(values, best), seat_of(_pick(afters, best)))
    after = _pick(afters, jnp.where(after_explored, _random(allowed, first[3]), best))

    over = phase_of(after) == U32(OVER)
    trace = Trace(before, draw, after, seat, before_value, before_explored, after_value, after_explored, over)
    return choose(phase_of(state) == U32(OVER), state, after), trace


@partial(jax.jit, static_argnames=("game", "games", "turns"))
def compare(game: VectorStars, own: Policy, other: Policy, games: int, turns: int, seed: Array) -> dict[str, Array]:
    """Play games to the end, with `own` in one seat (each in turn) and `other` in the rest; return own results."""
    ids = jnp.arange(games, dtype=U32) * U32(2654435761) ^ seed
    seat = jnp.arange(games, dtype=U32) % U32(game.seats)
    state = game.blank(jnp.zeros(games, dtype=U32))

    def going(carry: tuple[StarsState, Array]) -> Array:
        return ~game.over(carry[0]).all() & (carry[1] < U32(turns))

    def turn(carry: tuple[StarsState, Array]) -> tuple[StarsState, Array]:
        state, clock = carry
        key = (ids, jnp.broadcast_to(clock, ids.shape))
        mine, _ = play_turn(game, state, own, key)
        if game.seats > 1:
            theirs, _ = play_turn(game, state, other, key)
            mine = choose(seat_of(state) == seat, mine, theirs)
        return mine, clock + U32(1)

    state, _ = jax.lax.while_loop(going, turn, (state, jnp.uint32(0)))
    rewards, scores = game.rewards(state), game.scores(state)
    own_reward = jnp.take_along_axis(rewards, seat[:, None].astype(jnp.int32), axis=-1)[:, 0]
    own_score = jnp.take_along_axis(scores, seat[:, None].astype(jnp.int32), axis=-1)[:, 0]
    return {
        "won": own_reward.mean(),
        "score": own_score.mean(),
        "solo": state.solo.mean(),
        "finished": game.over(state).mean(),
    }
