"""What the planner of Dice Stars expects of a sheet (`bots.evaluation`), compiled by Numba.

The operations and their order are those of the single bot. Outlooks are looked up
when they are needed again in a turn, by line, number of dice and sum.
"""

from math import exp
from typing import Any

import numpy as np

from starfrost.batch.compiled import any_number
from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.bots.weighing import UNLIMITED
from starfrost.games.dice_stars.compiled.planner_records import ENTRIES, PlannerScratch, PlannerWeights
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, Games
from starfrost.games.dice_stars.compiled.sheets import bits, count_ways, fill_line, finished, nth_way, room, score
from starfrost.games.dice_stars.sheet import ROW_SPACES, STAR_BOXES, WHITE

_LINES, _ROWS, _STARS, _ENTRIES = LINES, ROWS, 9, ENTRIES
_WHITE = WHITE
_START = np.array([spaces.start for spaces in ROW_SPACES], np.int64)
_SPACES = np.array([(1 << len(spaces)) - 1 for spaces in ROW_SPACES], np.int64)
_BOXES = np.array(STAR_BOXES, np.int64)


@lean
def _set_limit(weights: PlannerWeights, scratch: PlannerScratch, place: int, limit: float) -> None:
    """Limit the turns of a sheet; plans that miss more stars than `most` cannot be completed in that time."""
    scratch.limit[place] = limit
    most = 20
    while most > 0 and most / weights.stars > limit:
        most -= 1
    scratch.most[place] = most


@lean
def _time(weights: PlannerWeights, scratch: PlannerScratch, place: int, filled: int) -> int:
    """Compute the chances of stars to come in time, unless they are known in this turn, and the hopes of the rows.

    Return the number of open white spaces.
    """
    for row in range(_ROWS):
        scratch.hopes[row] = weights.hopes[row, (filled >> _START[row]) & _SPACES[row]]
    open_white = bits(_WHITE & ~filled)
    if place == 2 or scratch.timed[place, open_white] != scratch.clock:
        scratch.timed[place, open_white] = scratch.clock
        filling = weights.filling * weights.powers[open_white]
        for stars in range(scratch.most[place] + 1):
            star_turns = stars / weights.stars
            turns = min(filling + star_turns, scratch.limit[place])
            chance = 1.0 / (1.0 + exp((stars - weights.supply * turns) / weights.luck)) if stars else 1.0
            scratch.left[place, open_white, stars] = turns
            scratch.share[place, open_white, stars] = (turns - star_turns) / filling
            scratch.chance[place, open_white, stars] = chance
    return open_white


@lean
def _best_plan(weights: PlannerWeights, scratch: PlannerScratch, place: int, open_white: int) -> tuple[float, float]:
    """Return the points and turns of the best plan for an unfinished sheet (`Evaluation._best_plan`).

    The sheet is the one tried out. Plans for which there is no time are left out.
    """
    missing, most = scratch.missing, scratch.most[place]
    doubled_points, doubled_hope = scratch.doubled_points, scratch.doubled_hope
    sure_points, sure_hope = scratch.sure_points, scratch.sure_hope
    missing[0] = 0
    doubled_points[0], doubled_hope[0], sure_points[0], sure_hope[0] = 0.0, 0.0, 0.0, 0.0
    count = 1
    for row in range(_ROWS):
        points, hope, ticked = scratch.trial_sums[row], scratch.hopes[row], scratch.trial_ticked[row]
        need = _BOXES[row] - ticked
        if need == 0:
            for plan in range(count):
                sure_points[plan] += 2 * points
                sure_hope[plan] += 2 * hope
            continue
        sure = 0.0 if ticked else weights.retreat
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
    left, shares, chances = (
        scratch.left[place, open_white],
        scratch.share[place, open_white],
        scratch.chance[place, open_white],
    )
    best, best_stars = -1.0, 0
    for plan in range(count):
        stars = missing[plan]
        share = shares[stars]
        expected = (
            sure_points[plan]
            + share * sure_hope[plan]
            + chances[stars] * (doubled_points[plan] + share * doubled_hope[plan])
        )
        if expected > best:
            best, best_stars = expected, stars
    return best, left[best_stars]


@lean
def try_out(scratch: PlannerScratch, place: int) -> None:
    """Copy a sheet to where takes are tried out."""
    for row in range(_ROWS):
        scratch.trial_sums[row], scratch.trial_ticked[row] = scratch.sums[place, row], scratch.ticked[place, row]


@lean
def sheet_total(scratch: PlannerScratch, penalty: int) -> float:
    """Return the score of the sheet tried out."""
    return float(score(scratch.trial_sums, scratch.trial_ticked, penalty))


@lean
def _outlook(weights: PlannerWeights, scratch: PlannerScratch, place: int, filled: int, penalty: int) -> Any:
    """Return the expected points and turns of the sheet tried out (`Evaluation.outlook`)."""
    if scratch.limit[place] <= 0 or finished(filled, penalty):
        return sheet_total(scratch, penalty), 0.0
    return _best_plan(weights, scratch, place, _time(weights, scratch, place, filled))


@lean
def _turns_to_finish(weights: PlannerWeights, filled: int, ticked: Array, fills: int) -> Any:
    ticks = 0
    for row in range(_ROWS):
        ticks += ticked[row]
    played = fills + ticks / weights.stars
    usual = weights.pace * weights.powers[20]
    left = weights.pace * weights.powers[bits(_WHITE & ~filled)]
    return left * (played + weights.habit) / (usual - left + weights.habit)


@lean
def _points_of(
    weights: PlannerWeights, scratch: PlannerScratch, games: Games, game: int, seat: int, limit: float
) -> Any:
    """Return the expected points of a seat's sheet."""
    for row in range(_ROWS):
        scratch.trial_sums[row], scratch.trial_ticked[row] = games.sums[game, seat, row], games.ticked[game, seat, row]
    _set_limit(weights, scratch, any_number(2), limit)
    points, _ = _outlook(weights, scratch, any_number(2), games.filled[game, seat], games.penalty[game, seat])
    return points


@lean
def prepare(seats: int, grid: int, games: Games, game: int, weights: PlannerWeights, scratch: PlannerScratch) -> None:
    """Look at the table before a turn (`Weighing.__init__`)."""
    me = games.seat[game]
    scratch.clock += 1
    scratch.grid, scratch.solo, scratch.last_seat, scratch.others = grid, games.solo[game], me == seats - 1, seats - 1
    ending = False
    for seat in range(seats):
        filled = games.filled[game, seat]
        ending |= finished(filled, games.penalty[game, seat])
        needed = _turns_to_finish(weights, filled, games.ticked[game, seat], games.fills[game, seat])
        scratch.rounds[seat] = max(0.5, needed - (1 if seat >= me else 0))
    following = (me + 1) % seats
    for place in range(2):
        seat = me if place == 0 else following
        scratch.filled[place], scratch.penalty[place] = games.filled[game, seat], games.penalty[game, seat]
        free = 20
        for row in range(_ROWS):
            scratch.sums[place, row], scratch.ticked[place, row] = (
                games.sums[game, seat, row],
                games.ticked[game, seat, row],
            )
            free -= games.ticked[game, seat, row]
        for line in range(_LINES):
            scratch.rooms[place, line] = room(games.filled[game, seat], line)
        scratch.rooms[place, _STARS] = free
        for entry in range(_ENTRIES):
            scratch.worth[place, entry] = np.inf
        _set_limit(weights, scratch, place, _limit(scratch, seats, seat, me, ending))
    scratch.next_points = _points_of(weights, scratch, games, game, following, scratch.limit[1])
    for last in range(2):
        for step in range(1, seats):
            seat = (me + step) % seats
            limit = _limit(scratch, seats, seat, me, ending or last == 1)
            scratch.theirs[last, step - 1] = _points_of(weights, scratch, games, game, seat, limit)


@lean
def _limit(scratch: PlannerScratch, seats: int, seat: int, me: int, ending: bool) -> float:
    limit = UNLIMITED
    for other in range(seats):
        if other != seat:
            limit = min(limit, scratch.rounds[other])
    return (0.0 if ending else limit) + (1.0 if seat > me else 0.0)


@lean
def fill(weights: PlannerWeights, scratch: PlannerScratch, place: int, line: int, count: int, total: int) -> Any:
    """Return the outlook after a line is taken (`Reach._fill`)."""
    filled, row = fill_line(scratch.filled[place], line, count)
    try_out(scratch, place)
    scratch.trial_sums[row] += total
    return _outlook(weights, scratch, place, filled, scratch.penalty[place])


@lean
def tick(weights: PlannerWeights, scratch: PlannerScratch, place: int, stars: int) -> Any:
    """Return the outlook after the best way to tick stars, and note that way (`Reach._tick`)."""
    ticked, filled, penalty = scratch.ticked[place], scratch.filled[place], scratch.penalty[place]
    playing = scratch.limit[place] > 0 and not finished(filled, penalty)
    open_white = _time(weights, scratch, place, filled) if playing else 0
    try_out(scratch, place)
    best, best_turns = -np.inf, 0.0
    for nth in range(count_ways(ticked, stars, scratch.ways)):
        nth_way(ticked, stars, scratch.ways, nth, scratch.way)
        for row in range(_ROWS):
            scratch.trial_ticked[row] = ticked[row] + scratch.way[row]
        if playing:
            points, turns = _best_plan(weights, scratch, place, open_white)
        else:
            points, turns = sheet_total(scratch, penalty), 0.0
        if points > best:
            best, best_turns = points, turns
            for row in range(_ROWS):
                scratch.star_rows[place, stars, row] = scratch.way[row]
    return best, best_turns
