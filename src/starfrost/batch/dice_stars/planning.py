"""The planner of Dice Stars (`players.dice_stars`: evaluation, weighing, planner), compiled by Numba.

The operations and their order are those of the single bot, so that the numbers are the same. What it computes in a turn
is looked up when it is needed again: outlooks by line, number of dice and sum, and chances of equal rolls.
"""

from math import erf, exp, floor, sqrt
from typing import Any

import numpy as np

from starfrost.batch.compiled import any_number, below, luck_words
from starfrost.batch.dice_stars.desk import COLOUR_ENTRIES, ENTRIES, SUMS, Desk, Mind
from starfrost.batch.dice_stars.positions import LINES, ROWS, Games
from starfrost.batch.dice_stars.sheets import bits, count_ways, draw_face, fill_line, finished, nth_way, room, row_score
from starfrost.games.dice_stars.components import ALL_DICE, FACES
from starfrost.games.dice_stars.sheet import ROW_SPACES, STAR_BOXES, WHITE
from starfrost.players.dice_stars.evaluation import CHANCE_UNIT, POINTS_UNIT
from starfrost.players.dice_stars.planner import SAMPLES
from starfrost.players.dice_stars.weighing import UNLIMITED
from starfrost.solver.kernels import Array, lean

_LINES, _ROWS, _STARS = LINES, ROWS, 9
_SUMS, _COLOURS, _ENTRIES, _SAMPLES = SUMS, COLOUR_ENTRIES, ENTRIES, SAMPLES
_WHITE = WHITE
_START = np.array([spaces.start for spaces in ROW_SPACES], np.int64)
_SPACES = np.array([(1 << len(spaces)) - 1 for spaces in ROW_SPACES], np.int64)
_BOXES = np.array(STAR_BOXES, np.int64)
_ALL_DICE = np.array(ALL_DICE, np.int64)
_VALUES = np.array([0, 2, 3, 4, 5, 6], np.int64)
_LINE_OF_FACE = np.array([9, 4, 5, 6, 7, 8], np.int64)
_TALLY_OF_DIE = np.array(
    [(1 << 4 * colour) + (1 << 4 * _LINE_OF_FACE) + (_VALUES << SUMS + 6 * colour) for colour in range(4)], np.int64
)
_WAYS = np.array([[faces.count(int(value)) for value in _VALUES] for faces in FACES], np.int64)
_POINTS_UNIT, _CHANCE_UNIT = POINTS_UNIT, CHANCE_UNIT


@lean
def _set_limit(mind: Mind, desk: Desk, place: int, limit: float) -> None:
    """Limit the turns of a sheet; plans that miss more stars than `most` cannot be completed in that time."""
    desk.limit[place] = limit
    most = 20
    while most > 0 and most / mind.stars > limit:
        most -= 1
    desk.most[place] = most


@lean
def _time(mind: Mind, desk: Desk, place: int, filled: int) -> int:
    """Compute the chances of stars to come in time, unless they are known in this turn, and the hopes of the rows.

    Return the number of open white spaces.
    """
    for row in range(_ROWS):
        desk.hopes[row] = mind.hopes[row, (filled >> _START[row]) & _SPACES[row]]
    open_white = bits(_WHITE & ~filled)
    if place == 2 or desk.timed[place, open_white] != desk.clock:
        desk.timed[place, open_white] = desk.clock
        filling = mind.filling * mind.powers[open_white]
        for stars in range(desk.most[place] + 1):
            star_turns = stars / mind.stars
            turns = min(filling + star_turns, desk.limit[place])
            chance = 1.0 / (1.0 + exp((stars - mind.supply * turns) / mind.luck)) if stars else 1.0
            desk.left[place, open_white, stars] = turns
            desk.share[place, open_white, stars] = (turns - star_turns) / filling
            desk.chance[place, open_white, stars] = chance
    return open_white


@lean
def _best_plan(mind: Mind, desk: Desk, place: int, open_white: int) -> tuple[float, float]:
    """Return the points and turns of the best plan for an unfinished sheet (`Evaluation._best_plan`).

    The sheet is the one tried out. Plans for which there is no time are left out.
    """
    missing, most = desk.missing, desk.most[place]
    doubled_points, doubled_hope = desk.doubled_points, desk.doubled_hope
    sure_points, sure_hope = desk.sure_points, desk.sure_hope
    missing[0] = 0
    doubled_points[0], doubled_hope[0], sure_points[0], sure_hope[0] = 0.0, 0.0, 0.0, 0.0
    count = 1
    for row in range(_ROWS):
        points, hope, ticked = desk.trial_sums[row], desk.hopes[row], desk.trial_ticked[row]
        need = _BOXES[row] - ticked
        if need == 0:
            for plan in range(count):
                sure_points[plan] += 2 * points
                sure_hope[plan] += 2 * hope
            continue
        sure = 0.0 if ticked else mind.retreat
        gain = 2.0 - sure
        end = count
        for plan in range(count):
            if missing[plan] + need <= most:
                missing[end] = missing[plan] + need
                doubled_points[end] = doubled_points[plan] + gain * points
                doubled_hope[end] = doubled_hope[plan] + gain * hope
                sure_points[end] = sure_points[plan] + sure * points
                sure_hope[end] = sure_hope[plan] + sure * hope
                end += 1
            if ticked == 0:
                sure_points[plan] += points
                sure_hope[plan] += hope
        count = end
    left, shares, chances = desk.left[place, open_white], desk.share[place, open_white], desk.chance[place, open_white]
    highest = -1.0
    for plan in range(count):
        stars = missing[plan]
        share = shares[stars]
        expected = (
            sure_points[plan]
            + share * sure_hope[plan]
            + chances[stars] * (doubled_points[plan] + share * doubled_hope[plan])
        )
        desk.expected[plan] = expected
        highest = max(highest, expected)
    # Of the plans that are rounded to the same points the first counts.
    best = floor(highest * _POINTS_UNIT + 0.5)
    plan = 0
    while desk.expected[plan] * _POINTS_UNIT + 0.5 < best:
        plan += 1
    return best / _POINTS_UNIT, left[missing[plan]]


@lean
def _try_out(desk: Desk, place: int) -> None:
    for row in range(_ROWS):
        desk.trial_sums[row], desk.trial_ticked[row] = desk.sums[place, row], desk.ticked[place, row]


@lean
def _total(desk: Desk, penalty: int) -> float:
    """Return the score of the sheet tried out."""
    total = -max(penalty, 0)
    for row in range(_ROWS):
        total += row_score(desk.trial_sums[row], desk.trial_ticked[row], row)
    return float(total)


@lean
def _outlook(mind: Mind, desk: Desk, place: int, filled: int, penalty: int) -> Any:
    """Return the expected points and turns of the sheet tried out (`Evaluation.outlook`)."""
    if desk.limit[place] <= 0 or finished(filled, penalty):
        return _total(desk, penalty), 0.0
    return _best_plan(mind, desk, place, _time(mind, desk, place, filled))


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
def _points_of(mind: Mind, desk: Desk, games: Games, game: int, seat: int, limit: float) -> Any:
    """Return the expected points of a seat's sheet."""
    for row in range(_ROWS):
        desk.trial_sums[row], desk.trial_ticked[row] = games.sums[game, seat, row], games.ticked[game, seat, row]
    _set_limit(mind, desk, any_number(2), limit)
    points, _ = _outlook(mind, desk, any_number(2), games.filled[game, seat], games.penalty[game, seat])
    return points


@lean
def prepare(seats: int, grid: int, games: Games, game: int, mind: Mind, desk: Desk) -> None:
    """Look at the table before a turn (`Weighing.__init__`)."""
    me = games.seat[game]
    desk.clock += 1
    desk.grid, desk.solo, desk.last_seat, desk.others = grid, games.solo[game], me == seats - 1, seats - 1
    ending = False
    for seat in range(seats):
        filled = games.filled[game, seat]
        ending |= finished(filled, games.penalty[game, seat])
        needed = _turns_to_finish(mind, filled, games.ticked[game, seat], games.fills[game, seat])
        desk.rounds[seat] = max(0.5, needed - (1 if seat >= me else 0))
    following = (me + 1) % seats
    for place in range(2):
        seat = me if place == 0 else following
        desk.filled[place], desk.penalty[place] = games.filled[game, seat], games.penalty[game, seat]
        free = 20
        for row in range(_ROWS):
            desk.sums[place, row], desk.ticked[place, row] = games.sums[game, seat, row], games.ticked[game, seat, row]
            free -= games.ticked[game, seat, row]
        for line in range(_LINES):
            desk.rooms[place, line] = room(games.filled[game, seat], line)
        desk.rooms[place, _STARS] = free
        for entry in range(_ENTRIES):
            desk.worth[place, entry] = np.inf
        _set_limit(mind, desk, place, _limit(desk, seats, seat, me, ending))
    desk.next_points = _points_of(mind, desk, games, game, following, desk.limit[1])
    for last in range(2):
        for step in range(1, seats):
            seat = (me + step) % seats
            limit = _limit(desk, seats, seat, me, ending or last == 1)
            desk.theirs[last, step - 1] = _points_of(mind, desk, games, game, seat, limit)


@lean
def _limit(desk: Desk, seats: int, seat: int, me: int, ending: bool) -> float:
    limit = UNLIMITED
    for other in range(seats):
        if other != seat:
            limit = min(limit, desk.rounds[other])
    return (0.0 if ending else limit) + (1.0 if seat > me else 0.0)


@lean
def _fill(mind: Mind, desk: Desk, place: int, line: int, count: int, total: int) -> Any:
    """Return the outlook after a line is taken (`Reach._fill`)."""
    filled, row = fill_line(desk.filled[place], line, count)
    _try_out(desk, place)
    desk.trial_sums[row] += total
    return _outlook(mind, desk, place, filled, desk.penalty[place])


@lean
def _tick(mind: Mind, desk: Desk, place: int, stars: int) -> Any:
    """Return the outlook after the best way to tick stars, and note that way (`Reach._tick`)."""
    ticked, filled, penalty = desk.ticked[place], desk.filled[place], desk.penalty[place]
    playing = desk.limit[place] > 0 and not finished(filled, penalty)
    open_white = _time(mind, desk, place, filled) if playing else 0
    _try_out(desk, place)
    best, best_turns = -np.inf, 0.0
    for nth in range(count_ways(ticked, stars, desk.ways)):
        nth_way(ticked, stars, desk.ways, nth, desk.way)
        for row in range(_ROWS):
            desk.trial_ticked[row] = ticked[row] + desk.way[row]
        if playing:
            points, turns = _best_plan(mind, desk, place, open_white)
        else:
            points, turns = _total(desk, penalty), 0.0
        if points > best:
            best, best_turns = points, turns
            for row in range(_ROWS):
                desk.star_rows[place, stars, row] = desk.way[row]
    return best, best_turns


@lean
def _above(mean: float, spread: float) -> float:
    return 0.5 * (1.0 + erf(mean / (spread * 1.4142135623730951)))


@lean
def _chance(mind: Mind, desk: Desk, points: float, turns: float, gift: float, boxes: int) -> Any:
    """Estimate the chance to win (`Weighing._chance`)."""
    grid = desk.grid
    if grid:
        ticked = desk.solo + boxes
        expected = ticked + (mind.boxes * turns + gift if turns else 0.0)
        spread = sqrt(turns + 0.05)
        left = _above(grid - 0.5 - expected, 1.2 * spread) if ticked < grid else 0.0
        margin = points - 5.0 * expected - 0.5
        value = left * _above(margin, mind.swing * spread) + 1e-4 * margin
    else:
        spread = mind.swing * sqrt(turns + (0.02 if desk.last_seat else 0.5))
        chance, harm, margin = 1.0, gift, 0.0
        last = 1 if turns == 0.0 else 0
        for other in range(desk.others):
            margin = points - desk.theirs[last, other] - harm
            chance *= _above(margin, spread)
            harm = 0.0
        value = chance + 1e-4 * margin
    return floor(value * _CHANCE_UNIT + 0.5) / _CHANCE_UNIT


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
def _enter(mind: Mind, desk: Desk, place: int, line: int, count: int, total: int, entry: int) -> Any:
    """Compute an entry of the tables; return its worth."""
    worth = -np.inf
    if count <= desk.rooms[place, line]:
        if line == _STARS:
            points, turns = _tick(mind, desk, place, count)
        else:
            points, turns = _fill(mind, desk, place, line, count, total)
        worth = points
        if place == 0:
            desk.points[entry], desk.turns[entry] = points, turns
            worth = _chance(mind, desk, points, turns, 0.0, any_number(0))
    desk.worth[place, entry] = worth
    return worth


@lean
def _gift(mind: Mind, desk: Desk, rest: int) -> Any:
    """Return what the dice left over are worth to the next seat."""
    best = -np.inf
    for line in range(_LINES + 1):
        count = _count(rest, line)
        if count:
            entry = _entry(rest, line, count)
            points = desk.worth[1, entry]
            if points == np.inf:
                points = _enter(mind, desk, any_number(1), line, count, _sum(rest, line), entry)
            best = max(best, points)
    if best == -np.inf:
        best = 0.0
    return mind.gift * max(0.0, best - desk.next_points)


@lean
def _solo_boxes(rest: int) -> int:
    """Return the solo boxes to tick for the dice left over (L2)."""
    points = _points(rest)
    if points == 0:
        return 1 if rest else 0
    return -((-points * (2 if _count(rest, any_number(_STARS)) else 1)) // 5)


@lean
def _add(desk: Desk, colour: int, face: int, number: int) -> None:
    """Add dice to the tallies of the reserve."""
    dice = number * _TALLY_OF_DIE[colour, face]
    desk.tally += dice
    desk.lines[colour] += dice
    desk.lines[_LINE_OF_FACE[face]] += dice


@lean
def _lay_out(desk: Desk, reserve: Array) -> None:
    """Tally a reserve."""
    desk.tally = 0
    for line in range(_LINES + 1):
        desk.lines[line] = 0
    for colour in range(4):
        for face in range(6):
            if reserve[colour, face]:
                _add(desk, colour, face, reserve[colour, face])


@lean
def best_take(mind: Mind, desk: Desk, reserve: Array) -> tuple[float, int]:
    """Return the chance to win after the best take or penalty, and its line; line 9 are the stars."""
    _lay_out(desk, reserve)
    return _best_take(mind, desk)


@lean
def _options(mind: Mind, desk: Desk) -> int:
    """List the takes from the reserve for which there is room, or else its penalties; return their number."""
    tally, number = desk.tally, 0
    for line in range(_LINES + 1):
        count = _count(tally, line)
        if count:
            entry = _entry(tally, line, count)
            hope = desk.worth[0, entry]
            if hope == np.inf:
                hope = _enter(mind, desk, any_number(0), line, count, _sum(tally, line), entry)
            if hope > -np.inf:
                desk.option_line[number], desk.option_entry[number], desk.option_hope[number] = line, entry, hope
                number += 1
    if number == 0:
        _try_out(desk, any_number(0))
        for line in range(_LINES):
            if _count(tally, line):
                # A penalty ends the game with this round, so the sheet counts as it is.
                entry = _ENTRIES + line
                points = _total(desk, _sum(tally, line))
                desk.points[entry], desk.turns[entry] = points, 0.0
                desk.option_line[number], desk.option_entry[number] = line, entry
                desk.option_hope[number] = _chance(mind, desk, points, 0.0, 0.0, any_number(0))
                number += 1
    return number


@lean
def _best_take(mind: Mind, desk: Desk) -> tuple[float, int]:
    number = _options(mind, desk)
    best, choice = -1.0, desk.option_line[0]
    for _ in range(number):
        option, hope = 0, desk.option_hope[0]
        # The highest hope, of equal ones the last, as in a sorted list read from its end.
        for other in range(1, number):
            if desk.option_hope[other] >= hope:
                option, hope = other, desk.option_hope[other]
        if hope <= best:
            break
        desk.option_hope[option] = -np.inf
        line, entry = desk.option_line[option], desk.option_entry[option]
        rest = desk.tally - desk.lines[line]
        chance = hope
        if desk.grid:
            boxes = _solo_boxes(rest)
            if boxes:
                gift = 0.0 if line == _STARS else mind.gift * boxes
                chance = _chance(mind, desk, desk.points[entry], desk.turns[entry], gift, boxes)
        elif rest:
            gift = _gift(mind, desk, rest)
            if gift > 0.0:
                chance = _chance(mind, desk, desk.points[entry], desk.turns[entry], gift, any_number(0))
        if chance > best:
            best, choice = chance, line
    return best, choice


@lean
def _single(mind: Mind, desk: Desk) -> float:
    """Return the mean chance to win after a draw of one die, over all that it can show."""
    value, faces = 0.0, 0
    for colour in range(4):
        for face in range(6):
            ways = desk.bag[colour] * _WAYS[colour, face]
            if ways:
                _add(desk, colour, face, any_number(1))
                chance, _ = _best_take(mind, desk)
                _add(desk, colour, face, any_number(-1))
                value += ways * chance
        faces += 6 * desk.bag[colour]
    return value / faces


@lean
def _sampled(mind: Mind, desk: Desk, number: int, one: int, two: int, decision: int, call: int) -> float:
    """Return the mean chance to win after a draw of two or three dice, over sampled rolls."""
    bag, left = desk.bag, desk.bag_left
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
            desk.drawn[drawn] = 6 * colour + face
            dice += 1 << (2 * (6 * colour + face))
        at = 0
        while at < known and desk.seen[at] != dice:
            at += 1
        if at == known:
            for drawn in range(number):
                _add(desk, desk.drawn[drawn] // 6, desk.drawn[drawn] % 6, any_number(1))
            desk.seen[at] = dice
            desk.found[at], _ = _best_take(mind, desk)
            for drawn in range(number):
                _add(desk, desk.drawn[drawn] // 6, desk.drawn[drawn] % 6, any_number(-1))
            known += 1
        value += desk.found[at]
    return value / _SAMPLES


@lean
def best_draw(mind: Mind, desk: Desk, reserve: Array, bag: Array, asks: int, one: int, two: int, decision: int) -> int:
    """Return the best number of dice to draw, or 0 if the reserve is better returned and that is asked."""
    _lay_out(desk, reserve)
    for colour in range(4):
        desk.bag[colour] = bag[colour]
    most = min(3, bag[0] + bag[1] + bag[2] + bag[3])
    # A reserve without numbers needs the largest draw (S3, S4).
    fewest = 1 if _points(desk.tally) else most
    best, choice, call = -np.inf, 0, any_number(0)
    for number in range(fewest, most + 1):
        if number == 1:
            value = _single(mind, desk)
        else:
            value = _sampled(mind, desk, number, one, two, decision, call)
            call += number * _SAMPLES
        if value > best:
            best, choice = value, number
    if asks:
        desk.tally = 0
        for line in range(_LINES + 1):
            desk.lines[line] = 0
        for colour in range(4):
            desk.bag[colour] = _ALL_DICE[colour]
        if _sampled(mind, desk, any_number(3), one, two, decision, call) > best:
            return 0
    return choice
