"""Self-play learning of `master`: TD(lambda) on the positions between turns.

All tables of a batch move together, seat by seat; a table whose game is over starts a new game in the next round. The
targets are computed backwards through the turns: a mixture of the next position's chances and the next target, and the
true result at the end.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from research import adam
from research.dicy_cards.selfplay import Cards, play, standing_of
from research.with_jax import jax, jnp
from starfrost.games.dicy_cards import CARDS
from starfrost.games.dicy_cards.bots.network import (
    Pairs,
    all_chances,
    corrected,
    features,
    is_exact,
    log_weights,
    size,
)
from starfrost.games.dicy_cards.bots.turn_ends import ends
from starfrost.vector.arrays import Array

F32 = np.float32
Params = dict[str, Array]


class Settings(NamedTuple):
    """The settings of learning; static arguments for JAX."""

    seats: int
    tables: int = 4096
    rounds: int = 6
    batch: int = 8192
    trace: float = 0.8
    """The weight of the later target against the next chances."""
    short: float = 0.3
    """The share of short games, which start with all seats part of the way to the goal."""


class Learner(NamedTuple):
    """Everything that changes during learning, except the unfinished games."""

    params: Params
    moments: adam.Moments


class Turns(NamedTuple):
    """The data of played turns; the last axis of `plain` has the places, that of `shares` the seats."""

    x: Array
    masks: Array
    plain: Array
    exact: Array
    shares: Array
    over: Array


def fresh(seats: int, hidden: tuple[int, int], seed: int) -> Params:
    """Return random parameters of a network that makes no correction yet."""
    rng = np.random.default_rng(seed)
    params: Params = {
        "power": np.float32(1),
        "cards": np.zeros((seats, len(CARDS), hidden[0]), F32),
        "set": np.zeros((len(CARDS), hidden[0]), F32),
    }
    for layer, (inner, outer) in enumerate(pairwise((size(seats), *hidden, seats))):
        scale = np.sqrt(2 / inner) * (layer < 2)
        params[f"w{layer}"] = rng.normal(0, 1, (inner, outer)).astype(F32) * F32(scale)
        params[f"b{layer}"] = np.zeros(outer, F32)
    return params


def start(params: Params) -> Learner:
    """Return a learner that starts from given parameters."""
    params = {name: jnp.asarray(value) for name, value in params.items()}
    return Learner(params, adam.moments(params))


def opening(settings: Settings, goal: int, key: Array) -> tuple[Array, Array]:
    """Return scores and active cards of all tables for new games."""
    shape = (settings.tables, settings.seats)
    chosen, start = jax.random.split(key)
    ahead = jax.random.randint(start, (settings.tables, 1), 1, goal)
    short = jax.random.uniform(chosen, (settings.tables, 1)) < settings.short
    return jnp.broadcast_to(jnp.where(short, ahead, 0), shape), jnp.full(shape, 31, jnp.int32)


def targets(turns: Turns, trace: float) -> Array:
    """Return the targets in seat order, computed backwards through the turns."""
    mix = F32(trace)

    def back(following: Array, turn: tuple[Array, Array]) -> tuple[Array, Array]:
        shares, over = turn
        target = jnp.where(over[:, None], shares, following)
        return (1 - mix) * shares + mix * target, target

    _, found = jax.lax.scan(back, turns.shares[-1], (turns.shares, turns.over), reverse=True)
    return found


def loss(params: Params, kinds: Array, sample: Sequence[Array]) -> Array:
    """Return the distance of the network from its targets."""
    x, masks, plain, target, weight = sample
    nowhere = jnp.zeros(plain.shape[:-1], bool)
    logits = corrected(params, kinds, plain, x, tuple(jnp.moveaxis(masks, -1, 0)), nowhere)
    each = -(target * jax.nn.log_softmax(logits, axis=-1)).sum(axis=-1)
    return (each * weight).sum() / jnp.maximum(weight.sum(), 1)


@partial(jax.jit, static_argnames=("settings",))
def iterate(
    settings: Settings,
    pairs: Pairs,
    cards: Cards,
    learner: Learner,
    games: tuple[Array, Array],
    key: Array,
    rate: Array,
) -> tuple[Learner, tuple[Array, Array], dict[str, Array]]:
    """Play some rounds at every table, then learn from them once."""
    seats, goal = settings.seats, pairs.goal

    def turn(carry: tuple[Array, Array], number: Array) -> tuple[tuple[Array, Array], Turns]:
        scores, masks = carry
        seat = number % seats
        rolls, new = jax.random.split(jax.random.fold_in(key, number))
        seen = ends(pairs, learner.params, cards.entries, scores, masks, seat)
        after = play(cards, seen, scores, masks, rolls)
        standing = standing_of(after.scores, after.masks, seat)
        known = all_chances(pairs, standing)
        over = (seat == seats - 1) & (after.scores.max(axis=-1) >= goal)
        kept = Turns(
            features(pairs, standing, known),
            after.masks,
            jnp.stack(log_weights(pairs, standing, known), axis=-1),
            is_exact(pairs, standing),
            jnp.roll(after.shares, seat + 1, axis=-1),
            over,
        )
        first_scores, first_masks = opening(settings, goal, new)
        following = (jnp.roll(after.scores, -1, axis=-1), jnp.roll(after.masks, -1, axis=-1))
        return (
            jnp.where(over[:, None], first_scores, following[0]),
            jnp.where(over[:, None], first_masks, following[1]),
        ), kept

    total = settings.rounds * seats
    games, turns = jax.lax.scan(turn, games, jnp.arange(total))
    wanted = targets(turns, settings.trace)
    place = (jnp.arange(total)[:, None] % seats + 1 + jnp.arange(seats)) % seats
    wanted = jnp.take_along_axis(wanted, jnp.broadcast_to(place[:, None], wanted.shape), axis=-1)
    # The last turn has no successor yet, and exact weights need no learning.
    weight = jnp.where(turns.exact, 0.0, 1.0).at[-1].set(0)
    rounds = total * settings.tables // settings.batch
    order = jax.random.permutation(jax.random.fold_in(key, total), total * settings.tables)[: rounds * settings.batch]

    def lay(values: Array) -> Array:
        flat = values.reshape(-1, *values.shape[2:])
        return flat[order].reshape(rounds, settings.batch, *flat.shape[1:])

    samples = tuple(map(lay, (turns.x, turns.masks, turns.plain, wanted, weight)))

    def learn(kept: Learner, sample: Any) -> tuple[Learner, Array]:
        lost, gradient = jax.value_and_grad(loss)(kept.params, pairs.kinds, sample)
        return Learner(*adam.step(kept.params, kept.moments, gradient, rate)), lost

    learner, losses = jax.lax.scan(learn, learner, samples)
    return learner, games, {"loss": losses.mean(), "games": turns.over.sum()}


@partial(jax.jit, static_argnames=("settings", "rounds"))
def compare(
    settings: Settings,
    pairs: Pairs,
    cards: Cards,
    own: Params | None,
    other: Params | None,
    key: Array,
    rounds: int = 16,
) -> dict[str, Array]:
    """Play whole games, with `own` in one seat (each in turn) and `other` in the rest; return how often `own` won."""
    seats, goal = settings.seats, pairs.goal
    mine = jnp.arange(settings.tables) % seats

    def turn(carry: Any, number: Array) -> tuple[Any, None]:
        scores, masks, won, going = carry
        seat = number % seats
        seen = ends(pairs, own, cards.entries, scores, masks, seat)
        theirs = ends(pairs, other, cards.entries, scores, masks, seat)
        shares = jnp.where((mine == seat)[:, None, None, None], seen.shares, theirs.shares)
        after = play(cards, seen._replace(shares=shares), scores, masks, jax.random.fold_in(key, number))
        over = going & (seat == seats - 1) & (after.scores.max(axis=-1) >= goal)
        result = jnp.take_along_axis(jnp.roll(after.shares, seat + 1, axis=-1), mine[:, None], axis=-1)[:, 0]
        won = jnp.where(over, result, won)
        return (jnp.roll(after.scores, -1, axis=-1), jnp.roll(after.masks, -1, axis=-1), won, going & ~over), None

    shape = (settings.tables, seats)
    first = (jnp.zeros(shape, jnp.int32), jnp.full(shape, 31, jnp.int32), jnp.zeros(shape[0]), jnp.ones(shape[0], bool))
    (_, _, won, going), _ = jax.lax.scan(turn, first, jnp.arange(rounds * seats))
    return {"won": jnp.where(going, 0, won).sum() / (~going).sum(), "finished": (~going).mean()}
