"""The chances of `master` (`bots.network`), compiled by Numba.

In a turn only some parts of a position change: the sums of the others' scores, cards and chances are added up once for
each entry, and only the units of the first layer that are not 0 count in the second.

Places are in the order of play, the mover last; masks are those of the cards in the order in which they are solved.
"""

from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from starfrost.compiling import Array, fused, inlined, lean
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, Change
from starfrost.games.dicy_cards.bots.network import BITS, LEAST, kinds_of

_CARDS, _FREEZE = CARDS_IN_A_GAME, int(Change.FREEZE)
_LEAST = LEAST
_MOST_ODDS = float(np.log((1 - 1e-4) / 1e-4))
_COUNT = BITS.astype(np.int64)


class Net(NamedTuple):
    """The solved pairs, the weights, and room for one position."""

    between: Array
    """The exact values between turns, and in last turns (`solver.values`)."""
    last: Array
    pairs: Array
    """The weights of the first layer, one row for the odds of each pair, and one that is 0."""
    points: Array
    """By place."""
    cards: Array
    """The part of a place's active cards, by place and mask."""
    done: Array
    """By place."""
    moved: Array
    """By seat; with everything that is the same in all positions."""
    ending: Array
    second: Array
    second_bias: Array
    out: Array
    out_bias: Array
    power: float
    scores: Array
    """The position: scores and masks by place."""
    masks: Array
    before: Array
    """The masks before the affected seats choose."""
    logs: Array
    """By pair: the logarithms of the chance of the earlier place, and of the later one."""
    rivals: Array
    """A place's logarithms against the others but the mover: whether the round is the last, by place and card."""
    known: Array
    """Which of them are filled in."""
    common: Array
    """The sums of the first layer without the mover's cards."""
    hidden: Array
    units: Array
    index: Array
    factor: Array
    plain: Array
    steps: Array
    found: Array


def net_of(cards: tuple[str, ...], params: Any, between: Array, last: Array) -> Net:
    """Return a network with the solved pairs of a set of cards; the units of its features are parts of the weights."""
    seats = params["w2"].shape[-1]
    pairs = seats * (seats - 1) // 2
    kinds = kinds_of(cards).astype(np.float64)
    units = np.repeat([4.0, 100.0, 5.0, 1.0], [pairs, seats, seats, 2 * seats + 1])
    rows = np.split(params["w0"] / units[:, None], np.cumsum([pairs, seats, seats, seats, seats]))
    table = kinds @ params["cards"] + rows[2][:, None] * _COUNT[:, None]
    hidden, second = params["w1"].shape
    return Net(
        between,
        last,
        np.concatenate([rows[0], np.zeros((1, hidden))]),
        rows[1].copy(),
        np.ascontiguousarray(table),
        rows[3].copy(),
        rows[4] + params["b0"] + kinds[-1] @ params["set"],
        rows[5][0].copy(),
        params["w1"],
        params["b1"],
        params["w2"],
        params["b2"],
        float(params["power"]),
        *_room(seats, hidden, second),
    )


def _room(seats: int, hidden: int, second: int) -> tuple[Array, ...]:
    numbers = [np.zeros(length, np.int64) for length in (seats, seats, seats)]
    sums = [np.zeros(length) for length in (hidden, hidden, second)]
    rivals = np.zeros((2, seats, _CARDS))
    listed = np.zeros(hidden + 4, np.int64), np.zeros(hidden + 4)
    return (
        *numbers,
        np.zeros((6, 2)),
        rivals,
        np.zeros(2, np.int64),
        *sums,
        *listed,
        np.zeros(seats),
        np.zeros(seats),
        np.zeros((1, 1)),
    )


@inlined
def _pair(seats: int, one: int, two: int) -> int:
    return one * seats - one * (one + 1) // 2 + two - one - 1


@lean
def _chance(net: Net, goal: int, moved: int, last: bool, one: int, two: int, mask: int, other_mask: int) -> float:
    """Return the chance that a place finishes ahead of a later one (`network.chances`)."""
    seats = net.scores.shape[0]
    own, other = net.scores[one], net.scores[two]
    first_later, second_later = moved + 1 + one >= seats, moved + 1 + two >= seats
    if last and first_later:
        lead = (own - other) * (_CARDS + 1) + _COUNT[mask] - _COUNT[other_mask]
        return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    if last and second_later:
        gap = other - own
        if gap < 0:
            return 1.0
        return float(net.last[min(gap, net.last.shape[0] - 1), other_mask, mask])
    seat = 1 if second_later and not first_later else 0
    return float(net.between[seat, min(own, goal - 1), min(other, goal - 1), other_mask, mask])


@lean
def _log(chance: float) -> float:
    return log(max(chance, _LEAST))


@lean
def _keep(net: Net, pair: int, chance: float) -> None:
    """Keep the logarithms of a pair."""
    net.logs[pair, 0], net.logs[pair, 1] = _log(chance), _log(1.0 - chance)


@lean
def _odds(net: Net, pair: int) -> float:
    """Return the logarithm of the odds of a pair, within bounds."""
    return float(min(max(net.logs[pair, 0] - net.logs[pair, 1], -_MOST_ODDS), _MOST_ODDS))


@lean
def is_last(net: Net, goal: int) -> bool:
    """Return whether a place has reached the goal."""
    most = net.scores[0]
    for place in range(1, net.scores.shape[0]):
        most = max(most, net.scores[place])
    return bool(most >= goal)


@lean
def _add(sums: Array, factor: float, row: Array) -> None:
    for unit in range(sums.shape[0]):
        sums[unit] += factor * row[unit]


@lean
def add_others(net: Net, goal: int, moved: int, last: bool) -> None:
    """Add up everything in the first layer that does not depend on the mover's cards."""
    seats, common = net.scores.shape[0], net.common
    for unit in range(common.shape[0]):
        common[unit] = net.moved[moved, unit]
    if last:
        _add(common, 1.0, net.ending)
    for place in range(seats):
        _add(common, float(goal - net.scores[place]), net.points[place])
        if last and moved + 1 + place >= seats:
            _add(common, 1.0, net.done[place])
        if place < seats - 1:
            _add(common, 1.0, net.cards[place, net.masks[place]])
            for later in range(place + 1, seats - 1):
                pair = _pair(seats, place, later)
                _keep(net, pair, _chance(net, goal, moved, last, place, later, net.masks[place], net.masks[later]))
                _add(common, _odds(net, pair), net.pairs[pair])


@inlined
def _weigh(net: Net, moved: int, last: bool) -> None:
    """Find the logarithms of the weights by the chances of all pairs (`network.log_weights`)."""
    seats = net.scores.shape[0]
    for one in range(seats):
        product, least = 0.0, 0.0
        done = last and moved + 1 + one >= seats
        for two in range(seats):
            if one == two:
                continue
            own = net.logs[_pair(seats, min(one, two), max(one, two)), 0 if one < two else 1]
            if last and moved + 1 + two >= seats and not done:
                least = min(least, own)
            else:
                product += own
        net.plain[one] = product + least


@inlined
def _correct(net: Net) -> None:
    """Correct the logarithms by the network."""
    seats = net.scores.shape[0]
    hidden, units, index, factor, common = net.hidden, net.units, net.index, net.factor, net.common
    own = net.cards[seats - 1, net.masks[seats - 1]]
    # The fourth row of three places is 0.
    rows, spare = net.pairs, net.pairs.shape[0] - 1
    i, j = _pair(seats, 0, seats - 1), _pair(seats, 1, seats - 1)
    k = _pair(seats, 2, seats - 1) if seats == 4 else spare
    a, b = _odds(net, i), _odds(net, j)
    c = _odds(net, k) if seats == 4 else 0.0
    one, two, three = rows[i], rows[j], rows[k]
    for unit in range(hidden.shape[0]):
        value = common[unit] + own[unit] + a * one[unit] + (b * two[unit] + c * three[unit])
        hidden[unit] = max(value, 0.0)
    count = 0
    for unit in range(hidden.shape[0]):
        index[count] = unit
        factor[count] = hidden[unit]
        count += hidden[unit] > 0.0
    for extra in range(4):
        index[count + extra] = 0
        factor[count + extra] = 0.0
    second, bias = net.second, net.second_bias
    for unit in range(units.shape[0]):
        units[unit] = bias[unit]
    for first in range(0, count, 4):
        i, j, k, m = index[first], index[first + 1], index[first + 2], index[first + 3]
        a, b, c, d = factor[first], factor[first + 1], factor[first + 2], factor[first + 3]
        for unit in range(units.shape[0]):
            total = units[unit] + a * second[i, unit] + b * second[j, unit]
            units[unit] = total + c * second[k, unit] + d * second[m, unit]
    steps = net.steps
    for place in range(seats):
        steps[place] = net.plain[place] * net.power + net.out_bias[place]
    for unit in range(units.shape[0]):
        if units[unit] > 0.0:
            for place in range(seats):
                steps[place] += units[unit] * net.out[unit, place]


@fused
def fill_chances(
    net: Net, goal: int, moved: int, last: bool, wanted: int, masks: Array, first: int, held: int, out: Array, lane: int
) -> None:
    """Find a place's chances to win with some of the mover's cards left (`network.shares`).

    The common parts are added up. The cards are all parts of `held` from a first one on; `masks` translates them. Those
    of a turn are done together, because a call with the arrays of the network takes longer than the work of one.
    """
    seats = net.scores.shape[0]
    mover = seats - 1
    for mask in range(first, held + 1):
        if mask & ~held:
            continue
        net.masks[mover] = masks[mask]
        for place in range(mover):
            chance = _chance(net, goal, moved, last, place, mover, net.masks[place], net.masks[mover])
            _keep(net, _pair(seats, place, mover), chance)
        _weigh(net, moved, last)
        if last and moved + 2 >= seats:
            for place in range(seats):
                net.steps[place] = net.plain[place]
        else:
            _correct(net)
        most = net.steps[0]
        for place in range(1, seats):
            most = max(most, net.steps[place])
        total, own = 0.0, 0.0
        for place in range(seats):
            raised = exp(net.steps[place] - most)
            total += raised
            if place == wanted:
                own = raised
        out[mask - first, lane] = own / total


@lean
def weigh_rivals(net: Net, goal: int, moved: int, last: bool) -> None:
    """Fill in the logarithms of every place but the mover's, with each card turned over."""
    seats = net.scores.shape[0]
    for place in range(seats - 1):
        for card in range(_CARDS):
            mask, value = net.before[place] ^ (1 << card), 0.0
            for other in range(seats - 1):
                if other > place:
                    value += _log(_chance(net, goal, moved, last, place, other, mask, net.before[other]))
                elif other < place:
                    value += _log(1.0 - _chance(net, goal, moved, last, other, place, net.before[other], mask))
            net.rivals[int(last), place, card] = value


@lean
def expected_mask(net: Net, goal: int, moved: int, last: bool, place: int, change: int) -> Any:
    """Return the mask that an affected place is expected to choose (`turn_ends.answered`)."""
    mover = net.scores.shape[0] - 1
    held = net.before[place]
    chosen, best = held, 0.0
    for card in range(_CARDS):
        if (held >> card & 1) == (change == _FREEZE):
            mask = held ^ (1 << card)
            chance = _chance(net, goal, moved, last, place, mover, mask, net.before[mover])
            value = net.rivals[int(last), place, card] + _log(chance)
            if chosen == held or value > best:
                chosen, best = mask, value
    return chosen
