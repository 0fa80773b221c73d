"""A turn, step by step (S1 to S6, F1 to F6), and when the game ends (G1, L2, L3).

A turn goes through the phases REFILL (a choice, only when S1 applies and the reserve is not empty), DRAW (or REFILLED,
the same after that choice), ROLL (chance) and TAKE.
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple, NoReturn

from starfrost.errors import IllegalAction, Phrase
from starfrost.games.dice_stars.actions import (
    DRAWS,
    KEEP,
    PENALTIES,
    RETURN,
    TAKES,
    Action,
    all_star_takes,
    star_takes,
)
from starfrost.games.dice_stars.components import (
    COLOURS,
    EMPTY_BAG,
    Bag,
    Dice,
    colour_of,
    colours_in,
    face_of,
)
from starfrost.games.dice_stars.sheet import BOX_POINTS, LINES, OFFICIAL, Layout, Sheet, Ticked, first_spaces


class Phase(IntEnum):
    """What the state waits for."""

    REFILL = 0
    """The seat keeps or returns the reserve (S1); the discard pile is back in the bag already."""
    DRAW = 1
    """The seat announces a number of dice, the first event of its turn (S2)."""
    REFILLED = 2
    """The same, after the choice of S1."""
    ROLL = 3
    """Chance draws and rolls them."""
    TAKE = 4
    """The seat takes dice or writes a penalty (S5, F6)."""
    OVER = 5
    """The game has ended."""


REFILL, DRAW, REFILLED, ROLL, TAKE, OVER = Phase


class State(NamedTuple):
    """A position; dice that are neither in the bag nor in the reserve lie on the discard pile."""

    phase: Phase
    seat: int
    """The seat whose turn it is."""
    bag: Bag
    reserve: Dice
    sheets: tuple[Sheet, ...]
    draw: int
    """The announced number of dice in the phase ROLL, else 0."""
    solo: int
    """The ticked boxes of the solo grid."""

    @property
    def discard(self) -> Bag:
        """The discard pile by colour."""
        held = colours_in(self.reserve)
        dice = self.sheets[0].layout.dice
        rest = [dice[colour] - self.bag[colour] - held[colour] for colour in range(4)]
        return rest[0], rest[1], rest[2], rest[3]


# For speed, a tally counts the whole reserve in one integer. Its bit fields hold the number of dice and their sum for
# each of the nine lines, and the number of stars.
_STARS_SHIFT: Final = 4 * len(LINES)
_SUM_SHIFT: Final = {line: _STARS_SHIFT + 4 + 8 * i for i, line in enumerate(LINES)}
_COUNT_SHIFT: Final = {line: 4 * i for i, line in enumerate(LINES)}


def _tally_of_die(shown: int) -> int:
    face = face_of(shown)
    counts = 0
    for line in (COLOURS[colour_of(shown)], *([str(face)] if face else [])):
        counts += (1 << _COUNT_SHIFT[line]) + (face << _SUM_SHIFT[line])
    return counts if face else counts + (1 << _STARS_SHIFT)


_DIE_TALLY: Final = tuple(_tally_of_die(shown) if shown & 7 in (0, 2, 3, 4, 5, 6) else 0 for shown in range(32))
_TAKE_CHECKS: Final = tuple((action, _COUNT_SHIFT[line], line) for action, line in TAKES.items())


@cache
def _take_checks(layout: Layout) -> tuple[tuple[Action, int, int], ...]:
    """Return for each take where a tally counts its dice, and the spaces of its line as bits."""
    return tuple((action, shift, layout.line_mask[line]) for action, shift, line in _TAKE_CHECKS)


_PENALTY_CHECKS: Final = tuple((action, _COUNT_SHIFT[line]) for action, line in PENALTIES.items())
_LINE_CHECK: Final = {action: (line, shift) for action, shift, line in _TAKE_CHECKS}
_DRAW: Final = tuple(DRAWS)
_DRAWS_UP_TO: Final = ((), _DRAW[:1], _DRAW[:2], _DRAW)
_CHOICES: Final = (KEEP, RETURN)


def tally(reserve: Dice) -> int:
    """Count the reserve by lines and stars in one integer, for `line_count`, `line_sum` and `star_count` to read."""
    counted = 0
    for shown in reserve:
        counted += _DIE_TALLY[shown]
    return counted


def line_count(counted: int, line: str) -> int:
    """Return the number of dice in a tally that belong to a line."""
    return counted >> _COUNT_SHIFT[line] & 15


def line_sum(counted: int, line: str) -> int:
    """Return the sum of the dice in a tally that belong to a line; a star counts 0 (F1)."""
    return counted >> _SUM_SHIFT[line] & 255


def star_count(counted: int) -> int:
    """Return the number of stars in a tally."""
    return counted >> _STARS_SHIFT & 15


def legal_actions(state: State) -> tuple[Action, ...]:
    """List the acting seat's actions in a stable order; empty when no seat acts."""
    phase = state.phase
    if phase is TAKE:
        counted = tally(state.reserve)
        sheet = state.sheets[state.seat]
        return _takes(counted, sheet) or tuple(
            [action for action, shift in _PENALTY_CHECKS if counted >> shift & 15]  # F6: only when no take is allowed
        )
    if phase is DRAW or phase is REFILLED:
        return _draws(state)
    return _CHOICES if phase is REFILL else ()


@cache
def _star_ticks(layout: Layout) -> Mapping[Action, Ticked]:
    """Return the star boxes that each way to take stars ticks."""
    return all_star_takes(layout.stars)


def _draws(state: State) -> tuple[Action, ...]:
    """List the draws of S2 to S4: 1, 2 or 3 dice, at most what the bag holds; 3 if the reserve shows no number."""
    black, purple, blue, orange = state.bag
    held = black + purple + blue + orange
    most = held if held < 3 else 3
    for shown in state.reserve:
        if shown & 7:
            return _DRAWS_UP_TO[most]
    return _DRAW[most - 1 : most]


def _takes(counted: int, sheet: Sheet) -> tuple[Action, ...]:
    """List the takes of S5 and F5: every colour, number and placing of the stars for which the sheet has room."""
    empty = ~sheet.filled
    takes = [
        action
        for action, shift, mask in _take_checks(sheet.layout)
        if (count := counted >> shift & 15) and count <= (mask & empty).bit_count()
    ]
    stars = counted >> _STARS_SHIFT & 15
    return (*takes, *_star_takes(stars, sheet)) if stars else tuple(takes)


def _star_takes(stars: int, sheet: Sheet) -> tuple[Action, ...]:
    # A call with fewer arguments finds its cached answer faster.
    layout = sheet.layout
    return star_takes(stars, sheet.ticked) if layout is OFFICIAL else star_takes(stars, sheet.ticked, layout.stars)


def apply(state: State, action: Action, solo_grid: int) -> State:
    """Return the state after an action or a roll; `solo_grid` is the size of the solo grid, 0 with more than one seat.

    Raises IllegalAction if the rules do not allow it here.
    """
    phase, seat, bag, reserve, sheets, _, solo = state
    if phase is TAKE:
        return _take(state, action, solo_grid)
    if phase is ROLL:
        return State(TAKE, seat, _rolled_from(state, action), tuple(sorted(reserve + action.dice)), sheets, 0, solo)
    if phase is REFILL:
        if action == KEEP:
            return State(REFILLED, seat, bag, reserve, sheets, 0, solo)
        if action == RETURN:
            return State(REFILLED, seat, sheets[0].layout.dice, (), sheets, 0, solo)
    elif action in legal_actions(state):
        return State(ROLL, seat, bag, reserve, sheets, action.number, solo)
    _refuse(state, action)


def _rolled_from(state: State, action: Action) -> Bag:
    """Return the bag after this roll; refuse dice that the bag does not hold."""
    if action[:4] != ("roll", "", 0, ()) or len(action.dice) != state.draw:
        _refuse(state, action)
    bag: Bag | None = state.bag
    draw = state.sheets[0].layout.draw
    last = 0
    for shown in action.dice:
        bag = draw(bag).after.get(shown) if bag and shown >= last else None
        last = shown
    if bag is None:
        _refuse(state, action)
    return bag


def _take(state: State, action: Action, solo_grid: int) -> State:
    """Fill the sheet with the dice taken (S5, F1 to F5) or write a penalty (F6), then end the turn (S6)."""
    reserve = state.reserve
    seat = state.seat
    sheet = state.sheets[seat]
    counted = tally(reserve)
    check = _LINE_CHECK.get(action)
    if check is not None:
        line, shift = check
        count = counted >> shift & 15
        spaces = first_spaces(sheet.layout.line_mask[line] & ~sheet.filled, count)
        if not spaces:
            _refuse(state, action)
        sheet = sheet.fill(spaces, counted >> _SUM_SHIFT[line] & 255)
        rest = _without(reserve, line)
        took_stars = False
    elif (ticks := _star_ticks(sheet.layout).get(action)) is not None:
        if action not in _star_takes(counted >> _STARS_SHIFT & 15, sheet):
            _refuse(state, action)
        sheet = sheet.tick(ticks)
        rest = tuple([shown for shown in reserve if shown & 7])
        took_stars = True
    else:
        if action not in PENALTIES or action not in legal_actions(state):
            _refuse(state, action)
        line = action.line
        sheet = sheet.punish(line_sum(counted, line))
        rest = _without(reserve, line)
        took_stars = False
    sheets = (*state.sheets[:seat], sheet, *state.sheets[seat + 1 :])
    return _next_turn(State(TAKE, seat, state.bag, rest, sheets, 0, state.solo), took_stars, solo_grid)


def _without(reserve: Dice, line: str) -> Dice:
    """Return the reserve without the dice of a colour or a number."""
    if line in COLOURS:
        colour = COLOURS.index(line)
        return tuple([shown for shown in reserve if shown >> 3 != colour])
    face = int(line)
    return tuple([shown for shown in reserve if shown & 7 != face])


def _next_turn(ended: State, took_stars: bool, solo_grid: int) -> State:
    """End a turn: tick the solo grid (L2), check whether the game is over (G1, L3), refill the bag (S1)."""
    _, seat, bag, reserve, sheets, _, solo = ended
    if solo_grid:
        solo = min(solo + solo_boxes_for(reserve, sheets[0].layout.box_points), solo_grid)
    following = seat + 1
    if following == len(sheets):
        following = 0
        if solo_grid and solo == solo_grid:
            return State(OVER, seat, bag, reserve, sheets, 0, solo)
        white = sheets[0].layout.white
        for sheet in sheets:
            if sheet.penalty >= 0 or not white & ~sheet.filled:
                return State(OVER, seat, bag, reserve, sheets, 0, solo)
    if not took_stars and bag != EMPTY_BAG:
        return State(DRAW, following, bag, reserve, sheets, 0, solo)
    black, purple, blue, orange = colours_in(reserve)
    dice = sheets[0].layout.dice
    bag = (dice[0] - black, dice[1] - purple, dice[2] - blue, dice[3] - orange)
    return State(REFILL if reserve else DRAW, following, bag, reserve, sheets, 0, solo)


def solo_boxes_for(reserve: Dice, box_points: int = BOX_POINTS) -> int:
    """Return the number of solo boxes to tick for the dice left in the reserve (L2)."""
    points = sum(shown & 7 for shown in reserve)
    if not points:
        return 1 if reserve else 0
    stars = any(not shown & 7 for shown in reserve)
    return -(-points * (2 if stars else 1) // box_points)


def expected(state: State) -> Phrase:
    """Describe in words the events that are possible next."""
    if state.phase is OVER:
        return Phrase("no further event, since the game is over")
    if state.phase is ROLL:
        dice = ", ".join(f"{held} {colour}" for colour, held in zip(COLOURS, state.bag, strict=True) if held)
        return Phrase("a roll of %(draw)s dice from a bag with %(dice)s", draw=state.draw, dice=dice)
    allowed = legal_actions(state)
    shown = ", ".join(str(option) for option in allowed[:12])
    seat = state.seat + 1
    if len(allowed) == 1:
        return Phrase("%(actions)s by seat %(seat)s", actions=shown, seat=seat)
    if len(allowed) <= 12:
        return Phrase("one of: %(actions)s by seat %(seat)s", actions=shown, seat=seat)
    return Phrase(
        "one of: %(actions)s or %(more)s other ways to tick stars by seat %(seat)s",
        actions=shown,
        more=len(allowed) - 12,
        seat=seat,
    )


def _refuse(state: State, action: Action) -> NoReturn:
    """Raise IllegalAction with what was expected instead."""
    raise IllegalAction(
        "'%(action)s' is not allowed here; expected %(expected)s.", action=action, expected=expected(state)
    )
