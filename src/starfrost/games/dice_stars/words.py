"""The texts of Dice Stars: colours, dice and sentences about events."""

from collections.abc import Sequence
from typing import Any, Final

from starfrost.games.dice_stars import DiceStars, preview
from starfrost.games.dice_stars.components import ALL_DICE, COLOURS, FACES, colour_of, face_of
from starfrost.games.dice_stars.sheet import BOX_POINTS, GREEN_SPACES, NO_PENALTY, STAR_BOXES
from starfrost.words.catalogue import Words, You, mark
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


def solo_lost(game: DiceStars, state: Any, action: Any) -> bool:
    """Return whether a take ticks the last box of the solo grid, which loses the game (L3)."""
    return bool(game.solo_boxes) and game.apply(state, action).solo == game.solo_boxes


def solo_note(w: Words, game: DiceStars, state: Any, action: Any) -> str:
    """Return a sentence on the boxes of the solo grid that a take ticks, and on the target then (L2 to L4)."""
    if not game.solo_boxes:
        return ""
    solo = game.apply(state, action).solo
    if solo_lost(game, state, action):
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
    you = isinstance(name, You)
    match action.verb:
        case "keep":
            return w.told(name, mark("%(name)s keeps the reserve."), mark("You keep the reserve."))
        case "return":
            named = mark("%(name)s puts the reserve back into the bag.")
            return w.told(name, named, mark("You put the reserve back into the bag."))
        case "draw":
            if you:
                return w.plural("You draw one die.", "You draw %(n)s dice.", action.number)
            return w.plural("%(name)s draws one die.", "%(name)s draws %(n)s dice.", action.number, name=name)
        case "roll":
            shown = (f"{colour_name(w, COLOURS[colour_of(die)])} {face_of(die) or STAR}" for die in action.dice)
            dice = w.all_of(shown)
            return w.told(name, mark("%(name)s rolls %(dice)s."), mark("You roll %(dice)s."), dice=dice)
        case "take" if action.line == "stars":
            rows = w.all_of(map(str, dict.fromkeys(action.rows)))
            if len(action.rows) > 1:
                rows = w.plural("row %(rows)s", "rows %(rows)s", len(set(action.rows)), rows=rows)
            if you:
                return w.plural(
                    "You take a star and tick a box in row %(rows)s.",
                    "You take %(n)s stars and tick boxes in %(rows)s.",
                    len(action.rows),
                    rows=rows,
                )
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
    values = {"name": name, "taken": taken, "dice": dice}
    if action.verb == "penalty":
        if you:
            return w.plural(
                "You cannot take anything, discard %(taken)s (%(dice)s) and get %(n)s penalty point.",
                "You cannot take anything, discard %(taken)s (%(dice)s) and get %(n)s penalty points.",
                sum(faces),
                **values,
            )
        return w.plural(
            "%(name)s cannot take anything, discards %(taken)s (%(dice)s) and gets %(n)s penalty point.",
            "%(name)s cannot take anything, discards %(taken)s (%(dice)s) and gets %(n)s penalty points.",
            sum(faces),
            **values,
        )
    written = preview(game, state, action)["spaces"]
    # Spaces are listed from the top; the number is written in the last one.
    return w.told(
        name,
        mark("%(name)s takes %(taken)s (%(dice)s) and writes %(points)s in row %(row)s."),
        mark("You take %(taken)s (%(dice)s) and write %(points)s in row %(row)s."),
        taken=taken,
        dice=dice,
        points=sum(faces),
        row=written[-1]["row"],
    )


def _last_round(w: Words, game: DiceStars, state: Any, seat: int, name: str) -> str:
    """Return a sentence on the sheet that brought on the last round (G1)."""
    if state.sheets[seat].penalty != NO_PENALTY:
        return w.told(name, mark("%(name)s has written a penalty."), mark("You have written a penalty."))
    named = mark("%(name)s has filled all 20 white spaces.")
    return w.told(name, named, mark("You have filled all 20 white spaces."))


def _ending(w: Words, game: DiceStars, state: Any, names: Sequence[str]) -> str:
    """Return a sentence on how the solo game ended (L3, L4)."""
    if not game.solo_boxes:
        return ""
    ticked, name = state.solo, names[0]
    points, target = game.scores(state)[0], game.rules.box_points * ticked
    if ticked >= game.solo_boxes:
        named = mark("The solo grid is full: %(name)s loses, with %(points)s points against %(mark)s.")
        you = mark("The solo grid is full: you lose, with %(points)s points against %(mark)s.")
    elif game.winners(state):
        named = mark("%(name)s wins: %(points)s points against %(mark)s for the solo grid.")
        you = mark("You win: %(points)s points against %(mark)s for the solo grid.")
    else:
        named = mark("%(name)s loses: %(points)s points against %(mark)s for the solo grid.")
        you = mark("You lose: %(points)s points against %(mark)s for the solo grid.")
    return w.told(name, named, you, points=points, mark=target)


_FACTS: Final = {
    "points": mark("points of each row"),
    "multiplier": mark("multiplier of each row"),
    "penalty": mark("penalty points"),
}


def _fact(w: Words, name: str) -> tuple[str, str]:
    """Return the kind and the label of what the lab counts."""
    row, _, kind = name.rpartition(" ")
    return w(_FACTS[kind]), w("Row %(row)s", row=row.removeprefix("row ")) if row else w(_FACTS[kind])


def _own_rules(w: Words, game: DiceStars) -> list[tuple[str, str]]:
    """Return what a variant says of the sheets, the dice, the boxes and the points at the start."""
    rules, found = game.rules, list[tuple[str, str]]()
    if rules.green != GREEN_SPACES:
        found.append((w("bonus"), w("Bonus spaces in rows 2 to 6: %(numbers)s.", numbers=_listed(rules.green))))
    if rules.stars != STAR_BOXES:
        found.append((w("stars"), w("Star boxes in rows 2 to 6: %(numbers)s.", numbers=_listed(rules.stars))))
    for colour, number, faces, usual, shown in zip(COLOURS, rules.dice, rules.faces, ALL_DICE, FACES, strict=True):
        if (number, faces) != (usual, shown):
            said = w(
                "Number of dice: %(n)s; faces: %(faces)s.",
                n=number,
                faces=" ".join(str(face or STAR) for face in faces),
            )
            found.append((colour_name(w, colour), said))
    if game.solo_boxes and rules.box_points != BOX_POINTS:
        found.append((w("solo grid"), w("A box stands for %(points)s points.", points=rules.box_points)))
    start = (*rules.handicap, *(0,) * game.seats)[: game.seats]
    if any(start):
        found.append((w("points"), w("At the start, in the order of the seats: %(points)s.", points=_listed(start))))
    return found


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


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
    own_rules=_own_rules,
)
