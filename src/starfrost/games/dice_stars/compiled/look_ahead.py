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
from starfrost.games.dice_stars.compiled.network import Net, PackedPosition, evaluate, net_of, score_of
from starfrost.games.dice_stars.compiled.options import (
    announce,
    copy,
    draws,
    every_star_take,
    load,
    some_star_takes,
    take,
    takes,
)
from starfrost.games.dice_stars.compiled.positions import LINES, ROWS, DecisionBatch, Games
from starfrost.games.dice_stars.compiled.sheets import (
    action_number,
    draw_all,
    draw_face,
    end_turn,
    return_all,
    write_take,
)
from starfrost.games.dice_stars.sheet import BOX_POINTS
from starfrost.vector.chance import CHANCE

_LINES, _ROWS, _STARS = LINES, ROWS, 9
_BOX_POINTS, _SCORE_UNIT = BOX_POINTS, float(SCORE_UNIT)
_MASK = 0xFFFFFFFF
_CHANCE = CHANCE
_ONE_DIE = ONE_DIE
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
    tables: tuple[PackedPosition, PackedPosition, PackedPosition, PackedPosition, PackedPosition]
    """The decision, an option of it, the next draw, the dice rolled then, and a take of them."""
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


def _table(seats: int) -> PackedPosition:
    return PackedPosition(
        np.zeros((seats, 3), np.int64), np.zeros((4, 6), np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    )


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
        (_table(seats), _table(seats), _table(seats), _table(seats), _table(seats)),
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
def _value(sight: LookAhead, seats: int, table: PackedPosition, out: Array) -> None:
    """Fill in the values of a position: by the rules if the game is over, else by the network."""
    if not table.numbers[3]:
        evaluate(sight.net, seats, sight.boxes, table, out)
        return
    best, count = -100000, 0
    for place in range(seats):
        score = score_of(table.words[place, 1], table.words[place, 2])
        out[seats + place] = score / _SCORE_UNIT
        if score > best:
            best, count = score, 1
        elif score == best:
            count += 1
    for place in range(seats):
        score = score_of(table.words[place, 1], table.words[place, 2])
        out[place] = 1.0 / count if score == best else 0.0
    if seats == 1:
        out[0] = 1.0 if table.numbers[1] < sight.boxes and best > _BOX_POINTS * table.numbers[1] else 0.0


@inlined
def _best_take(sight: LookAhead, seats: int, rolled: PackedPosition, after: PackedPosition, best: Array) -> None:
    """Fill in the values after the best take of rolled dice, seen by the seat that takes (`search.best_take`)."""
    fits, stars, penalty = takes(rolled)
    end = any_number(0)
    for line in range(_LINES):
        if fits >> line & 1:
            sight.inner[end, 0] = line
            end += 1
    if stars:
        end = some_star_takes(rolled, stars, end, sight.inner)
    highest = -np.inf
    out = sight.out
    for option in range(end):
        take(seats, sight.boxes, rolled, sight.inner[option], penalty, after)
        _value(sight, seats, after, out)
        over = after.numbers[3]
        worth = _utility(sight, seats, out, any_number(0 if over else seats - 1))
        if worth > highest:
            highest = worth
            turn = 0 if over else seats - 1
            for place in range(seats):
                source = (place + turn) % seats
                best[place] = out[source]
                best[seats + place] = out[seats + source]


@lean
def _best_draw(sight: LookAhead, seats: int, table: PackedPosition, after: PackedPosition) -> None:
    """Announce the best draw by the network (`search.best_draw`)."""
    options = draws(table)
    highest, chosen = -np.inf, any_number(0)
    out = sight.out
    for option in range(4):
        if options >> option & 1:
            announce(table, option, after)
            _value(sight, seats, after, out)
            worth = _utility(sight, seats, out, any_number(0))
            if worth > highest:
                highest, chosen = worth, option
    announce(table, chosen, after)


@inlined
def _expected(
    sight: LookAhead,
    seats: int,
    table: PackedPosition,
    one: int,
    two: int,
    rolled: PackedPosition,
    after: PackedPosition,
    mean: Array,
) -> None:
    """Fill in the mean values after a draw, over sampled rolls with the best take after each (`search.expected`)."""
    first, second, third, _ = _words(one, two, _CHANCE)
    seen, found = sight.seen, sight.found
    held = table.bag[0] + table.bag[1] + table.bag[2] + table.bag[3]
    for place in range(2 * seats):
        mean[place] = 0.0
    known = 0
    # Every outcome of one die counts once, if there are so many rolls.
    every = sight.rolls >= _ONE_DIE and table.numbers[4] == 1
    count = 6 * held if every else sight.rolls
    for roll in range(count):
        copy(table, rolled)
        a, b, c = 32, 32, 32
        for die in range(table.numbers[4]):
            pick, face = roll // 6, roll % 6
            if not every:
                word = first if die == 0 else second if die == 1 else third
                fraction = ((word + sight.steps[die, roll]) & _MASK) >> 4
                product = fraction * (held - die)
                pick = product >> 28
                face = ((product & 0xFFFFFFF) * 6) >> 28
            colour, shown = draw_face(rolled.bag, pick, face)
            rolled.reserve[colour, shown] += 1
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
            _best_take(sight, seats, rolled, after, found[at])
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
def _look_ahead(sight: LookAhead, seats: int, way: Array, taking: bool, penalty: bool, one: int, two: int) -> Any:
    """Return the utility of an option by the best takes after sampled rolls (`search_draws` and `search_takes`).

    A take is followed by the next seat's best draw; if it ends the game, the result is minus infinity.
    """
    table, option, drawn, rolled, after = sight.tables
    if taking:
        take(seats, sight.boxes, table, way, penalty, option)
        if option.numbers[3]:
            return -np.inf
        _best_draw(sight, seats, option, drawn)
    else:
        announce(table, way[0], drawn)
    _expected(sight, seats, drawn, one, two, rolled, after, sight.total)
    return _utility(sight, seats, sight.total, any_number(seats - 1 if taking else 0))


@inlined
def _choose(sight: LookAhead, seats: int, number: int, taking: bool, penalty: bool, one: int, two: int) -> Any:
    """Return the best of the options whose values are known, after a look ahead at those that are close."""
    near = _promising(sight, number)
    if sight.rolls == 0 or near < 2:
        return sight.order[0]
    best, highest = any_number(-1), -np.inf
    for place in range(near):
        chosen = sight.order[place]
        ahead = _look_ahead(sight, seats, sight.lines[chosen], taking, penalty, one, two)
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
    table, option = sight.tables[0], sight.tables[1]
    load(seats, games, game, table)
    table.numbers[2] = asks
    sight.net.clock[0] += 1
    number, penalty = any_number(0), False
    if taking:
        fits, stars, penalty = takes(table)
        for line in range(_LINES):
            if fits >> line & 1:
                sight.lines[number, 0] = line
                number += 1
        if stars:
            number = every_star_take(table, stars, number, sight.lines)
    else:
        allowed = draws(table)
        for draw in range(4):
            if allowed >> draw & 1:
                sight.lines[number, 0] = draw
                number += 1
    chosen = any_number(0)
    if number > 1:
        for each in range(number):
            place = any_number(0)
            if taking:
                take(seats, sight.boxes, table, sight.lines[each], penalty, option)
                place = any_number(0 if option.numbers[3] else seats - 1)
            else:
                announce(table, sight.lines[each, 0], option)
            _value(sight, seats, option, sight.out)
            sight.utilities[each] = _utility(sight, seats, sight.out, place)
        chosen = _choose(sight, seats, number, taking, penalty, one, two)
    for part in range(_ROWS + 1):
        sight.choice[part] = sight.lines[chosen, part]
    return sight.choice[0], not penalty


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
