"""Why one action of Dice Stars is better than another: the difference of the network's values, split into parts.

A take leads to the start of the next turn, with four ingredients: the numbers and the stars on the own sheet, its
penalty, and what is left, in the bag and the reserve and in the boxes of the solo grid. Any mixture of the ingredients
of two takes is a position that the network values, so the difference is split by Shapley values. Before the dice there
is one part: the dice that are drawn, or the reserve.
"""

from collections.abc import Callable
from typing import Final

from starfrost.coach.judge import Part, Parts
from starfrost.coach.reasons import LATER, shapley, sorted_parts, told
from starfrost.games.dice_stars import Action, DiceStars, State
from starfrost.words import Words
from starfrost.words.numbers import percent

NUMBERS: Final = "numbers"
STARS: Final = "stars"
PENALTY: Final = "penalty"
LEFT: Final = "dice left"
DRAW: Final = "draw"
RESERVE: Final = "reserve"

_INGREDIENTS: Final = (NUMBERS, STARS, PENALTY, LEFT)


def split(
    game: DiceStars, value: Callable[[State], float], state: State, better: Action, worse: Action, difference: float
) -> Parts:
    """Split the difference of two actions; `value` is the acting seat's chance at the start of the next turn."""
    if better.verb not in ("take", "penalty"):
        return (Part(DRAW if better.verb == worse.verb == "draw" else RESERVE, difference),)
    one, other = game.apply(state, better), game.apply(state, worse)

    def mixed(some: frozenset[str]) -> float:
        taken = {name: one if name in some else other for name in _INGREDIENTS}
        sheets = list(taken[LEFT].sheets)
        numbers, stars, penalty = (taken[name].sheets[state.seat] for name in (NUMBERS, STARS, PENALTY))
        sheets[state.seat] = numbers._replace(ticked=stars.ticked, penalty=penalty.penalty)
        return value(taken[LEFT]._replace(sheets=tuple(sheets)))

    found = shapley(mixed, _INGREDIENTS)
    parts = [Part(name, found[name]) for name in _INGREDIENTS]
    return sorted_parts([*parts, Part(LATER, difference - sum(part.value for part in parts))])


def sentences(w: Words, game: DiceStars, state: State, better: Action, worse: Action, parts: Parts) -> list[str]:
    """Return at most two sentences on why one action is better than the other."""
    return [_sentence(w, game, better, worse, part) for part in told(parts)]


def _sentence(w: Words, game: DiceStars, better: Action, worse: Action, part: Part) -> str:
    worth = percent(w, abs(part.value))
    gains = part.value > 0
    match part.part:
        case "numbers" if gains:
            return w("The numbers on the sheet are worth %(worth)s more.", worth=worth)
        case "numbers":
            return w("The numbers on the sheet are worth %(worth)s less.", worth=worth)
        case "stars" if gains:
            return w("The star boxes are worth %(worth)s more.", worth=worth)
        case "stars":
            return w("The star boxes are worth %(worth)s less.", worth=worth)
        case "penalty" if gains:
            return w("Fewer penalty points are worth %(worth)s.", worth=worth)
        case "penalty":
            return w("More penalty points cost %(worth)s.", worth=worth)
        case "dice left" if game.seats == 1 and gains:
            return w("The dice left in the reserve are worth %(worth)s more.", worth=worth)
        case "dice left" if game.seats == 1:
            return w("The dice left in the reserve are worth %(worth)s less.", worth=worth)
        case "dice left" if gains:
            return w("The dice left help the next player less: worth %(worth)s.", worth=worth)
        case "dice left":
            return w("The dice left help the next player more: that costs %(worth)s.", worth=worth)
        case "draw" if better.number > worse.number:
            return w("More dice are worth %(worth)s.", worth=worth)
        case "draw":
            return w("Fewer dice are worth %(worth)s.", worth=worth)
    if better.verb == "return":
        return w("Other dice are worth %(worth)s more than this reserve.", worth=worth)
    return w("This reserve is worth %(worth)s more than other dice.", worth=worth)
