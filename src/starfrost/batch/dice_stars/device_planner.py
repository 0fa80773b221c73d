"""The planner of Dice Stars (`players.dice_stars`: weighing, planner) on a device of JAX.

Before a turn it computes the outlooks of all takes, its own and the next seat's (`device_outlook`); a draw then needs
only tables. Chances are multiples of 2**-30, so sums of them are exact in any order. Games are on the last axis; those
in which the planner is asked are worked on in chunks, which bounds the memory and skips the others.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from starfrost.batch.dice_stars.desk import WAYS
from starfrost.batch.dice_stars.device_outlook import STARS, Lines, finished, lines_in, outlook, reach, turns_to_finish
from starfrost.batch.dice_stars.device_takes import Luck, after_line, fenced
from starfrost.batch.on_device import below, jax, luck_words
from starfrost.learning.dice_stars.choice import each_word
from starfrost.players.dice_stars.evaluation import CHANCE_UNIT, SOLO_WEIGHTS, WEIGHTS, Weights
from starfrost.players.dice_stars.planner import SAMPLES
from starfrost.players.dice_stars.weighing import UNLIMITED
from starfrost.vector.arrays import U32, Array, nibble_sum
from starfrost.vector.dice_stars import sheet as stars_sheet
from starfrost.vector.dice_stars.engine import (
    REFILL,
    StarsState,
    VectorStars,
    boxes_for,
    draw_dice,
    draw_limits,
    options,
    phase_of,
    return_reserve,
    seat_of,
)
from starfrost.vector.dice_stars.sheet import Sheet

jnp = jax.numpy
CHUNK = 2048
"""The most games worked on at once: a number for every way to tick stars takes 41 MB."""

_WITHOUT = np.array(
    [[0 if colour == line else 0xFFFFFFFF for colour in range(4)] for line in range(4)]
    + [[0xFFFFFFFF & ~(15 << 4 * face)] * 4 for face in (1, 2, 3, 4, 5, 0)],
    U32,
)
"""What the packed reserve keeps when a line is taken, by line and colour."""


class View(NamedTuple):
    """What the planner sees before a turn (`weighing.Weighing`)."""

    points: Array
    """The outlook after each take of the own sheet, and of the next seat's (`device_outlook.Reach`)."""
    turns: Array
    """The turns left after each take of the own sheet."""
    marks: Array
    """Its marks after the best ways to tick stars."""
    theirs: Array
    """The points of the other seats, the next one first: if the game goes on, and if this round is the last."""


class Planner(NamedTuple):
    """The planner at a table, part of the program that JAX compiles."""

    rules: VectorStars
    chunk: int

    @property
    def weights(self) -> Weights:
        """The weights for this number of seats."""
        return SOLO_WEIGHTS if self.rules.seats == 1 else WEIGHTS


def planner(rules: VectorStars, lanes: int) -> Callable[[StarsState, Sequence[Array]], tuple[Any, Any]]:
    """Return what looks at positions in batches of a size and returns the functions for draws and takes."""
    # A small batch is filled up with games that are over.
    bot = Planner(rules, min(CHUNK, lanes // 8))

    def look(state: StarsState, fills: Sequence[Array]) -> tuple[Any, Any]:
        view = _look(bot, state, tuple(fills))
        return partial(_draw, bot, view), partial(_take, bot, view)

    return look


def _in_chunks(asked: Array, chunk: int, start: Any, answer: Callable[[Array], Any]) -> Any:
    """Fill in the answers for the games asked about, on the last axis; `answer` gets the numbers of some games."""
    order, number = jnp.argsort(~asked, stable=True), asked.sum()

    def some(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        first, found = carry
        lanes = jax.lax.dynamic_slice(order, (first,), (chunk,))
        return first + chunk, jax.tree.map(lambda old, new: old.at[..., lanes].set(new), found, answer(lanes))

    return jax.lax.while_loop(lambda carry: carry[0] < number, some, (jnp.zeros((), number.dtype), start))[1]


def _some(tree: Any, lanes: Array) -> Any:
    return jax.tree.map(lambda part: part[..., lanes], tree)


@partial(jax.jit, static_argnames="bot")
def _look(bot: Planner, state: StarsState, fills: tuple[Array, ...]) -> View:
    """Look at the table before a turn, in games that are not over; `fills` is in seat order."""
    clockwise = tuple(bot.rules.rotate(list(fills), seat_of(state)))

    def answer(lanes: Array) -> View:
        return _view(bot, each_word(state, lambda word: word[lanes]), _some(clockwise, lanes))

    shapes = jax.eval_shape(answer, np.zeros(bot.chunk, np.int32))
    start = jax.tree.map(lambda part: jnp.zeros((*part.shape[:-1], len(state.meta)), part.dtype), shapes)
    found: View = _in_chunks(~bot.rules.over(state), bot.chunk, start, answer)
    return found


def _view(bot: Planner, state: StarsState, fills: tuple[Array, ...]) -> View:
    weights, seats, sheets = bot.weights, bot.rules.seats, state.sheets
    ending = sum(finished(sheet) for sheet in sheets) > 0
    # Sheets are clockwise; those of later seats still have this round.
    later = [seat_of(state) + U32(place) < U32(seats) for place in range(seats)]
    rounds = [
        jnp.maximum(0.5, turns_to_finish(weights, sheet, filled) - still.astype(np.float64))
        for sheet, filled, still in zip(sheets, fills, later, strict=True)
    ]

    def limit(place: int, ends: Array | bool) -> Array:
        shortest = jnp.full(ending.shape, UNLIMITED)
        for other in range(seats):
            if other != place:
                shortest = jnp.minimum(shortest, rounds[other])
        return jnp.where(ends, 0.0, shortest) + (later[place] if place else 0.0)

    near = range(min(seats, 2))
    found = jax.lax.map(
        lambda one: reach(weights, *one), (_stacked(sheets[:2]), jnp.stack([limit(place, ending) for place in near]))
    )
    theirs = jnp.zeros((2, 0, *ending.shape))
    if seats > 1:
        limits = jnp.stack([jnp.stack([limit(place, ends) for place in range(1, seats)]) for ends in (ending, True)])
        theirs, _ = outlook(weights, _stacked([_stacked(sheets[1:])] * 2), limits)
    return View(found.points, found.turns[0], found.marks[0], theirs)


def _stacked(sheets: Sequence[Sheet]) -> Sheet:
    return Sheet(*(jnp.stack(words) for words in zip(*sheets, strict=True)))


def _above(mean: Array, spread: Array) -> Array:
    return 0.5 * (1.0 + jax.lax.erf(mean / (spread * 1.4142135623730951)))


def _chance(
    bot: Planner, view: View, state: StarsState, points: Array, turns: Array, gift: Array, boxes: Array
) -> Array:
    """Estimate the chance to win (`Weighing._chance`)."""
    weights, seats, grid = bot.weights, bot.rules.seats, bot.rules.solo_boxes
    if seats == 1:
        ticked = (state.solo + boxes).astype(np.float64)
        expected = ticked + jnp.where(turns > 0, weights.boxes * turns + gift, 0.0)
        spread = jnp.sqrt(turns + 0.05)
        left = jnp.where(ticked < grid, _above(grid - 0.5 - expected, 1.2 * spread), 0.0)
        margin = points - 5.0 * expected - 0.5
        value = left * _above(margin, weights.swing * spread) + 1e-4 * margin
    else:
        is_last = seat_of(state) == U32(seats - 1)
        spread = weights.swing * jnp.sqrt(turns + jnp.where(is_last, 0.02, 0.5))
        theirs = jnp.where((turns == 0)[None], _beside(view.theirs[1], turns), _beside(view.theirs[0], turns))
        chance, margin, harm = jnp.ones_like(points), points, gift
        for other in range(seats - 1):
            margin = points - theirs[other] - harm
            chance, harm = chance * _above(margin, spread), jnp.zeros_like(gift)
        value = chance + 1e-4 * margin
    return jnp.floor(value * CHANCE_UNIT + 0.5) / CHANCE_UNIT


def _beside(parts: Array, like: Array) -> Array:
    """Give an array by seat and game the axes of another between the two."""
    return parts.reshape(len(parts), *(1,) * (like.ndim - 1), parts.shape[-1])


def _at(table: Array, entry: Array) -> Array:
    """Look entries of every game up in its table."""
    return table.at[entry, jnp.arange(table.shape[-1])].get(mode="promise_in_bounds")


class _Options(NamedTuple):
    """The takes from reserves, or else the penalties, by line on the first axis."""

    chance: Array
    """The chance to win after each; minus infinity where it is not legal."""
    hope: Array
    """The same if the dice left over did nobody good."""
    lines: Lines


def _weighed(bot: Planner, view: View, state: StarsState, reserve: Sequence[Array]) -> _Options:
    """Weigh the takes from reserves (`Weighing.best_take`)."""
    lines, sheet = lines_in(reserve), state.sheets[0]
    points, turns = (_at(table, lines.entry) for table in (view.points[0], view.turns))
    possible = points > -jnp.inf
    # A penalty ends the game with this round, so the sheet counts as it is.
    stuck = ~possible.any(axis=0)
    is_line = np.arange(STARS + 1).reshape(-1, *(1,) * stuck.ndim) < STARS
    possible = jnp.where(stuck, is_line & (lines.count > 0), possible)
    points = jnp.where(stuck, (stars_sheet.score(sheet) - lines.total).astype(np.float64), points)
    turns = jnp.where(stuck, 0.0, turns)
    kept = _WITHOUT.reshape(STARS + 1, 4, *(1,) * stuck.ndim)
    rest = tuple(word & kept[:, colour] for colour, word in enumerate(reserve))
    nothing = jnp.zeros_like(points)
    if bot.rules.seats == 1:
        boxes = boxes_for(rest)
        # After stars the reserve can be put back; otherwise the dice left over can cost boxes again.
        gift = jnp.where(is_line, bot.weights.gift * boxes.astype(np.float64), 0.0)
    else:
        boxes, gift = U32(0), _gift(bot, view, rest)
    chance = _chance(bot, view, state, points, turns, gift, boxes)
    hope = _chance(bot, view, state, points, turns, nothing, U32(0))
    return _Options(jnp.where(possible, chance, -jnp.inf), jnp.where(possible, hope, -jnp.inf), lines)


def _gift(bot: Planner, view: View, rest: tuple[Array, ...]) -> Array:
    """Estimate the gain of the next seat from the dice left over (`Weighing._gift`)."""
    best = _at(view.points[1], lines_in(rest).entry).max(axis=0)
    best = jnp.where(best > -jnp.inf, best, 0.0)
    gain = bot.weights.gift * jnp.maximum(0.0, best - view.theirs[0, 0])
    return jnp.where((rest[0] | rest[1] | rest[2] | rest[3]) != 0, gain, 0.0)


class _Rolls(NamedTuple):
    """Rolls that can follow a draw, on the first axis."""

    reserve: tuple[Array, ...]
    """The reserve with the dice drawn."""
    ways: Array
    """How often each roll counts; never where the draw is not legal."""
    of: Array
    """How often all of them count."""


def _single(state: StarsState) -> _Rolls:
    """Return all rolls of one die, filled up to the number of sampled rolls."""
    die = np.arange(SAMPLES, dtype=U32)[:, None] % U32(24)
    bag, colour = state.meta & U32(0xFFFF), die // U32(6)
    faces = WAYS.reshape(24)[die] * (np.arange(SAMPLES) < 24)[:, None]
    ways = ((bag >> U32(4) * colour) & U32(15)).astype(np.float64) * faces
    rolled = draw_dice(state, U32(1), (U32(8) * colour + die % U32(6), U32(0), U32(0)))
    return _Rolls(rolled.reserve, ways, (U32(6) * nibble_sum(bag)).astype(np.float64))


def _word(luck: Luck, call: Array) -> Array:
    """Return a word of the bot's luck by its number in the decision."""
    four = luck_words(luck.keys, luck.decision, call >> U32(2))
    place = call & U32(3)
    return jnp.where(place < 2, jnp.where(place == 0, four[0], four[1]), jnp.where(place == 2, four[2], four[3]))


def _sampled(bot: Planner, state: StarsState, number: int, luck: Luck, call: Array) -> _Rolls:
    """Return sampled rolls of two or three dice; `call` is the number of the first word."""
    bag, dice = state.meta & U32(0xFFFF), [U32(0)] * 3
    left = nibble_sum(bag)
    call = call + np.arange(0, SAMPLES * number, number, dtype=U32)[:, None]
    for drawn in range(number):
        index = below(_word(luck, call + U32(drawn)), U32(6) * (left - U32(drawn)))
        dice[drawn], bag = bot.rules.pull(bag, index // U32(6), index % U32(6))
    rolled = draw_dice(state, U32(number), (dice[0], dice[1], dice[2]))
    return _Rolls(rolled.reserve, jnp.ones(call.shape), jnp.full(left.shape, float(SAMPLES)))


def _mean(bot: Planner, view: View, state: StarsState, rolls: _Rolls) -> Array:
    """Return the mean chance to win with the best take after each roll."""

    def mean() -> Array:
        # XLA multiplies by the inverse of a constant, which rounds differently; this divisor is none.
        chance = _weighed(bot, view, state, rolls.reserve).chance.max(axis=0)
        return jnp.where(rolls.ways > 0, rolls.ways * chance, 0.0).sum(axis=0) / rolls.of

    return jax.lax.cond((rolls.ways > 0).any(), mean, lambda: jnp.zeros_like(rolls.of))


@partial(jax.jit, static_argnames="bot")
def _draw(bot: Planner, view: View, state: StarsState, asked: Array, luck: Luck) -> Array:
    """Return the draw chosen, where asked (`Turn.draw`)."""
    fewest, most = draw_limits(state)
    asked = asked & ((fewest < most) | (phase_of(state) == U32(REFILL)))

    def answer(lanes: Array) -> Array:
        here = each_word(state, lambda word: word[lanes])
        return _best_draw(bot, _some(view, lanes), here, Luck(luck.keys[lanes], luck.decision[lanes]))

    found: Array = _in_chunks(asked, bot.chunk, most - U32(1), answer)
    return found


def _best_draw(bot: Planner, view: View, state: StarsState, luck: Luck) -> Array:
    fewest, most = draw_limits(state)
    legal = [(fewest <= U32(number)) & (most >= U32(number)) for number in (1, 2, 3)]
    # Every sampled draw goes on where the luck of the one before it ended.
    after_two = jnp.where(legal[1], U32(2 * SAMPLES), U32(0))
    after_three = after_two + jnp.where(legal[2], U32(3 * SAMPLES), U32(0))
    asks = phase_of(state) == U32(REFILL)
    rolls = [
        _single(state),
        _sampled(bot, state, 2, luck, jnp.zeros_like(after_two)),
        _sampled(bot, state, 3, luck, after_two),
        _sampled(bot, return_reserve(state), 3, luck, after_three),
    ]
    each = [one._replace(ways=jnp.where(can, one.ways, 0.0)) for one, can in zip(rolls, [*legal, asks], strict=True)]
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *each)
    *means, returned = jax.lax.map(partial(_mean, bot, view, state), stacked)
    kept = jnp.where(jnp.stack(legal), jnp.stack(means), -jnp.inf)
    return jnp.where(asks & (returned > kept.max(axis=0)), U32(3), kept.argmax(axis=0).astype(U32))


@partial(jax.jit, static_argnames="bot")
def _take(bot: Planner, view: View, rolled: StarsState, asked: Array, luck: Luck) -> StarsState:
    """Return the positions after the take chosen, where asked."""

    def answer(lanes: Array) -> tuple[Array, Array]:
        return _best_take(bot, _some(view, lanes), each_word(rolled, lambda word: word[lanes]))

    nothing = jnp.zeros_like(rolled.meta)
    line, marks = fenced(_in_chunks(asked, bot.chunk, (nothing, nothing), answer))
    is_stars = line == U32(STARS)
    old = stars_sheet.ticked(rolled.sheets[0])
    new = stars_sheet.ticked(rolled.sheets[0]._replace(marks=marks))
    rows = tuple(jnp.where(is_stars, after - before, U32(0)) for after, before in zip(new, old, strict=True))
    return after_line(bot.rules, rolled, options(rolled), jnp.where(is_stars, U32(0), line), is_stars, fenced(rows))


def _best_take(bot: Planner, view: View, rolled: StarsState) -> tuple[Array, Array]:
    """Return the line to take, and the marks of the sheet if it is the stars."""
    found = _weighed(bot, view, rolled, rolled.reserve)
    # The dice left over never help, so looking at all takes finds what the single bot finds before it stops: of the
    # best takes the one with the highest hope, and of those the last.
    best = found.chance == found.chance.max(axis=0)
    hope = jnp.where(best, found.hope, -jnp.inf)
    line = STARS - (hope == hope.max(axis=0))[::-1].argmax(axis=0)
    stars = jnp.maximum(found.lines.count[STARS], 1) - 1
    return line.astype(U32), jnp.take_along_axis(view.marks, stars[None], axis=0)[0]
