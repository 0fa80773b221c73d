"""Self-play learning of Dice Stars: TD(lambda) on the positions after a choice, as in TD-Gammon.

The targets are computed backwards through the games: a mixture of the next position's value and the next target (with
the weight lambda), and the true result at the end. After a random choice for exploration, the target is the value of
the best choice instead.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from research import adam, muon
from research.dice_stars.selfplay import Trace, play_turn
from research.with_jax import jax, jnp
from starfrost.games.dice_stars.bots.choice import Policy
from starfrost.games.dice_stars.bots.features import features
from starfrost.games.dice_stars.bots.network import SCORE_UNIT, Params, forward, halved
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars, seat_of
from starfrost.vector.arrays import U32, Array
from starfrost.vector.game import choose

F32 = np.float32


class Settings(NamedTuple):
    """The settings of learning; static arguments for JAX."""

    games: int = 256
    turns: int = 16
    batch: int = 1024
    trace: float = 0.7
    """The weight of the later target against the next value."""
    score_loss: float = 0.5
    average: float = 0.9995
    """The share of the running average of the parameters that an update keeps."""
    takes: float = 13.0
    """The takes that the network evaluates in a game's turn, on average; too few only spoil the first turns."""
    muon: bool = False
    """Whether the matrices learn by Muon instead of Adam."""
    half: bool = False
    """Whether self-play is in half precision, which is faster on a GPU."""


class Samples(NamedTuple):
    """Positions to learn from, with their target values from the acting seat on."""

    state: StarsState
    draw: Array
    target: Array
    weight: Array


class Learner(NamedTuple):
    """Everything that changes during learning, which is what a checkpoint holds."""

    params: Params
    average: Params
    """The running average of the parameters, which plays better than the latest ones."""
    moments: adam.Moments | muon.Moments
    state: StarsState
    clock: Array
    """The turns played so far in each game of the batch: the counter for its random words."""
    seed: Array


def start(game: VectorStars, params: Params, settings: Settings, seed: int) -> Learner:
    """Return a learner that starts from given parameters."""
    params = {name: jnp.asarray(value) for name, value in params.items()}
    nothing = jnp.zeros(settings.games, dtype=U32)
    moments = (muon if settings.muon else adam).moments(params)
    return Learner(params, dict(params), moments, game.blank(nothing), nothing, jnp.uint32(seed))


def targets(traces: Trace, results: Array, trace: float) -> tuple[Array, Array]:
    """Return the targets of the positions before and after the dice, in seat order, computed backwards."""
    mix = F32(trace)

    def back(following: Array, turn: tuple[Trace, Array]) -> tuple[Array, tuple[Array, Array]]:
        t, result = turn
        after = jnp.where(t.over[..., None], result, following)
        mixed = (1 - mix) * t.after_value + mix * after
        before = jnp.where(t.after_explored[..., None], t.after_value, mixed)
        mixed = (1 - mix) * t.before_value + mix * before
        return jnp.where(t.before_explored[..., None], t.before_value, mixed), (before, after)

    _, (before, after) = jax.lax.scan(back, traces.after_value[-1], (traces, results), reverse=True)
    return before, after


def loss(game: VectorStars, params: Params, samples: Samples, score_loss: float) -> Array:
    """Return the distance of the network from its targets."""
    logits, scores = forward(params, features(samples.state, samples.draw, game.solo_boxes))
    wanted, wanted_scores = samples.target[..., : game.seats], samples.target[..., game.seats :]
    if game.seats == 1:
        share_loss = jnp.maximum(logits, 0) - logits * wanted + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    else:
        share_loss = -wanted * jax.nn.log_softmax(logits, axis=-1)
    each = share_loss.sum(axis=-1) + F32(score_loss) * jnp.square(scores - wanted_scores).mean(axis=-1)
    return (each * samples.weight).sum() / jnp.maximum(samples.weight.sum(), 1)


def _from_mover(target: Array, first: Array) -> Array:
    """Convert a target in seat order to one that starts with the acting seat."""
    seats = target.shape[-1] // 2
    index = ((jnp.arange(seats, dtype=U32) + first[..., None]) % U32(seats)).astype(jnp.int32)
    parts = [jnp.take_along_axis(part, index, axis=-1) for part in (target[..., :seats], target[..., seats:])]
    return jnp.concatenate(parts, axis=-1)


def _samples(game: VectorStars, settings: Settings, traces: Trace, results: Array, salt: Array) -> Samples:
    """Return the positions of all turns in shuffled batches."""
    before, after = targets(traces, results, settings.trace)
    # The end of the last turn has no successor yet, and the end of a game needs no learning.
    usable = jnp.ones(traces.over.shape, dtype=F32).at[-1].set(0) * (1 - traces.over.astype(F32))
    wanted = [_from_mover(before, traces.seat), _from_mover(after, seat_of(traces.after))]
    samples = Samples(
        jax.tree.map(lambda a, b: jnp.concatenate([a.ravel(), b.ravel()]), traces.before, traces.after),
        jnp.concatenate([traces.draw.ravel(), jnp.zeros_like(traces.draw).ravel()]),
        jnp.concatenate([target.reshape(-1, 2 * game.seats) for target in wanted]),
        jnp.concatenate([jnp.ones_like(usable).ravel(), usable.ravel()]),
    )
    total = 2 * settings.turns * settings.games
    rounds = total // settings.batch
    order = jax.random.permutation(jax.random.fold_in(jax.random.key(0), salt), total)[: rounds * settings.batch]
    return Samples(*jax.tree.map(lambda leaf: leaf[order].reshape(rounds, settings.batch, *leaf.shape[1:]), samples))


@partial(jax.jit, static_argnames=("game", "settings"))
def iterate(
    game: VectorStars, settings: Settings, learner: Learner, rate: Array, explore: Array, weight: Array
) -> tuple[Learner, dict[str, Array]]:
    """Play some turns in every game, then learn from them once; finished games start again."""
    ids = jnp.arange(settings.games, dtype=U32) * U32(2654435761) ^ learner.seed
    policy = Policy(halved(learner.params) if settings.half else learner.params, explore, weight)

    def turn(carry: tuple[StarsState, Array], _: None) -> tuple[tuple[StarsState, Array], tuple[Trace, Array]]:
        state, clock = carry
        after, trace = play_turn(game, state, policy, (ids, clock), takes=settings.takes)
        final = jnp.concatenate([game.rewards(after), game.scores(after).astype(F32) / SCORE_UNIT], axis=-1)
        state = choose(trace.over, game.blank(jnp.zeros_like(clock)), after)
        return (state, clock + U32(1)), (trace, final)

    (state, clock), (traces, results) = jax.lax.scan(turn, (learner.state, learner.clock), None, length=settings.turns)
    samples = _samples(game, settings, traces, results, clock[0])

    def learn(carry: tuple[Params, Params, Any], batch: Samples) -> tuple[Any, Array]:
        params, average, moments = carry
        lost, gradient = jax.value_and_grad(lambda p: loss(game, p, batch, settings.score_loss))(params)
        params, moments = (muon if settings.muon else adam).step(params, moments, gradient, rate)
        # At first the average follows quickly, so that it forgets the random start.
        kept = jnp.minimum(settings.average, moments.count / (moments.count + 10))
        average = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, average, params)
        return (params, average, moments), lost

    carry = (learner.params, learner.average, learner.moments)
    (params, average, moments), losses = jax.lax.scan(learn, carry, samples)
    games = traces.over.sum()
    seats = game.seats
    report = {
        "loss": losses.mean(),
        "games": games,
        "score": (results[..., seats:].mean(axis=-1) * SCORE_UNIT * traces.over).sum() / jnp.maximum(games, 1),
        "won": (results[..., :seats].sum(axis=-1) * traces.over).sum() / jnp.maximum(games, 1),
    }
    return Learner(params, average, moments, state, clock, learner.seed), report
