"""Turns of Dice Stars on a device of JAX, with the results of the compiled ones.

All games of a batch that are not over are in the same turn, so one bot plays that turn in all of them. It chooses a
draw and a take (`Turn`); this module does what the bots have in common.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from starfrost.batch.dice_stars.device_takes import Luck, light_draw, light_take
from starfrost.batch.dice_stars.positions import Games
from starfrost.batch.on_device import below, device_of, dice_words, filled_up, jax, lanes_for
from starfrost.games.dice_stars import SOLO_BOXES, DiceStars
from starfrost.learning.dice_stars.choice import each_word
from starfrost.vector.arrays import U32, Array, nibble_sum, popcount
from starfrost.vector.dice_stars.engine import (
    DRAW,
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
from starfrost.vector.dice_stars.sheet import Sheet
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


def play_turns(game: DiceStars, bots: Sequence[str], name: str, games: Games) -> None:
    """Play every game up to the next turn of a seat without a bot (its name is empty), or to its end, on a device."""
    number, seats, device = len(games.seat), game.seats, device_of(name)
    rules, lanes = VectorStars(seats, game.solo_boxes or SOLO_BOXES), lanes_for(number)
    state = _packed(games)
    # Games that only fill up the batch are over.
    meta = np.full(lanes, OVER << 16, U32)
    meta[:number] = state.meta
    state = each_word(state, lambda word: filled_up(word, lanes))._replace(meta=meta)
    luck = [filled_up(games.luck[:, seat], lanes) for seat in range(seats)]
    decisions = [filled_up(games.decisions[:, seat].astype(U32), lanes) for seat in range(seats)]
    fills = [filled_up(games.fills[:, seat], lanes) for seat in range(seats)]
    turns = filled_up(games.turns.sum(axis=1).astype(U32), lanes)
    # The turn that all games are in which are not over.
    turn = int(turns.max())
    with jax.enable_x64(True):
        state, dice, luck, decisions, fills, turns = jax.device_put(
            (state, filled_up(games.dice, lanes), luck, decisions, fills, turns), device
        )
        players = {bot: player(rules, bot, lanes, device) for bot in set(bots) if bot}
        while (bot := bots[turn % seats]) in players:
            going, asked = _look(rules, state)
            if not going.any():
                break
            seat, before, play = turn % seats, state, players[bot](state, fills)
            if asked.any():
                draw = play.draw(state, asked, Luck(luck[seat], decisions[seat]))
                state = _refilled(state, draw, asked)
                decisions[seat] = decisions[seat] + asked
            draw = play.draw(state, going, Luck(luck[seat], decisions[seat]))
            state = _rolled(rules, state, draw, U32(turn // seats + 1), dice)
            taken = play.take(state, going, Luck(luck[seat], decisions[seat] + U32(1)))
            decisions[seat] = decisions[seat] + U32(2)
            state, turns, fills[seat] = _turned(going, before, taken, turns, fills[seat])
            turn += 1
        last, made, fills, turns = jax.tree.map(
            lambda word: np.asarray(word)[:number], (state, decisions, fills, turns)
        )
    games.decisions[:], games.fills[:] = np.stack(made, axis=1), np.stack(fills, axis=1)
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
