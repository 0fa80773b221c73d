"""A position on one line: `take seat=1 bag=2/3/3/3 reserve=blue3,orange*,orange4 draw=0 solo=0 sheets=…`.

A sheet is its five rows, then its penalty (`-` while there is none), joined by `/`; a row is its spaces, joined by `,`
(`.` empty, `x` an X), then `*` and the number of its ticked star boxes. Sheets are joined by `|`.
"""

import re
from typing import Final

from starfrost.errors import NotationError
from starfrost.games.dice_stars.components import Bag, colours_in, die_text, parse_die
from starfrost.games.dice_stars.sheet import CROSS, EMPTY, NO_PENALTY, OFFICIAL, Layout, Sheet, ends_game
from starfrost.games.dice_stars.turn import Phase, State

_FORM: Final = re.compile(
    r"(?P<phase>[a-z]+) seat=(?P<seat>[1-4]) bag=(?P<bag>\d/\d/\d/\d) reserve=(?P<reserve>\S*)"
    r" draw=(?P<draw>[0-3]) solo=(?P<solo>\d{1,6}) sheets=(?P<sheets>\S+)",
    re.ASCII,
)
_SIGNS: Final = {EMPTY: ".", CROSS: "x"}
_VALUES: Final = {".": EMPTY, "x": CROSS, **{str(number): number for number in range(49)}}


def position_text(state: State) -> str:
    """Return a state as one line of text."""
    bag = "/".join(map(str, state.bag))
    reserve = ",".join(map(die_text, state.reserve))
    sheets = "|".join(map(_sheet_text, state.sheets))
    phase = state.phase.name.lower()
    return (
        f"{phase} seat={state.seat + 1} bag={bag} reserve={reserve} draw={state.draw} solo={state.solo} sheets={sheets}"
    )


def _sheet_text(sheet: Sheet) -> str:
    rows = [
        ",".join(_SIGNS.get(sheet.spaces[space]) or str(sheet.spaces[space]) for space in spaces) + f"*{ticked}"
        for spaces, ticked in zip(sheet.layout.row_spaces, sheet.ticked, strict=True)
    ]
    return "/".join([*rows, "-" if sheet.penalty == NO_PENALTY else str(sheet.penalty)])


def parse_position(
    text: str, seats: int, solo_grid: int, layouts: tuple[Layout, ...] = (OFFICIAL, OFFICIAL, OFFICIAL, OFFICIAL)
) -> State:
    """Parse a line written by `position_text`; `solo_grid` is the size of the solo grid, 0 with more than one seat.

    `layouts` are the sheets of the seats.

    Raises NotationError if the text is not a position that such a game can have.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise NotationError(
            "This is not a position of Dice Stars: expected `phase seat= bag= reserve= draw= solo= sheets=`."
        )
    try:
        phase = Phase[form["phase"].upper()]
    except KeyError:
        raise NotationError("%(phase)s is not a phase of Dice Stars.", phase=repr(form["phase"])) from None
    bag = tuple(map(int, form["bag"].split("/")))
    dice = form["reserve"].split(",") if form["reserve"] else []
    sheets = tuple(map(_parse_sheet, form["sheets"].split("|")[: len(layouts) + 1], (*layouts, layouts[0])))
    state = State(
        phase,
        int(form["seat"]) - 1,
        (bag[0], bag[1], bag[2], bag[3]),
        tuple(sorted(parse_die(die, layouts[0].faces) for die in dice)),
        sheets,
        int(form["draw"]),
        int(form["solo"]),
    )
    _check(state, seats, solo_grid)
    return state


def _parse_sheet(text: str, layout: Layout) -> Sheet:
    *rows, penalty = text.split("/")
    if len(rows) != 5 or not re.fullmatch(r"-|\d{1,2}", penalty, re.ASCII):
        raise NotationError("%(text)s is not a sheet: expected five rows and a penalty, joined by /.", text=repr(text))
    values: list[int] = []
    ticked: list[int] = []
    for row, spaces, boxes in zip(rows, layout.row_spaces, layout.stars, strict=True):
        signs, _, stars = row.partition("*")
        written = [_VALUES.get(sign) for sign in signs.split(",")]
        if any(value is not None and value > layout.most for value in written):
            written = []
        if len(written) != len(spaces) or None in written or stars not in map(str, range(boxes + 1)):
            raise NotationError(
                "%(row)s is not a row: expected %(spaces)s spaces, * and at most %(boxes)s ticked stars.",
                row=repr(row),
                spaces=len(spaces),
                boxes=boxes,
            )
        values += [value for value in written if value is not None]
        ticked.append(int(stars))
    filled = sum(1 << space for space, value in enumerate(values) if value != EMPTY)
    return Sheet(
        filled,
        tuple(values),
        (ticked[0], ticked[1], ticked[2], ticked[3], ticked[4]),
        NO_PENALTY if penalty == "-" else int(penalty),
        layout,
    )


def _check(state: State, seats: int, solo_grid: int) -> None:
    """Raise NotationError if the parts of a position contradict each other."""
    if len(state.sheets) != seats or state.seat >= seats:
        raise NotationError("This position is not one for %(seats)s seats.", seats=seats)
    if state.solo > solo_grid:
        raise NotationError(
            "%(ticked)s solo boxes are ticked: expected at most %(most)s.", ticked=state.solo, most=solo_grid
        )
    held: Bag = colours_in(state.reserve)
    dice = state.sheets[0].layout.dice
    if any(state.bag[c] + held[c] > dice[c] for c in range(4)):
        raise NotationError("Bag and reserve hold more dice than the game has.")
    in_bag = sum(state.bag)
    fits = {
        Phase.REFILL: bool(state.reserve) and sum(state.discard) == 0,
        Phase.DRAW: in_bag > 0,
        Phase.REFILLED: in_bag > 0 and sum(state.discard) == 0,
        Phase.ROLL: 0 < state.draw <= in_bag,
        Phase.TAKE: bool(state.reserve),
        Phase.OVER: _ended(state, solo_grid),
    }
    if not fits[state.phase] or (state.draw and state.phase is not Phase.ROLL):
        raise NotationError("This position cannot be in the phase %(phase)s.", phase=state.phase.name.lower())
    if state.phase is not Phase.OVER and state.seat == 0 and _ended(state, solo_grid):
        raise NotationError("This game is over: expected the phase over.")


def _ended(state: State, solo_grid: int) -> bool:
    finished = any(ends_game(sheet) for sheet in state.sheets)
    return finished or (bool(solo_grid) and state.solo == solo_grid)
