"""Look-ahead in Dice Stars: the best options by the network are valued again by rolls and takes to come.

A draw is valued by sampled rolls and the best take after each, a take by the next seat's best draw, sampled rolls and
that seat's best take after each. One die is not sampled if there are rolls enough for all its outcomes. A larger search
plays some more turns from there. The same rolls serve all options, so their luck cancels out. It runs on NumPy for play
and on JAX for measurements.
"""

from functools import cache
from itertools import product
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from starfrost.games.dice_stars.bots.choice import (
    Choices,
    Policy,
    Values,
    each_word,
    over_batch,
    pick,
    pick_value,
    star_takes,
    taker_utility,
    utility,
    value,
    value_draws,
    value_takes,
)
from starfrost.games.dice_stars.vector.engine import (
    OVER,
    StarsState,
    VectorStars,
    draw_dice,
    options,
    phase_of,
    seat_of,
)
from starfrost.vector.arrays import U32, Array, module_of, nibble_sum, where
from starfrost.vector.chance import CHANCE, words
from starfrost.vector.game import choose

F32 = np.float32


class Search(NamedTuple):
    """The size of the look-ahead; a static argument for JAX."""

    rolls: int = 0
    """Sampled rolls for each option; 0 is no look-ahead."""
    options: int = 3
    """The most options looked at."""
    margin: float = 0.05
    """Options whose utility is lower than the best by more than this are not looked at."""
    mix: float = 1.0
    """The weight of the look-ahead against the network's own value."""
    turns: int = 0
    """Further turns that are played after every sampled roll."""


NO_SEARCH = Search()
ONE_DIE = 6 * 14
"""The outcomes of one die with a full bag: which die it is, and its face.

If a look-ahead has so many rolls, it looks at every outcome of one die instead of sampling.
"""


class Luck(NamedTuple):
    """The key of the sampled rolls: two words for each game."""

    game: Array
    turn: Array


class Taken(NamedTuple):
    """The best take of rolled dice."""

    state: StarsState
    """The position after it."""
    values: Values
    """Its values from the view of the seat that takes."""


def best_take(game: VectorStars, policy: Policy, rolled: StarsState, wanted: Array) -> Taken:
    """Return the best take of rolled dice, where wanted."""
    xp = module_of(rolled.meta)
    can = options(rolled)
    found = value_takes(game, policy, rolled, star_takes(can.boxes, can.faces[0]), wanted)
    best = found.best()
    after = pick(found.state, best)
    over = phase_of(after) == U32(OVER)
    # The next seat's view ends with the seat that took; after the end, the view does not change.
    seen = (where(over[..., None], part, xp.roll(part, 1, axis=-1)) for part in pick_value(found.values, best))
    return Taken(after, Values(*seen))


@cache
def even_steps(rolls: int) -> np.ndarray:
    """Return steps for the three random words of a roll, by die, which spread a number of rolls evenly.

    They are a lattice rule: every roll is as random as before, but together each die shows each face nearly as often as
    it should, so their mean has less noise. Of all lattices this is the one with the least error (the criterion P2).
    """
    index = np.arange(rolls)
    factors = [factor for factor in range(1, rolls + 1) if gcd(factor, rolls) == 1]

    def points(second: int, third: int) -> np.ndarray:
        return np.stack([index, index * second % rolls, index * third % rolls])

    def error(pair: tuple[int, int]) -> float:
        part = points(*pair) / rolls
        return float((1 + 2 * np.pi**2 * (part**2 - part + 1 / 6)).prod(axis=0).mean())

    best = min(product(factors, factors), key=error)
    return (points(*best) * 2**32 // rolls).astype(U32)


def best_draw(game: VectorStars, policy: Policy, state: StarsState, wanted: Array) -> tuple[StarsState, Array]:
    """Return the positions with the best draw announced, where wanted, and its number of dice."""
    # An ended game has no draw; any position does in its place.
    going = choose(phase_of(state) == U32(OVER), game.blank(state.meta & U32(0)), state)
    found = value_draws(game, policy, going, wanted)
    before: StarsState
    before, draw = pick((found.state, found.draw), found.best())
    return before, draw


def expected(
    game: VectorStars,
    policy: Policy,
    search: Search,
    state: StarsState,
    draw: Array,
    wanted: Array,
    luck: Luck,
) -> Values:
    """Return the mean values after a draw, over sampled rolls with the best take after each, where wanted."""
    xp = module_of(state.meta)
    steps = even_steps(search.rolls)
    rolls = tuple(word[..., None] + step for word, step in zip(words(luck, CHANCE), steps, strict=False))
    shape = np.broadcast_shapes((*state.meta.shape, 1), rolls[0].shape)
    grown = each_word(over_batch(state), lambda word: xp.broadcast_to(word, shape))
    draw, wanted = (xp.broadcast_to(part[..., None], shape) for part in (draw, wanted))
    if search.turns:
        count = xp.full(shape[:-1], search.rolls, dtype=U32)
        number = np.arange(search.rolls, dtype=U32)
        key = (luck.game[..., None] + U32(0x9E3779B1) * number, luck.turn[..., None] + U32(0) * number)
        later = play_on(game, policy, grown, draw, key, search.turns, wanted, rolls)
        view = (np.arange(game.seats, dtype=U32) + seat_of(grown)[..., None]) % U32(game.seats)
        values = Values(*(xp.take_along_axis(part, view.astype(np.int32), axis=-1) for part in later))
    else:
        dice, wanted, count = sampled(game, search, grown, draw, rolls, wanted)
        values = _after_rolls(game, policy, grown, draw, dice, wanted)
    return Values(*(part.sum(axis=-2) / count[..., None].astype(part.dtype) for part in values))


def sampled(
    game: VectorStars, search: Search, state: StarsState, draw: Array, rolls: tuple[Array, ...], wanted: Array
) -> tuple[tuple[Array, Array, Array], Array, Array]:
    """Return the dice of sampled rolls on the last axis, which of them are wanted, and how many rolls count."""
    xp = module_of(state.meta)
    dice = game.roll_with(state, (rolls[0], rolls[1], rolls[2]))
    if search.rolls < ONE_DIE:
        return dice, wanted, xp.full(draw.shape[:-1], search.rolls, dtype=U32)
    # Each die of the bag shows each of its faces once.
    bag, number = state.meta & U32(0xFFFF), np.arange(search.rolls, dtype=U32)
    single, outcomes = draw == U32(1), U32(6) * nibble_sum(bag)
    every, _ = game.pull(bag, number // U32(6), number % U32(6))
    wanted = wanted & (~single | (number < outcomes))
    count = xp.where(single, outcomes, U32(search.rolls))[..., 0]
    return (xp.where(single, every, dice[0]), dice[1], dice[2]), wanted, count


def _after_rolls(
    game: VectorStars, policy: Policy, state: StarsState, draw: Array, dice: tuple[Array, ...], wanted: Array
) -> Values:
    """Return the values of the best take after each roll, where wanted, else 0."""
    xp = module_of(state.meta)
    rolled = draw_dice(state, draw, (dice[0], dice[1], dice[2]))
    if xp is not np:
        found = best_take(game, policy, rolled, wanted).values
        return Values(*(where(wanted[..., None], part, part.dtype.type(0)) for part in found))
    # Rolls that show the same dice are looked at once.
    shown = np.sort(np.stack([np.where(draw > U32(i), die, U32(32)) for i, die in enumerate(dice)]), axis=0)
    option = np.arange(wanted.size // wanted.shape[-1]).repeat(wanted.shape[-1]).reshape(wanted.shape)
    asked = np.flatnonzero(wanted)
    keys = (option << 18 | shown[0] << U32(12) | shown[1] << U32(6) | shown[2]).reshape(-1)[asked]
    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
    some = each_word(rolled, lambda word: np.broadcast_to(word, wanted.shape).reshape(-1)[asked[first]])
    spread = []
    for part in best_take(game, policy, some, np.ones(len(first), bool)).values:
        every = np.zeros((wanted.size, part.shape[-1]), part.dtype)
        every[asked] = part[same]
        spread.append(every.reshape(*wanted.shape, -1))
    return Values(*spread)


def _promising(search: Search, found: Choices) -> tuple[Array, Array]:
    """Return the indices of the best options, the best first, and which of them are within the margin."""
    xp = module_of(found.utilities)
    masked = xp.where(found.allowed & found.known, found.utilities, -xp.inf)
    index = xp.argsort(-masked, axis=-1, stable=True)[..., : search.options]
    utilities = xp.take_along_axis(masked, index, axis=-1)
    return index, utilities >= utilities[..., :1] - F32(search.margin)


def near(search: Search, found: Choices) -> int:
    """Count the promising options of one decision."""
    return int(_promising(search, found)[1].sum())


def _mixed(search: Search, found: Choices, index: Array, ahead: Array, near: Array) -> tuple[Array, Array]:
    """Put the utilities by look-ahead, mixed with the network's, back among all options, and allow only these."""
    xp = module_of(index)
    mix = F32(search.mix)
    worth = (1 - mix) * xp.take_along_axis(found.utilities, index, axis=-1) + mix * ahead
    at = index[..., :, None] == np.arange(found.utilities.shape[-1])
    chosen = at & near[..., None]
    return xp.where(chosen, worth[..., None], worth.dtype.type(0)).sum(axis=-2), chosen.any(axis=-2)


def _at(found: Choices, index: Array) -> StarsState:
    xp, shape = module_of(index), found.allowed.shape
    return each_word(found.state, lambda word: xp.take_along_axis(xp.broadcast_to(word, shape), index, axis=-1))


def _grown(luck: Luck) -> Luck:
    return Luck(luck.game[..., None], luck.turn[..., None])


def search_draws(game: VectorStars, policy: Policy, search: Search, found: Choices, luck: Luck) -> tuple[Array, Array]:
    """Return the utilities of the promising draws by look-ahead, and which these are."""
    index, near = _promising(search, found)
    draw = module_of(found.draw).take_along_axis(found.draw, index, axis=-1)
    later = expected(game, policy, search, _at(found, index), draw, near, _grown(luck))
    return _mixed(search, found, index, utility(later, 0, policy.weight), near)


def search_takes(game: VectorStars, policy: Policy, search: Search, found: Choices, luck: Luck) -> tuple[Array, Array]:
    """Return the utilities of the promising takes by look-ahead through the next turn, and which these are."""
    index, near = _promising(search, found)
    state = _at(found, index)
    now = Values(*(module_of(part).take_along_axis(part, index[..., None], axis=-2) for part in found.values))
    later = next_turn_values(game, policy, search, state, now, near, _grown(luck))
    return _mixed(search, found, index, taker_utility(state, later, policy.weight), near)


def next_turn_values(
    game: VectorStars, policy: Policy, search: Search, state: StarsState, now: Values, wanted: Array, luck: Luck
) -> Values:
    """Return the values of positions at the start of a turn: the best draw, sampled rolls, the best take after each."""
    going = phase_of(state) != U32(OVER)
    wanted = wanted & going
    before, draw = best_draw(game, policy, state, wanted)
    later = expected(game, policy, search, before, draw, wanted, luck)
    return Values(*(where(going[..., None], b, a) for a, b in zip(now, later, strict=True)))


def play_on(
    game: VectorStars,
    policy: Policy,
    state: StarsState,
    draw: Array,
    key: tuple[Array, Array],
    turns: int,
    wanted: Array | None = None,
    rolls: tuple[Array, ...] | None = None,
) -> Values:
    """Play positions on for some turns and return every seat's values by the network then, in seat order.

    `draw` is the announced number of dice, or 0 at the start of a turn; equal keys have equal dice. `rolls` are the
    random words of the announced dice, if not those of the key.
    """
    xp = module_of(state.meta)
    ids, clock = key

    def turn(number: Any, state: StarsState) -> StarsState:
        # Turn 0 is the rest of a turn whose draw is announced.
        first = xp.asarray(number == 0)
        playing = xp.where(first, draw > U32(0), phase_of(state) != U32(OVER))
        asked = playing if wanted is None else playing & wanted
        before, chosen = best_draw(game, policy, state, asked & ~first)
        before = choose(first, state, before)
        chance = words((ids, clock + xp.asarray(number, dtype=U32)), CHANCE)[:3]
        if rolls is not None:
            chance = tuple(xp.where(first, given, word) for given, word in zip(rolls, chance, strict=True))
        dice = game.roll_with(before, chance)
        rolled = draw_dice(before, xp.where(first, xp.maximum(draw, U32(1)), chosen), dice)
        return choose(playing, best_take(game, policy, rolled, asked).state, state)

    if xp is np:
        for number in range(turns + 1):
            state = turn(number, state)
    else:
        import jax

        # A loop of the compiled program: every turn written out would take as long again to compile.
        state = jax.lax.fori_loop(0, turns + 1, turn, state)
    seen = value(game, policy.params, state, state.meta & U32(0))
    first = seat_of(state)
    in_order = (game.in_seat_order([part[..., seat] for seat in range(game.seats)], first) for part in seen)
    return Values(*(xp.stack(part, axis=-1) for part in in_order))
