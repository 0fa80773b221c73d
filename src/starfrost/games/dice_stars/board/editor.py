"""A position of Dice Stars in the fields of a form."""

from collections import Counter
from collections.abc import Sequence

from starfrost.boards.board import Form, form_number
from starfrost.errors import UsageError
from starfrost.games.dice_stars import COLOURS, DiceStars, State
from starfrost.games.dice_stars.components import die_text
from starfrost.games.dice_stars.sheet import CROSS, EMPTY, NO_PENALTY, ROWS, Layout
from starfrost.games.dice_stars.turn import Phase

SIGNS = {EMPTY: "", CROSS: "x"}


def fields_of(state: State) -> Sequence[tuple[str, str]]:
    """Return whose turn it is, the dice in the reserve and on the discard pile, and every sheet."""
    # Without dice in the reserve there can be nothing but a draw.
    phase = "draw" if state.reserve and state.phase is not Phase.TAKE else "take"
    fields = [("turn", str(state.seat + 1)), ("phase", phase)]
    fields += [("die", die_text(die)) for die in state.reserve]
    fields += [(f"pile-{colour}", str(held)) for colour, held in zip(COLOURS, state.discard, strict=True)]
    fields.append(("solo", str(state.solo)))
    for seat, sheet in enumerate(state.sheets, start=1):
        fields += [(f"space{seat}", SIGNS.get(value, str(value))) for value in sheet.spaces]
        for row, ticked in zip(ROWS, sheet.ticked, strict=True):
            fields += [(f"star{seat}", str(row))] * ticked
        fields.append((f"penalty{seat}", "" if sheet.penalty == NO_PENALTY else str(sheet.penalty)))
    return fields


def read_position(form: Form, game: DiceStars) -> str:
    """Return the position that the fields describe, before a draw or after one. Raises UsageError."""
    dice = [str(die) for die in form.getlist("die") if die]
    held = Counter(die[:-1] for die in dice)
    bag = []
    for colour, number in zip(COLOURS, game.rules.dice, strict=True):
        left = number - held[colour] - _number(form.get(f"pile-{colour}"))
        if left < 0:
            raise UsageError("Reserve and discard pile hold more dice of a colour than there are.")
        bag.append(str(left))
    takes = bool(dice) and form.get("phase") == "take"
    if not takes and not any(map(int, bag)):
        raise UsageError("Before a draw the bag cannot be empty: an empty bag first gets the discard pile back.")
    sheets = [_sheet(form, seat, layout) for seat, layout in enumerate(game.layouts, start=1)]
    turn = form_number(form, "turn", 1, 1, game.seats)
    return " ".join(
        [
            "take" if takes else "draw",
            f"seat={turn}",
            f"bag={'/'.join(bag)}",
            f"reserve={','.join(dice)}",
            f"draw=0 solo={_number(form.get('solo'))}",
            f"sheets={'|'.join(sheets)}",
        ]
    )


def _number(text: object) -> int:
    text = str(text or 0).strip()
    if not (text.isdecimal() and text.isascii() and len(text) < 6):
        raise UsageError("Points must be a whole number.")
    return int(text)


def _sheet(form: Form, seat: int, layout: Layout) -> str:
    written = [_sign(str(sign), layout.most) for sign in form.getlist(f"space{seat}")]
    written += ["."] * (layout.size - len(written))
    stars = Counter(map(str, form.getlist(f"star{seat}")))
    rows = [
        ",".join(written[spaces.start : spaces.stop]) + f"*{stars[str(row)]}"
        for row, spaces in zip(ROWS, layout.row_spaces, strict=True)
    ]
    penalty = str(form.get(f"penalty{seat}") or "").strip()
    return "/".join([*rows, str(_number(penalty)) if penalty else "-"])


def _sign(text: str, most: int) -> str:
    """Return what a space holds, as positions write it."""
    text = text.strip().lower().replace("×", "x")
    if text in ("", "x"):
        return text or "."
    if not text.isdecimal() or _number(text) > most:
        raise UsageError("A space holds an x, a number up to %(most)s, or nothing.", most=most)
    return str(int(text))
