"""The texts of Dice Stars: colours, dice and sentences about events."""

from collections.abc import Sequence
from typing import Any, Final

from starfrost.games.dice_stars import DiceStars, preview
from starfrost.games.dice_stars.components import COLOURS, colour_of, face_of
from starfrost.games.dice_stars.sheet import NO_PENALTY
from starfrost.words.catalogue import Words, mark
from starfrost.words.registry import GameWords

STAR: Final = "★"

COLOUR_NAMES: Final = {
    "black": mark("black"),
    "purple": mark("purple"),
    "blue": mark("blue"),
    "orange": mark("orange"),
}


def colour_name(w: Words, colour: str) -> str:
    """Return the name of a colour."""
    return w(COLOUR_NAMES[colour])


def solo_note(w: Words, game: DiceStars, state: Any, action: Any) -> str:
    """Return a sentence on the boxes of the solo grid that a take ticks, and on the target then (L2 to L4)."""
    if not game.solo_boxes:
        return ""
    solo = game.apply(state, action).solo
    if solo == game.solo_boxes:
        return w("The last box of the solo grid is ticked: the game is lost.")
    return w.plural(
        "One box of the solo grid is ticked: you win with more than %(points)s points.",
        "%(n)s boxes of the solo grid are ticked: you win with more than %(points)s points.",
        solo - state.solo,
        points=game.rules.box_points * solo,
    )


def tell(w: Words, game: DiceStars, state: Any, action: Any, name: str) -> str:
    """Return what an event does; in the solo game also what the dice left in the reserve cost."""
    told = _tell(w, game, state, action, name)
    return f"{told} {solo_note(w, game, state, action)}".rstrip() if action.verb in ("take", "penalty") else told


def _tell(w: Words, game: DiceStars, state: Any, action: Any, name: str) -> str:
    """Return a sentence on what an event does."""
    match action.verb:
        case "keep":
            return w("%(name)s keeps the reserve.", name=name)
        case "return":
            return w("%(name)s puts the reserve back into the bag.", name=name)
        case "draw":
            return w.plural("%(name)s draws one die.", "%(name)s draws %(n)s dice.", action.number, name=name)
        case "roll":
            shown = (f"{colour_name(w, COLOURS[colour_of(die)])} {face_of(die) or STAR}" for die in action.dice)
            return w("%(name)s rolls %(dice)s.", name=name, dice=w.all_of(shown))
        case "take" if action.line == "stars":
            rows = w.all_of(map(str, dict.fromkeys(action.rows)))
            if len(action.rows) > 1:
                rows = w.plural("row %(rows)s", "rows %(rows)s", len(set(action.rows)), rows=rows)
            return w.plural(
                "%(name)s takes a star and ticks a box in row %(rows)s.",
                "%(name)s takes %(n)s stars and ticks boxes in %(rows)s.",
                len(action.rows),
                name=name,
                rows=rows,
            )
    if action.line in COLOURS:
        faces = [face_of(die) for die in state.reserve if COLOURS[colour_of(die)] == action.line]
        taken = colour_name(w, action.line)
    else:
        faces = [int(action.line)] * sum(face_of(die) == int(action.line) for die in state.reserve)
        taken = w("the number %(number)s", number=action.line)
    dice = " ".join(str(face or STAR) for face in sorted(faces, reverse=True))
    if action.verb == "penalty":
        return w.plural(
            "%(name)s cannot take anything, discards %(taken)s (%(dice)s) and gets %(n)s penalty point.",
            "%(name)s cannot take anything, discards %(taken)s (%(dice)s) and gets %(n)s penalty points.",
            sum(faces),
            name=name,
            taken=taken,
            dice=dice,
        )
    written = preview(game, state, action)["spaces"]
    # Spaces are listed from the top; the number is written in the last one.
    return w(
        "%(name)s takes %(taken)s (%(dice)s) and writes %(points)s in row %(row)s.",
        name=name,
        taken=taken,
        dice=dice,
        points=sum(faces),
        row=written[-1]["row"],
    )


def _last_round(w: Words, game: DiceStars, state: Any, seat: int, name: str) -> str:
    """Return a sentence on the sheet that brought on the last round (G1)."""
    if state.sheets[seat].penalty != NO_PENALTY:
        return w("%(name)s has written a penalty.", name=name)
    return w("%(name)s has filled all 20 white spaces.", name=name)


def _ending(w: Words, game: DiceStars, state: Any, names: Sequence[str]) -> str:
    """Return a sentence on how the solo game ended (L3, L4)."""
    if not game.solo_boxes:
        return ""
    ticked, name = state.solo, names[0]
    if ticked >= game.solo_boxes:
        return w("The solo grid is full: %(name)s loses.", name=name)
    values = {"name": name, "points": game.scores(state)[0], "mark": game.rules.box_points * ticked}
    if game.winners(state):
        return w("%(name)s wins: %(points)s points against %(mark)s for the solo grid.", **values)
    return w("%(name)s loses: %(points)s points against %(mark)s for the solo grid.", **values)


_FACTS: Final = {
    "points": mark("points of each row"),
    "multiplier": mark("multiplier of each row"),
    "penalty": mark("penalty points"),
}


def _fact(w: Words, name: str) -> tuple[str, str]:
    """Return the kind and the label of what the lab counts."""
    row, _, kind = name.rpartition(" ")
    return w(_FACTS[kind]), w("Row %(row)s", row=row.removeprefix("row ")) if row else w(_FACTS[kind])


KIT: Final = GameWords(
    tell=tell,
    ending=_ending,
    last_round=_last_round,
    invitation=mark("Draw coloured dice, fill your sheet, double your rows with stars."),
    moves=mark("a move in record notation: draw 2, take blue, take 5, take stars 2 3, keep, return"),
    topics=mark("? rules: all of them; ? F1: one clause; ? word: every clause with that word"),
    decisions={
        "keep": (mark("keeping the reserve"), "keep-or-return"),
        "return": (mark("putting the reserve back"), "keep-or-return"),
        "draw": (mark("how many dice to draw"), "how-many-dice"),
        "take": (mark("taking dice"), "choose-the-line"),
        "penalty": (mark("taking a penalty"), "choose-the-line"),
    },
    fact=_fact,
)
