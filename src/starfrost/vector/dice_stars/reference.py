"""Conversion between the packed and the reference engine of Dice Stars: states one way, actions both ways."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from starfrost.games.dice_stars import ROWS, Action, Phase, Sheet, State
from starfrost.games.dice_stars.actions import DRAWS, PENALTIES, RETURN, TAKES, all_star_takes
from starfrost.games.dice_stars.actions import KEEP as KEEP_RESERVE
from starfrost.games.dice_stars.sheet import STAR_BOXES, Ticked, row_sum
from starfrost.vector.arrays import U32
from starfrost.vector.dice_stars.engine import COLOUR, DRAW_DICE, KEEP, PENALTY, STARS, StarsState, code_of
from starfrost.vector.dice_stars.engine import RETURN as RETURN_ID
from starfrost.vector.dice_stars.sheet import Sheet as PackedSheet


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
