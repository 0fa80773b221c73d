"""`network` and `strong` of Dice Stars on a device of JAX.

The options of all games stand in one list, as long as it has to be; the network values it in chunks of one size, which
is what JAX compiles. Every number in it is exact (`learning.dice_stars.network`), so that the device, the chunks and
the batch change nothing. The look-ahead of `strong` is that of `learning.dice_stars.search`, with lists of its own: the
takes after every sampled roll.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from starfrost.batch.dice_stars.device_takes import (
    after_line,
    after_take,
    can_take_stars,
    count_takes,
    fenced,
    lines_of,
)
from starfrost.batch.on_device import jax
from starfrost.learning.dice_stars.choice import (
    Policy,
    Values,
    distinct,
    draw_options,
    each_word,
    star_takes,
    taker_utility,
    utility,
    value,
)
from starfrost.learning.dice_stars.network import FINEST, settled
from starfrost.learning.dice_stars.search import NO_SEARCH, Search, even_steps
from starfrost.players.dice_stars.strong import POINTS, SEARCH, whole_weights
from starfrost.vector.arrays import U32, Array, nth_bit, popcount, where
from starfrost.vector.chance import CHANCE, words
from starfrost.vector.dice_stars.engine import OVER, StarsState, VectorStars, draw_dice, options, phase_of
from starfrost.vector.game import choose

jnp = jax.numpy
CHUNK = 65_536
"""The options that the network values at once."""
_RANKS = 1 << 16
"""More options than a decision has."""
_LEAST = np.iinfo(np.int64).min
_F32 = np.float32

Luck = tuple[Array, ...]


class Net(NamedTuple):
    """A network as a player; everything but the policy is part of the program that JAX compiles."""

    rules: VectorStars
    search: Search
    chunk: int


def network(rules: VectorStars, bot: str, lanes: int, device: Any) -> tuple[Any, Any]:
    """Return the functions for the draws and takes of `network` or `strong` in batches of a size."""
    net = Net(rules, SEARCH[rules.seats] if bot == "strong" else NO_SEARCH, min(CHUNK, 4 * lanes))
    policy = _policy(rules.seats, device)
    return partial(_draw, net, policy), partial(_take, net, policy)


@cache
def _policy(seats: int, device: Any) -> Policy:
    policy: Policy = jax.device_put(Policy(whole_weights(seats), np.float32(0), POINTS[seats]), device)
    return policy


def _listed(count: Array, chunk: int, start: Any, visit: Callable[[Any, Array, Array, Array], Any]) -> Any:
    """Visit a list with `count` entries of every game, a chunk at a time: what was found, games, numbers, if real."""
    ends = jnp.cumsum(count)

    def some(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        first, found = carry
        places = first + jnp.arange(chunk, dtype=np.int32)
        games = jnp.minimum(jnp.searchsorted(ends, places, side="right", method="scan_unrolled"), len(count) - 1)
        real = places < ends[-1]
        nth = jnp.where(real, places - (ends[games] - count[games]), 0)
        return first + chunk, visit(found, games, nth, real)

    return jax.lax.while_loop(lambda carry: carry[0] < ends[-1], some, (jnp.int32(0), start))[1]


def _best(count: Array, chunk: int, worth: Callable[[Array, Array], Array], most: int = 1) -> tuple[Array, Array]:
    """Return the numbers and utilities of the best options of every game, the best first, and of equal ones the first.

    `worth` values options, given by game and number; those of games with a single option are not valued. Options that
    a game does not have are worth minus infinity.
    """

    def visit(old: Array, games: Array, nth: Array, real: Array) -> Array:
        # Utilities are multiples of `FINEST`: as whole numbers they leave room for the option's number.
        units = jnp.rint(worth(games, nth) / FINEST).astype(np.int64)
        key = jnp.where(real, units * _RANKS + (_RANKS - 1 - nth), _LEAST)
        found = [old.max(axis=0).at[games].max(key)]
        for _ in range(1, most):
            rest = jnp.where(old < found[-1], old, _LEAST).max(axis=0)
            found.append(rest.at[games].max(jnp.where(key < found[-1][games], key, _LEAST)))
        return jnp.stack(found)

    keys = _listed(jnp.where(count > 1, count, 0), chunk, jnp.full((most, *count.shape), _LEAST), visit)
    known = keys > _LEAST
    number = jnp.where(known, _RANKS - 1 - (keys & (_RANKS - 1)), 0).astype(np.int32)
    return number, jnp.where(known, (keys >> 16) * FINEST, -jnp.inf)


def _chosen(net: Net, count: Array, worth: Callable[..., Array], ahead: Callable[[Array, Array], Array]) -> Array:
    """Return the number of the option chosen in every game, after a look ahead at those that are close.

    `ahead` values options, given by their numbers and whether their value is wanted.
    """
    search = net.search
    number, utilities = _best(count, net.chunk, worth, search.options if search.rolls else 1)
    if not search.rolls:
        return number[0]
    near = utilities >= utilities[0] - _F32(search.margin)
    near = near & (utilities > -jnp.inf)
    later = ahead(number, near & (near.sum(axis=0) > 1))
    mix = _F32(search.mix)
    mixed = jnp.where(near, (1 - mix) * utilities + mix * later, -jnp.inf)
    # Of equal options the first in their order counts.
    first = jnp.where(near & (mixed == mixed.max(axis=0)), number, _RANKS).min(axis=0)
    return jnp.where(count > 1, first, 0)


def _at(state: StarsState, games: Array) -> StarsState:
    return each_word(state, lambda word: word[games])


class _Draws(NamedTuple):
    """The draws of games at the start of a turn."""

    positions: StarsState
    draws: Array
    mask: Array
    """The legal ones as bits."""

    def at(self, games: Array, nth: Array) -> tuple[StarsState, Array]:
        """Return the positions with the n-th draw announced, and its dice."""
        option = self.option(games, nth)
        at = each_word(self.positions, lambda word: word[games, 0 if word.shape[-1] == 1 else option])
        return at, self.draws[games, option]

    def option(self, games: Array, nth: Array) -> Array:
        """Return the place of the n-th draw among all (`draw_options`)."""
        return nth_bit(self.mask[games], nth.astype(U32), 4).astype(np.int32)


def _draws(rules: VectorStars, state: StarsState) -> _Draws:
    # An ended game has no draw; any position does in its place.
    going = choose(phase_of(state) == U32(OVER), rules.blank(state.meta & U32(0)), state)
    positions, draws, allowed = draw_options(going)
    return _Draws(positions, draws, (allowed * np.array([1, 2, 4, 8])).sum(axis=-1).astype(U32))


def _draw_worth(net: Net, policy: Policy, found: _Draws) -> Callable[[Array, Array], Array]:
    def worth(games: Array, nth: Array) -> Array:
        return utility(value(net.rules, policy.params, *fenced(found.at(games, nth))), 0, policy.weight)

    return worth


@partial(jax.jit, static_argnames="net")
def _draw(net: Net, policy: Policy, state: StarsState, asked: Array, luck: Luck) -> Array:
    """Return the draw chosen, where asked (`Player.draw`)."""
    found = _draws(net.rules, state)
    every = jnp.arange(len(asked))

    def ahead(number: Array, wanted: Array) -> Array:
        before, draw = found.at(jnp.broadcast_to(every, number.shape).reshape(-1), number.reshape(-1))
        later = _expected(net, policy, before, draw, wanted.reshape(-1), luck)
        return utility(later, 0, policy.weight).reshape(number.shape)

    count = jnp.where(asked, popcount(found.mask), 0).astype(np.int32)
    return found.option(every, _chosen(net, count, _draw_worth(net, policy, found), ahead)).astype(U32)


@partial(jax.jit, static_argnames="net")
def _take(net: Net, policy: Policy, rolled: StarsState, asked: Array, luck: Luck) -> StarsState:
    """Return the positions after the take chosen, where asked."""
    rules, every = net.rules, jnp.arange(len(asked))
    rolled = fenced(rolled)

    def worth(games: Array, nth: Array) -> Array:
        after = fenced(after_take(rules, _at(rolled, games), nth))
        return taker_utility(after, value(rules, policy.params, after, jnp.zeros_like(after.meta)), policy.weight)

    def ahead(number: Array, wanted: Array) -> Array:
        games = jnp.broadcast_to(every, number.shape).reshape(-1)
        after = fenced(after_take(rules, _at(rolled, games), number.reshape(-1)))
        going = wanted.reshape(-1) & (phase_of(after) != U32(OVER))
        draws = _draws(rules, after)
        count = jnp.where(going, popcount(draws.mask), 0).astype(np.int32)
        best, _ = _best(count, net.chunk, _draw_worth(net, policy, draws))
        before, draw = draws.at(jnp.arange(len(games)), best[0])
        later = _expected(net, policy, before, draw, going, luck)
        now = value(rules, policy.params, after, jnp.zeros_like(after.meta))
        values = Values(*(where(going[..., None], b, a) for a, b in zip(now, later, strict=True)))
        return taker_utility(after, values, policy.weight).reshape(number.shape)

    count = jnp.where(asked, count_takes(options(rolled)), 0)
    return after_take(rules, rolled, _chosen(net, count, worth, ahead))


def _some_takes(rolled: StarsState) -> Array:
    """Return the takes that a look-ahead considers as bits: nine lines, and twenty ways to tick stars."""
    can = options(rolled)
    ways = distinct(tuple(jnp.minimum(way, U32(7)) for way in star_takes(can.boxes, can.faces[0])))
    bits = (ways.astype(U32) << np.arange(9, 29, dtype=U32)).sum(axis=-1, dtype=U32)
    return lines_of(can) | where(can_take_stars(can), bits, U32(0))


def _after_some(rules: VectorStars, rolled: StarsState, option: Array) -> StarsState:
    """Return the positions after one of these takes."""
    can = options(rolled)
    is_stars = option >= U32(9)
    order = where(is_stars, option - U32(9), U32(0)).astype(np.int32)[..., None]
    stars = where(is_stars, can.faces[0], U32(0))
    rows = (jnp.take_along_axis(way, order, axis=-1)[..., 0] for way in star_takes(can.boxes, stars))
    return after_line(rules, rolled, can, where(is_stars, U32(0), option), is_stars, fenced(tuple(rows)))


def _expected(net: Net, policy: Policy, before: StarsState, draw: Array, wanted: Array, luck: Luck) -> Values:
    """Return the mean values after a draw, over sampled rolls with the best take after each (`search.expected`).

    The options of a game share its luck.
    """
    rules, rolls = net.rules, net.search.rolls
    size = len(draw) * rolls
    luck = tuple(jnp.tile(word, len(draw) // len(word)) for word in luck)
    chance = tuple(word[:, None] + step for word, step in zip(words(luck[:2], CHANCE), even_steps(rolls), strict=False))
    grown = each_word(before, lambda word: jnp.broadcast_to(word[:, None], (len(draw), rolls)))
    dice = rules.roll_with(grown, (chance[0], chance[1], chance[2]))
    rolled = fenced(each_word(draw_dice(grown, draw[:, None], dice), lambda word: word.reshape(size)))
    asked = jnp.repeat(wanted, rolls, total_repeat_length=size)
    takes = fenced(jnp.where(asked, _some_takes(rolled), U32(0)))

    def after(lanes: Array, nth: Array) -> tuple[StarsState, Values]:
        option = nth_bit(takes[lanes], nth.astype(U32), 32)
        then = fenced(_after_some(rules, _at(rolled, lanes), option))
        return then, value(rules, policy.params, then, jnp.zeros_like(then.meta))

    def worth(lanes: Array, nth: Array) -> Array:
        return taker_utility(*after(lanes, nth), policy.weight)

    best, _ = _best(popcount(takes).astype(np.int32), net.chunk, worth)

    def add(sums: Values, lanes: Array, nth: Array, real: Array) -> Values:
        then, values = after(lanes, best[0, lanes])
        over = (phase_of(then) == U32(OVER))[..., None]
        # The next seat's view ends with the seat that took; after the end, the view does not change.
        seen = (where(over, part, jnp.roll(part, 1, axis=-1)) * real[..., None] for part in values)
        return Values(*(sums.at[lanes // rolls].add(part) for sums, part in zip(sums, seen, strict=True)))

    nothing = jnp.zeros((len(draw), rules.seats), np.float64)
    sums = _listed(asked.astype(np.int32), net.chunk, Values(nothing, nothing), add)
    return Values(*(settled(part * (1 / rolls)) for part in sums))
