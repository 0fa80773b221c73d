"""Turns of `random`, `greedy` and `planner` in Dice Stars, compiled by Numba."""

from typing import Any, NamedTuple

import numpy as np

from starfrost.batch.compiled import any_number, below, luck_words
from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.compiled.outlook import prepare
from starfrost.games.dice_stars.compiled.planning import best_draw, best_take
from starfrost.games.dice_stars.compiled.positions import LINES, NETWORK, PLANNER, RANDOM, ROWS, DecisionBatch, Games
from starfrost.games.dice_stars.compiled.sheets import (
    action_number,
    best_ways,
    count_ways,
    draw_all,
    draw_limits,
    end_turn,
    fill_line,
    line_dice,
    nth_best_way,
    nth_way,
    return_all,
    row_score,
    solo_boxes,
    stars_in,
    takes,
    write_take,
)
from starfrost.games.dice_stars.sheet import BOX_POINTS

_LINES, _ROWS, _BOX_POINTS = LINES, ROWS, BOX_POINTS
_STARS = 9
"""The number of a star take among the takes."""


class TakeScratch(NamedTuple):
    """Room to weigh the takes of a decision in."""

    allowed: Array
    """The takes that are legal."""
    values: Array
    """The gain of each."""
    gains: Array
    ways: Array
    """The gains of and the ways to tick stars, by row and the stars left (`sheets.best_ways`)."""
    rows: Array
    """The boxes to tick in each row by the take chosen."""


def take_scratch() -> TakeScratch:
    """Return empty tables."""
    return TakeScratch(
        np.zeros(_LINES + 1, np.bool_),
        np.zeros(_LINES + 1, np.int64),
        np.zeros((_ROWS + 1, 15), np.int64),
        np.zeros((_ROWS + 1, 15), np.int64),
        np.zeros(_ROWS, np.int64),
    )


@lean
def _line_gain(reserve: Array, filled: int, ticked: Array, line: int, fits: bool) -> Any:
    """Return the points that a line adds to the score, or the penalty that it costs."""
    count, total = line_dice(reserve, line)
    if not fits:
        return -total
    _, row = fill_line(filled, line, count)
    return row_score(total, ticked[row], row)


@lean
def _gains(grid: int, games: Games, game: int, work: TakeScratch) -> tuple[bool, int, int]:
    """Fill in the gain of every take; return whether they fit, the highest gain and the number of takes with it."""
    reserve, seat, solo = games.reserve[game], games.seat[game], games.solo[game]
    filled, sums, ticked = games.filled[game, seat], games.sums[game, seat], games.ticked[game, seat]
    fits = takes(reserve, filled, ticked, work.allowed)
    best, count = -100000, 0
    for line in range(_LINES + 1):
        if not work.allowed[line]:
            continue
        many = 1
        if line == _STARS:
            value, many = best_ways(sums, ticked, stars_in(reserve), work.gains, work.ways)
        else:
            value = _line_gain(reserve, filled, ticked, line, fits)
        if grid:
            value -= _BOX_POINTS * (min(solo + solo_boxes(reserve, line), grid) - solo)
        work.values[line] = value
        if value > best:
            best, count = value, many
        elif value == best:
            count += many
    return fits, best, count


@lean
def _returns_reserve(
    grid: int, bot: int, games: Games, game: int, weights: Array, scratch: Any, work: TakeScratch
) -> Any:
    """Return whether a bot returns the reserve (S1); the planner has looked at the table (`prepare`)."""
    seat = games.seat[game]
    one, two, decision = games.luck[game, seat, 0], games.luck[game, seat, 1], games.decisions[game, seat]
    if bot == RANDOM:
        return below(luck_words(one, two, decision, 0)[0], 2) == 1
    if scratch is not None and bot == PLANNER:
        return (
            best_draw(weights[0], scratch[0], games.reserve[game], games.bag[game], any_number(1), one, two, decision)
            == 0
        )
    return _gains(grid, games, game, work)[1] <= 0


@lean
def _dice_to_draw(bot: int, games: Games, game: int, weights: Array, scratch: Any) -> Any:
    """Return how many dice a bot draws (S2 to S4); the planner has looked at the table."""
    reserve, bag, seat = games.reserve[game], games.bag[game], games.seat[game]
    one, two, decision = games.luck[game, seat, 0], games.luck[game, seat, 1], games.decisions[game, seat]
    fewest, most = draw_limits(reserve, bag)
    if bot == RANDOM:
        return fewest + below(luck_words(one, two, decision, 0)[0], most - fewest + 1)
    if scratch is not None and bot == PLANNER and fewest < most:
        return best_draw(weights[0], scratch[0], reserve, bag, any_number(0), one, two, decision)
    return most


@lean
def _chosen_take(
    grid: int, bot: int, games: Games, game: int, weights: Array, scratch: Any, work: TakeScratch
) -> tuple[int, bool]:
    """Return the line that a bot takes (S5) and whether it fits; `work.rows` has the boxes that a star take ticks.

    The planner has looked at the table.
    """
    reserve, seat = games.reserve[game], games.seat[game]
    filled, sums, ticked = games.filled[game, seat], games.sums[game, seat], games.ticked[game, seat]
    stars, line, best, total = stars_in(reserve), -1, 0, 0
    if scratch is not None and bot == PLANNER:
        fits = takes(reserve, filled, ticked, work.allowed)
        _, line = best_take(weights[0], scratch[0], reserve)
        if line == _STARS:
            for row in range(_ROWS):
                work.rows[row] = scratch[0].star_rows[0, stars, row]
        return line, fits
    if bot == RANDOM:
        fits = takes(reserve, filled, ticked, work.allowed)
        for each in range(_LINES):
            total += work.allowed[each]
        if work.allowed[_STARS]:
            total += count_ways(ticked, stars, work.ways)
    else:
        fits, best, total = _gains(grid, games, game, work)
    one, two, decision = games.luck[game, seat, 0], games.luck[game, seat, 1], games.decisions[game, seat]
    nth = below(luck_words(one, two, decision, 0)[0], total)
    for each in range(_LINES):
        if work.allowed[each] and (bot == RANDOM or work.values[each] == best):
            if nth == 0:
                return each, fits
            nth -= 1
    if bot == RANDOM:
        nth_way(ticked, stars, work.ways, nth, work.rows)
    else:
        nth_best_way(sums, ticked, stars, work.gains, work.ways, nth, work.rows)
    return _STARS, fits


@lean
def play_light(
    seats: int,
    grid: int,
    bots: Array,
    games: Games,
    asked: DecisionBatch,
    weights: Array,
    scratch: Any,
    work: TakeScratch,
) -> None:
    """Play every game up to the next turn of a bot that needs a network, or to its end; or choose what is asked.

    `scratch` is None if no bot is the planner: Numba then compiles a shorter function. Turns and single decisions are
    one function, because the planner takes long to compile.
    """
    single = len(asked.step) > 0
    for game in range(games.seat.shape[0]):
        step = 3
        while games.seat[game] >= 0 and bots[games.seat[game]] < NETWORK:
            seat, reserve, bag = games.seat[game], games.reserve[game], games.bag[game]
            bot, fits = bots[seat], True
            if step == 3:
                games.turns[game, seat] += 1
                step = asked.step[game] if single else 0 if games.asks[game] else 1
                if scratch is not None and bot == PLANNER:
                    prepare(seats, grid, games, game, weights[0], scratch[0])
            if step == 0:
                option = 1 if _returns_reserve(grid, bot, games, game, weights, scratch, work) else 0
            elif step == 1:
                option = _dice_to_draw(bot, games, game, weights, scratch)
            else:
                option, fits = _chosen_take(grid, bot, games, game, weights, scratch, work)
            if single:
                asked.number[game] = action_number(step, option, fits, work.rows)
                break
            games.decisions[game, seat] += 1
            if step == 0:
                if option:
                    return_all(reserve, bag)
            elif step == 1:
                draw_all(reserve, bag, option, games.dice[game, 0], games.dice[game, 1], seat, games.turns[game, seat])
            else:
                write_take(games, game, seat, option, fits, work.rows)
                end_turn(seats, grid, games, game, option == _STARS)
            step += 1
