"""The network of `strong` (`bots.network`), compiled by Numba.

Features are whole numbers, their units part of the weights. The first layer is a sum over the table (dice, bag, draw)
and over each sheet; the part of a sheet is computed once in a decision. In the second layer only the units that are not
0 are added, a sixth of them with two players.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np

from starfrost.compiling import Array, lean
from starfrost.games.dice_stars.bots.features import units
from starfrost.games.dice_stars.compiled.positions import ROWS, Games
from starfrost.games.dice_stars.compiled.sheets import bits, finished, room, score
from starfrost.games.dice_stars.components import ALL_DICE
from starfrost.games.dice_stars.sheet import BOX_POINTS, LINE_MASK, STAR_BOXES, WHITE

_ROWS, _WHITE, _BOX_POINTS = ROWS, WHITE, BOX_POINTS
_BOXES = np.array(STAR_BOXES, np.int64)
_LINE = np.array(list(LINE_MASK.values()), np.int64)
_ALL_DICE = np.array(ALL_DICE, np.int64)
_VALUES = np.array([0, 2, 3, 4, 5, 6], np.int64)
_SHEET, _TABLE = 125, 112
"""The features of a sheet and, with one more for each seat, of the table."""
_KNOWN = 4096
"""More sheets than a decision can meet."""


class Net(NamedTuple):
    """The weights, and what is computed with them."""

    table: Array
    """By feature of the table and hidden unit."""
    sheet: Array
    """By place of the sheet, feature and hidden unit."""
    bias: Array
    second: Array
    second_bias: Array
    last: Array
    last_bias: Array
    clock: Array
    """The number of the decision."""
    known: Array
    """The sheets whose parts are known in a decision: its number, place, spaces, points, marks."""
    parts: Array
    index: Array
    """The features or units that are not 0."""
    factor: Array
    hidden: Array
    units: Array
    sums: Array
    features: Array
    faces: Array


def net_of(params: Any, seats: int) -> Net:
    """Return a network for loops, with room to work in."""
    w0 = np.ascontiguousarray(params["w0"] / units(seats)[:, None], np.float32)
    table = _TABLE + seats
    hidden, second = params["w1"].shape
    return Net(
        w0[:table].copy(),
        w0[table:].reshape(seats, _SHEET, hidden).copy(),
        np.ascontiguousarray(params["b0"], np.float32),
        np.ascontiguousarray(params["w1"], np.float32),
        np.ascontiguousarray(params["b1"], np.float32),
        np.ascontiguousarray(params["w2"], np.float64),
        np.ascontiguousarray(params["b2"], np.float64),
        np.zeros(1, np.int64),
        np.zeros((_KNOWN, 5), np.int64),
        np.zeros((_KNOWN, hidden), np.float32),
        np.zeros(max(hidden, 256) + 4, np.int64),
        np.zeros(max(hidden, 256) + 4, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(second, np.float32),
        np.zeros(2 * seats),
        np.zeros(max(table, _SHEET), np.int64),
        np.zeros(6, np.int64),
    )


@lean
def _add(index: Array, factor: Array, count: int, weights: Array, sums: Array) -> None:
    """Add so many rows of weights, each times its factor, to some sums."""
    for extra in range(4):
        # Rows beyond the last one count nothing.
        index[count + extra] = 0
        factor[count + extra] = 0.0
    width = sums.shape[0]
    for first in range(0, count, 4):
        i, j, k, m = index[first], index[first + 1], index[first + 2], index[first + 3]
        a, b, c, d = factor[first], factor[first + 1], factor[first + 2], factor[first + 3]
        for unit in range(width):
            sums[unit] += a * weights[i, unit] + b * weights[j, unit] + (c * weights[k, unit] + d * weights[m, unit])


@lean
def _list(features: Array, index: Array, factor: Array) -> int:
    """List the features that are not 0 and clear them; return their number."""
    count = 0
    for feature in range(features.shape[0]):
        value = features[feature]
        index[count] = feature
        factor[count] = value
        count += value != 0
        features[feature] = 0
    return count


@lean
def _sheet_features(net: Net, filled: int, sums: Array, ticked: Array, penalty: int) -> None:
    """Fill in the features of a sheet (`features._sheet`)."""
    found = net.features
    for space in range(30):
        found[space] = (filled >> space) & 1
    for row in range(_ROWS):
        points = sums[row]
        missing = _BOXES[row] - ticked[row]
        found[30 + row] = points
        if missing == 0:
            found[40 + row] = points
            found[50 + row] = 1
        elif ticked[row]:
            found[35 + row] = points
        else:
            found[45 + row] = 1
        found[55 + row] = ticked[row]
        for step in range(min(missing, 3)):
            found[60 + 3 * row + step] = 1
        for step in range(min(room(filled, 4 + row), 4)):
            found[95 + 4 * row + step] = 1
    for colour in range(4):
        for step in range(room(filled, colour)):
            found[75 + 5 * colour + step] = 1
    white = 20 - bits(filled & _WHITE)
    for step in range(min(white, 5)):
        found[115 + step] = 1
    total = score(sums, ticked, penalty)
    found[120] = white
    found[121] = 1 if penalty >= 0 else 0
    found[122] = penalty + 1
    found[123] = total
    found[124] = max(total - 50, 0)


@lean
def _sheet_part(net: Net, place: int, filled: int, sums: Array, ticked: Array, penalty: int) -> int:
    """Return where the part of a sheet in the first layer is; compute it unless it is known in this decision."""
    known, clock = net.known, net.clock[0]
    points, marks = 0, penalty + 1
    for row in range(_ROWS):
        points |= sums[row] << 8 * row
        marks |= ticked[row] << 8 + 3 * row
    mixed = (filled * 0x9E3779B1 ^ points * 0x85EBCA77 ^ marks * 0xC2B2AE3D) + place * 0x27D4EB2F
    at = (mixed ^ (mixed >> 29) ^ (mixed >> 15)) & (_KNOWN - 1)
    while known[at, 0] == clock:
        if known[at, 1] == place and known[at, 2] == filled and known[at, 3] == points and known[at, 4] == marks:
            return at
        at = (at + 1) & (_KNOWN - 1)
    known[at, 0], known[at, 1], known[at, 2], known[at, 3], known[at, 4] = clock, place, filled, points, marks
    part = net.parts[at]
    for unit in range(part.shape[0]):
        part[unit] = 0.0
    _sheet_features(net, filled, sums, ticked, penalty)
    _add(net.index, net.factor, _list(net.features, net.index, net.factor), net.sheet[place], part)
    return at


@lean
def _table_features(net: Net, seats: int, boxes: int, games: Games, game: int, draw: int) -> None:
    """Fill in the features of the table (`features.features`)."""
    found, faces = net.features, net.faces
    reserve, bag, seat, solo = games.reserve[game], games.bag[game], games.seat[game], games.solo[game]
    own = games.filled[game, seat]
    for face in range(6):
        faces[face] = 0
    held, left = 0, 0
    rest = 87 + seats  # The first feature after the seats.
    for colour in range(4):
        number, points = 0, 0
        for face in range(6):
            here = reserve[colour, face]
            found[6 * colour + face] = here
            number += here
            points += here * _VALUES[face]
            faces[face] += here
        for step in range(min(number, 4)):
            found[24 + 4 * colour + step] = 1
        found[64 + colour] = points
        found[68 + colour] = bag[colour]
        found[72 + colour] = _ALL_DICE[colour] - number - bag[colour]
        if number and number <= room(own, colour):
            found[rest + 1 + colour] = 1
            found[rest + 10 + colour] = points
        held += number
        left += bag[colour]
    for face in range(6):
        for step in range(min(faces[face], 4)):
            found[40 + 4 * face + step] = 1
        if face and faces[face] and faces[face] <= room(own, 3 + face):
            found[rest + 4 + face] = 1
            found[rest + 13 + face] = faces[face]
    for step in range(min(left, 3)):
        found[76 + step] = 1
    found[79] = left
    found[80] = games.asks[game]
    found[81 + draw] = 1
    found[85] = held
    found[86] = 1 if held == faces[0] else 0
    found[87 + seat] = 1
    for other in range(seats):
        if finished(games.filled[game, other], games.penalty[game, other]):
            found[rest] = 1
    free = max(boxes, 1) - solo
    ahead = score(games.sums[game, seat], games.ticked[game, seat], games.penalty[game, seat]) - _BOX_POINTS * solo
    found[rest + 19] = solo
    found[rest + 20] = free
    found[rest + 21] = min(free, 8)
    found[rest + 22] = ahead
    found[rest + 23] = 1 if ahead > 0 else 0
    found[rest + 24] = max(ahead, 0)


@lean
def evaluate(net: Net, seats: int, boxes: int, games: Games, game: int, draw: int, out: Array) -> None:
    """Fill in the shares and then the scores of all seats from the acting one on (`network.forward`)."""
    hidden, units, index, factor = net.hidden, net.units, net.index, net.factor
    width = hidden.shape[0]
    bias = net.bias
    for unit in range(width):
        hidden[unit] = bias[unit]
    for place in range(seats):
        seat = (games.seat[game] + place) % seats
        sums, ticked = games.sums[game, seat], games.ticked[game, seat]
        part = net.parts[_sheet_part(net, place, games.filled[game, seat], sums, ticked, games.penalty[game, seat])]
        for unit in range(width):
            hidden[unit] += part[unit]
    _table_features(net, seats, boxes, games, game, draw)
    _add(index, factor, _list(net.features, index, factor), net.table, hidden)
    for unit in range(width):
        hidden[unit] = max(hidden[unit], np.float32(0.0))
    count = 0
    for unit in range(width):
        index[count] = unit
        factor[count] = hidden[unit]
        count += hidden[unit] > 0
    second_bias = net.second_bias
    for unit in range(units.shape[0]):
        units[unit] = second_bias[unit]
    _add(index, factor, count, net.second, units)
    sums, last = net.sums, net.last
    for place in range(2 * seats):
        sums[place] = net.last_bias[place]
    for unit in range(units.shape[0]):
        value = float(units[unit])
        if value > 0:
            for place in range(2 * seats):
                sums[place] += value * last[unit, place]
    for place in range(seats):
        out[seats + place] = sums[seats + place]
    if seats == 1:
        out[0] = 1.0 / (1.0 + exp(-min(max(sums[0], -30.0), 30.0)))
        return
    most, total = sums[0], 0.0
    for place in range(1, seats):
        most = max(most, sums[place])
    for place in range(seats):
        out[place] = exp(sums[place] - most)
        total += out[place]
    for place in range(seats):
        out[place] /= total
