"""The parts of a difference in sentences; each tells one part, and stands alone."""

from collections import Counter
from typing import Final

from starfrost.coach.judge import Part, Parts
from starfrost.coach.reasons import told
from starfrost.games.dicy_cards import Action, Change, DicyCards, Phase, State, card_of
from starfrost.games.dicy_cards.words import card_name
from starfrost.words import Words
from starfrost.words.numbers import percent

POINTS: Final = "points"
"""The points of the turn, where both actions leave the goal alike: reached or not."""
GOAL: Final = "goal"
"""The points of the turn, where only one of the actions reaches the goal."""
CARD: Final = "card"
"""Which own cards are spent, for the score and for rerolls; or the card that an affected player chooses."""
BACK: Final = "cards back"
"""Whether the frozen cards come back by a skip."""
OTHER: Final = "other"
"""What the other player does with a card: freeze one, reset one, or nothing."""
DICE: Final = "dice"
"""The dice that a reroll keeps."""


def sentences(w: Words, game: DicyCards, state: State, better: Action, worse: Action, parts: Parts) -> list[str]:
    """Return at most two sentences on why one action is better than the other."""
    tell = {POINTS: _points, GOAL: _goal, CARD: _card, BACK: _back, DICE: _dice}
    return [tell.get(part.part, _other)(w, game, state, better, worse, part) for part in told(parts)]


def _points(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth, number = percent(w, abs(part.value)), round(abs(part.number))
    gains = part.value > 0
    if not number or gains != (part.number > 0):
        if gains:
            return w("The points are worth %(worth)s.", worth=worth)
        return w("The points favour the other move: %(worth)s.", worth=worth)
    if better.verb == "reroll":
        if gains:
            return w.plural(
                "Rerolling brings %(n)s point more on average: worth %(worth)s.",
                "Rerolling brings %(n)s points more on average: worth %(worth)s.",
                number,
                worth=worth,
            )
        return w.plural(
            "Rerolling brings %(n)s point fewer on average: that costs %(worth)s.",
            "Rerolling brings %(n)s points fewer on average: that costs %(worth)s.",
            number,
            worth=worth,
        )
    if worse.verb == "reroll":
        if gains:
            return w.plural(
                "Rerolling would bring %(n)s point fewer on average: that would cost %(worth)s.",
                "Rerolling would bring %(n)s points fewer on average: that would cost %(worth)s.",
                number,
                worth=worth,
            )
        return w.plural(
            "Rerolling would bring %(n)s point more on average: that would be worth %(worth)s.",
            "Rerolling would bring %(n)s points more on average: that would be worth %(worth)s.",
            number,
            worth=worth,
        )
    if better.verb == "skip":
        return w.plural(
            "The %(n)s point given up would be worth %(worth)s.",
            "The %(n)s points given up would be worth %(worth)s.",
            number,
            worth=worth,
        )
    if worse.verb == "skip":
        return w.plural(
            "The %(n)s point is worth %(worth)s.", "The %(n)s points are worth %(worth)s.", number, worth=worth
        )
    if gains:
        return w.plural(
            "%(n)s point more is worth %(worth)s.", "%(n)s points more are worth %(worth)s.", number, worth=worth
        )
    return w.plural("%(n)s point fewer costs %(worth)s.", "%(n)s points fewer cost %(worth)s.", number, worth=worth)


def _goal(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth = percent(w, abs(part.value))
    if part.number > 0:
        if part.value < 0:
            return w("Starting the last round now costs %(worth)s.", worth=worth)
        if better.verb == "reroll":
            return w("Rerolling can reach the goal: worth %(worth)s.", worth=worth)
        return w("Reaching the goal is worth %(worth)s.", worth=worth)
    if part.value > 0:
        return w("The last round should not start yet: that would cost %(worth)s.", worth=worth)
    if worse.verb == "reroll":
        return w("Rerolling could reach the goal: that would be worth %(worth)s.", worth=worth)
    return w("Reaching the goal would be worth %(worth)s.", worth=worth)


def _card(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth = percent(w, abs(part.value))
    gains = part.value > 0
    if better.card and worse.card and better.card != worse.card and better.verb == worse.verb:
        names = {"card": card_name(w, better.card), "other": card_name(w, worse.card), "worth": worth}
        if state.phase is Phase.RESET:
            return w("“%(card)s” helps more than “%(other)s”: worth %(worth)s.", **names)
        if gains:
            return w("“%(other)s” is kept instead of “%(card)s”: worth %(worth)s.", **names)
        return w("“%(card)s” is used up instead of “%(other)s”: that costs %(worth)s.", **names)
    if worse.verb == "reroll" and gains and part.number < 0:
        return w("Rerolling would use up more cards: that would cost %(worth)s.", worth=worth)
    if better.verb == "reroll" and not gains and part.number > 0:
        return w("Rerolling uses up more cards: that costs %(worth)s.", worth=worth)
    if gains:
        return w("The cards that stay active are worth %(worth)s.", worth=worth)
    return w("The cards used up cost %(worth)s.", worth=worth)


def _back(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth = percent(w, abs(part.value))
    if part.value > 0:
        if better.verb == "skip":
            return w.plural(
                "The frozen card comes back: worth %(worth)s.",
                "All %(n)s frozen cards come back: worth %(worth)s.",
                len(game.cards) - state.active[state.seat].bit_count(),
                worth=worth,
            )
        return w("A skip can still bring the frozen cards back: worth %(worth)s.", worth=worth)
    return w("A skip would bring the frozen cards back: that would be worth %(worth)s.", worth=worth)


def _dice(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth, rolled, fewer = percent(w, abs(part.value)), Counter(better.dice), Counter(worse.dice)
    if part.value < 0:
        return w("The dice kept promise less: that costs %(worth)s.", worth=worth)
    facts = {"card": card_name(w, part.thing) if part.thing else "", "worth": worth}
    if rolled > fewer:
        if part.thing:
            return w("Rolling more dice promises more, most often with “%(card)s”: worth %(worth)s.", **facts)
        return w("Rolling more dice promises more: worth %(worth)s.", worth=worth)
    if rolled < fewer:
        if part.thing:
            return w("Keeping more dice promises more, most often with “%(card)s”: worth %(worth)s.", **facts)
        return w("Keeping more dice promises more: worth %(worth)s.", worth=worth)
    if part.thing:
        return w("The dice kept promise more, most often with “%(card)s”: worth %(worth)s.", **facts)
    return w("The dice kept promise more: worth %(worth)s.", worth=worth)


def _other(w: Words, game: DicyCards, state: State, better: Action, worse: Action, part: Part) -> str:
    worth, two = percent(w, abs(part.value)), game.seats == 2
    done, avoided = (_change(game, action) for action in (better, worse))
    if part.value > 0:
        if done is Change.FREEZE and two:
            return w("The other player must freeze a card: worth %(worth)s.", worth=worth)
        if avoided is Change.RESET and two:
            return w("The other player gets no card back: worth %(worth)s.", worth=worth)
        if two:
            return w("The other player has fewer active cards then: worth %(worth)s.", worth=worth)
        return w("The others have fewer active cards then: worth %(worth)s.", worth=worth)
    if done is Change.RESET and two:
        return w("The other player gets a card back: that costs %(worth)s.", worth=worth)
    if avoided is Change.FREEZE and two:
        return w("The other player need not freeze a card: that costs %(worth)s.", worth=worth)
    if two:
        return w("The other player has more active cards then: that costs %(worth)s.", worth=worth)
    return w("The others have more active cards then: that costs %(worth)s.", worth=worth)


def _change(game: DicyCards, action: Action) -> Change:
    """Return what the others do with a card after an action that ends the turn."""
    if action.verb == "skip":
        return Change.RESET
    return card_of(game.kind(action.card)).effect.change if action.verb == "score" else Change.NONE
