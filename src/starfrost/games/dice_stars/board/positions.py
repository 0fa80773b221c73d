"""Positions of Dice Stars for lessons and examples, written shorter than the notation of the rules."""

from starfrost.games.dice_stars.components import ALL_DICE, colour_of, parse_die
from starfrost.games.dice_stars.sheet import ROW_SPACES


def _sheet(rows: str) -> str:
    """Write a sheet: five rows joined by `/`; what a row leaves out is empty, `*2` at its end is two ticked boxes."""
    written = []
    for row, spaces in zip(rows.split("/"), ROW_SPACES, strict=True):
        values, _, stars = row.partition("*")
        cells = values.split()
        written.append(",".join(cells + ["."] * (len(spaces) - len(cells))) + f"*{stars or 0}")
    return "/".join([*written, "-"])


def position(phase: str, reserve: str, discard: str, *sheets: str, solo: int = 0, seat: int = 1) -> str:
    """Write a position: the dice of the reserve, the colours on the discard pile (black/purple/blue/orange), sheets."""
    dice = reserve.split()
    bag = [count - int(gone) for count, gone in zip(ALL_DICE, discard.split("/"), strict=True)]
    for die in dice:
        bag[colour_of(parse_die(die))] -= 1
    held = "/".join(map(str, bag))
    written = "|".join(map(_sheet, sheets))
    return f"{phase} seat={seat} bag={held} reserve={','.join(dice)} draw=0 solo={solo} sheets={written}"
