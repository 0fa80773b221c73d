"""The options of a decision of `strong` in Dice Stars and the positions they lead to, compiled by Numba.

They and their order are those of `bots.choice`. An option of a take is its line (9 are the stars) and the boxes that it
ticks in each row. Positions are tried out in rows of a batch of their own (`LookAhead.tables`).
"""

import numpy as np

from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.bots.choice import ORDERS
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, Games
from starfrost.games.dice_stars.compiled.sheets import draw_limits, end_turn, return_all, write_take
from starfrost.games.dice_stars.sheet import STAR_BOXES

_ROWS, _STARS = ROWS, LINES
_BOXES = np.array(STAR_BOXES, np.int64)
_ORDERS = np.array(ORDERS, np.int64)


@lean
def copy(source: Games, game: int, target: Games, at: int) -> None:
    """Copy a position."""
    for seat in range(source.filled.shape[1]):
        target.filled[at, seat], target.penalty[at, seat] = source.filled[game, seat], source.penalty[game, seat]
        for row in range(_ROWS):
            target.sums[at, seat, row] = source.sums[game, seat, row]
            target.ticked[at, seat, row] = source.ticked[game, seat, row]
    for colour in range(4):
        target.bag[at, colour] = source.bag[game, colour]
        for face in range(6):
            target.reserve[at, colour, face] = source.reserve[game, colour, face]
    target.solo[at], target.seat[at], target.asks[at] = source.solo[game], source.seat[game], source.asks[game]


@lean
def take(seats: int, grid: int, tables: Games, before: int, way: Array, fits: bool, after: int) -> None:
    """Take a line, or tick stars in rows (line 9), and end the turn."""
    copy(tables, before, tables, after)
    write_take(tables, after, tables.seat[before], way[0], fits, way[1:])
    end_turn(seats, grid, tables, after, way[0] == _STARS)


@lean
def announce(tables: Games, before: int, option: int, after: int) -> int:
    """Keep the reserve and draw 1 to 3 dice (options 0 to 2), or return it and draw 3 (3); return their number."""
    copy(tables, before, tables, after)
    tables.asks[after] = 0
    if option == 3:
        return_all(tables.reserve[after], tables.bag[after])
    return min(option + 1, 3)


@lean
def draws(tables: Games, at: int) -> int:
    """Return the options of a draw as bits (S1 to S4)."""
    fewest, most = draw_limits(tables.reserve[at], tables.bag[at])
    options = 8 if tables.asks[at] else 0
    for draw in range(fewest, most + 1):
        options |= 1 << (draw - 1)
    return options


@lean
def some_star_takes(ticked: Array, stars: int, first: int, ways: Array) -> int:
    """List the ways to fill row after row, in twenty orders (`choice.star_takes`), each once; return their end."""
    end = first
    for order in range(_ORDERS.shape[0]):
        left = stars
        for place in range(_ROWS):
            row = _ORDERS[order, place]
            here = min(_BOXES[row] - ticked[row], left)
            ways[end, 1 + row] = here
            left -= here
        known = False
        for other in range(first, end):
            same = True
            for row in range(_ROWS):
                same &= ways[other, 1 + row] == ways[end, 1 + row]
            known |= same
        if not known:
            ways[end, 0] = _STARS
            end += 1
    return end


@lean
def every_star_take(ticked: Array, stars: int, first: int, ways: Array) -> int:
    """List every way to tick stars, in the order of `choice.every_star_take`; return their end."""
    end = first
    for a in range(min(_BOXES[0] - ticked[0], stars) + 1):
        for b in range(min(_BOXES[1] - ticked[1], stars - a) + 1):
            for c in range(min(_BOXES[2] - ticked[2], stars - a - b) + 1):
                for d in range(min(_BOXES[3] - ticked[3], stars - a - b - c) + 1):
                    e = stars - a - b - c - d
                    if e <= _BOXES[4] - ticked[4]:
                        way = ways[end]
                        way[0], way[1], way[2], way[3], way[4], way[5] = _STARS, a, b, c, d, e
                        end += 1
    return end
