"""Many games of Dice Stars on a GPU: sums of what happens in self-play, and rollouts of given positions."""

from functools import partial
from typing import Any

import numpy as np

from research.dice_stars.selfplay import play_turn, roll_and_take
from research.with_jax import jax, jnp
from starfrost.games.dice_stars.bots.choice import Policy, each_word
from starfrost.games.dice_stars.bots.search import NO_SEARCH, Search
from starfrost.games.dice_stars.vector import sheet as stars_sheet
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars, seat_of
from starfrost.games.dice_stars.vector.sheet import BOXES
from starfrost.vector.arrays import U32, Array
from starfrost.vector.game import choose

F32 = np.float32
LONGEST = 256
"""The turns that a histogram of lengths covers."""


def _facts(game: VectorStars, state: StarsState, turns: Array, over: Array) -> dict[str, Array]:
    """Sum up the games that are over, by seat."""
    sheets = [
        stars_sheet.Sheet(*game_words)
        for game_words in zip(
            *(game.in_seat_order([sheet[i] for sheet in state.sheets], seat_of(state)) for i in range(3)), strict=True
        )
    ]
    ended = over.astype(F32)[:, None]

    def total(values: list[Array]) -> Array:
        return (jnp.stack(values, axis=-1).astype(F32) * ended).sum(axis=0)

    scores = [stars_sheet.score(sheet) for sheet in sheets]
    rows = {"once": [], "doubled": [], "lost": []}  # type: dict[str, list[Array]]
    for sheet in sheets:
        for points, ticked, boxes in zip(stars_sheet.row_sums(sheet), stars_sheet.ticked(sheet), BOXES, strict=True):
            rows["once"].append(jnp.where(ticked == 0, points, 0))
            rows["doubled"].append(jnp.where(ticked == boxes, 2 * points, 0))
            rows["lost"].append(jnp.where((ticked > 0) & (ticked < boxes), points, 0))
    best = jnp.stack(scores, axis=-1)
    ordered = jnp.sort(best, axis=-1)
    margin = ordered[:, -1] - (ordered[:, -2] if game.seats > 1 else 5 * state.solo.astype(jnp.int32))
    penalty = jnp.stack([stars_sheet.has_penalty(sheet) for sheet in sheets], axis=-1)
    length = jnp.where(over, jnp.minimum(turns, LONGEST - 1), LONGEST)
    return {
        "games": ended.sum(),
        "won": (game.rewards(state) * ended).sum(axis=0),
        "score": total(scores),
        "score2": total([score.astype(F32) ** 2 for score in scores]),
        "top": (ordered[:, -1] * ended[:, 0]).sum(),
        "margin": (margin * ended[:, 0]).sum(),
        "full": total([stars_sheet.is_full(sheet) for sheet in sheets]),
        "penalty": total(list(jnp.moveaxis(penalty, -1, 0))),
        "any_penalty": (penalty.any(axis=-1) * ended[:, 0]).sum(),
        "boxes": (state.solo * ended[:, 0]).sum(),
        "grid_lost": ((state.solo >= game.solo_boxes) * ended[:, 0]).sum() if game.seats == 1 else jnp.float32(0),
        "turns": jnp.zeros(LONGEST + 1, jnp.int32).at[length].add(1)[:LONGEST],
        **{name: total(values).reshape(game.seats, 5) for name, values in rows.items()},
    }


@partial(jax.jit, static_argnames=("game", "tables", "each", "search"))
def census(
    game: VectorStars, policy: Policy, tables: int, each: int, seed: Array, search: Search = NO_SEARCH
) -> dict[str, Array]:
    """Play `each` games at every table, one after the other, and return sums over all of them."""
    ids = jnp.arange(tables, dtype=U32) * U32(2654435761) ^ seed
    nothing = jnp.zeros(tables, dtype=U32)
    blank = game.blank(nothing)
    empty = jax.tree.map(jnp.zeros_like, _facts(game, blank, nothing, nothing > 0))

    def going(carry: tuple[Any, ...]) -> Array:
        return (carry[2] < each).any() & (carry[4] < U32(LONGEST * each))

    def turn(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        state, turns, done, sums, clock = carry
        state, _ = play_turn(game, state, policy, (ids, jnp.broadcast_to(clock, ids.shape)), search)
        turns = turns + U32(1)
        over = game.over(state) & (done < each)
        sums = jax.tree.map(jnp.add, sums, _facts(game, state, turns, over))
        again = game.over(state)
        return choose(again, blank, state), jnp.where(again, 0, turns), done + over, sums, clock + U32(1)

    start = (blank, nothing, jnp.zeros(tables, jnp.int32), empty, jnp.uint32(0))
    found: dict[str, Array] = jax.lax.while_loop(going, turn, start)[3]
    return found


@partial(jax.jit, static_argnames=("game", "turns", "search"))
def rollouts(
    game: VectorStars,
    policy: Policy,
    state: StarsState,
    draw: Array,
    ids: Array,
    turns: int = 400,
    search: Search = NO_SEARCH,
) -> Array:
    """Play positions to the end and return the shares of victory in seat order; equal `ids` have equal dice.

    `draw` is the announced number of dice, or 0 at the start of a turn.
    """
    clock = jnp.zeros_like(ids)
    after = roll_and_take(game, state, jnp.maximum(draw, U32(1)), policy, (ids, clock), search).state
    state = choose(draw > U32(0), after, state)
    # A position before a draw and one after a take are half a turn apart; the clock keeps their dice in step.

    def going(carry: tuple[StarsState, Array]) -> Array:
        return ~game.over(carry[0]).all() & (carry[1] < U32(turns))

    def turn(carry: tuple[StarsState, Array]) -> tuple[StarsState, Array]:
        state, clock = carry
        state, _ = play_turn(game, state, policy, (ids, jnp.broadcast_to(clock, ids.shape)), search)
        return state, clock + U32(1)

    state, _ = jax.lax.while_loop(going, turn, (state, jnp.uint32(1)))
    return game.rewards(state)


def repeated(state: StarsState, times: int) -> StarsState:
    """Return every position several times, on a new first axis, flattened."""
    return each_word(state, lambda word: jnp.broadcast_to(jnp.asarray(word), (times, *word.shape)).reshape(-1))
