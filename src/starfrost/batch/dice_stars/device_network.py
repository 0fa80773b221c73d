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
    Luck,
    after_line,
    after_take,
    can_take_stars,
    count_takes,
    fenced,
    lines_of,
)
from starfrost.batch.on_device import jax, luck_words
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
from starfrost.learning.dice_stars.search import NO_SEARCH, Search, even_steps, sampled
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


class Net(NamedTuple):
    """A network as a player; everything but the policy is part of the program that JAX compiles."""

    rules: VectorStars
    search: Search
    chunk: int

    @property
    def options(self) -> int:
        """The most options looked at."""
        return self.search.options if self.search.rolls else 1


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


def _keys(utilities: Array, nth: Array, real: Array) -> Array:
    """Return numbers in the order of utilities, of equal ones the first option the highest.

    Utilities are multiples of `FINEST`: as whole numbers they leave room for the option's number.
    """
    units = jnp.rint(utilities / FINEST).astype(np.int64)
    return jnp.where(real, units * _RANKS + (_RANKS - 1 - nth), _LEAST)


def _best(count: Array, chunk: int, worth: Callable[[Array, Array], Array], most: int = 1) -> tuple[Array, Array]:
    """Return the numbers and utilities of the best options of every game, the best first, and of equal ones the first.

    `worth` values options, given by game and number; those of games with a single option are not valued. Options that
    a game does not have are worth minus infinity.
    """

    def visit(old: Array, games: Array, nth: Array, real: Array) -> Array:
        key = _keys(worth(games, nth), nth, real)
        found = [old.max(axis=0).at[games].max(key)]
        for _ in range(1, most):
            rest = jnp.where(old < found[-1], old, _LEAST).max(axis=0)
            found.append(rest.at[games].max(jnp.where(key < found[-1][games], key, _LEAST)))
        return jnp.stack(found)

    keys = _listed(jnp.where(count > 1, count, 0), chunk, jnp.full((most, *count.shape), _LEAST), visit)
    known = keys > _LEAST
    number = jnp.where(known, _RANKS - 1 - (keys & (_RANKS - 1)), 0).astype(np.int32)
    return number, jnp.where(known, (keys >> 16) * FINEST, -jnp.inf)


class _Close(NamedTuple):
    """The best options of a decision, by place and game, and the positions that a look-ahead goes on from."""

    number: Array
    utilities: Array
    near: Array
    """Whether an option is close to the best."""
    before: StarsState
    """The positions with a draw announced, of all options in one row."""
    draw: Array
    wanted: Array


def _near(search: Search, utilities: Array) -> Array:
    return (utilities >= utilities[0] - _F32(search.margin)) & (utilities > -jnp.inf)


def _chosen(net: Net, close: _Close, later: Array) -> Array:
    """Return the number of the option chosen in every game by the utilities after a look ahead."""
    mix = _F32(net.search.mix)
    mixed = jnp.where(close.near, (1 - mix) * close.utilities + mix * later, -jnp.inf)
    # Of equal options the first in their order counts; a single option has no utility.
    first = jnp.where(close.near & (mixed == mixed.max(axis=0)), close.number, _RANKS).min(axis=0)
    return jnp.where(close.near[0], first, close.number[0])


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
def _close_draws(net: Net, policy: Policy, state: StarsState, asked: Array) -> _Close:
    """Return the best draws, where asked."""
    found = _draws(net.rules, state)
    count = jnp.where(asked, popcount(found.mask), 0).astype(np.int32)
    number, utilities = _best(count, net.chunk, _draw_worth(net, policy, found), net.options)
    near = _near(net.search, utilities)
    before, draw = found.at(jnp.tile(jnp.arange(len(asked)), net.options), number.reshape(-1))
    return _Close(number, utilities, near, before, draw, (near & (near.sum(axis=0) > 1)).reshape(-1))


@partial(jax.jit, static_argnames="net")
def _announced(net: Net, policy: Policy, state: StarsState, close: _Close, later: Values | None) -> Array:
    number = close.number[0]
    if later is not None:
        number = _chosen(net, close, utility(later, 0, policy.weight).reshape(close.number.shape))
    return _draws(net.rules, state).option(jnp.arange(len(number)), number).astype(U32)


def _draw(net: Net, policy: Policy, state: StarsState, asked: Array, luck: Luck) -> Array:
    """Return the draw chosen, where asked (`Player.draw`)."""
    close = _close_draws(net, policy, state, asked)
    later = _later(net, policy, close, luck)
    return _announced(net, policy, state, close, later)


_words = jax.jit(luck_words)


def _later(net: Net, policy: Policy, close: _Close, luck: Luck) -> Values | None:
    """Look ahead, if the bot does."""
    if not net.search.rolls:
        return None
    later: Values = expected(net, policy, close.before, close.draw, close.wanted, _words(*luck))
    return later


@partial(jax.jit, static_argnames="net")
def _close_takes(net: Net, policy: Policy, rolled: StarsState, asked: Array) -> _Close:
    """Return the best takes, where asked, each with the next seat's best draw."""
    rules, rolled = net.rules, fenced(rolled)

    def worth(games: Array, nth: Array) -> Array:
        after = fenced(after_take(rules, _at(rolled, games), nth))
        return taker_utility(after, value(rules, policy.params, after, jnp.zeros_like(after.meta)), policy.weight)

    count = jnp.where(asked, count_takes(options(rolled)), 0)
    number, utilities = _best(count, net.chunk, worth, net.options)
    near = _near(net.search, utilities)
    if not net.search.rolls:
        return _Close(number, utilities, near, rolled, number[0], asked)
    games = jnp.tile(jnp.arange(len(asked)), net.options)
    after = fenced(after_take(rules, _at(rolled, games), number.reshape(-1)))
    going = (near & (near.sum(axis=0) > 1)).reshape(-1) & (phase_of(after) != U32(OVER))
    draws = _draws(rules, after)
    count = jnp.where(going, popcount(draws.mask), 0).astype(np.int32)
    best, _ = _best(count, net.chunk, _draw_worth(net, policy, draws))
    before, draw = draws.at(jnp.arange(len(games)), best[0])
    return _Close(number, utilities, near, before, draw, going)


@partial(jax.jit, static_argnames="net")
def _taken(net: Net, policy: Policy, rolled: StarsState, close: _Close, later: Values | None) -> StarsState:
    number = close.number[0]
    if later is not None:
        # A take that ends the game has no look-ahead; the next seat's view ends with the seat that took.
        ahead = utility(later, net.rules.seats - 1, policy.weight).reshape(close.number.shape)
        number = _chosen(net, close, jnp.where(close.wanted.reshape(ahead.shape), ahead, close.utilities))
    return after_take(net.rules, rolled, number)


def _take(net: Net, policy: Policy, rolled: StarsState, asked: Array, luck: Luck) -> StarsState:
    """Return the positions after the take chosen, where asked."""
    close = _close_takes(net, policy, rolled, asked)
    later = _later(net, policy, close, luck)
    taken: StarsState = _taken(net, policy, rolled, close, later)
    return taken


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


@partial(jax.jit, static_argnames="net")
def expected(
    net: Net, policy: Policy, before: StarsState, draw: Array, wanted: Array, luck: tuple[Array, ...]
) -> Values:
    """Return the mean values after a draw, over sampled rolls with the best take after each (`search.expected`).

    The options of a game share its luck.
    """
    rules, rolls = net.rules, net.search.rolls
    size = len(draw) * rolls
    luck = tuple(jnp.tile(word, len(draw) // len(word)) for word in luck)
    chance = tuple(word[:, None] + step for word, step in zip(words(luck[:2], CHANCE), even_steps(rolls), strict=False))
    grown = each_word(before, lambda word: jnp.broadcast_to(word[:, None], (len(draw), rolls)))
    each, asked = (jnp.broadcast_to(part[:, None], (len(draw), rolls)) for part in (draw, wanted))
    dice, asked, number = sampled(rules, net.search, grown, each, chance, asked)
    rolled = fenced(each_word(draw_dice(grown, each, dice), lambda word: word.reshape(size)))
    asked = asked.reshape(size)
    takes = fenced(jnp.where(asked, _some_takes(rolled), U32(0)))

    def visit(found: tuple[Array, Values], lanes: Array, nth: Array, real: Array) -> tuple[Array, Values]:
        option = nth_bit(takes[lanes], nth.astype(U32), 32)
        after = fenced(_after_some(rules, _at(rolled, lanes), option))
        values = value(rules, policy.params, after, jnp.zeros_like(after.meta))
        key = _keys(taker_utility(after, values, policy.weight), nth, real)
        best = found[0].at[lanes].max(key)
        # The next seat's view ends with the seat that took; after the end, the view does not change.
        over = (phase_of(after) == U32(OVER))[..., None]
        seen = (where(over, part, jnp.roll(part, 1, axis=-1)) for part in values)
        place = jnp.where(real & (best[lanes] == key), lanes, size)
        return best, Values(*(old.at[place].set(new, mode="drop") for old, new in zip(found[1], seen, strict=True)))

    nothing = jnp.zeros((size, rules.seats), np.float64)
    start = (jnp.full(size, _LEAST), Values(nothing, nothing))
    _, best = _listed(popcount(takes).astype(np.int32), net.chunk, start, visit)
    sums = (part.reshape(len(draw), rolls, rules.seats).sum(axis=1) for part in best)
    return Values(*(settled(part / number[:, None].astype(np.float64)) for part in sums))
