"""Turns of `random`, `greedy` and `planner` in Dice Stars, compiled by Numba."""

from typing import Any

import numpy as np

from starfrost.batch.compiled import any_number, below, luck_words
from starfrost.batch.dice_stars.planning import best_draw, best_take, prepare
from starfrost.batch.dice_stars.positions import GREEDY, LINES, NETWORK, PLANNER, RANDOM, ROWS, Games
from starfrost.batch.dice_stars.sheets import (
    best_ways,
    count_ways,
    draw_all,
    end_turn,
    fill_line,
    line_dice,
    nth_best_way,
    nth_way,
    refill,
    room,
    row_score,
    solo_boxes,
    stars_in,
    write_take,
)
from starfrost.solver.kernels import Array, jit, lean

_LINES, _ROWS = LINES, ROWS
_STARS = 9
"""The number of a star take among the takes."""


@lean
def _takes(reserve: Array, filled: int, ticked: Array, allowed: Array) -> bool:
    """Fill in which lines and whether the stars can be taken; return False if only penalties are left (S5, F5, F6)."""
    found = False
    for line in range(_LINES):
        count, _ = line_dice(reserve, line)
        allowed[line] = count > 0 and count <= room(filled, line)
        found |= allowed[line]
    stars, free = stars_in(reserve), 20
    for row in range(_ROWS):
        free -= ticked[row]
    allowed[_STARS] = stars > 0 and stars <= free
    if found or allowed[_STARS]:
        return True
    for line in range(_LINES):
        allowed[line] = line_dice(reserve, line)[0] > 0
    return False


@lean
def _line_gain(reserve: Array, filled: int, ticked: Array, line: int, fits: bool) -> Any:
    """Return the points that a line adds to the score, or the penalty that it costs."""
    count, total = line_dice(reserve, line)
    if not fits:
        return -total
    _, row = fill_line(filled, line, count)
    return row_score(total, ticked[row], row)


@lean
def _gains(
    reserve: Array,
    filled: int,
    sums: Array,
    ticked: Array,
    solo: int,
    grid: int,
    allowed: Array,
    values: Array,
    gains: Array,
    ways: Array,
) -> tuple[bool, int, int]:
    """Fill in the gain of every take; return whether they fit, the highest gain and the number of takes with it."""
    fits = _takes(reserve, filled, ticked, allowed)
    best, count = -100000, 0
    for line in range(_LINES + 1):
        if not allowed[line]:
            continue
        many = 1
        if line == _STARS:
            values[line], many = best_ways(sums, ticked, stars_in(reserve), gains, ways)
        else:
            values[line] = _line_gain(reserve, filled, ticked, line, fits)
        if grid:
            values[line] -= 5 * (min(solo + solo_boxes(reserve, line), grid) - solo)
        if values[line] > best:
            best, count = values[line], many
        elif values[line] == best:
            count += many
    return fits, best, count


@jit
def play_light(seats: int, grid: int, bots: Array, games: Games, mind: Array, desk: Any) -> None:
    """Play every game up to the next turn of a bot that needs a network, or to its end.

    `desk` is None if no bot is the planner: Numba then compiles a shorter function.
    """
    filled, sums, ticked = games.filled, games.sums, games.ticked
    reserves, bags, solo, turn, asks = games.reserve, games.bag, games.solo, games.seat, games.asks
    turns, decisions, dice, luck = games.turns, games.decisions, games.dice, games.luck
    allowed = np.zeros(_LINES + 1, np.bool_)
    values = np.zeros(_LINES + 1, np.int64)
    gains = np.zeros((_ROWS + 1, 15), np.int64)
    ways = np.zeros((_ROWS + 1, 15), np.int64)
    rows = np.zeros(_ROWS, np.int64)
    for game in range(turn.shape[0]):
        reserve, bag = reserves[game], bags[game]
        while turn[game] >= 0 and bots[turn[game]] < NETWORK:
            seat = turn[game]
            bot = bots[seat]
            turns[game, seat] += 1
            one, two = luck[game, seat, 0], luck[game, seat, 1]
            prepared = False
            # S1: keep or return the reserve.
            if asks[game]:
                back = False
                if bot == RANDOM:
                    back = below(luck_words(one, two, decisions[game, seat], 0)[0], 2) == 1
                elif bot == GREEDY:
                    _, most, _ = _gains(
                        reserve, filled[game, seat], sums[game, seat], ticked[game, seat], solo[game], grid,
                        allowed, values, gains, ways,
                    )  # fmt: skip
                    back = most <= 0
                elif desk is not None:
                    prepare(seats, grid, games, game, mind[0], desk[0])
                    prepared = True
                    draw = best_draw(mind[0], desk[0], reserve, bag, any_number(1), one, two, decisions[game, seat])
                    back = draw == 0
                decisions[game, seat] += 1
                if back:
                    for colour in range(4):
                        for face in range(6):
                            reserve[colour, face] = 0
                    refill(reserve, bag)
            # S2 to S4: how many dice to draw.
            most = min(3, bag[0] + bag[1] + bag[2] + bag[3])
            fewest = most
            for colour in range(4):
                for face in range(1, 6):
                    if reserve[colour, face]:
                        fewest = 1
            number = most
            if bot == RANDOM:
                number = fewest + below(luck_words(one, two, decisions[game, seat], 0)[0], most - fewest + 1)
            if desk is not None and bot == PLANNER and fewest < most:
                if not prepared:
                    prepare(seats, grid, games, game, mind[0], desk[0])
                    prepared = True
                number = best_draw(mind[0], desk[0], reserve, bag, any_number(0), one, two, decisions[game, seat])
            decisions[game, seat] += 1
            draw_all(reserve, bag, number, dice[game, 0], dice[game, 1], seat, turns[game, seat])
            # S5: what to take.
            line, fits = -1, True
            decision = decisions[game, seat]
            decisions[game, seat] += 1
            stars = stars_in(reserve)
            if desk is not None and bot == PLANNER:
                if not prepared:
                    prepare(seats, grid, games, game, mind[0], desk[0])
                fits = _takes(reserve, filled[game, seat], ticked[game, seat], allowed)
                _, line = best_take(mind[0], desk[0], reserve)
                if line == _STARS:
                    for row in range(_ROWS):
                        rows[row] = desk[0].star_rows[0, stars, row]
            if bot != PLANNER:
                word = luck_words(one, two, decision, 0)[0]
                if bot == RANDOM:
                    fits = _takes(reserve, filled[game, seat], ticked[game, seat], allowed)
                    total = 0
                    for each in range(_LINES):
                        total += allowed[each]
                    if allowed[_STARS]:
                        total += count_ways(ticked[game, seat], stars, ways)
                    best = 0
                else:
                    fits, best, total = _gains(
                        reserve, filled[game, seat], sums[game, seat], ticked[game, seat], solo[game], grid,
                        allowed, values, gains, ways,
                    )  # fmt: skip
                nth = below(word, total)
                for each in range(_LINES):
                    if line < 0 and allowed[each] and (bot == RANDOM or values[each] == best):
                        if nth == 0:
                            line = each
                        nth -= 1
                if line < 0:
                    line = _STARS
                    if bot == RANDOM:
                        nth_way(ticked[game, seat], stars, ways, nth, rows)
                    else:
                        nth_best_way(sums[game, seat], ticked[game, seat], stars, gains, ways, nth, rows)
            write_take(games, game, seat, line, fits, rows)
            end_turn(seats, grid, games, game, line == _STARS)
