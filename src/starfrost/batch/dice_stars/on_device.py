"""Turns of `network` in Dice Stars on a device of JAX, with the results of the compiled ones.

A step plays a whole turn in every game of a batch. The options of all games stand in one list, as long as it has to be;
the network values it in chunks of one size, which is what JAX compiles. Every number in it is exact
(`learning.dice_stars.network`), so that the device, the chunks and the batch change nothing.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import STRIDE
from starfrost.batch.dice_stars.positions import Games
from starfrost.errors import MissingExtra, UsageError, quoted
from starfrost.games.dice_stars import SOLO_BOXES, DiceStars
from starfrost.learning.dice_stars.choice import (
    Policy,
    draw_options,
    each_word,
    taker_utility,
    utility,
    value,
)
from starfrost.learning.dice_stars.network import FINEST
from starfrost.players.dice_stars.strong import POINTS, whole_weights
from starfrost.vector.arrays import U32, Array, nibble_sum, nth_bit, popcount, where
from starfrost.vector.chance import CHANCE, words
from starfrost.vector.dice_stars.engine import (
    COLOUR,
    DRAW,
    OVER,
    PENALTY,
    REFILL,
    STARS,
    Options,
    StarsState,
    VectorStars,
    allocations,
    code_of,
    draw_dice,
    next_turn,
    options,
    phase_of,
    seat_of,
    take_dice,
)
from starfrost.vector.dice_stars.sheet import BOXES, Sheet
from starfrost.vector.game import choose

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as missing:
    raise MissingExtra("A device needs JAX: pip install 'starfrost[vector]'.") from missing

SIZES = (256, 4096, 262_144)
"""The sizes of batches: a smaller one is filled up, so that JAX compiles few of them."""
CHUNK = 65_536
"""The options that the network values at once."""
_RANKS = 1 << 16
"""More options than a decision has."""
_fenced: Any = jax.lax.optimization_barrier
"""Keeps the compiler from computing positions again for each of their hundreds of features."""


@cache
def _ways() -> NDArray[np.int32]:
    """Return the number of ways to tick stars in the rows from one on: by row, empty boxes (`code_of`) and stars."""
    free = allocations(BOXES).astype(np.int64)
    ways = np.zeros((len(BOXES) + 1, len(free), 32), np.int32)
    ways[len(BOXES), :, 0] = 1
    for row in reversed(range(len(BOXES))):
        for here in range(BOXES[row] + 1):
            fits = (free[:, row] >= here)[:, None]
            ways[row, :, here:] += fits * ways[row + 1, :, : 32 - here]
    return ways


def _nth_way(boxes: tuple[Array, ...], stars: Array, nth: Array) -> tuple[Array, ...]:
    """Return the boxes that the n-th way to tick stars ticks in each row, in the order of `choice.every_star_take`."""
    ways, code = jnp.asarray(_ways()), code_of(boxes).astype(np.int32)
    left, rows = stars.astype(np.int32), []
    for row in range(4):
        chosen, passed, done = jnp.zeros_like(left), jnp.zeros_like(left), jnp.zeros_like(left, bool)
        for here in range(BOXES[row] + 1):
            later = jnp.where(left >= here, ways[row + 1, code, jnp.maximum(left - here, 0)], 0)
            found = ~done & (nth - passed < later)
            chosen = jnp.where(found, here, chosen)
            done = done | found
            passed = jnp.where(done, passed, passed + later)
        nth, left = nth - passed, left - chosen
        rows.append(chosen.astype(U32))
    return (*rows, left.astype(U32))


def _lines(can: Options) -> Array:
    """Return the lines that can be taken, or written as a penalty, as bits."""
    return where(can.takes == 0, can.penalties, can.takes & U32(511))


def _takes(can: Options) -> Array:
    """Count the options of a take."""
    stars = jnp.asarray(_ways())[0, code_of(can.boxes).astype(np.int32), can.faces[0].astype(np.int32)]
    return popcount(_lines(can)).astype(np.int32) + jnp.where((can.takes >> U32(9)) != 0, stars, 0)


def _after_take(rules: VectorStars, rolled: StarsState, nth: Array) -> StarsState:
    """Return the positions after the n-th take."""
    can = options(rolled)
    lines = _lines(can)
    number = popcount(lines).astype(np.int32)
    is_stars = nth >= number
    line = nth_bit(lines, jnp.where(is_stars, 0, nth).astype(U32), 16)
    rows = _fenced(_nth_way(can.boxes, jnp.where(is_stars, can.faces[0], U32(0)), jnp.where(is_stars, nth - number, 0)))
    action = where(can.takes == 0, U32(PENALTY), U32(COLOUR)) + line
    taken = take_dice(rolled, where(is_stars, U32(STARS), action), rows)
    return next_turn(taken, is_stars, rules.solo_boxes)


def _at(state: StarsState, games: Array) -> StarsState:
    return each_word(state, lambda word: word[games])


def _best(count: Array, chunk: int, worth: Callable[[Array, Array], Array]) -> Array:
    """Return the best option of every game that has `count` of them; of equal ones the first.

    `worth` values options, given by game and number. A single option needs no value.
    """
    wanted = jnp.where(count > 1, count, 0)
    ends = jnp.cumsum(wanted)

    def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, best = carry
        places = first + jnp.arange(chunk, dtype=np.int32)
        games = jnp.minimum(jnp.searchsorted(ends, places, side="right", method="scan_unrolled"), len(count) - 1)
        nth = places - (ends[games] - wanted[games])
        # Utilities are multiples of `FINEST`: as whole numbers they leave room for the option's number.
        units = jnp.rint(worth(games, jnp.where(places < ends[-1], nth, 0)) / FINEST).astype(np.int64)
        key = units * _RANKS + (_RANKS - 1 - nth)
        return first + chunk, best.at[games].max(jnp.where(places < ends[-1], key, np.iinfo(np.int64).min))

    start = (jnp.int32(0), jnp.full(count.shape, np.iinfo(np.int64).min))
    _, best = jax.lax.while_loop(lambda carry: carry[0] < ends[-1], some, start)
    return jnp.where(count > 1, _RANKS - 1 - (best & (_RANKS - 1)), 0).astype(np.int32)


def _roll(rules: VectorStars, state: StarsState, turns: Array, dice: Array) -> tuple[Array, ...]:
    """Draw and roll three dice by the words of the game's key (`batch.dice_stars.sheets.draw_all`)."""
    seat = seat_of(state)
    key = dice[:, 0] + U32(STRIDE) * (turns // U32(rules.seats) + U32(1)), dice[:, 1] ^ seat << U32(28)
    chance = (*words(key, CHANCE), *words((key[0], key[1] ^ U32(1)), CHANCE))
    bag, left, found = state.meta & U32(0xFFFF), nibble_sum(state.meta & U32(0xFFFF)), []
    for pick, face in zip(chance[:6:2], chance[1:6:2], strict=True):
        die, bag = rules.pull(bag, _below(pick, left), _below(face, U32(6)))
        found.append(die)
        left = left - U32(1)
    return tuple(found)


def _below(word: Array, bound: Array) -> Array:
    """Return the upper half of the product of a word and a small bound (`chance.below`)."""
    return ((word >> U32(16)) * bound + ((word & U32(0xFFFF)) * bound >> U32(16))) >> U32(16)


def _turn(
    rules: VectorStars, policy: Policy, state: StarsState, playing: Array, turns: Array, dice: Array, chunk: int
) -> StarsState:
    """Play one turn in the games that are `playing`."""
    # An ended game has no draw; any position does in its place.
    going = choose(playing, state, rules.blank(state.meta & U32(0)))
    positions, draws, allowed = draw_options(going)
    mask = (allowed * np.array([1, 2, 4, 8])).sum(axis=-1).astype(U32)

    def drawn(games: Array, nth: Array) -> tuple[StarsState, Array]:
        option = nth_bit(mask[games], nth.astype(U32), 4).astype(np.int32)
        at = each_word(positions, lambda word: word[games, 0 if word.shape[-1] == 1 else option])
        return at, draws[games, option]

    def draw_worth(games: Array, nth: Array) -> Array:
        position = _fenced(drawn(games, nth))
        return utility(value(rules, policy.params, *position), 0, policy.weight)

    def take_worth(games: Array, nth: Array) -> Array:
        after = _fenced(_after_take(rules, _at(rolled, games), nth))
        values = value(rules, policy.params, after, jnp.zeros_like(after.meta))
        return taker_utility(after, values, policy.weight)

    every = jnp.arange(len(turns))
    before, draw = drawn(every, _best(jnp.where(playing, popcount(mask).astype(np.int32), 0), chunk, draw_worth))
    rolled = _fenced(draw_dice(before, draw, _roll(rules, before, turns, dice)))
    count = _takes(options(rolled))
    best = _best(jnp.where(playing, count, 0), chunk, take_worth)
    return choose(playing, _after_take(rules, rolled, best), state)


@partial(jax.jit, static_argnames=("rules", "chunk"))
def _play_on(
    rules: VectorStars,
    mine: Array,
    policy: Policy,
    state: StarsState,
    turns: Array,
    dice: Array,
    chunk: int,
) -> tuple[StarsState, Array]:
    """Play every game up to the next turn of a seat that is not `mine`, or to its end; count its turns."""

    def playing(state: StarsState) -> Array:
        return ~rules.over(state) & mine[seat_of(state).astype(np.int32)]

    def turn(carry: tuple[StarsState, Array]) -> tuple[StarsState, Array]:
        state, turns = carry
        now = playing(state)
        return _turn(rules, policy, state, now, turns, dice, chunk), turns + now.astype(U32)

    return jax.lax.while_loop(lambda carry: playing(carry[0]).any(), turn, (state, turns))


def device_of(name: str) -> Any:
    """Return the first device of this kind. Raises UsageError if there is none."""
    try:
        return jax.devices(name)[0]
    except RuntimeError as error:
        raise UsageError("JAX finds no device %(name)s here.", name=quoted(name)) from error


@cache
def _policy(seats: int, device: Any) -> Policy:
    policy: Policy = jax.device_put(Policy(whole_weights(seats), np.float32(0), POINTS[seats]), device)
    return policy


def play_network(game: DiceStars, mine: Array, name: str, games: Games) -> None:
    """Play every game up to the next turn of a seat that is not `mine`, or to its end, on a device of this name."""
    device = device_of(name)
    rules = VectorStars(game.seats, game.solo_boxes or SOLO_BOXES)
    number = len(games.seat)
    lanes = next((size for size in SIZES if size >= number), number)
    state, turns = _packed(games), games.turns.sum(axis=1).astype(U32)
    # Games that only fill up the batch are over.
    meta = np.full(lanes, OVER << 16, U32)
    meta[:number] = state.meta

    def filled_up(word: Array) -> Array:
        return np.concatenate([word, np.zeros((lanes - number, *word.shape[1:]), U32)])

    with jax.enable_x64(True):
        state, turns, dice, mine = jax.device_put(
            (each_word(state, filled_up)._replace(meta=meta), filled_up(turns), filled_up(games.dice), mine), device
        )
        chunk = min(CHUNK, 4 * lanes)
        found = _play_on(rules, mine, _policy(game.seats, device), state, turns, dice, chunk)
        last, turns = jax.tree.map(lambda word: np.asarray(word)[:number], found)
    _unpack(rules, last, turns, games)


def _packed(games: Games) -> StarsState:
    """Return the positions for the packed engine."""

    def word(parts: Array, bits: int) -> Array:
        return (parts << (bits * np.arange(parts.shape[-1]))).sum(axis=-1)

    seats = games.filled.shape[1]
    seat = np.maximum(games.seat, 0)
    marks = games.sums[..., 4] | (games.penalty + 1) << 8 | word(games.ticked, 3) << 16
    order = (seat[:, None] + np.arange(seats)) % seats
    spaces, sums, marks = (
        np.take_along_axis(words, order, axis=1).astype(U32)
        for words in (games.filled, word(games.sums[..., :4], 8), marks)
    )
    phase = np.where(games.seat < 0, OVER, np.where(games.asks > 0, REFILL, DRAW))
    a, b, c, d = word(games.reserve, 4).T.astype(U32)
    sheets = tuple(Sheet(spaces[:, place], sums[:, place], marks[:, place]) for place in range(seats))
    meta = word(games.bag, 4) | phase << 16 | seat << 19
    return StarsState(meta.astype(U32), games.solo.astype(U32), (a, b, c, d), sheets)


def _unpack(rules: VectorStars, state: StarsState, turns: Array, games: Games) -> None:
    """Write positions of the packed engine into a batch."""

    def parts(words: Array, bits: int, number: int) -> Array:
        return (words[..., None] >> (bits * np.arange(number))) & ((1 << bits) - 1)

    def by_seat(part: int) -> Array:
        return np.stack(rules.in_seat_order([sheet[part] for sheet in state.sheets], seat_of(state)), axis=1)

    spaces, sums, marks = (by_seat(part).astype(np.int64) for part in range(3))
    # A seat that plays several turns here has no other bot beside it, which would want to know how often it filled.
    games.fills[:] += games.filled != spaces
    games.filled[:] = spaces
    games.sums[..., :4] = parts(sums, 8, 4)
    games.sums[..., 4] = marks & 0xFF
    games.ticked[:] = parts(marks >> 16, 3, 5)
    games.penalty[:] = (marks >> 8 & 0xFF) - 1
    games.reserve[:] = parts(np.stack(state.reserve, axis=1).astype(np.int64), 4, 6)
    games.bag[:] = parts(state.meta.astype(np.int64), 4, 4)
    games.solo[:] = state.solo
    games.seat[:] = np.where(rules.over(state), -1, seat_of(state).astype(np.int64))
    games.asks[:] = phase_of(state) == REFILL
    seats = np.arange(rules.seats)
    games.turns[:] = turns[:, None] // rules.seats + (turns[:, None] % rules.seats > seats)
