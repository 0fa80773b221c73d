"""Conversion between the packed and the reference engine of Dice Stars: states and actions, both ways."""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice_stars import ROWS, Action, DiceStars, Phase, Sheet, State
from starfrost.games.dice_stars.actions import DRAWS, PENALTIES, RETURN, TAKES, all_star_takes
from starfrost.games.dice_stars.actions import KEEP as KEEP_RESERVE
from starfrost.games.dice_stars.sheet import CROSS, EMPTY, STAR_BOXES, Layout, Ticked, row_sum
from starfrost.games.dice_stars.vector.engine import COLOUR, DRAW_DICE, KEEP, PENALTY, STARS, StarsState, code_of
from starfrost.games.dice_stars.vector.engine import RETURN as RETURN_ID
from starfrost.games.dice_stars.vector.sheet import Sheet as PackedSheet
from starfrost.vector.arrays import U32


@cache
def actions_by_number(star_boxes: Ticked = STAR_BOXES) -> dict[int, Action]:
    """Map every action number to the action of the reference engine."""
    table = {KEEP: KEEP_RESERVE, RETURN_ID: RETURN}
    table.update({DRAW_DICE - 1 + number: action for action, number in DRAWS.items()})
    table.update({COLOUR + i: action for i, action in enumerate(TAKES)})
    table.update({PENALTY + i: action for i, action in enumerate(PENALTIES)})
    takes = all_star_takes(star_boxes)
    table.update({STARS + int(code_of(tuple(map(U32, rows)), star_boxes)): action for action, rows in takes.items()})
    return table


@cache
def _numbers(star_boxes: Ticked) -> dict[Action, int]:
    return {action: number for number, action in actions_by_number(star_boxes).items()}


def action_number(action: Action, star_boxes: Ticked = STAR_BOXES) -> int:
    """Return the number of a reference action; a variant's star boxes number the star takes."""
    return _numbers(star_boxes)[action]


def reference_action(number: int, star_boxes: Ticked = STAR_BOXES) -> Action:
    """Return the reference action of a number."""
    return actions_by_number(star_boxes)[number]


def _pack_sheet(sheet: Sheet) -> tuple[int, int, int]:
    sums = [row_sum(sheet, row) for row in range(len(ROWS))]
    marks = sums[4] | (sheet.penalty + 1) << 8 | sum(n << (16 + 3 * row) for row, n in enumerate(sheet.ticked))
    return sheet.filled, sum(value << (8 * row) for row, value in enumerate(sums[:4])), marks


def pack(states: Sequence[State]) -> StarsState:
    """Pack states of the reference engine with the same number of seats; none may wait for chance."""
    seats = len(states[0].sheets)
    table = np.zeros((len(states), 6 + 3 * seats), dtype=U32)
    for row, state in zip(table, states, strict=True):
        if state.phase is Phase.ROLL:
            raise ValueError("A packed state never waits for chance: rolls happen inside a step.")
        bag = sum(count << (4 * colour) for colour, count in enumerate(state.bag))
        row[0] = bag | state.phase << 16 | state.seat << 19
        row[1] = state.solo
        reserve = [0, 0, 0, 0]
        for shown in state.reserve:
            reserve[shown >> 3] += 1 << (4 * max((shown & 7) - 1, 0))
        row[2:6] = reserve
        for i in range(seats):
            row[6 + 3 * i : 9 + 3 * i] = _pack_sheet(state.sheets[(state.seat + i) % seats])
    column = [np.ascontiguousarray(table[:, i]) for i in range(table.shape[1])]
    sheets = tuple(PackedSheet(*column[i : i + 3]) for i in range(6, len(column), 3))
    return StarsState(column[0], column[1], (column[2], column[3], column[4], column[5]), sheets)


# One game is played by the rules themselves, so its masks and views are made from their states: a call of the vector
# engine for one state would take longer than the move.


@cache
def _size(star_boxes: Ticked) -> int:
    return STARS + prod(boxes + 1 for boxes in star_boxes)


def mask(game: DiceStars, state: State) -> NDArray[np.int8]:
    """Return the legal actions in a state, as the vector engine does."""
    return _mask(game.legal_actions(state), game.rules.stars)


@lru_cache(maxsize=1 << 13)
def _mask(actions: tuple[Action, ...], star_boxes: Ticked) -> NDArray[np.int8]:
    numbers = _numbers(star_boxes)
    found = np.zeros(_size(star_boxes), np.int8)
    found[[numbers[action] for action in actions]] = 1
    return found


_PHASES = (Phase.REFILL, Phase.DRAW, Phase.REFILLED, Phase.TAKE, Phase.OVER)
_FLAGS = {phase: [int(phase is one) for one in _PHASES] for phase in Phase}


@lru_cache(maxsize=4096)
def _seen(sheet: Sheet) -> list[int]:
    """Return what is seen of a sheet; of all sheets only one changes in a turn."""
    spaces = [sheet.filled >> space & 1 for space in range(sheet.layout.size)]
    return [*spaces, *(row_sum(sheet, row) for row in range(len(ROWS))), *sheet.ticked, sheet.penalty + 1]


def observe(game: DiceStars, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a seat's view of a state, as the vector engine does."""
    seats = game.seats
    row = _FLAGS[state.phase].copy()
    row += (seat, (state.seat - seat) % seats, state.solo & 255, state.solo >> 8 & 255, *state.bag)
    reserve = [0] * 24
    for shown in state.reserve:
        # A star is 0, then come the faces from 2 on.
        reserve[6 * (shown >> 3) + ((shown & 7) - 1 if shown & 7 else 0)] += 1
    row += reserve
    for place in range(seat, seat + seats):
        row += _seen(state.sheets[place % seats])
    return np.frombuffer(bytearray(row), np.uint8)


def _unpack_sheet(printed: Layout, filled: int, sums: int, marks: int) -> Sheet:
    """Return a sheet; every row has its sum in one space, since the rules ask for the sum alone."""
    spaces = [CROSS if filled >> space & 1 else EMPTY for space in range(printed.size)]
    for row, own in enumerate(printed.row_spaces):
        value = marks & 255 if row == 4 else sums >> (8 * row) & 255
        if value:
            spaces[next(space for space in own if filled >> space & 1)] = value
    a, b, c, d, e = (marks >> (16 + 3 * row) & 7 for row in range(5))
    return Sheet(filled, tuple(spaces), (a, b, c, d, e), (marks >> 8 & 255) - 1, printed)


def unpack(game: DiceStars, packed: StarsState) -> list[State]:
    """Return the states of the reference engine for packed ones, in NumPy arrays."""
    seats = game.seats
    columns = [packed[0], packed[1], *packed[2], *(part for sheet in packed[3] for part in sheet)]
    found = []
    for word, solo, *rest in zip(*(column.tolist() for column in columns), strict=True):
        seat = word >> 19 & 3
        reserve = [
            colour << 3 | (face + 1 if face else 0)
            for colour in range(4)
            for face in range(6)
            for _ in range(rest[colour] >> (4 * face) & 15)
        ]
        sheets = []
        for place in range(seats):
            at = 4 + 3 * ((place - seat) % seats)
            sheets.append(_unpack_sheet(game.layouts[place], *rest[at : at + 3]))
        a, b, c, d = (word >> (4 * colour) & 15 for colour in range(4))
        found.append(State(Phase(word >> 16 & 7), seat, (a, b, c, d), tuple(sorted(reserve)), tuple(sheets), 0, solo))
    return found
