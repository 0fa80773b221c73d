"""Sheets, reserves and takes of Dice Stars for loops that Numba compiles.

A reserve counts dice by colour and face (star, 2 to 6). Lines are the four colours, then the five rows; takes are in
the order of the legal actions: lines first, then the ways to tick stars, those with more boxes in upper rows first.
"""

from typing import Any

import numpy as np

from starfrost.batch.compiled import below, eight_words
from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, Games
from starfrost.games.dice_stars.components import ALL_DICE, FACES
from starfrost.games.dice_stars.sheet import BOX_POINTS, LINE_MASK, ROW_SPACES, STAR_BOXES, WHITE
from starfrost.games.dice_stars.vector.engine import COLOUR, DRAW_DICE, KEEP, PENALTY, RETURN, STARS

_LINE = np.array(list(LINE_MASK.values()), np.int64)
_ROW_OF = np.array([row for row, spaces in enumerate(ROW_SPACES) for _ in spaces], np.int64)
_BOXES = np.array(STAR_BOXES, np.int64)
_BOX_POINTS = BOX_POINTS
_VALUES = np.array([0, 2, 3, 4, 5, 6], np.int64)
_FACE = np.array([[max(face - 1, 0) for face in faces] for faces in FACES], np.int64)
_ALL_DICE = np.array(ALL_DICE, np.int64)
_WHITE = WHITE
_KEEP, _RETURN, _DRAW, _TAKE, _PENALTY, _STARS = KEEP, RETURN, DRAW_DICE - 1, COLOUR, PENALTY, STARS


@lean
def bits(word: int) -> int:
    """Count the set bits of a word with up to 30."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) & 0xFFFFFFFF) >> 24


@lean
def line_dice(reserve: Array, line: int) -> tuple[int, int]:
    """Return the number and the sum of the dice of a line."""
    count, total = 0, 0
    if line < 4:
        for face in range(6):
            count += reserve[line, face]
            total += reserve[line, face] * _VALUES[face]
    else:
        for colour in range(4):
            count += reserve[colour, line - 3]
        total = count * _VALUES[line - 3]
    return count, total


@lean
def stars_in(reserve: Array) -> Any:
    """Return the number of stars."""
    return reserve[0, 0] + reserve[1, 0] + reserve[2, 0] + reserve[3, 0]


@lean
def room(filled: int, line: int) -> Any:
    """Return the number of empty spaces of a line."""
    return bits(_LINE[line] & ~filled)


@lean
def fill_line(filled: int, line: int, count: int) -> tuple[int, int]:
    """Return the filled spaces after a take, and the row in which its sum is written (F1, F2, F4)."""
    empty = _LINE[line] & ~filled
    row = 0
    for space in range(30):
        if empty >> space & 1:
            filled |= 1 << space
            row = _ROW_OF[space]
            count -= 1
            if count == 0:
                break
    return filled, row


@lean
def row_score(points: int, ticked: int, row: int) -> int:
    """Return the score of a row (G2)."""
    return points if ticked == 0 else 2 * points if ticked == _BOXES[row] else 0


@lean
def score(sums: Array, ticked: Array, penalty: int) -> Any:
    """Return the score of a sheet (G2, G3)."""
    total = -max(penalty, 0)
    for row in range(ROWS):
        total += row_score(sums[row], ticked[row], row)
    return total


@lean
def finished(filled: int, penalty: int) -> bool:
    """Return whether a sheet ends the game with the round (G1)."""
    return penalty >= 0 or filled & _WHITE == _WHITE


@lean
def takes(reserve: Array, filled: int, ticked: Array, allowed: Array) -> bool:
    """Fill in which lines and whether the stars can be taken; return False if only penalties are left (S5, F5, F6)."""
    found = False
    for line in range(LINES):
        count, _ = line_dice(reserve, line)
        allowed[line] = count > 0 and count <= room(filled, line)
        found |= allowed[line]
    stars, free = stars_in(reserve), 20
    for row in range(ROWS):
        free -= ticked[row]
    allowed[LINES] = stars > 0 and stars <= free
    if found or allowed[LINES]:
        return True
    for line in range(LINES):
        allowed[line] = line_dice(reserve, line)[0] > 0
    return False


@lean
def draw_limits(reserve: Array, bag: Array) -> tuple[int, int]:
    """Return the fewest and the most dice that can be drawn (S2 to S4)."""
    most = min(3, bag[0] + bag[1] + bag[2] + bag[3])
    fewest = most
    for colour in range(4):
        for face in range(1, 6):
            if reserve[colour, face]:
                fewest = 1
    return fewest, most


@lean
def take_line(reserve: Array, line: int) -> None:
    """Remove the dice of a line from a reserve; line 9 are the stars."""
    if line < 4:
        for face in range(6):
            reserve[line, face] = 0
    else:
        face = 0 if line == 9 else line - 3
        for colour in range(4):
            reserve[colour, face] = 0


@lean
def solo_boxes(reserve: Array, line: int) -> int:
    """Return the solo boxes to tick for the dice left after a line is taken (L2); line 9 are the stars."""
    dice, points, stars = 0, 0, 0
    for colour in range(4):
        for face in range(6):
            if colour != line and not (line >= 4 and face == (0 if line == 9 else line - 3)):
                dice += reserve[colour, face]
                points += reserve[colour, face] * _VALUES[face]
                stars += reserve[colour, face] if face == 0 else 0
    if points == 0:
        return 1 if dice else 0
    return -((-points * (2 if stars else 1)) // _BOX_POINTS)


@lean
def count_ways(ticked: Array, stars: int, ways: Array) -> Any:
    """Count the ways to tick `stars` boxes; `ways[row, left]` is the number for the rows from `row` on."""
    for left in range(stars + 1):
        ways[ROWS, left] = 1 if left == 0 else 0
    for row in range(ROWS - 1, -1, -1):
        free = _BOXES[row] - ticked[row]
        for left in range(stars + 1):
            ways[row, left] = 0
            for here in range(min(free, left) + 1):
                ways[row, left] += ways[row + 1, left - here]
    return ways[0, stars]


@lean
def nth_way(ticked: Array, stars: int, ways: Array, nth: int, chosen: Array) -> None:
    """Fill in the n-th way to tick stars, by row."""
    left = stars
    for row in range(ROWS):
        for here in range(min(_BOXES[row] - ticked[row], left), -1, -1):
            if nth < ways[row + 1, left - here]:
                chosen[row] = here
                left -= here
                break
            nth -= ways[row + 1, left - here]


@lean
def best_ways(sums: Array, ticked: Array, stars: int, gains: Array, ways: Array) -> tuple[int, int]:
    """Return the highest gain of a way to tick stars, and the number of ways with it; `gains` and `ways` by row."""
    for left in range(stars + 1):
        gains[ROWS, left] = 0
        ways[ROWS, left] = 1 if left == 0 else 0
    for row in range(ROWS - 1, -1, -1):
        free = _BOXES[row] - ticked[row]
        now = row_score(sums[row], ticked[row], row)
        for left in range(stars + 1):
            ways[row, left], gains[row, left] = 0, 0
            for here in range(min(free, left) + 1):
                later = ways[row + 1, left - here]
                if later:
                    gain = row_score(sums[row], ticked[row] + here, row) - now + gains[row + 1, left - here]
                    if ways[row, left] == 0 or gain > gains[row, left]:
                        gains[row, left], ways[row, left] = gain, later
                    elif gain == gains[row, left]:
                        ways[row, left] += later
    return gains[0, stars], ways[0, stars]


@lean
def nth_best_way(sums: Array, ticked: Array, stars: int, gains: Array, ways: Array, nth: int, chosen: Array) -> None:
    """Fill in the n-th of the ways with the highest gain, in the order of all ways."""
    left = stars
    for row in range(ROWS):
        now = row_score(sums[row], ticked[row], row)
        for here in range(min(_BOXES[row] - ticked[row], left), -1, -1):
            later = ways[row + 1, left - here]
            if not later:
                continue
            gain = row_score(sums[row], ticked[row] + here, row) - now + gains[row + 1, left - here]
            if gain == gains[row, left]:
                if nth < later:
                    chosen[row] = here
                    left -= here
                    break
                nth -= later


@lean
def draw_face(bag: Array, pick: int, face: int) -> tuple[int, int]:
    """Take the die with this number out of a bag and return its colour and the face that it shows."""
    colour = 0
    while pick >= bag[colour]:
        pick -= bag[colour]
        colour += 1
    bag[colour] -= 1
    return colour, _FACE[colour, face]


@lean
def refill(reserve: Array, bag: Array) -> int:
    """Put all dice that are not in the reserve into the bag (S1); return the number of dice in the reserve."""
    held = 0
    for colour in range(4):
        here = 0
        for face in range(6):
            here += reserve[colour, face]
        bag[colour] = _ALL_DICE[colour] - here
        held += here
    return held


@lean
def draw_all(reserve: Array, bag: Array, number: int, one: int, two: int, seat: int, turn: int) -> None:
    """Draw and roll dice for the reserve (S2); `one` and `two` are the key of the game's dice."""
    a, b, c, d, e, f, _, _ = eight_words(one, two, seat, turn, 0)
    for drawn in range(number):
        pick, face = (a, b) if drawn == 0 else (c, d) if drawn == 1 else (e, f)
        held = bag[0] + bag[1] + bag[2] + bag[3]
        colour, shown = draw_face(bag, below(pick, held), below(face, 6))
        reserve[colour, shown] += 1


@lean
def write_take(games: Games, game: int, seat: int, line: int, fits: bool, rows: Array) -> None:
    """Write a take or a penalty on the sheet and remove its dice (S5, F1 to F6); line 9 are the stars."""
    reserve = games.reserve[game]
    if line == 9:
        for row in range(ROWS):
            games.ticked[game, seat, row] += rows[row]
    else:
        count, total = line_dice(reserve, line)
        if fits:
            games.filled[game, seat], row = fill_line(games.filled[game, seat], line, count)
            games.sums[game, seat, row] += total
            games.fills[game, seat] += 1
        else:
            games.penalty[game, seat] = total
    take_line(reserve, line)


@lean
def return_all(reserve: Array, bag: Array) -> None:
    """Return the whole reserve to the bag (S1)."""
    for colour in range(4):
        for face in range(6):
            reserve[colour, face] = 0
    refill(reserve, bag)


@lean
def action_number(step: int, option: int, fits: bool, rows: Array) -> Any:
    """Return the number that the vector engine gives to a decision.

    `option` is whether the reserve is returned, the dice to draw, or the line to take; 9 are the stars of `rows`.
    """
    if step == 0:
        return _RETURN if option else _KEEP
    if step == 1:
        return _DRAW + option
    if option < 9:
        return (_TAKE if fits else _PENALTY) + option
    code = 0
    for row in range(ROWS - 1, -1, -1):
        code = code * (_BOXES[row] + 1) + rows[row]
    return _STARS + code


@lean
def end_turn(seats: int, grid: int, games: Games, game: int, took_stars: bool) -> None:
    """End a turn: solo grid (L2), end of the game (G1, L3), refill (S1), next seat."""
    reserve, bag, solo, turn = games.reserve[game], games.bag[game], games.solo, games.seat
    if grid:
        solo[game] = min(solo[game] + solo_boxes(reserve, 10), grid)
    following = turn[game] + 1
    if following == seats:
        following = 0
        if grid and solo[game] == grid:
            following = -1
        for seat in range(seats):
            if finished(games.filled[game, seat], games.penalty[game, seat]):
                following = -1
    turn[game] = following
    games.asks[game] = 0
    if following >= 0 and (took_stars or bag[0] + bag[1] + bag[2] + bag[3] == 0):
        games.asks[game] = 1 if refill(reserve, bag) else 0
