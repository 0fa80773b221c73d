"""Self-play learning of Dice Stars: positions after a choice, valued by what came of them, as TD-Gammon did.

Every game of a batch plays one whole turn a step: choose refill and draw, roll, choose what to take. Each turn leaves two
valued positions, one before and one after the dice. Their targets run backwards through the games: a mixture of the
next position's value and the next target (the weight of the latter is lambda), the true result at the end. Where a
random choice was played for exploration, the target is the value of the best choice instead.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from starfrost.vector.arrays import U32, Array
from starfrost.vector.chance import CHANCE, below, words
from starfrost.vector.game import choose
from starfrost.vector.stars import (
    OVER,
    StarsState,
    VectorStars,
    draw_dice,
    options,
    phase_of,
    seat_of,
)
from starfrost.vector.stars_choice import (
    Values,
    draw_options,
    over_batch,
    random_star_takes,
    star_takes,
    take_options,
    utility,
    value,
)
from starfrost.vector.stars_features import features
from starfrost.vector.stars_net import Params, forward, shares

__all__ = ["Learner", "Settings", "compare", "iterate", "start"]

F32 = np.float32
RANDOM_STAR_TAKES = 8


class Settings(NamedTuple):
    """How a network learns; all of it static while it runs."""

    games: int = 256
    turns: int = 16
    batch: int = 1024
    trace: float = 0.7
    """The weight of the later target against the next value."""
    score_loss: float = 0.5


class Learner(NamedTuple):
    """Everything that changes while learning, and so everything that a checkpoint holds."""

    params: Params
    first: Params
    """Adam's running mean of the gradients."""
    second: Params
    """Adam's running mean of their squares."""
    state: StarsState
    clock: Array
    """Turns played so far by each game of the batch: the counter of its random words."""
    updates: Array
    seed: Array


class Trace(NamedTuple):
    """What one turn leaves for learning; values lie in seat order."""

    before: StarsState
    draw: Array
    after: StarsState
    seat: Array
    before_value: Array
    """The value of the best position before the dice: what the previous turn's end was worth."""
    before_explored: Array
    after_value: Array
    after_explored: Array
    over: Array


def start(game: VectorStars, params: Params, settings: Settings, seed: int) -> Learner:
    """Set up learning from given parameters."""
    params = {name: jnp.asarray(value) for name, value in params.items()}
    zeros = {name: jnp.zeros_like(value) for name, value in params.items()}
    nothing = jnp.zeros(settings.games, dtype=U32)
    return Learner(params, zeros, dict(zeros), game.blank(nothing), nothing, jnp.float32(0), jnp.uint32(seed))


def _by_seat(values: Values, first: Array) -> Array:
    """Lay shares and scores out in seat order, given which seat comes first in them."""
    seats = values.shares.shape[-1]
    index = (jnp.arange(seats, dtype=U32) + U32(seats) - first[..., None]) % U32(seats)
    parts = [jnp.take_along_axis(part, index.astype(jnp.int32), axis=-1) for part in values]
    return jnp.concatenate(parts, axis=-1)


def _best(wish: Array, allowed: Array) -> Array:
    return jnp.argmax(jnp.where(allowed, wish, -jnp.inf), axis=-1)


def _random(allowed: Array, word: Array) -> Array:
    noise = jnp.arange(1, allowed.shape[-1] + 1, dtype=U32) * (word[..., None] | U32(1))
    return jnp.argmax(jnp.where(allowed, (noise ^ (noise >> U32(15))) >> U32(8), 0).astype(jnp.int32) + allowed, axis=-1)


def _pick(tree: Any, index: Array) -> Any:
    """Pick one option a game."""
    return jax.tree.map(lambda leaf: jnp.take_along_axis(leaf, index[..., None], axis=-1)[..., 0], tree)


def _pick_value(values: Values, index: Array) -> Values:
    return Values(*(jnp.take_along_axis(part, index[..., None, None], axis=-2)[..., 0, :] for part in values))


class Policy(NamedTuple):
    """How one side chooses: by a network with a share of random choices (1 is a random player)."""

    params: Params
    random: Array
    weight: Array
    """How much points count beside the share of victory."""


def play_turn(game: VectorStars, state: StarsState, policy: Policy, key: tuple[Array, Array]) -> tuple[StarsState, Trace]:
    """Play one whole turn in every game of the batch; ended games stay ended."""
    w = words((key[0], key[1] * U32(4)), CHANCE)
    v = words((key[0], key[1] * U32(4) + U32(1)), CHANCE)
    limit = jnp.asarray(policy.random * F32(1 << 24), dtype=U32)
    positions, draws, allowed = draw_options(state)
    positions = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, draws.shape), positions)
    values = value(game, policy.params, positions, draws)
    best = _best(utility(values, 0, policy.weight), allowed)
    before_explored = (w[3] >> U32(8)) < limit
    index = jnp.where(before_explored, _random(allowed, v[0]), best)
    seat = seat_of(state)
    before_value = _by_seat(_pick_value(values, best), seat)
    before, draw = _pick((positions, draws), index)

    rolled = draw_dice(before, draw, game.roll(before, (key[0], key[1] * U32(4) + U32(2))))
    can = options(rolled)
    noise = words((key[0][..., None], key[1][..., None] * U32(4) + U32(3) + (jnp.arange(2, dtype=U32) << U32(28))), CHANCE)
    random = jnp.concatenate(noise, axis=-1)[..., :RANDOM_STAR_TAKES]
    ways = [
        jnp.concatenate(pair, axis=-1)
        for pair in zip(
            star_takes(can.boxes, can.faces[0]), random_star_takes(can.boxes, can.faces[0], random), strict=True
        )
    ]
    # A star take that does not fit would spill into other fields of its word: it is masked, and clipped to be safe.
    afters, _, allowed = take_options(game, rolled, tuple(jnp.minimum(row, U32(7)) for row in ways))
    nowhere = jnp.zeros_like(afters.meta)
    values = value(game, policy.params, afters, nowhere)
    best = _best(utility(values, game.seats - 1, policy.weight) if game.seats > 1 else utility(values, 0, policy.weight), allowed)
    # The taker is the last seat in the view of the next one; a game that is over keeps the taker first.
    ended = phase_of(afters) == U32(OVER)
    if game.seats > 1:
        wish = jnp.where(ended, utility(values, 0, policy.weight), utility(values, game.seats - 1, policy.weight))
        best = _best(wish, allowed)
    after_explored = (v[3] >> U32(8)) < limit
    index = jnp.where(after_explored, _random(allowed, v[1]), best)
    after = _pick(afters, index)
    best_after = _pick(afters, best)
    after_value = _by_seat(_pick_value(values, best), seat_of(best_after))
    chosen_over = phase_of(after) == U32(OVER)
    trace = Trace(before, draw, after, seat, before_value, before_explored, after_value, after_explored, chosen_over)
    done = phase_of(state) == U32(OVER)
    return choose(done, state, after), trace


def targets(traces: Trace, results: Array, trace: float) -> tuple[Array, Array]:
    """Run backwards through the turns: targets of the positions before and after the dice, in seat order."""
    mix = F32(trace)

    def back(later: tuple[Array, Array], turn: tuple[Trace, Array]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        next_best, next_target = later
        t, result = turn
        del next_best
        after_target = jnp.where(t.over[..., None], result, next_target)
        explored = t.after_explored[..., None]
        before_target = jnp.where(explored, t.after_value, (1 - mix) * t.after_value + mix * after_target)
        explored = t.before_explored[..., None]
        previous = jnp.where(explored, t.before_value, (1 - mix) * t.before_value + mix * before_target)
        return (t.before_value, previous), (before_target, after_target)

    last = traces.after_value[-1]
    _, (before, after) = jax.lax.scan(back, (last, last), (traces, results), reverse=True)
    return before, after


def loss(game: VectorStars, params: Params, state: StarsState, draw: Array, target: Array, weight: Array, score_loss: float) -> Array:
    """Measure how far the network is from its targets (given from the mover on)."""
    logits, scores = forward(params, features(state, draw, game.solo_boxes))
    seats = game.seats
    wanted, wanted_scores = target[..., :seats], target[..., seats:]
    if seats == 1:
        share_loss = jnp.maximum(logits, 0) - logits * wanted + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    else:
        share_loss = -wanted * jax.nn.log_softmax(logits, axis=-1)
    squares = jnp.square(scores - wanted_scores)
    each = share_loss.sum(axis=-1) + F32(score_loss) * squares.mean(axis=-1)
    return (each * weight).sum() / jnp.maximum(weight.sum(), 1)


@partial(jax.jit, static_argnames=("game", "settings"))
def iterate(
    game: VectorStars, settings: Settings, learner: Learner, rate: Array, explore: Array, weight: Array
) -> tuple[Learner, dict[str, Array]]:
    """Play some turns in every game, then learn from them once; ended games start afresh."""
    ids = jnp.arange(settings.games, dtype=U32) * U32(2654435761) ^ learner.seed
    policy = Policy(learner.params, explore, weight)

    def turn(carry: tuple[StarsState, Array], _: None) -> tuple[tuple[StarsState, Array], tuple[Trace, Array]]:
        state, clock = carry
        after, trace = play_turn(game, state, policy, (ids, clock))
        final = jnp.concatenate([game.rewards(after), game.scores(after).astype(F32) / 50], axis=-1)
        state = choose(trace.over, game.blank(jnp.zeros_like(clock)), after)
        return (state, clock + U32(1)), (trace, final)

    (state, clock), (traces, results) = jax.lax.scan(turn, (learner.state, learner.clock), None, length=settings.turns)
    before_target, after_target = targets(traces, results, settings.trace)
    # The last turn's end has no successor yet; a finished game's end needs no learning.
    usable = jnp.ones(traces.over.shape, dtype=F32).at[-1].set(0) * (1 - traces.over.astype(F32))
    following = seat_of(traces.after)

    def from_mover(target: Array, first: Array) -> Array:
        seats = game.seats
        index = ((jnp.arange(seats, dtype=U32) + first[..., None]) % U32(seats)).astype(jnp.int32)
        parts = [jnp.take_along_axis(part, index, axis=-1) for part in (target[..., :seats], target[..., seats:])]
        return jnp.concatenate(parts, axis=-1)

    samples = (
        jax.tree.map(lambda a, b: jnp.concatenate([a.ravel(), b.ravel()]), traces.before, traces.after),
        jnp.concatenate([traces.draw.ravel(), jnp.zeros_like(traces.draw).ravel()]),
        jnp.concatenate(
            [t.reshape(-1, 2 * game.seats) for t in (from_mover(before_target, traces.seat), from_mover(after_target, following))]
        ),
        jnp.concatenate([jnp.ones_like(usable).ravel(), usable.ravel()]),
    )
    total = 2 * settings.turns * settings.games
    rounds = total // settings.batch
    order = jax.random.permutation(jax.random.fold_in(jax.random.key(0), clock[0]), total)[: rounds * settings.batch]
    samples = jax.tree.map(lambda leaf: leaf[order].reshape(rounds, settings.batch, *leaf.shape[1:]), samples)

    def learn(carry: tuple[Params, Params, Params, Array], batch: Any) -> tuple[Any, Array]:
        params, first, second, updates = carry
        lost, gradient = jax.value_and_grad(lambda p: loss(game, p, *batch, settings.score_loss))(params)
        updates = updates + 1
        first = jax.tree.map(lambda m, g: F32(0.9) * m + F32(0.1) * g, first, gradient)
        second = jax.tree.map(lambda s, g: F32(0.999) * s + F32(0.001) * g * g, second, gradient)
        ahead, spread = 1 - F32(0.9) ** updates, 1 - F32(0.999) ** updates
        params = jax.tree.map(
            lambda p, m, s: p - rate * (m / ahead) / (jnp.sqrt(s / spread) + F32(1e-8)), params, first, second
        )
        return (params, first, second, updates), lost

    carry = (learner.params, learner.first, learner.second, learner.updates)
    (params, first, second, updates), losses = jax.lax.scan(learn, carry, samples)
    games = traces.over.sum()
    seats = game.seats
    report = {
        "loss": losses.mean(),
        "games": games,
        "score": (results[..., seats:].mean(axis=-1) * 50 * traces.over).sum() / jnp.maximum(games, 1),
        "won": (results[..., :seats].sum(axis=-1) * traces.over).sum() / jnp.maximum(games, 1),
    }
    return Learner(params, first, second, state, clock, updates, learner.seed), report


@partial(jax.jit, static_argnames=("game", "games", "turns"))
def compare(game: VectorStars, own: Policy, other: Policy, games: int, turns: int, seed: Array) -> dict[str, Array]:
    """Play games to the end, one seat (each in turn) chosen by `own` and the rest by `other`; report own results."""
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


assert below is not None and over_batch is not None and shares is not None
