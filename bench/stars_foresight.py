"""A solo player of Dice Stars who knows all coming dice: no player who does not know them wins more often.

Its best line is looked for with a beam: in every turn all draws and takes of the best positions are tried with the dice
that will come, and the best new positions by the network are kept. A game counts as won if a line wins it, so the share
found is a lower estimate of what this player can win; a wider beam finds more.
"""

from functools import partial
from typing import Any

import numpy as np

from research.with_jax import jax, jnp
from starfrost.games.dice_stars.bots.choice import Policy, draw_options, each_word, star_takes, value_takes
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars, draw_dice, options
from starfrost.vector.arrays import U32, Array

TURNS = 100
"""More than a solo game can last: the grid is filled before."""


@partial(jax.jit, static_argnames=("game", "games", "width"))
def foresee(game: VectorStars, policy: Policy, games: int, width: int, seed: Array) -> Array:
    """Return for each game whether the beam finds a line that wins; the dice are those of `compare` with this seed."""
    ids = (jnp.arange(games, dtype=U32) * U32(2654435761) ^ seed)[:, None, None]
    state = game.blank(jnp.zeros((games, width), dtype=U32))
    alive = jnp.zeros((games, width), bool).at[:, 0].set(True)

    def going(carry: tuple[StarsState, Array, Array, Array]) -> Array:
        _, alive, won, clock = carry
        return (alive.any(axis=-1) & ~won).any() & (clock < U32(TURNS))

    def turn(carry: tuple[StarsState, Array, Array, Array]) -> tuple[StarsState, Array, Array, Array]:
        state, alive, won, clock = carry
        positions, draws, allowed = draw_options(state)
        positions = each_word(positions, lambda word: jnp.broadcast_to(word, draws.shape))
        key = jnp.broadcast_to(ids, draws.shape), jnp.broadcast_to(clock * U32(4) + U32(1), draws.shape)
        rolled = draw_dice(positions, draws, game.roll(positions, key))
        can = options(rolled)
        wanted = allowed & (alive & ~won[:, None])[..., None]
        found = value_takes(game, policy, rolled, star_takes(can.boxes, can.faces[0]), wanted)
        reached = found.allowed & found.known & wanted[..., None]
        over = game.over(found.state)
        won = won | (reached & over & (found.values.shares[..., 0] > 0)).any(axis=(1, 2, 3))
        utilities = jnp.where(reached & ~over, found.utilities, -jnp.inf).reshape(games, -1)
        state, alive = kept(found.state, utilities, over.shape, width)
        return state, alive, won, clock + U32(1)

    return jax.lax.while_loop(going, turn, (state, alive, jnp.zeros(games, bool), jnp.uint32(0)))[2]


def kept(state: StarsState, utilities: Array, shape: tuple[int, ...], width: int) -> tuple[StarsState, Array]:
    """Return the best different positions of each game, and which places hold one."""
    games = shape[0]
    best, index = jax.lax.top_k(utilities, 2 * width)
    chosen = each_word(
        state, lambda word: jnp.take_along_axis(jnp.broadcast_to(word, shape).reshape(games, -1), index, axis=-1)
    )
    code = jnp.zeros_like(index, dtype=U32)
    for word in jax.tree.leaves(chosen):
        code = (code ^ word) * U32(0x9E3779B1)
        code = code ^ (code >> U32(15))
    same = code[:, :, None] == code[:, None, :]
    again = (same & np.tri(2 * width, k=-1, dtype=bool)).any(axis=-1)
    best, index = jax.lax.top_k(jnp.where(again, -jnp.inf, best), width)
    return each_word(chosen, lambda word: jnp.take_along_axis(word, index, axis=-1)), best > -jnp.inf


def share(policy: Policy, games: int, width: int, seed: int, boxes: int = 30) -> Any:
    """Return what the beam won in each of some solo games."""
    return np.asarray(foresee(VectorStars(1, boxes), policy, games, width, jnp.uint32(seed)), np.float64)
