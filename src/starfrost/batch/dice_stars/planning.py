"""The planner of Dice Stars (`players.dice_stars`: evaluation, weighing, planner), compiled by Numba.

The operations and their order are those of the single bot, so that the numbers are the same.
"""

from math import erf, exp, floor, sqrt
from typing import Any

import numpy as np

from starfrost.batch.compiled import below, luck_words
from starfrost.batch.dice_stars.desk import Desk, Mind
from starfrost.batch.dice_stars.positions import LINES, ROWS, Games
from starfrost.batch.dice_stars.sheets import (
    bits,
    count_ways,
    draw_face,
    fill_line,
    finished,
    nth_way,
    room,
    row_score,
    solo_boxes,
)
from starfrost.games.dice_stars.components import ALL_DICE
from starfrost.games.dice_stars.sheet import LINE_MASK, STAR_BOXES, WHITE
from starfrost.games.dice_stars.sheet import ROWS as LABELS
from starfrost.players.dice_stars.evaluation import CHANCE_UNIT, POINTS_UNIT
from starfrost.players.dice_stars.weighing import UNLIMITED
from starfrost.solver.kernels import Array, lean

_LINES, _ROWS, _STARS = LINES, ROWS, 9
_WHITE = WHITE
_WHITE_OF_ROW = np.array([LINE_MASK[str(label)] & WHITE for label in LABELS], np.int64)
_GREEN_OF_ROW = np.array([LINE_MASK[str(label)] & ~WHITE for label in LABELS], np.int64)
_BOXES = np.array(STAR_BOXES, np.int64)
_ALL_DICE = np.array(ALL_DICE, np.int64)
_VALUES = np.array([0, 2, 3, 4, 5, 6], np.int64)
_POINTS_UNIT, _CHANCE_UNIT = POINTS_UNIT, CHANCE_UNIT


@lean
def _time(mind: Mind, desk: Desk, place: int, filled: int, limit: float) -> tuple[int, float]:
    """Compute the chances of stars to come in time, unless they are known in this turn, and the hopes of the rows.

    Return the number of open white spaces and the turns that fill them.
    """
    for row in range(_ROWS):
        white = bits(_WHITE_OF_ROW[row] & ~filled)
        green = bits(_GREEN_OF_ROW[row] & ~filled)
        desk.hopes[row] = white * mind.white[row] + green * mind.green[row]
    open_white = bits(_WHITE & ~filled)
    filling = mind.filling * mind.powers[open_white]
    if place == 2 or desk.timed[place, open_white] != desk.clock[0]:
        desk.timed[place, open_white] = desk.clock[0]
        for stars in range(21):
            turns = min(filling + stars / mind.stars, limit)
            chance = 1.0 / (1.0 + exp((stars - mind.supply * turns) / mind.luck)) if stars else 1.0
            desk.chances[place, open_white, stars] = chance
    return open_white, filling


@lean
def _best_plan(
    mind: Mind, desk: Desk, place: int, open_white: int, sums: Array, ticked: Array, filling: float, limit: float
) -> tuple[float, float]:
    """Return the points and turns of the best plan for an unfinished sheet (`Evaluation._best_plan`)."""
    plans = desk.plans
    for part in range(5):
        plans[0, part] = 0.0
    count = 1
    for row in range(_ROWS):
        points, hope = sums[row], desk.hopes[row]
        need = _BOXES[row] - ticked[row]
        if need == 0:
            for plan in range(count):
                plans[plan, 3] += 2 * points
                plans[plan, 4] += 2 * hope
            continue
        sure = 0.0 if ticked[row] else mind.retreat
        gain = 2.0 - sure
        for plan in range(count):
            plans[count + plan, 0] = plans[plan, 0] + need
            plans[count + plan, 1] = plans[plan, 1] + gain * points
            plans[count + plan, 2] = plans[plan, 2] + gain * hope
            plans[count + plan, 3] = plans[plan, 3] + sure * points
            plans[count + plan, 4] = plans[plan, 4] + sure * hope
            if ticked[row] == 0:
                plans[plan, 3] += points
                plans[plan, 4] += hope
        count *= 2
    best, best_turns = -1.0, 0.0
    for plan in range(count):
        stars = plans[plan, 0]
        star_turns = stars / mind.stars
        turns = min(filling + star_turns, limit)
        if star_turns > turns:
            continue
        share = (turns - star_turns) / filling
        expected = (
            plans[plan, 3]
            + share * plans[plan, 4]
            + desk.chances[place, open_white, int(stars)] * (plans[plan, 1] + share * plans[plan, 2])
        )
        expected = floor(expected * _POINTS_UNIT + 0.5) / _POINTS_UNIT
        if expected > best:
            best, best_turns = expected, turns
    return best, best_turns


@lean
def _total(sums: Array, ticked: Array, penalty: int) -> int:
    total = -max(penalty, 0)
    for row in range(_ROWS):
        total += row_score(sums[row], ticked[row], row)
    return total


@lean
def _outlook(
    mind: Mind, desk: Desk, place: int, filled: int, sums: Array, ticked: Array, penalty: int, limit: float
) -> Any:
    """Return the expected points and turns of a sheet (`Evaluation.outlook`)."""
    if limit <= 0 or finished(filled, penalty):
        return float(_total(sums, ticked, penalty)), 0.0
    open_white, filling = _time(mind, desk, place, filled, limit)
    return _best_plan(mind, desk, place, open_white, sums, ticked, filling, limit)


@lean
def _turns_to_finish(mind: Mind, filled: int, ticked: Array, fills: int) -> Any:
    ticks = 0
    for row in range(_ROWS):
        ticks += ticked[row]
    played = fills + ticks / mind.stars
    usual = mind.pace * mind.powers[20]
    left = mind.pace * mind.powers[bits(_WHITE & ~filled)]
    return left * (played + mind.habit) / (usual - left + mind.habit)


@lean
def prepare(seats: int, grid: int, games: Games, game: int, mind: Mind, desk: Desk) -> None:
    """Look at the table before a turn (`Weighing.__init__`)."""
    me = games.seat[game]
    filled, sums, ticked, penalty = games.filled[game], games.sums[game], games.ticked[game], games.penalty[game]
    desk.clock[0] += 1
    ending = False
    rounds = desk.rounds
    for seat in range(seats):
        ending |= finished(filled[seat], penalty[seat])
        needed = _turns_to_finish(mind, filled[seat], ticked[seat], games.fills[game, seat])
        rounds[seat] = max(0.5, needed - (1 if seat >= me else 0))
    following = (me + 1) % seats
    for place in range(2):
        seat = me if place == 0 else following
        desk.filled[place] = filled[seat]
        for row in range(_ROWS):
            desk.sums[place, row] = sums[seat, row]
            desk.ticked[place, row] = ticked[seat, row]
        for line in range(_LINES):
            desk.rooms[place, line] = room(filled[seat], line)
        desk.limit[place] = _limit(rounds, seats, seat, me, ending)
    desk.next_points[0], _ = _outlook(
        mind, desk, 2, filled[following], sums[following], ticked[following], penalty[following], desk.limit[1]
    )
    desk.numbers[0], desk.numbers[1], desk.numbers[2], desk.numbers[3] = (
        grid,
        games.solo[game],
        me == seats - 1,
        seats - 1,
    )
    for last in range(2):
        for step in range(1, seats):
            seat = (me + step) % seats
            limit = _limit(rounds, seats, seat, me, ending or last == 1)
            desk.theirs[last, step - 1], _ = _outlook(
                mind, desk, 2, filled[seat], sums[seat], ticked[seat], penalty[seat], limit
            )


@lean
def _limit(rounds: Array, seats: int, seat: int, me: int, ending: bool) -> float:
    limit = UNLIMITED
    for other in range(seats):
        if other != seat:
            limit = min(limit, rounds[other])
    return (0.0 if ending else limit) + (1.0 if seat > me else 0.0)


@lean
def _fill(mind: Mind, desk: Desk, place: int, line: int, count: int, total: int) -> None:
    """Compute the outlook after a line is taken, unless it is known in this turn (`Reach._fill`)."""
    if desk.known[place, line, count, total] == desk.clock[0]:
        return
    desk.known[place, line, count, total] = desk.clock[0]
    filled, row = fill_line(desk.filled[place], line, count)
    for other in range(_ROWS):
        desk.trial[0, other] = desk.sums[place, other]
    desk.trial[0, row] += total
    points, turns = _outlook(mind, desk, place, filled, desk.trial[0], desk.ticked[place], -1, desk.limit[place])
    desk.points[place, line, count, total], desk.turns[place, line, count, total] = points, turns


@lean
def _tick(mind: Mind, desk: Desk, place: int, stars: int) -> None:
    """Find the best way to tick stars, unless it is known in this turn (`Reach._tick`)."""
    if desk.star_known[place, stars] == desk.clock[0]:
        return
    desk.star_known[place, stars] = desk.clock[0]
    desk.star_points[place, stars] = -np.inf
    ticked, sums, limit = desk.ticked[place], desk.sums[place], desk.limit[place]
    filled = desk.filled[place]
    number = count_ways(ticked, stars, desk.ways)
    playing = limit > 0 and not finished(filled, -1)
    open_white, filling = _time(mind, desk, place, filled, limit) if playing else (0, 0.0)
    for nth in range(number):
        nth_way(ticked, stars, desk.ways, nth, desk.way)
        for row in range(_ROWS):
            desk.trial[1, row] = ticked[row] + desk.way[row]
        if playing:
            points, turns = _best_plan(mind, desk, place, open_white, sums, desk.trial[1], filling, limit)
        else:
            points, turns = float(_total(sums, desk.trial[1], -1)), 0.0
        if points > desk.star_points[place, stars]:
            desk.star_points[place, stars], desk.star_turns[place, stars] = points, turns
            for row in range(_ROWS):
                desk.star_rows[place, stars, row] = desk.way[row]


@lean
def _above(mean: float, spread: float) -> float:
    return 0.5 * (1.0 + erf(mean / (spread * 1.4142135623730951)))


@lean
def _chance(mind: Mind, desk: Desk, points: float, turns: float, gift: float, boxes: int) -> Any:
    """Estimate the chance to win (`Weighing._chance`)."""
    grid = desk.numbers[0]
    if grid:
        ticked = desk.numbers[1] + boxes
        expected = ticked + (mind.boxes * turns + gift if turns else 0.0)
        spread = sqrt(turns + 0.05)
        left = _above(grid - 0.5 - expected, 1.2 * spread) if ticked < grid else 0.0
        margin = points - 5.0 * expected - 0.5
        value = left * _above(margin, mind.swing * spread) + 1e-4 * margin
    else:
        spread = mind.swing * sqrt(turns + (0.02 if desk.numbers[2] else 0.5))
        chance, harm, margin = 1.0, gift, 0.0
        last = 1 if turns == 0.0 else 0
        for other in range(desk.numbers[3]):
            margin = points - desk.theirs[last, other] - harm
            chance *= _above(margin, spread)
            harm = 0.0
        value = chance + 1e-4 * margin
    return floor(value * _CHANCE_UNIT + 0.5) / _CHANCE_UNIT


@lean
def _tally(reserve: Array, tally: Array) -> None:
    """Count a reserve: dice by colour, their sums, dice by face."""
    for face in range(6):
        tally[8 + face] = 0
    for colour in range(4):
        count, total = 0, 0
        for face in range(6):
            here = reserve[colour, face]
            count += here
            total += here * _VALUES[face]
            tally[8 + face] += here
        tally[colour], tally[4 + colour] = count, total


@lean
def _line(tally: Array, line: int) -> tuple[int, int]:
    """Return the number and the sum of the dice of a line."""
    if line < 4:
        return tally[line], tally[4 + line]
    return tally[5 + line], tally[5 + line] * _VALUES[line - 3]


@lean
def _gift(mind: Mind, desk: Desk, reserve: Array, line: int) -> tuple[bool, float]:
    """Return whether dice are left after a line is taken, and what they are worth to the next seat."""
    tally, rest = desk.tally, desk.rest
    held = 0
    taken = 0 if line == _STARS else line - 3
    for colour in range(4):
        gone = tally[colour] if line == colour else reserve[colour, taken] if line >= 4 else 0
        points = tally[4 + colour] if line == colour else gone * _VALUES[taken] if line >= 4 else 0
        rest[colour] = tally[colour] - gone
        rest[4 + colour] = tally[4 + colour] - points
        held += rest[colour]
    if held == 0:
        return False, 0.0
    for face in range(6):
        gone = reserve[line, face] if line < 4 else tally[8 + face] if face == taken else 0
        rest[8 + face] = tally[8 + face] - gone
    best = -np.inf
    for each in range(_LINES):
        count, total = _line(rest, each)
        if count and count <= desk.rooms[1, each]:
            _fill(mind, desk, 1, each, count, total)
            best = max(best, desk.points[1, each, count, total])
    stars = rest[8]
    if stars:
        _tick(mind, desk, 1, stars)
        best = max(best, desk.star_points[1, stars])
    if best == -np.inf:
        best = 0.0
    return True, mind.gift * max(0.0, best - desk.next_points[0])


@lean
def best_take(mind: Mind, desk: Desk, reserve: Array) -> tuple[float, int]:
    """Return the chance to win after the best take or penalty, and its line; line 9 are the stars."""
    option, tally = desk.option, desk.tally
    _tally(reserve, tally)
    count = 0
    for line in range(_LINES):
        number, total = _line(tally, line)
        if number and number <= desk.rooms[0, line]:
            _fill(mind, desk, 0, line, number, total)
            option[count, 0] = line
            option[count, 1] = desk.points[0, line, number, total]
            option[count, 2] = desk.turns[0, line, number, total]
            count += 1
    stars = tally[8]
    if stars:
        _tick(mind, desk, 0, stars)
        if desk.star_points[0, stars] > -np.inf:
            option[count, 0] = _STARS
            option[count, 1], option[count, 2] = desk.star_points[0, stars], desk.star_turns[0, stars]
            count += 1
    if count == 0:
        for line in range(_LINES):
            number, total = _line(tally, line)
            if number:
                # A penalty ends the game with this round, so the sheet counts as it is.
                option[count, 0] = line
                option[count, 1] = _total(desk.sums[0], desk.ticked[0], total)
                option[count, 2] = 0.0
                count += 1
    for index in range(count):
        option[index, 3] = _chance(mind, desk, option[index, 1], option[index, 2], 0.0, 0)
    best, choice = -1.0, int(option[0, 0])
    for _ in range(count):
        index = 0
        # The highest hope, of equal ones the last, as in a sorted list read from its end.
        for other in range(count):
            if option[other, 3] >= option[index, 3]:
                index = other
        hope = option[index, 3]
        if hope <= best:
            break
        line, points, turns = int(option[index, 0]), option[index, 1], option[index, 2]
        option[index, 3] = -np.inf
        chance = hope
        if desk.numbers[0]:
            boxes = solo_boxes(reserve, line)
            if boxes:
                chance = _chance(mind, desk, points, turns, 0.0 if line == _STARS else mind.gift * boxes, boxes)
        else:
            left, gift = _gift(mind, desk, reserve, line)
            if left:
                chance = _chance(mind, desk, points, turns, gift, 0)
        if chance > best:
            best, choice = chance, line
    return best, choice


@lean
def _single(mind: Mind, desk: Desk, reserve: Array, bag: Array) -> float:
    """Return the mean chance to win after a draw of one die, over all that it can show."""
    value, faces = 0.0, 0
    for colour in range(4):
        if bag[colour]:
            for face in range(6):
                before = bag[colour]
                pick = 0
                for earlier in range(colour):
                    pick += bag[earlier]
                for other in range(4):
                    desk.bag[other] = bag[other]
                _, shown = draw_face(desk.bag, pick, face)
                reserve[colour, shown] += 1
                chance, _ = best_take(mind, desk, reserve)
                reserve[colour, shown] -= 1
                value += before * chance
                faces += before
    return value / faces


@lean
def _sampled(
    mind: Mind, desk: Desk, reserve: Array, bag: Array, number: int, one: int, two: int, decision: int, call: int
) -> float:
    """Return the mean chance to win after a draw of two or three dice, over sampled rolls."""
    value = 0.0
    held = bag[0] + bag[1] + bag[2] + bag[3]
    colours, faces = desk.drawn[0], desk.drawn[1]
    four = luck_words(one, two, decision, call >> 2)
    for _ in range(mind.samples):
        for colour in range(4):
            desk.bag[colour] = bag[colour]
        for drawn in range(number):
            place = call & 3
            if place == 0:
                four = luck_words(one, two, decision, call >> 2)
            word = four[0] if place == 0 else four[1] if place == 1 else four[2] if place == 2 else four[3]
            call += 1
            index = below(word, 6 * (held - drawn))
            colours[drawn], faces[drawn] = draw_face(desk.bag, index // 6, index % 6)
            reserve[colours[drawn], faces[drawn]] += 1
        chance, _ = best_take(mind, desk, reserve)
        value += chance
        for drawn in range(number):
            reserve[colours[drawn], faces[drawn]] -= 1
    return value / mind.samples


@lean
def best_draw(mind: Mind, desk: Desk, reserve: Array, bag: Array, asks: bool, one: int, two: int, decision: int) -> int:
    """Return the best number of dice to draw, or 0 if the reserve is better returned and that is asked."""
    most = min(3, bag[0] + bag[1] + bag[2] + bag[3])
    fewest = most
    for colour in range(4):
        for face in range(1, 6):
            if reserve[colour, face]:
                fewest = 1
    best, choice, call = -np.inf, 0, 0
    for number in range(fewest, most + 1):
        if number == 1:
            value = _single(mind, desk, reserve, bag)
        else:
            value = _sampled(mind, desk, reserve, bag, number, one, two, decision, call)
            call += number * mind.samples
        if value > best:
            best, choice = value, number
    if asks and _sampled(mind, desk, desk.empty, _ALL_DICE, 3, one, two, decision, call) > best:
        return 0
    return choice
