"""Helpers to build positions for tests."""

from collections.abc import Mapping

from starfrost.games.dice_stars import DiceStars, Phase, Sheet, State
from starfrost.games.dice_stars.components import ALL_DICE, Bag, colours_in, parse_die
from starfrost.games.dice_stars.sheet import BLANK, CROSS, EMPTY, NO_PENALTY, ROW_SPACES, ROWS

TWO = DiceStars(2)
SOLO = DiceStars(1)

X = CROSS
WHITE_FULL = {(row, place): X for row in ROWS for place in range(4)}


def dice(text: str) -> tuple[int, ...]:
    """Read dice, sorted as states keep them."""
    return tuple(sorted(parse_die(word) for word in text.split()))


def sheet(written: Mapping[tuple[int, int], int] = {}, stars: str = "00000", penalty: int = NO_PENALTY) -> Sheet:
    """Make a sheet from what is written at (row label, place from the left) and the ticked stars, one digit per row."""
    spaces = [EMPTY] * 30
    for (row, place), value in written.items():
        spaces[ROW_SPACES[ROWS.index(row)][place]] = value
    filled = sum(1 << space for space, value in enumerate(spaces) if value != EMPTY)
    a, b, c, d, e = map(int, stars)
    return Sheet(filled, tuple(spaces), (a, b, c, d, e), penalty)


def written(of: Sheet) -> dict[tuple[int, int], int]:
    """Map (row label, place) to the `X` or the number written there."""
    return {
        (row, place): of.spaces[space]
        for row, spaces in zip(ROWS, ROW_SPACES, strict=True)
        for place, space in enumerate(spaces)
        if of.spaces[space] != EMPTY
    }


def at(
    phase: Phase,
    reserve: str = "",
    *sheets: Sheet,
    bag: Bag | None = None,
    seat: int = 0,
    draw: int = 0,
    solo: int = 0,
    seats: int = 2,
) -> State:
    """Build a position; without a bag, every die that is not in the reserve is in the bag."""
    lying = dice(reserve)
    held = colours_in(lying)
    rest = tuple(ALL_DICE[c] - held[c] for c in range(4))
    full = (*sheets, *[BLANK] * (seats - len(sheets)))
    return State(phase, seat, bag or (rest[0], rest[1], rest[2], rest[3]), lying, full, draw, solo)
