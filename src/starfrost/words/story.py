"""The story of a game: every event of both games as a sentence, and how it ended."""

from collections.abc import Sequence
from typing import Any, Final

from starfrost.games.core import OVER, Game
from starfrost.games.dice_stars import DiceStars, preview
from starfrost.games.dice_stars.components import COLOURS, colour_of, face_of
from starfrost.games.dicy_cards import Phase
from starfrost.words.cards import card_name
from starfrost.words.catalogue import Words, mark

__all__ = ["STAR", "colour_name", "die_name", "result", "tell"]

STAR: Final = "★"

COLOUR_NAMES: Final = {
    "black": mark("black"),
    "purple": mark("purple"),
    "blue": mark("blue"),
    "orange": mark("orange"),
}


def colour_name(w: Words, colour: str) -> str:
    """Name a colour of Dice Stars by its id."""
    return w(COLOUR_NAMES[colour])


def die_name(w: Words, shown: int) -> str:
    """Name a die of Dice Stars that lies face up: `blue 4`, `orange ★`."""
    return f"{colour_name(w, COLOURS[colour_of(shown)])} {face_of(shown) or STAR}"


def tell(w: Words, game: Game[Any, Any], state: Any, action: Any, names: Sequence[str]) -> str:
    """Tell in one sentence what an event in this state does; `names` are the players in the order of seats."""
    actor = game.actor(state)
    name = names[actor if actor >= 0 else game.turn_of(state)]
    if isinstance(game, DiceStars):
        return _tell_stars(w, game, state, action, name)
    return _tell_cards(w, game, state, action, name)


def _tell_cards(w: Words, game: Game[Any, Any], state: Any, action: Any, name: str) -> str:
    dice = w.all_of(action.dice) if action.dice else ""
    card = card_name(w, action.card) if action.card else ""
    match action.verb:
        case "roll" if state.phase is Phase.ROLL:
            return w("%(name)s rolls %(dice)s.", name=name, dice=" ".join(action.dice))
        case "roll":
            return w("%(name)s gets %(dice)s.", name=name, dice=dice)
        case "reroll":
            return w("%(name)s freezes %(card)s and rerolls %(dice)s.", name=name, card=card, dice=dice)
        case "score":
            seat = game.actor(state)
            points = game.scores(game.apply(state, action))[seat] - game.scores(state)[seat]
            return w.plural(
                "%(name)s scores %(n)s point with %(card)s: %(dice)s.",
                "%(name)s scores %(n)s points with %(card)s: %(dice)s.",
                points,
                name=name,
                card=card,
                dice=" ".join(action.dice),
            )
        case "skip":
            return w("%(name)s skips the turn and resets all frozen cards.", name=name)
        case "freeze":
            return w("%(name)s freezes %(card)s.", name=name, card=card)
        case _:
            return w("%(name)s resets %(card)s.", name=name, card=card)


def _tell_stars(w: Words, game: DiceStars, state: Any, action: Any, name: str) -> str:
    match action.verb:
        case "keep":
            return w("%(name)s keeps the reserve.", name=name)
        case "return":
            return w("%(name)s puts the reserve back into the bag.", name=name)
        case "draw":
            return w.plural("%(name)s draws one die.", "%(name)s draws %(n)s dice.", action.number, name=name)
        case "roll":
            return w("%(name)s rolls %(dice)s.", name=name, dice=w.all_of(die_name(w, die) for die in action.dice))
        case "take" if action.line == "stars":
            rows = w.all_of(map(str, dict.fromkeys(action.rows)))
            return w.plural(
                "%(name)s takes a star and ticks a box in row %(rows)s.",
                "%(name)s takes %(n)s stars and ticks boxes in %(rows)s.",
                len(action.rows),
                name=name,
                rows=rows
                if len(action.rows) == 1
                else w.plural("row %(rows)s", "rows %(rows)s", len(set(action.rows)), rows=rows),
            )
    if action.line in COLOURS:
        faces = [face_of(die) for die in state.reserve if COLOURS[colour_of(die)] == action.line]
        taken = colour_name(w, action.line)
    else:
        faces = [int(action.line)] * sum(face_of(die) == int(action.line) for die in state.reserve)
        taken = w("number %(number)s", number=action.line)
    dice = " ".join(str(face or STAR) for face in sorted(faces, reverse=True))
    if action.verb == "penalty":
        return w.plural(
            "%(name)s can take nothing, gives up %(taken)s (%(dice)s) and gets %(n)s penalty point.",
            "%(name)s can take nothing, gives up %(taken)s (%(dice)s) and gets %(n)s penalty points.",
            sum(faces),
            name=name,
            taken=taken,
            dice=dice,
        )
    written = preview(game, state, action)["spaces"]
    # Spaces are listed from the top: a column's number lands in the last of them, and so does a row's.
    return w(
        "%(name)s takes %(taken)s (%(dice)s) and writes %(points)s in row %(row)s.",
        name=name,
        taken=taken,
        dice=dice,
        points=sum(faces),
        row=written[-1]["row"],
    )


def result(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str]) -> str:
    """Tell in a sentence or two how a finished game ended; empty while it runs."""
    if game.actor(state) != OVER:
        return ""
    scores, winners = game.scores(state), game.winners(state)
    if isinstance(game, DiceStars) and game.solo_boxes:
        ticked, name = state.solo, names[0]
        if ticked >= game.solo_boxes:
            return w("The solo grid is full: %(name)s loses.", name=name)
        values = {"name": name, "points": scores[0], "mark": 5 * ticked}
        if winners:
            return w("%(name)s wins: %(points)s points are more than the %(mark)s of the solo grid.", **values)
        return w("%(name)s loses: %(points)s points are not more than the %(mark)s of the solo grid.", **values)
    points = scores[winners[0]]
    if len(winners) > 1:
        everybody = w.all_of(names[seat] for seat in winners)
        return w("%(names)s share the victory with %(points)s points.", names=everybody, points=points)
    name = names[winners[0]]
    if scores.count(points) > 1:
        return w("%(name)s wins the tie at %(points)s points with more active cards.", name=name, points=points)
    return w("%(name)s wins with %(points)s points.", name=name, points=points)
