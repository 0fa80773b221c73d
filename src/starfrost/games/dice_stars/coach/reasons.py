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
from starfrost.games.dice_stars.sheet import Sheet, multiplier, row_sum
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
    tell = {NUMBERS: _numbers, STARS: _stars, PENALTY: _penalty, LEFT: _left, DRAW: _draw, RESERVE: _reserve}
    return [tell[part.part](w, _Choice(game, state, better, worse), part) for part in told(parts)]


class _Choice:
    """Two actions, and how much more of something there is after the better one."""

    def __init__(self, game: DiceStars, state: State, better: Action, worse: Action) -> None:
        self.better, self.worse, self.alone = better, worse, game.seats == 1
        self._after = [game.apply(state, action) for action in (better, worse)]
        self._sheets = [after.sheets[state.seat] for after in self._after]

    def more(self, count: Callable[[Sheet], int]) -> int:
        """Return how much more the own sheet has of something."""
        one, other = map(count, self._sheets)
        return one - other

    @property
    def boxes(self) -> int:
        """How many boxes more of the solo grid are ticked."""
        one, other = self._after
        return one.solo - other.solo

    @property
    def stars_alone(self) -> bool:
        """Whether only one of the two takes stars."""
        return (self.better.line == "stars") != (self.worse.line == "stars")


def _numbers(w: Words, choice: _Choice, part: Part) -> str:
    worth, gains = percent(w, abs(part.value)), part.value > 0
    more = choice.more(lambda sheet: sum(row_sum(sheet, row) for row in range(5)))
    filled = choice.more(lambda sheet: sheet.filled.bit_count())
    if gains and more > 0:
        if choice.stars_alone:
            return w("Writing %(n)s on the sheet is worth %(worth)s.", n=more, worth=worth)
        return w("The number written is %(n)s higher: worth %(worth)s.", n=more, worth=worth)
    if not gains and more < 0:
        if choice.stars_alone:
            return w("Writing %(n)s on the sheet would be worth %(worth)s.", n=-more, worth=worth)
        return w("The number written is %(n)s lower: that costs %(worth)s.", n=-more, worth=worth)
    if gains:
        if filled < 0:
            return w("It uses up fewer spaces of the sheet: worth %(worth)s.", worth=worth)
        return w("It puts the number into a better space: worth %(worth)s.", worth=worth)
    if filled > 0:
        return w("It uses up more spaces of the sheet: that costs %(worth)s.", worth=worth)
    return w("The other take puts its number into a better space: that would be worth %(worth)s.", worth=worth)


def _stars(w: Words, choice: _Choice, part: Part) -> str:
    worth = percent(w, abs(part.value))
    doubled = choice.more(lambda sheet: sum(multiplier(sheet, row) == 2 for row in range(5)))
    waiting = choice.more(lambda sheet: sum(multiplier(sheet, row) == 0 for row in range(5)))
    if part.value > 0:
        if doubled > 0:
            return w("A row is doubled: worth %(worth)s.", worth=worth)
        if waiting < 0:
            return w("Fewer rows have to wait for stars: worth %(worth)s.", worth=worth)
        if choice.better.line == "stars" and choice.stars_alone:
            return w("Ticking star boxes is worth %(worth)s.", worth=worth)
        return w("These star boxes are worth %(worth)s more.", worth=worth)
    if doubled < 0:
        return w("With the other take a row would be doubled: that would be worth %(worth)s.", worth=worth)
    if waiting > 0:
        return w("More rows have to wait for stars: that costs %(worth)s.", worth=worth)
    if choice.worse.line == "stars" and choice.stars_alone:
        return w("Ticking star boxes would be worth %(worth)s.", worth=worth)
    return w("The other star boxes would be worth %(worth)s more.", worth=worth)


def _penalty(w: Words, choice: _Choice, part: Part) -> str:
    if part.value > 0:
        return w("Fewer penalty points are worth %(worth)s.", worth=percent(w, part.value))
    return w("More penalty points cost %(worth)s.", worth=percent(w, -part.value))


def _left(w: Words, choice: _Choice, part: Part) -> str:
    worth, gains, boxes = percent(w, abs(part.value)), part.value > 0, choice.boxes
    if not choice.alone:
        if gains:
            return w("The dice left help the next player less: worth %(worth)s.", worth=worth)
        return w("The dice left help the next player more: that costs %(worth)s.", worth=worth)
    if gains and boxes < 0:
        return w.plural(
            "One fewer box of the solo grid is ticked: worth %(worth)s.",
            "%(n)s fewer boxes of the solo grid are ticked: worth %(worth)s.",
            -boxes,
            worth=worth,
        )
    if not gains and boxes > 0:
        return w.plural(
            "One more box of the solo grid is ticked: that costs %(worth)s.",
            "%(n)s more boxes of the solo grid are ticked: that costs %(worth)s.",
            boxes,
            worth=worth,
        )
    if gains:
        return w("The dice left in the reserve are worth %(worth)s more.", worth=worth)
    return w("The dice left in the reserve are worth %(worth)s less.", worth=worth)


def _draw(w: Words, choice: _Choice, part: Part) -> str:
    worth = percent(w, part.value)
    if choice.better.number > choice.worse.number:
        return w("More dice give more to choose from: worth %(worth)s.", worth=worth)
    if choice.alone:
        return w("Fewer dice drawn leave less in the reserve: worth %(worth)s.", worth=worth)
    return w("Fewer dice drawn leave less for the next player: worth %(worth)s.", worth=worth)


def _reserve(w: Words, choice: _Choice, part: Part) -> str:
    worth = percent(w, part.value)
    if choice.better.verb == "return":
        return w("Other dice are worth %(worth)s more than this reserve.", worth=worth)
    return w("This reserve is worth %(worth)s more than other dice.", worth=worth)
