"""The planner of Dice Stars (`bots`: weighing, planner), compiled by Numba.

The operations and their order are those of the single bot. Chances of equal rolls are
looked up when they are needed again in a turn.
"""

from math import erf, sqrt
from typing import Any

import numpy as np

from starfrost.batch.compiled import any_number, below, luck_words
from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.bots.planner import SAMPLES
from starfrost.games.dice_stars.compiled.outlook import fill, sheet_total, tick, try_out
from starfrost.games.dice_stars.compiled.planner_records import (
    COLOUR_ENTRIES,
    ENTRIES,
    SUMS,
    WAYS,
    PlannerScratch,
    PlannerWeights,
)
from starfrost.games.dice_stars.compiled.positions import LINES
from starfrost.games.dice_stars.compiled.sheets import draw_face
from starfrost.games.dice_stars.components import ALL_DICE
from starfrost.games.dice_stars.sheet import BOX_POINTS

_LINES, _STARS, _BOX_POINTS = LINES, 9, BOX_POINTS
_SUMS, _COLOURS, _ENTRIES, _SAMPLES = SUMS, COLOUR_ENTRIES, ENTRIES, SAMPLES
_ALL_DICE = np.array(ALL_DICE, np.int64)
_VALUES = np.array([0, 2, 3, 4, 5, 6], np.int64)
_LINE_OF_FACE = np.array([9, 4, 5, 6, 7, 8], np.int64)
_TALLY_OF_DIE = np.array(
    [(1 << 4 * colour) + (1 << 4 * _LINE_OF_FACE) + (_VALUES << SUMS + 6 * colour) for colour in range(4)], np.int64
)
_WAYS = WAYS


@lean
def _above(mean: float, spread: float) -> float:
    return 0.5 * (1.0 + erf(mean / (spread * 1.4142135623730951)))


@lean
def _chance(
    weights: PlannerWeights, scratch: PlannerScratch, points: float, turns: float, gift: float, boxes: int
) -> Any:
    """Estimate the chance to win (`Weighing._chance`)."""
    grid = scratch.grid
    if grid:
        ticked = scratch.solo + boxes
        expected = ticked + (weights.boxes * turns + gift if turns else 0.0)
        spread = sqrt(turns + 0.05)
        left = _above(grid - 0.5 - expected, 1.2 * spread) if ticked < grid else 0.0
        margin = points - _BOX_POINTS * expected - 0.5
        value = left * _above(margin, weights.swing * spread) + 1e-4 * margin
    else:
        spread = weights.swing * sqrt(turns + (0.02 if scratch.last_seat else 0.5))
        chance, harm, margin = 1.0, gift, 0.0
        last = 1 if turns == 0.0 else 0
        for other in range(scratch.others):
            margin = points - scratch.theirs[last, other] - harm
            chance *= _above(margin, spread)
            harm = 0.0
        value = chance + 1e-4 * margin
    return value


@lean
def _count(tally: int, line: int) -> int:
    """Return the number of dice of a line; line 9 are the stars."""
    return (tally >> (4 * line)) & 15


@lean
def _sum(tally: int, line: int) -> int:
    """Return the sum of the dice of a line."""
    return (tally >> (_SUMS + 6 * line)) & 63 if line < 4 else _count(tally, line) * _VALUES[line - 3]


@lean
def _points(tally: int) -> int:
    """Return the sum of all dice."""
    points = 0
    for colour in range(4):
        points += _sum(tally, colour)
    return points


@lean
def _entry(tally: int, line: int, count: int) -> int:
    """Return where the tables have the take of a line."""
    return (6 * line + count) * 32 + _sum(tally, line) if line < 4 else _COLOURS + 16 * (line - 4) + count


@lean
def _enter(
    weights: PlannerWeights, scratch: PlannerScratch, place: int, line: int, count: int, total: int, entry: int
) -> Any:
    """Compute an entry of the tables; return its worth."""
    worth = -np.inf
    if count <= scratch.rooms[place, line]:
        if line == _STARS:
            points, turns = tick(weights, scratch, place, count)
        else:
            points, turns = fill(weights, scratch, place, line, count, total)
        worth = points
        if place == 0:
            scratch.points[entry], scratch.turns[entry] = points, turns
            worth = _chance(weights, scratch, points, turns, 0.0, any_number(0))
    scratch.worth[place, entry] = worth
    return worth


@lean
def _gift(weights: PlannerWeights, scratch: PlannerScratch, rest: int) -> Any:
    """Return what the dice left over are worth to the next seat."""
    best = -np.inf
    for line in range(_LINES + 1):
        count = _count(rest, line)
        if count:
            entry = _entry(rest, line, count)
            points = scratch.worth[1, entry]
            if points == np.inf:
                points = _enter(weights, scratch, any_number(1), line, count, _sum(rest, line), entry)
            best = max(best, points)
    if best == -np.inf:
        best = 0.0
    return weights.gift * max(0.0, best - scratch.next_points)


@lean
def _solo_boxes(rest: int) -> int:
    """Return the solo boxes to tick for the dice left over (L2)."""
    points = _points(rest)
    if points == 0:
        return 1 if rest else 0
    return -((-points * (2 if _count(rest, any_number(_STARS)) else 1)) // _BOX_POINTS)


@lean
def _add(scratch: PlannerScratch, colour: int, face: int, number: int) -> None:
    """Add dice to the tallies of the reserve."""
    dice = number * _TALLY_OF_DIE[colour, face]
    scratch.tally += dice
    scratch.lines[colour] += dice
    scratch.lines[_LINE_OF_FACE[face]] += dice


@lean
def _lay_out(scratch: PlannerScratch, reserve: Array) -> None:
    """Tally a reserve."""
    scratch.tally = 0
    for line in range(_LINES + 1):
        scratch.lines[line] = 0
    for colour in range(4):
        for face in range(6):
            if reserve[colour, face]:
                _add(scratch, colour, face, reserve[colour, face])


@lean
def best_take(weights: PlannerWeights, scratch: PlannerScratch, reserve: Array) -> tuple[float, int]:
    """Return the chance to win after the best take or penalty, and its line; line 9 are the stars."""
    _lay_out(scratch, reserve)
    return _best_take(weights, scratch)


@lean
def _options(weights: PlannerWeights, scratch: PlannerScratch) -> int:
    """List the takes from the reserve for which there is room, or else its penalties; return their number."""
    tally, number = scratch.tally, 0
    for line in range(_LINES + 1):
        count = _count(tally, line)
        if count:
            entry = _entry(tally, line, count)
            hope = scratch.worth[0, entry]
            if hope == np.inf:
                hope = _enter(weights, scratch, any_number(0), line, count, _sum(tally, line), entry)
            if hope > -np.inf:
                scratch.option_line[number], scratch.option_entry[number], scratch.option_hope[number] = (
                    line,
                    entry,
                    hope,
                )
                number += 1
    if number == 0:
        try_out(scratch, any_number(0))
        for line in range(_LINES):
            if _count(tally, line):
                # A penalty ends the game with this round, so the sheet counts as it is.
                entry = _ENTRIES + line
                points = sheet_total(scratch, _sum(tally, line))
                scratch.points[entry], scratch.turns[entry] = points, 0.0
                scratch.option_line[number], scratch.option_entry[number] = line, entry
                scratch.option_hope[number] = _chance(weights, scratch, points, 0.0, 0.0, any_number(0))
                number += 1
    return number


@lean
def _best_take(weights: PlannerWeights, scratch: PlannerScratch) -> tuple[float, int]:
    number = _options(weights, scratch)
    best, choice = -1.0, scratch.option_line[0]
    for _ in range(number):
        option, hope = 0, scratch.option_hope[0]
        # The highest hope, of equal ones the last, as in a sorted list read from its end.
        for other in range(1, number):
            if scratch.option_hope[other] >= hope:
                option, hope = other, scratch.option_hope[other]
        if hope <= best:
            break
        scratch.option_hope[option] = -np.inf
        line, entry = scratch.option_line[option], scratch.option_entry[option]
        rest = scratch.tally - scratch.lines[line]
        chance = hope
        if scratch.grid:
            boxes = _solo_boxes(rest)
            if boxes:
                gift = 0.0 if line == _STARS else weights.gift * boxes
                chance = _chance(weights, scratch, scratch.points[entry], scratch.turns[entry], gift, boxes)
        elif rest:
            gift = _gift(weights, scratch, rest)
            if gift > 0.0:
                chance = _chance(weights, scratch, scratch.points[entry], scratch.turns[entry], gift, any_number(0))
        if chance > best:
            best, choice = chance, line
    return best, choice


@lean
def _single(weights: PlannerWeights, scratch: PlannerScratch) -> float:
    """Return the mean chance to win after a draw of one die, over all that it can show."""
    value, faces = 0.0, 0
    for colour in range(4):
        for face in range(6):
            ways = scratch.bag[colour] * _WAYS[colour, face]
            if ways:
                _add(scratch, colour, face, any_number(1))
                chance, _ = _best_take(weights, scratch)
                _add(scratch, colour, face, any_number(-1))
                value += ways * chance
        faces += 6 * scratch.bag[colour]
    return value / faces


@lean
def _sampled(
    weights: PlannerWeights, scratch: PlannerScratch, number: int, one: int, two: int, decision: int, call: int
) -> float:
    """Return the mean chance to win after a draw of two or three dice, over sampled rolls."""
    bag, left = scratch.bag, scratch.bag_left
    held, known, value = bag[0] + bag[1] + bag[2] + bag[3], 0, 0.0
    four = luck_words(one, two, decision, call >> 2)
    for _ in range(_SAMPLES):
        for colour in range(4):
            left[colour] = bag[colour]
        dice = 0
        for drawn in range(number):
            place = call & 3
            if place == 0:
                four = luck_words(one, two, decision, call >> 2)
            word = four[0] if place == 0 else four[1] if place == 1 else four[2] if place == 2 else four[3]
            call += 1
            index = below(word, 6 * (held - drawn))
            colour, face = draw_face(left, index // 6, index % 6)
            scratch.drawn[drawn] = 6 * colour + face
            dice += 1 << (2 * (6 * colour + face))
        at = 0
        while at < known and scratch.seen[at] != dice:
            at += 1
        if at == known:
            for drawn in range(number):
                _add(scratch, scratch.drawn[drawn] // 6, scratch.drawn[drawn] % 6, any_number(1))
            scratch.seen[at] = dice
            scratch.found[at], _ = _best_take(weights, scratch)
            for drawn in range(number):
                _add(scratch, scratch.drawn[drawn] // 6, scratch.drawn[drawn] % 6, any_number(-1))
            known += 1
        value += scratch.found[at]
    return value / _SAMPLES


@lean
def best_draw(
    weights: PlannerWeights,
    scratch: PlannerScratch,
    reserve: Array,
    bag: Array,
    asks: int,
    one: int,
    two: int,
    decision: int,
) -> int:
    """Return the best number of dice to draw, or 0 if the reserve is better returned and that is asked."""
    _lay_out(scratch, reserve)
    for colour in range(4):
        scratch.bag[colour] = bag[colour]
    most = min(3, bag[0] + bag[1] + bag[2] + bag[3])
    # A reserve without numbers needs the largest draw (S3, S4).
    fewest = 1 if _points(scratch.tally) else most
    best, choice, call = -np.inf, 0, any_number(0)
    for number in range(fewest, most + 1):
        if number == 1:
            value = _single(weights, scratch)
        else:
            value = _sampled(weights, scratch, number, one, two, decision, call)
            call += number * _SAMPLES
        if value > best:
            best, choice = value, number
    if asks:
        scratch.tally = 0
        for line in range(_LINES + 1):
            scratch.lines[line] = 0
        for colour in range(4):
            scratch.bag[colour] = _ALL_DICE[colour]
        if _sampled(weights, scratch, any_number(3), one, two, decision, call) > best:
            return 0
    return choice
