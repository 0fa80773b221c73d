"""The options of a decision of `strong` in Dice Stars and the positions they lead to, compiled by Numba.

They and their order are those of `bots.choice`. An option of a take is its line (9 are the stars) and
the boxes that it ticks in each row.
"""

from typing import Any

import numpy as np

from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.bots.choice import ORDERS
from starfrost.games.dice_stars.compiled.network import PackedPosition, ends_game
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, Games
from starfrost.games.dice_stars.compiled.sheets import (
    fill_line,
    line_dice,
    refill,
    room,
    solo_boxes,
    stars_in,
    take_line,
)
from starfrost.games.dice_stars.sheet import STAR_BOXES

_LINES, _ROWS, _STARS = LINES, ROWS, 9
_BOXES = np.array(STAR_BOXES, np.int64)
_ORDERS = np.array(ORDERS, np.int64)


@lean
def load(seats: int, games: Games, game: int, table: PackedPosition) -> None:
    """Copy the position of a game, seen by the seat whose turn it is."""
    seat = games.seat[game]
    for place in range(seats):
        other = (seat + place) % seats
        sums, marks = 0, games.sums[game, other, 4] | (games.penalty[game, other] + 1) << 8
        for row in range(_ROWS):
            if row < 4:
                sums |= games.sums[game, other, row] << (8 * row)
            marks |= games.ticked[game, other, row] << (16 + 3 * row)
        table.words[place, 0], table.words[place, 1], table.words[place, 2] = games.filled[game, other], sums, marks
    for colour in range(4):
        table.bag[colour] = games.bag[game, colour]
        for face in range(6):
            table.reserve[colour, face] = games.reserve[game, colour, face]
    table.numbers[0], table.numbers[1] = seat, games.solo[game]
    table.numbers[2], table.numbers[3], table.numbers[4] = 0, 0, 0


@lean
def copy(source: PackedPosition, target: PackedPosition) -> None:
    for place in range(source.words.shape[0]):
        for word in range(3):
            target.words[place, word] = source.words[place, word]
    for colour in range(4):
        target.bag[colour] = source.bag[colour]
        for face in range(6):
            target.reserve[colour, face] = source.reserve[colour, face]
    for number in range(5):
        target.numbers[number] = source.numbers[number]


@lean
def _free(table: PackedPosition, row: int) -> Any:
    """Return the empty star boxes of a row."""
    return _BOXES[row] - ((table.words[0, 2] >> (16 + 3 * row)) & 7)


@lean
def takes(table: PackedPosition) -> Any:
    """Return the lines that fit as bits, the stars that fit, and whether only penalties are left (S5, F5, F6)."""
    spaces = table.words[0, 0]
    fits, lines = 0, 0
    for line in range(_LINES):
        count, _ = line_dice(table.reserve, line)
        if count:
            lines |= 1 << line
            if count <= room(spaces, line):
                fits |= 1 << line
    stars, free = stars_in(table.reserve), 0
    for row in range(_ROWS):
        free += _free(table, row)
    if stars > free:
        stars = 0
    if fits == 0 and stars == 0:
        return lines, 0, True
    return fits, stars, False


@lean
def take(seats: int, boxes: int, before: PackedPosition, way: Array, penalty: bool, after: PackedPosition) -> None:
    """Take a line, or tick stars in rows (line 9), and end the turn (`engine.take_dice`, `engine.next_turn`)."""
    line = way[0]
    seat, solo = before.numbers[0], before.numbers[1]
    spaces, sums, marks = before.words[0, 0], before.words[0, 1], before.words[0, 2]
    if line == _STARS:
        for row in range(_ROWS):
            marks += way[1 + row] << (16 + 3 * row)
    else:
        count, points = line_dice(before.reserve, line)
        if penalty:
            marks += (points + 1) << 8
        else:
            spaces, row = fill_line(spaces, line, count)
            if row < 4:
                sums += points << (8 * row)
            else:
                marks += points
    left = 0
    for colour in range(4):
        left += before.bag[colour]
        after.bag[colour] = before.bag[colour]
        for face in range(6):
            after.reserve[colour, face] = before.reserve[colour, face]
    take_line(after.reserve, line)
    ends = ends_game(spaces, marks)
    for place in range(1, seats):
        ends |= ends_game(before.words[place, 0], before.words[place, 2])
    last = seat == seats - 1
    over = ends and last
    if seats == 1:
        solo = min(solo + solo_boxes(after.reserve, 10), boxes)
        over |= solo == boxes
    turn = 0 if over else 1
    for place in range(seats):
        source = (place + turn) % seats
        if source == 0:
            after.words[place, 0], after.words[place, 1], after.words[place, 2] = spaces, sums, marks
        else:
            for word in range(3):
                after.words[place, word] = before.words[source, word]
    after.numbers[0] = seat if over else 0 if last else seat + 1
    after.numbers[1] = solo
    after.numbers[2] = 0
    after.numbers[3] = 1 if over else 0
    after.numbers[4] = 0
    if not over and (line == _STARS or left == 0):
        after.numbers[2] = 1 if refill(after.reserve, after.bag) else 0


@lean
def some_star_takes(table: PackedPosition, stars: int, first: int, ways: Array) -> int:
    """List the ways to fill row after row, in twenty orders (`choice.star_takes`), each once; return their end."""
    end = first
    for order in range(_ORDERS.shape[0]):
        left = stars
        for place in range(_ROWS):
            row = _ORDERS[order, place]
            here = min(_free(table, row), left)
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
def every_star_take(table: PackedPosition, stars: int, first: int, ways: Array) -> int:
    """List every way to tick stars, in the order of `choice.every_star_take`; return their end."""
    end = first
    two, three, four = _free(table, 0), _free(table, 1), _free(table, 2)
    five, six = _free(table, 3), _free(table, 4)
    for a in range(min(two, stars) + 1):
        for b in range(min(three, stars - a) + 1):
            for c in range(min(four, stars - a - b) + 1):
                for d in range(min(five, stars - a - b - c) + 1):
                    e = stars - a - b - c - d
                    if e <= six:
                        way = ways[end]
                        way[0], way[1], way[2], way[3], way[4], way[5] = _STARS, a, b, c, d, e
                        end += 1
    return end


@lean
def announce(table: PackedPosition, option: int, after: PackedPosition) -> None:
    """Announce a draw: options 0 to 2 keep the reserve and draw 1 to 3 dice, option 3 returns it and draws 3."""
    copy(table, after)
    after.numbers[2] = 0
    after.numbers[4] = min(option + 1, 3)
    if option == 3:
        for colour in range(4):
            for face in range(6):
                after.reserve[colour, face] = 0
        refill(after.reserve, after.bag)


@lean
def draws(table: PackedPosition) -> int:
    """Return the options of a draw as bits (S1 to S4)."""
    most = min(3, table.bag[0] + table.bag[1] + table.bag[2] + table.bag[3])
    fewest = most
    for colour in range(4):
        for face in range(1, 6):
            if table.reserve[colour, face]:
                fewest = 1
    options = 8 if table.numbers[2] else 0
    for draw in range(fewest, most + 1):
        options |= 1 << (draw - 1)
    return options
