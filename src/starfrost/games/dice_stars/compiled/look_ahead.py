"""The decisions of `strong` (`bots.strong`), compiled by Numba.

The look-ahead and every number in it are those of `bots.search`. Sampled rolls that show the same dice
are looked at once.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.batch.chance import words as hash_words
from starfrost.batch.compiled import any_number, luck_words
from starfrost.compiling import Array, inlined, jit, lean
from starfrost.games.dice_stars import SOLO_BOXES, DiceStars
from starfrost.games.dice_stars.bots.choice import ORDERS
from starfrost.games.dice_stars.bots.network import SCORE_UNIT
from starfrost.games.dice_stars.bots.search import ONE_DIE, Search, even_steps
from starfrost.games.dice_stars.compiled.network import Net, evaluate, net_of
from starfrost.games.dice_stars.compiled.options import (
    announce,
    copy,
    draws,
    every_star_take,
    some_star_takes,
    take,
)
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, DecisionBatch, Games, start
from starfrost.games.dice_stars.compiled.sheets import (
    action_number,
    draw_all,
    draw_face,
    end_turn,
    return_all,
    score,
    stars_in,
    takes,
    write_take,
)
from starfrost.games.dice_stars.sheet import BOX_POINTS
from starfrost.vector.chance import CHANCE

_LINES, _ROWS, _STARS = LINES, ROWS, 9
_BOX_POINTS, _SCORE_UNIT = BOX_POINTS, float(SCORE_UNIT)
_MASK = 0xFFFFFFFF
_CHANCE = CHANCE
_ONE_DIE = ONE_DIE
_DECISION, _OPTION, _DRAWN, _ROLLED, _AFTER = range(5)
"""The rows of `LookAhead.tables`."""
_MOST = _LINES + 1024
"""More options than a decision can have."""
_words: Any = lean(hash_words)


class LookAhead(NamedTuple):
    """What `strong` knows, and room to work in."""

    net: Net
    weight: float
    """The weight of points."""
    rolls: int
    options: int
    margin: float
    mix: float
    rest: float
    """The weight of the network's own value."""
    steps: Array
    """The steps between the words of the sampled rolls."""
    boxes: int
    """The solo grid."""
    tables: Games
    """Positions tried out: the decision, an option of it, the next draw, the dice rolled then, a take of them."""
    allowed: Array
    """Which lines can be taken, and the stars."""
    lines: Array
    """By option: the line or draw, and the boxes ticked in each row."""
    choice: Array
    """The option that was chosen."""
    utilities: Array
    order: Array
    inner: Array
    seen: Array
    """The dice of the rolls looked at."""
    found: Array
    """The values of the best take of each."""
    total: Array
    out: Array


def look_ahead(game: DiceStars, params: Any, weight: float, search: Search) -> LookAhead:
    """Return what `strong` needs for a game."""
    seats, rolls = game.seats, max(search.rolls, 1)
    most = np.float32(weight) * np.float32(1 / (seats - 1)) if seats > 1 else np.float32(weight)
    return LookAhead(
        net_of(params, seats),
        float(most),
        search.rolls,
        search.options,
        float(np.float32(search.margin)),
        float(np.float32(search.mix)),
        float(np.float32(1) - np.float32(search.mix)),
        even_steps(rolls).astype(np.int64),
        DiceStars(seats, game.solo_boxes or SOLO_BOXES).solo_boxes,
        start(seats, np.zeros((5, 2), np.uint32), np.zeros((5, seats, 2), np.uint32)),
        np.zeros(LINES + 1, np.bool_),
        np.zeros((_MOST, 1 + ROWS), np.int64),
        np.zeros(1 + ROWS, np.int64),
        np.zeros(_MOST),
        np.zeros(16, np.int64),
        np.zeros((LINES + len(ORDERS), 1 + ROWS), np.int64),
        np.zeros(rolls, np.int64),
        np.zeros((rolls, 2 * seats)),
        np.zeros(2 * seats),
        np.zeros(2 * seats),
    )


@lean
def _utility(sight: LookAhead, seats: int, values: Array, place: int) -> Any:
    """Return a place's utility (`choice.utility`)."""
    own = values[seats + place]
    if seats > 1:
        total = 0.0
        for other in range(seats):
            total += values[seats + other]
        own = seats * own - total
    return values[place] + sight.weight * own


@lean
def _value(sight: LookAhead, seats: int, at: int, draw: int, taker: int, out: Array) -> None:
    """Fill in the values of a position: by the network, from the acting seat on; after the end by the rules.

    Then they are those of the seats from the one on that took last.
    """
    tables = sight.tables
    if tables.seat[at] >= 0:
        evaluate(sight.net, seats, sight.boxes, tables, at, draw, out)
        return
    best, count = -100000, 0
    for place in range(seats):
        seat = (taker + place) % seats
        points = score(tables.sums[at, seat], tables.ticked[at, seat], tables.penalty[at, seat])
        out[place], out[seats + place] = points, points / _SCORE_UNIT
        if points > best:
            best, count = points, 1
        elif points == best:
            count += 1
    for place in range(seats):
        out[place] = 1.0 / count if out[place] == best else 0.0
    if seats == 1:
        out[0] = 1.0 if tables.solo[at] < sight.boxes and best > _BOX_POINTS * tables.solo[at] else 0.0


@inlined
def _best_take(sight: LookAhead, seats: int, best: Array) -> None:
    """Fill in the values after the best take of rolled dice, seen by the seat that takes (`search.best_take`)."""
    tables, seat = sight.tables, sight.tables.seat[_ROLLED]
    reserve, ticked = tables.reserve[_ROLLED], tables.ticked[_ROLLED, seat]
    fits = takes(reserve, tables.filled[_ROLLED, seat], ticked, sight.allowed)
    end = any_number(0)
    for line in range(_LINES):
        if sight.allowed[line]:
            sight.inner[end, 0] = line
            end += 1
    if sight.allowed[_STARS]:
        end = some_star_takes(ticked, stars_in(reserve), end, sight.inner)
    highest = -np.inf
    out = sight.out
    for option in range(end):
        take(seats, sight.boxes, tables, any_number(_ROLLED), sight.inner[option], fits, any_number(_AFTER))
        _value(sight, seats, any_number(_AFTER), any_number(0), seat, out)
        # The seat that took comes last in the view of the next one.
        own = any_number(0 if tables.seat[_AFTER] < 0 else seats - 1)
        worth = _utility(sight, seats, out, own)
        if worth > highest:
            highest = worth
            for place in range(seats):
                source = (place + own) % seats
                best[place] = out[source]
                best[seats + place] = out[seats + source]


@lean
def _best_draw(sight: LookAhead, seats: int) -> int:
    """Announce the best draw after an option by the network (`search.best_draw`); return its dice."""
    options = draws(sight.tables, any_number(_OPTION))
    highest, chosen = -np.inf, any_number(0)
    out = sight.out
    for option in range(4):
        if options >> option & 1:
            draw = announce(sight.tables, any_number(_OPTION), any_number(option), any_number(_DRAWN))
            _value(sight, seats, any_number(_DRAWN), draw, any_number(0), out)
            worth = _utility(sight, seats, out, any_number(0))
            if worth > highest:
                highest, chosen = worth, option
    return announce(sight.tables, any_number(_OPTION), chosen, any_number(_DRAWN))


@inlined
def _expected(sight: LookAhead, seats: int, draw: int, one: int, two: int, mean: Array) -> None:
    """Fill in the mean values after a draw, over sampled rolls with the best take after each (`search.expected`)."""
    first, second, third, _ = _words(one, two, _CHANCE)
    seen, found, tables = sight.seen, sight.found, sight.tables
    reserve, bag = tables.reserve[_ROLLED], tables.bag[_ROLLED]
    held = tables.bag[_DRAWN, 0] + tables.bag[_DRAWN, 1] + tables.bag[_DRAWN, 2] + tables.bag[_DRAWN, 3]
    for place in range(2 * seats):
        mean[place] = 0.0
    known = 0
    # Every outcome of one die counts once, if there are so many rolls.
    every = sight.rolls >= _ONE_DIE and draw == 1
    count = 6 * held if every else sight.rolls
    for roll in range(count):
        copy(tables, any_number(_DRAWN), tables, any_number(_ROLLED))
        a, b, c = 32, 32, 32
        for die in range(draw):
            pick, face = roll // 6, roll % 6
            if not every:
                word = first if die == 0 else second if die == 1 else third
                fraction = ((word + sight.steps[die, roll]) & _MASK) >> 4
                product = fraction * (held - die)
                pick = product >> 28
                face = ((product & 0xFFFFFFF) * 6) >> 28
            colour, shown = draw_face(bag, pick, face)
            reserve[colour, shown] += 1
            code = 8 * colour + shown
            if die == 0:
                a = code
            elif die == 1:
                b = code
            else:
                c = code
        # The dice in order, so that equal rolls are recognised.
        if a > b:
            a, b = b, a
        if b > c:
            b, c = c, b
        if a > b:
            a, b = b, a
        dice = (a << 12) | (b << 6) | c
        at = 0
        while at < known and seen[at] != dice:
            at += 1
        if at == known:
            seen[at] = dice
            known += 1
            _best_take(sight, seats, found[at])
        for place in range(2 * seats):
            mean[place] += found[at, place]
    for place in range(2 * seats):
        mean[place] = mean[place] / count


@lean
def _promising(sight: LookAhead, number: int) -> Any:
    """List the best options, the best first; return how many of them are within the margin (`search._promising`)."""
    order, utilities = sight.order, sight.utilities
    count = min(sight.options, number)
    for place in range(count):
        best = -1
        for option in range(number):
            taken = False
            for earlier in range(place):
                taken |= order[earlier] == option
            if not taken and (best < 0 or utilities[option] > utilities[best]):
                best = option
        order[place] = best
    near = 0
    for place in range(count):
        if utilities[order[place]] >= utilities[order[0]] - sight.margin:
            near += 1
    return near


@inlined
def _look_ahead(sight: LookAhead, seats: int, way: Array, taking: bool, fits: bool, one: int, two: int) -> Any:
    """Return the utility of an option by the best takes after sampled rolls (`search_draws` and `search_takes`).

    A take is followed by the next seat's best draw; if it ends the game, the result is minus infinity.
    """
    if taking:
        take(seats, sight.boxes, sight.tables, any_number(_DECISION), way, fits, any_number(_OPTION))
        if sight.tables.seat[_OPTION] < 0:
            return -np.inf
        draw = _best_draw(sight, seats)
    else:
        draw = announce(sight.tables, any_number(_DECISION), way[0], any_number(_DRAWN))
    _expected(sight, seats, draw, one, two, sight.total)
    return _utility(sight, seats, sight.total, any_number(seats - 1 if taking else 0))


@inlined
def _choose(sight: LookAhead, seats: int, number: int, taking: bool, fits: bool, one: int, two: int) -> Any:
    """Return the best of the options whose values are known, after a look ahead at those that are close."""
    near = _promising(sight, number)
    if sight.rolls == 0 or near < 2:
        return sight.order[0]
    best, highest = any_number(-1), -np.inf
    for place in range(near):
        chosen = sight.order[place]
        ahead = _look_ahead(sight, seats, sight.lines[chosen], taking, fits, one, two)
        if ahead == -np.inf:
            ahead = sight.utilities[chosen]
        worth = sight.rest * sight.utilities[chosen] + sight.mix * ahead
        # Of equal options the first in their order counts.
        if worth > highest or (worth == highest and chosen < best):
            best, highest = chosen, worth
    return best


@lean
def decide(seats: int, games: Games, game: int, sight: LookAhead, taking: bool, asks: int, one: int, two: int) -> Any:
    """Decide on a take, or on a draw and whether to return the reserve, if that is asked.

    Return the line of the take, or the option of the draw (`_announce`), and whether the take fits; `sight.choice` has
    the line and the boxes to tick. `one` and `two` are the words of luck.
    """
    tables, seat = sight.tables, games.seat[game]
    copy(games, game, tables, any_number(_DECISION))
    tables.asks[_DECISION] = asks
    sight.net.clock[0] += 1
    number, fits = any_number(0), True
    if taking:
        reserve, ticked = tables.reserve[_DECISION], tables.ticked[_DECISION, seat]
        fits = takes(reserve, tables.filled[_DECISION, seat], ticked, sight.allowed)
        for line in range(_LINES):
            if sight.allowed[line]:
                sight.lines[number, 0] = line
                number += 1
        if sight.allowed[_STARS]:
            number = every_star_take(ticked, stars_in(reserve), number, sight.lines)
    else:
        allowed = draws(tables, any_number(_DECISION))
        for option in range(4):
            if allowed >> option & 1:
                sight.lines[number, 0] = option
                number += 1
    chosen = any_number(0)
    if number > 1:
        for each in range(number):
            place, draw = any_number(0), any_number(0)
            if taking:
                take(seats, sight.boxes, tables, any_number(_DECISION), sight.lines[each], fits, any_number(_OPTION))
                place = any_number(0 if tables.seat[_OPTION] < 0 else seats - 1)
            else:
                draw = announce(tables, any_number(_DECISION), sight.lines[each, 0], any_number(_OPTION))
            _value(sight, seats, any_number(_OPTION), draw, seat, sight.out)
            sight.utilities[each] = _utility(sight, seats, sight.out, place)
        chosen = _choose(sight, seats, number, taking, fits, one, two)
    for part in range(_ROWS + 1):
        sight.choice[part] = sight.lines[chosen, part]
    return sight.choice[0], fits


@jit
def play_strong(
    seats: int, grid: int, bots: Array, bot: int, sight: LookAhead, games: Games, asked: DecisionBatch
) -> None:
    """Play the next turn of every game in which it is a turn of `bot`, or choose what is asked.

    The bot is `strong`, or `network` with its own `sight`.
    """
    turn, decisions, luck, dice = games.seat, games.decisions, games.luck, games.dice
    choice, single = sight.choice, len(asked.step) > 0
    for game in range(turn.shape[0]):
        seat = turn[game]
        if seat < 0 or bots[seat] != bot:
            continue
        reserve, bag = games.reserve[game], games.bag[game]
        games.turns[game, seat] += 1
        # The decisions of a turn: keep or return the reserve (S1), how many dice to draw (S2 to S4), what to take (S5).
        for step in range(3):
            if (step != asked.step[game]) if single else (step == 0 and not games.asks[game]):
                continue
            one, two, _, _ = luck_words(luck[game, seat, 0], luck[game, seat, 1], decisions[game, seat], 0)
            decisions[game, seat] += 1
            option, fits = decide(seats, games, game, sight, step == 2, any_number(step == 0), one, two)
            if step < 2:
                option = (1 if option == 3 else 0) if step == 0 else option + 1
            if single:
                asked.number[game] = action_number(step, option, fits, choice[1:])
            elif step == 0:
                if option:
                    return_all(reserve, bag)
            elif step == 1:
                draw_all(reserve, bag, option, dice[game, 0], dice[game, 1], seat, games.turns[game, seat])
            else:
                write_take(games, game, seat, option, fits, choice[1:])
                end_turn(seats, grid, games, game, option == _STARS)
