"""Games of Dice Stars on a device of JAX, with the results of the compiled ones.

All games of a batch that are not over are in the same turn, so one bot plays that turn in all of them. It chooses a
draw and a take (`Turn`); this module does what the bots have in common.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.dice_stars.device_takes import Luck, light_draw, light_take
from starfrost.batch.on_device import below, device_of, dice_words, filled_up, jax, lanes_for
from starfrost.games.dice_stars import SOLO_BOXES, DiceStars
from starfrost.vector.arrays import U32, Array, nibble_sum, popcount
from starfrost.vector.dice_stars.engine import (
    OVER,
    REFILL,
    StarsState,
    VectorStars,
    draw_dice,
    keep_reserve,
    phase_of,
    return_reserve,
    seat_of,
)
from starfrost.vector.dice_stars.sheet import Sheet, row_sums, ticked
from starfrost.vector.game import choose


class Turn(NamedTuple):
    """How a bot plays a turn: its functions get positions, where they are asked, and the bot's luck."""

    draw: Callable[[StarsState, Array, Luck], Array]
    """Return 3 to return the reserve, where that is the question, or else how many dice to draw, less one."""
    take: Callable[[StarsState, Array, Luck], StarsState]
    """Return the positions after the take of rolled dice."""


Player: TypeAlias = Callable[[StarsState, Sequence[Array]], Turn]
"""A bot on a device: it looks at the positions in which its turn starts, and at how often each seat filled spaces."""


def player(rules: VectorStars, bot: str, lanes: int, device: object) -> Player:
    """Return a bot that plays batches of a size."""
    if bot == "planner":
        from starfrost.batch.dice_stars.device_planner import planner

        look = planner(rules, lanes)
        return lambda state, fills: Turn(*look(state, fills))
    if bot in ("random", "greedy"):
        turn = Turn(partial(light_draw, rules, bot == "greedy"), partial(light_take, rules, bot == "greedy"))
    else:
        from starfrost.batch.dice_stars.device_network import network

        turn = Turn(*network(rules, bot, lanes, device))
    return lambda state, fills: turn


@partial(jax.jit, static_argnames="rules")
def _look(rules: VectorStars, state: StarsState) -> tuple[Array, Array]:
    """Return which games go on, and which of them ask to keep or return the reserve."""
    return ~rules.over(state), phase_of(state) == U32(REFILL)


@jax.jit
def _refilled(state: StarsState, draw: Array, asked: Array) -> StarsState:
    """Keep or return the reserve (S1) where that is asked."""
    return choose(asked, choose(draw == U32(3), return_reserve(state), keep_reserve(state)), state)


@partial(jax.jit, static_argnames="rules")
def _rolled(rules: VectorStars, state: StarsState, draw: Array, turn: Array, dice: Array) -> StarsState:
    """Draw and roll dice by the words of the game's key (`sheets.draw_all`)."""
    chance = dice_words(dice, seat_of(state), turn, U32(0))
    bag, left, found = state.meta & U32(0xFFFF), nibble_sum(state.meta & U32(0xFFFF)), []
    for pick, face in zip(chance[:6:2], chance[1:6:2], strict=True):
        die, bag = rules.pull(bag, below(pick, left), below(face, U32(6)))
        found.append(die)
        left = left - U32(1)
    return draw_dice(state, draw + U32(1), (found[0], found[1], found[2]))


@jax.jit
def _turned(
    going: Array, before: StarsState, taken: StarsState, turns: Array, fills: Array
) -> tuple[StarsState, Array, Array]:
    """End a turn where games go on: positions, number of turns, and takes by which the seat filled spaces."""

    def filled(state: StarsState) -> Array:
        return sum((popcount(sheet.spaces) for sheet in state.sheets), U32(0))

    return choose(going, taken, before), turns + going, fills + (going & (filled(taken) != filled(before)))


class Played(NamedTuple):
    """What is left of games when they are over, one row each (as in `positions.Games`)."""

    sums: Array
    ticked: Array
    penalty: Array
    solo: Array
    turns: Array


def play_all(game: DiceStars, bots: Sequence[str], dice: Keys, luck: Sequence[Keys], name: str) -> Played:
    """Play games to the end on the device of this name."""
    number, seats, device = len(dice), game.seats, device_of(name)
    rules, lanes = VectorStars(seats, game.solo_boxes or SOLO_BOXES), lanes_for(number)
    nothing = np.zeros(lanes, U32)
    start = rules.blank(nothing)
    # Games that only fill up the batch are over.
    start = start._replace(meta=np.where(np.arange(lanes) < number, start.meta, U32(OVER << 16)))
    with jax.enable_x64(True):
        state, keys, lucks, decisions, fills, turns = jax.device_put(
            (
                start,
                filled_up(dice, lanes),
                [filled_up(own, lanes) for own in luck],
                [nothing] * seats,
                [nothing] * seats,
                nothing,
            ),
            device,
        )
        players = {bot: player(rules, bot, lanes, device) for bot in set(bots)}
        for turn in count():
            going, asked = _look(rules, state)
            if not going.any():
                break
            seat, before = turn % seats, state
            play = players[bots[seat]](state, fills)
            if asked.any():
                draw = play.draw(state, asked, Luck(lucks[seat], decisions[seat]))
                state = _refilled(state, draw, asked)
                decisions[seat] = decisions[seat] + asked
            draw = play.draw(state, going, Luck(lucks[seat], decisions[seat]))
            state = _rolled(rules, state, draw, U32(turn // seats + 1), keys)
            taken = play.take(state, going, Luck(lucks[seat], decisions[seat] + U32(1)))
            decisions[seat] = decisions[seat] + U32(2)
            state, turns, fills[seat] = _turned(going, before, taken, turns, fills[seat])
        last, made = jax.tree.map(lambda word: np.asarray(word)[:number], (state, turns))
    return _played(rules, last, made)


def _played(rules: VectorStars, state: StarsState, turns: Array) -> Played:
    """Return what the sheets of ended games show, in seat order."""
    sheets = [
        Sheet(*words)
        for words in zip(
            *(rules.in_seat_order([sheet[part] for sheet in state.sheets], seat_of(state)) for part in range(3)),
            strict=True,
        )
    ]

    def by_seat(words: Callable[[Sheet], Array]) -> Array:
        return np.stack([words(sheet) for sheet in sheets], axis=1).astype(np.int64)

    return Played(
        by_seat(lambda sheet: np.stack(row_sums(sheet), axis=-1)),
        by_seat(lambda sheet: np.stack(ticked(sheet), axis=-1)),
        by_seat(lambda sheet: (sheet.marks >> U32(8)) & U32(0xFF)) - 1,
        state.solo.astype(np.int64),
        turns.astype(np.int64)[:, None],
    )
