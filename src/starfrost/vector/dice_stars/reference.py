"""Conversion between the packed and the reference engine of Dice Stars: states one way, actions and dice both ways."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from starfrost.games.dice_stars import ROWS, Action, Phase, Sheet, State
from starfrost.games.dice_stars.actions import DRAWS, PENALTIES, RETURN, STAR_TAKES, TAKES
from starfrost.games.dice_stars.actions import KEEP as KEEP_RESERVE
from starfrost.games.dice_stars.sheet import row_sum
from starfrost.vector.arrays import U32
from starfrost.vector.dice_stars.engine import COLOUR, DRAW_DICE, KEEP, PENALTY, STARS, StarsState, code_of
from starfrost.vector.dice_stars.engine import RETURN as RETURN_ID
from starfrost.vector.dice_stars.sheet import Sheet as PackedSheet

__all__ = ["action_number", "actions_by_number", "dice_codes", "pack", "reference_action", "roll_dice"]


@cache
def actions_by_number() -> dict[int, Action]:
    """Map every action number to the action of the reference engine."""
    table = {KEEP: KEEP_RESERVE, RETURN_ID: RETURN}
    table.update({DRAW_DICE - 1 + number: action for action, number in DRAWS.items()})
    table.update({COLOUR + i: action for i, action in enumerate(TAKES)})
    table.update({PENALTY + i: action for i, action in enumerate(PENALTIES)})
    table.update({STARS + int(code_of(tuple(map(U32, rows)))): action for action, rows in STAR_TAKES.items()})
    return table


@cache
def _numbers() -> dict[Action, int]:
    return {action: number for number, action in actions_by_number().items()}


def action_number(action: Action) -> int:
    """Return the number of a reference action."""
    return _numbers()[action]


def reference_action(number: int) -> Action:
    """Return the reference action of a number."""
    return actions_by_number()[number]


def dice_codes(roll: Action) -> tuple[int, int, int]:
    """Convert a roll of the reference engine to the three dice of `step_with`."""
    codes = [(shown & ~7) | max((shown & 7) - 1, 0) for shown in roll.dice]
    codes += [0] * (3 - len(codes))
    return codes[0], codes[1], codes[2]


def roll_dice(codes: Sequence[int], count: int) -> Action:
    """Convert the first `count` dice of `step_with` to a roll of the reference engine."""
    shown = sorted((code & ~7) | ((code & 7) + 1 if code & 7 else 0) for code in map(int, codes[:count]))
    return Action("roll", dice=tuple(shown))


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
    return unstack(table)


def unstack(table: np.ndarray) -> StarsState:
    """Return the states in a table with one row of words per state."""
    column = [np.ascontiguousarray(table[:, i]) for i in range(table.shape[1])]
    sheets = tuple(PackedSheet(*column[i : i + 3]) for i in range(6, len(column), 3))
    return StarsState(column[0], column[1], (column[2], column[3], column[4], column[5]), sheets)
