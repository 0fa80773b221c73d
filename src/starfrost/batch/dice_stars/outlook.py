"""What the planner of Dice Stars expects of a sheet (`players.dice_stars.evaluation`), compiled by Numba.

The operations and their order are those of the single bot, so that the numbers are the same. Outlooks are looked up
when they are needed again in a turn, by line, number of dice and sum.
"""

from math import exp, floor
from typing import Any

import numpy as np

from starfrost.batch.compiled import any_number
from starfrost.batch.dice_stars.desk import ENTRIES, Desk, Mind
from starfrost.batch.dice_stars.positions import LINES, ROWS, Games
from starfrost.batch.dice_stars.sheets import bits, count_ways, fill_line, finished, nth_way, room, row_score
from starfrost.games.dice_stars.sheet import ROW_SPACES, STAR_BOXES, WHITE
from starfrost.players.dice_stars.evaluation import POINTS_UNIT
from starfrost.players.dice_stars.weighing import UNLIMITED
from starfrost.solver.kernels import Array, lean

_LINES, _ROWS, _STARS, _ENTRIES = LINES, ROWS, 9, ENTRIES
_WHITE = WHITE
_START = np.array([spaces.start for spaces in ROW_SPACES], np.int64)
_SPACES = np.array([(1 << len(spaces)) - 1 for spaces in ROW_SPACES], np.int64)
_BOXES = np.array(STAR_BOXES, np.int64)
_POINTS_UNIT = POINTS_UNIT


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
def try_out(desk: Desk, place: int) -> None:
    """Copy a sheet to where takes are tried out."""
    for row in range(_ROWS):
        desk.trial_sums[row], desk.trial_ticked[row] = desk.sums[place, row], desk.ticked[place, row]


@lean
def sheet_total(desk: Desk, penalty: int) -> float:
    """Return the score of the sheet tried out."""
    total = -max(penalty, 0)
    for row in range(_ROWS):
        total += row_score(desk.trial_sums[row], desk.trial_ticked[row], row)
    return float(total)


@lean
def _outlook(mind: Mind, desk: Desk, place: int, filled: int, penalty: int) -> Any:
    """Return the expected points and turns of the sheet tried out (`Evaluation.outlook`)."""
    if desk.limit[place] <= 0 or finished(filled, penalty):
        return sheet_total(desk, penalty), 0.0
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
def fill(mind: Mind, desk: Desk, place: int, line: int, count: int, total: int) -> Any:
    """Return the outlook after a line is taken (`Reach._fill`)."""
    filled, row = fill_line(desk.filled[place], line, count)
    try_out(desk, place)
    desk.trial_sums[row] += total
    return _outlook(mind, desk, place, filled, desk.penalty[place])


@lean
def tick(mind: Mind, desk: Desk, place: int, stars: int) -> Any:
    """Return the outlook after the best way to tick stars, and note that way (`Reach._tick`)."""
    ticked, filled, penalty = desk.ticked[place], desk.filled[place], desk.penalty[place]
    playing = desk.limit[place] > 0 and not finished(filled, penalty)
    open_white = _time(mind, desk, place, filled) if playing else 0
    try_out(desk, place)
    best, best_turns = -np.inf, 0.0
    for nth in range(count_ways(ticked, stars, desk.ways)):
        nth_way(ticked, stars, desk.ways, nth, desk.way)
        for row in range(_ROWS):
            desk.trial_ticked[row] = ticked[row] + desk.way[row]
        if playing:
            points, turns = _best_plan(mind, desk, place, open_white)
        else:
            points, turns = sheet_total(desk, penalty), 0.0
        if points > best:
            best, best_turns = points, turns
            for row in range(_ROWS):
                desk.star_rows[place, stars, row] = desk.way[row]
    return best, best_turns
