"""Look-ahead in Dice Stars: the best options by the network are valued again by rolls and takes to come.

A draw is valued by sampled rolls and the best take after each. A take is valued by the next seat's best draw, sampled
rolls and that seat's best take after each. The same rolls serve all options, so their luck cancels out. It runs on
NumPy for play and on JAX for measurements.
"""

from functools import cache
from itertools import product
from math import gcd
from typing import NamedTuple

import numpy as np

from starfrost.learning.dice_stars.choice import (
    DRAWS,
    TAKES,
    Policy,
    Values,
    best_of,
    distinct,
    draw_options,
    each_word,
    over_batch,
    pick,
    pick_value,
    star_takes,
    take_options,
    taker_utility,
    utility,
    value,
    value_where,
)
from starfrost.vector.arrays import U32, Array, module_of, where
from starfrost.vector.chance import CHANCE, words
from starfrost.vector.dice_stars.engine import OVER, StarsState, VectorStars, draw_dice, options, phase_of, seat_of
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


NO_SEARCH = Search()


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
    ways = tuple(xp.minimum(way, U32(7)) for way in star_takes(can.boxes, can.faces[0]))
    afters, _, allowed = take_options(game, rolled, ways)
    allowed = allowed & xp.concatenate([xp.ones_like(allowed[..., :9]), distinct(ways)], axis=-1) & wanted[..., None]
    values, known = value_where(game, policy.params, afters, xp.zeros_like(afters.meta), allowed, TAKES)
    best = best_of(taker_utility(afters, values, policy.weight), allowed, known)
    over = pick(phase_of(afters), best) == U32(OVER)
    # The next seat's view ends with the seat that took; after the end, the view does not change.
    seen = (where(over[..., None], part, xp.roll(part, 1, axis=-1)) for part in pick_value(values, best))
    return Taken(pick(afters, best), Values(*seen))


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
    first, second, third = (
        word[..., None] + steps for word, steps in zip(words(luck, CHANCE), even_steps(search.rolls), strict=False)
    )
    grown = over_batch(state)
    rolled = draw_dice(grown, draw[..., None], game.roll_with(grown, (first, second, third)))
    shape = rolled.meta.shape
    xp = module_of(rolled.meta)
    rolled = each_word(rolled, lambda word: xp.broadcast_to(word, shape))
    values = best_take(game, policy, rolled, xp.broadcast_to(wanted[..., None], shape)).values
    return Values(*(part.mean(axis=-2) for part in values))


def _promising(search: Search, utilities: Array, allowed: Array) -> tuple[Array, Array]:
    """Return the indices of the best options, the best first, and which of them are within the margin."""
    xp = module_of(utilities)
    masked = xp.where(allowed, utilities, -xp.inf)
    index = xp.argsort(-masked, axis=-1)[..., : search.options]
    found = xp.take_along_axis(masked, index, axis=-1)
    return index, found >= found[..., :1] - F32(search.margin)


def near(search: Search, utilities: Array, allowed: Array) -> int:
    """Count the promising options of one decision."""
    return int(_promising(search, utilities, allowed)[1].sum())


def _spread(utilities: Array, index: Array, worth: Array, near: Array) -> tuple[Array, Array]:
    """Put the values of some options back among all, and allow only these."""
    xp = module_of(utilities)
    at = index[..., :, None] == np.arange(utilities.shape[-1])
    chosen = at & near[..., None]
    return xp.where(chosen, worth[..., None], F32(0)).sum(axis=-2), chosen.any(axis=-2)


def _at(state: StarsState, index: Array, shape: tuple[int, ...]) -> StarsState:
    xp = module_of(index)
    return each_word(state, lambda word: xp.take_along_axis(xp.broadcast_to(word, shape), index, axis=-1))


def _grown(luck: Luck) -> Luck:
    return Luck(luck.game[..., None], luck.turn[..., None])


def search_draws(
    game: VectorStars,
    policy: Policy,
    search: Search,
    positions: StarsState,
    draws: Array,
    utilities: Array,
    allowed: Array,
    luck: Luck,
) -> tuple[Array, Array]:
    """Return the utilities of the promising draws by look-ahead, and which these are."""
    index, near = _promising(search, utilities, allowed)
    shape = allowed.shape
    state = _at(positions, index, shape)
    draw = module_of(draws).take_along_axis(draws, index, axis=-1)
    found = expected(game, policy, search, state, draw, near, _grown(luck))
    plain = module_of(utilities).take_along_axis(utilities, index, axis=-1)
    mix = F32(search.mix)
    return _spread(utilities, index, (1 - mix) * plain + mix * utility(found, 0, policy.weight), near)


def search_takes(
    game: VectorStars,
    policy: Policy,
    search: Search,
    afters: StarsState,
    values: Values,
    utilities: Array,
    allowed: Array,
    luck: Luck,
) -> tuple[Array, Array]:
    """Return the utilities of the promising takes by look-ahead through the next turn, and which these are."""
    xp = module_of(utilities)
    index, near = _promising(search, utilities, allowed)
    state = _at(afters, index, allowed.shape)
    now = Values(*(xp.take_along_axis(part, index[..., None], axis=-2) for part in values))
    found = next_turn_values(game, policy, search, state, now, near, _grown(luck))
    plain = xp.take_along_axis(utilities, index, axis=-1)
    mix = F32(search.mix)
    return _spread(utilities, index, (1 - mix) * plain + mix * taker_utility(state, found, policy.weight), near)


def next_turn_values(
    game: VectorStars, policy: Policy, search: Search, state: StarsState, now: Values, wanted: Array, luck: Luck
) -> Values:
    """Return the values of positions at the start of a turn: the best draw, sampled rolls, the best take after each."""
    over = phase_of(state) == U32(OVER)
    # An ended game has no draw; any position does in its place.
    going = choose(over, game.blank(state.meta & U32(0)), state)
    wanted = wanted & ~over
    positions, draws, can = draw_options(going)
    can = can & wanted[..., None]
    shape = draws.shape
    known_values, known = value_where(game, policy.params, positions, draws, can, DRAWS)
    best = best_of(utility(known_values, 0, policy.weight), can, known)
    before = each_word(positions, lambda word: module_of(word).broadcast_to(word, shape))
    before, draw = pick((before, draws), best)
    later = expected(game, policy, search, before, draw, wanted, luck)
    return Values(*(where(over[..., None], a, b) for a, b in zip(now, later, strict=True)))


def play_on(
    game: VectorStars, policy: Policy, state: StarsState, draw: Array, key: tuple[Array, Array], turns: int
) -> Array:
    """Play positions on for some turns and return every seat's share by the network then, in seat order.

    `draw` is the announced number of dice, or 0 at the start of a turn; equal keys have equal dice.
    """
    xp = module_of(state.meta)
    ids, clock = key
    rolled = draw_dice(state, xp.maximum(draw, U32(1)), game.roll(state, (ids, clock)))
    announced = draw > U32(0)
    state = choose(announced, best_take(game, policy, rolled, announced).state, state)
    for turn in range(1, turns + 1):
        going = phase_of(state) != U32(OVER)
        positions, draws, allowed = draw_options(choose(going, state, game.blank(state.meta & U32(0))))
        values, known = value_where(game, policy.params, positions, draws, allowed & going[..., None], DRAWS)
        before, number = pick((positions, draws), best_of(utility(values, 0, policy.weight), allowed, known | ~allowed))
        rolled = draw_dice(before, number, game.roll(before, (ids, clock + U32(turn))))
        state = choose(going, best_take(game, policy, rolled, going).state, state)
    seen = value(game, policy.params, state, state.meta & U32(0)).shares
    return xp.stack(game.in_seat_order([seen[..., seat] for seat in range(game.seats)], seat_of(state)), axis=-1)
