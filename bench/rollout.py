"""Random play in batches, for `bench.vector` and as an example of how to use the engines."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from starfrost.vector.arrays import U32, Array
from starfrost.vector.game import VectorGame


class Tally(NamedTuple):
    """The results of a batch so far, game by game."""

    over: Array
    """Games ended."""
    first: Array
    """Victories of the first seat."""


@partial(jax.jit, static_argnames=("game", "games"))
def begin(game: VectorGame[Any], games: int, seed: Array) -> Any:
    """Start a batch of games."""
    ids = jnp.arange(games, dtype=U32)
    return game.init((ids, jnp.full_like(ids, U32(0xFFFFFFFF)) ^ seed))


@partial(jax.jit, static_argnames=("game", "steps", "unroll"))
def play(
    game: VectorGame[Any], state: Any, clock: Array, seed: Array, steps: int, unroll: int = 1
) -> tuple[Any, Tally]:
    """Play `steps` random legal actions in every game of a batch; finished games start again."""
    word = jax.tree.leaves(state)[0]
    ids = jnp.arange(word.shape[0], dtype=U32)

    def step(carry: tuple[Any, Tally], now: Array) -> tuple[tuple[Any, Tally], None]:
        state, tally = carry
        key = (ids, jnp.broadcast_to((clock + now) ^ seed, ids.shape))
        state, outcome = game.step_auto(state, game.random_action(state, key), key)
        over = tally.over + outcome.over.astype(U32)
        return (state, Tally(over, tally.first + outcome.rewards[..., 0])), None

    tally = Tally(jnp.zeros_like(ids), jnp.zeros(ids.shape, dtype=jnp.float32))
    carry, _ = jax.lax.scan(step, (state, tally), jnp.arange(steps, dtype=U32), unroll=unroll)
    return carry
