"""The texts of Dicy Cards: the twelve cards, the modes and sentences about events."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from starfrost.games.core import Game
from starfrost.games.dicy_cards import GOAL, Card, Effect, Pattern, Phase, card_of
from starfrost.games.dicy_cards.cards import DICE, FACES
from starfrost.games.dicy_cards.expressions import readable
from starfrost.words.catalogue import Words, You, mark
from starfrost.words.registry import GameWords

NAMES: Final[Mapping[str, str]] = {
    "any-two": mark("Any two"),
    "no-sixes": mark("No sixes"),
    "odds": mark("Odds"),
    "straight": mark("Straight"),
    "two-pairs": mark("Two pairs"),
    "sixes": mark("Sixes"),
    "double-pair": mark("Pair doubled"),
    "three-lowest": mark("Three lowest"),
    "distinct-fours": mark("All different ×4"),
    "distinct-sum": mark("Different values"),
    "forty-minus": mark("Forty minus"),
    "same-fives": mark("All the same ×5"),
}

HINTS: Final[Mapping[str, str]] = {
    "any-two": mark("two dice"),
    "no-sixes": mark("all six, no 6"),
    "odds": mark("odd dice"),
    "straight": mark("a sequence"),
    "two-pairs": mark("two pairs"),
    "sixes": mark("only sixes"),
    "double-pair": mark("a pair, doubled"),
    "three-lowest": mark("three lowest"),
    "distinct-fours": mark("4 per die, all different"),
    "distinct-sum": mark("up to 5, all different"),
    "forty-minus": mark("40 minus all six"),
    "same-fives": mark("5 per die, all equal"),
}

TEXTS: Final[Mapping[str, str]] = {
    "any-two": mark("Choose exactly two dice, any values. Score their sum."),
    "no-sixes": mark("Use all six dice; none of them may show a 6. Score their sum."),
    "odds": mark("Choose one to six dice that all show odd numbers. Score their sum."),
    "straight": mark("Choose two to six dice in sequence, such as 2 3 4. Score their sum."),
    "two-pairs": mark("Choose exactly four dice: two pairs of different values. Score their sum."),
    "sixes": mark("Choose one to six dice that all show 6. Score their sum."),
    "double-pair": mark("Choose exactly two dice of the same value. Score twice their sum."),
    "three-lowest": mark("Choose exactly the three lowest of the six dice. Score their sum."),
    "distinct-fours": mark("Choose one to six dice, all showing different values. Each scores 4 points."),
    "distinct-sum": mark("Choose one to five dice, all showing different values. Score their sum."),
    "forty-minus": mark("Use all six dice, whatever they show. Score 40 minus their sum."),
    "same-fives": mark("Choose one to six dice of the same value. Each scores 5 points."),
}

EFFECTS: Final[Mapping[Effect, tuple[str, str]]] = {
    Effect.NEIGHBOURS_FREEZE: (
        mark("neighbours freeze"),
        mark("Then each neighbour freezes one of their active cards."),
    ),
    Effect.NEIGHBOURS_RESET: (mark("neighbours reset"), mark("Then each neighbour resets one of their frozen cards.")),
    Effect.OTHERS_FREEZE: (
        mark("others freeze"),
        mark("Then every other player freezes one of their active cards."),
    ),
    Effect.OTHERS_RESET: (mark("others reset"), mark("Then every other player resets one of their frozen cards.")),
}
"""Two words and a sentence on what a card does to other players."""

PATTERNS: Final[Mapping[Pattern, str]] = {
    Pattern.DIFFERENT: mark("all different"),
    Pattern.ALIKE: mark("all equal"),
    Pattern.CONSECUTIVE: mark("in sequence"),
    Pattern.TWO_PAIRS: mark("two different pairs"),
    Pattern.LOWEST: mark("the lowest of the six"),
}
"""How selected dice belong together."""

QUANTITIES: Final[Mapping[str, str]] = {
    "sum": mark("sum"),
    "dice": mark("dice"),
    "highest": mark("highest die"),
    "lowest": mark("lowest die"),
    "values": mark("different values"),
    "alike": mark("equal dice"),
    "ones": mark("ones"),
    "twos": mark("twos"),
    "threes": mark("threes"),
    "fours": mark("fours"),
    "fives": mark("fives"),
    "sixes": mark("sixes"),
    "and": mark("and"),
    "or": mark("or"),
    "not": mark("not"),
}
"""What the expressions of a variant ask of the chosen dice, and their words."""

SIGNS: Final = {"*": "×", "-": "−", "//": "÷", "%": "mod", "==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}

MODES: Final[Mapping[str, tuple[str, str]]] = {
    "glacial": (mark("Glacial"), mark("The rulebook's five cards for a first game.")),
    "interglacial": (mark("Interglacial"), mark("Five of the twelve cards, drawn at random.")),
    "b": (
        mark("Beginner (B)"),
        mark("Cards you can read at a glance. We chose this set: we do not know the printed one."),
    ),
    "c": (
        mark("Intermediate (C)"),
        mark("Cards that reward planning. We chose this set: we do not know the printed one."),
    ),
    "d": (
        mark("Increased interactions (D)"),
        mark("All three cards that affect other players. We chose this set: we do not know the printed one."),
    ),
    "custom": (mark("Custom"), mark("Choose any five of the twelve cards.")),
}


def card_name(w: Words, card: str) -> str:
    """Return the name of a card, given as its id or its kind; a variant's own card is named by its id."""
    name = re.split("[=@]", card)[0]
    return w(NAMES[name]) if name in NAMES else name.replace("-", " ").capitalize()


def cards_sentence(w: Words, cards: Sequence[str], goal: int) -> str:
    """Name the goal and the cards of a game."""
    return w(
        "Dicy Cards to %(goal)s points with %(cards)s.", goal=goal, cards=w.all_of(card_name(w, card) for card in cards)
    )


def card_hint(w: Words, kind: str) -> str:
    """Return two or three words on the dice that a card needs; for a variant's card also its points."""
    if (official := kind.partition("@")[0]) in HINTS:
        return w(HINTS[official])
    card = card_of(kind)
    return f"{_selection(w, card)}: {points_hint(w, card)}"


def short_hint(w: Words, card: Card) -> str:
    """Return what the face of a variant's card says below an example: how many dice, which values, the points."""
    parts = []
    if (card.least, card.most) != (1, DICE) and card.least != DICE:
        parts.append(f"{card.least}" if card.least == card.most else f"{card.least}–{card.most}")
    if set(card.values) < set(card.faces):
        parts.append(w("only %(values)s", values=" ".join(card.values)))
    if card.when:
        parts.append(expression_text(w, card.when))
    return ": ".join(filter(None, (", ".join(parts), points_hint(w, card))))


def effect_hint(w: Words, kind: str) -> str:
    """Return two words on what a card does to other players; empty if nothing."""
    effect = card_of(kind).effect
    return w(EFFECTS[effect][0]) if effect in EFFECTS else ""


def effect_of(kind: str) -> str:
    """Return what a card does to other players as the rules name it, such as `others freeze`; empty if nothing."""
    effect = card_of(kind).effect
    return effect.value if effect in EFFECTS else ""


def card_text(w: Words, kind: str) -> str:
    """Return the explanation of a card: its dice, its points, its effect."""
    card = card_of(kind)
    if (official := kind.partition("@")[0]) in TEXTS:
        text = w(TEXTS[official])
    else:
        text = w("Choose %(dice)s. Score %(points)s.", dice=_selection(w, card), points=points_hint(w, card))
    return f"{text} {w(EFFECTS[card.effect][1])}" if card.effect in EFFECTS else text


def _selection(w: Words, card: Card) -> str:
    """Describe the dice of a card: how many, how they belong together, what they can show."""
    if card.least == DICE:
        parts = [w("all six dice")]
    elif card.least == card.most:
        parts = [w.plural("one die", "%(n)s dice", card.least)]
    else:
        parts = [w("%(least)s to %(most)s dice", least=card.least, most=card.most)]
    if card.pattern in PATTERNS:
        parts.append(w(PATTERNS[card.pattern]))
    if set(card.values) < set(card.faces):
        parts.append(w("only %(values)s", values=" ".join(card.values)))
    if card.when:
        parts.append(expression_text(w, card.when))
    return ", ".join(parts)


def points_hint(w: Words, card: Card) -> str:
    """Write the points of a card as a sum, or as the expression of a variant."""
    if card.score:
        return expression_text(w, card.score)
    terms = [(card.times, w("sum")), (card.per_die, w("dice")), (card.fixed, "")]
    if card.times < 0:
        terms = [*terms[1:], terms[0]]
    text = ""
    for number, what in terms:
        if number:
            value = f"{abs(number)} × {what}" if what and abs(number) > 1 else what or str(abs(number))
            text += f" {'−' if number < 0 else '+'} {value}"
    return text.removeprefix(" + ")


def expression_text(w: Words, expression: str) -> str:
    """Write an expression of a variant with the names of this language and the signs of mathematics."""

    def said(found: re.Match[str]) -> str:
        return w(QUANTITIES[found[0]]) if found[0] in QUANTITIES else SIGNS.get(found[0], found[0])

    return re.sub(r"[a-z]+|[!<>=]=|//|[*%-]", said, readable(expression))


def mode_name(w: Words, mode: str) -> str:
    """Return the name of a mode."""
    return w(MODES[mode][0])


def mode_text(w: Words, mode: str) -> str:
    """Return a sentence that explains a mode."""
    return w(MODES[mode][1])


def tell(w: Words, game: Game[Any, Any], state: Any, action: Any, name: str) -> str:
    """Return a sentence on what an event does."""
    dice = w.all_of(action.dice) if action.dice else ""
    card = card_name(w, action.card) if action.card else ""
    match action.verb:
        case "roll" if state.phase is Phase.ROLL:
            dice = " ".join(action.dice)
            return w.told(name, mark("%(name)s rolls %(dice)s."), mark("You roll %(dice)s."), dice=dice)
        case "roll":
            return w.told(name, mark("%(name)s gets %(dice)s."), mark("You get %(dice)s."), dice=dice)
        case "reroll":
            named = mark("%(name)s freezes %(card)s and rerolls %(dice)s.")
            return w.told(name, named, mark("You freeze %(card)s and reroll %(dice)s."), card=card, dice=dice)
        case "score":
            seat = game.actor(state)
            points = game.scores(game.apply(state, action))[seat] - game.scores(state)[seat]
            values = {"name": name, "card": card, "dice": " ".join(action.dice)}
            if isinstance(name, You):
                return w.plural(
                    "You score %(n)s point with %(card)s: %(dice)s.",
                    "You score %(n)s points with %(card)s: %(dice)s.",
                    points,
                    **values,
                )
            return w.plural(
                "%(name)s scores %(n)s point with %(card)s: %(dice)s.",
                "%(name)s scores %(n)s points with %(card)s: %(dice)s.",
                points,
                **values,
            )
        case "skip":
            named = mark("%(name)s skips the turn and resets all frozen cards: they are active again.")
            return w.told(
                name, named, mark("You skip the turn and reset all your frozen cards: they are active again.")
            )
        case "freeze":
            return w.told(name, mark("%(name)s freezes %(card)s."), mark("You freeze %(card)s."), card=card)
        case _:
            named = mark("%(name)s resets %(card)s: the card is active again.")
            return w.told(name, named, mark("You reset %(card)s: the card is active again."), card=card)


def _last_round(w: Words, game: Game[Any, Any], state: Any, seat: int, name: str) -> str:
    """Return a sentence on the score that brought on the last round (E1)."""
    points = game.scores(state)[seat]
    if isinstance(name, You):
        return w.plural("You have %(n)s point.", "You have %(n)s points.", points)
    return w.plural("%(name)s has %(n)s point.", "%(name)s has %(n)s points.", points, name=name)


def _ending(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str]) -> str:
    """Return a sentence on how a tie was decided (E2)."""
    scores, winners = game.scores(state), game.winners(state)
    points = scores[winners[0]]
    if len(winners) > 1 or scores.count(points) == 1:
        return ""
    name = names[winners[0]]
    named = mark("%(name)s wins: tied at %(points)s points, but with more active cards.")
    you = mark("You win: tied at %(points)s points, but with more active cards.")
    return w.told(name, named, you, points=points)


def _glossary(w: Words, game: Any) -> Mapping[str, tuple[str, str]]:
    kinds = {card: card for card in NAMES} if game is None else game.rules.kinds
    return {card: (card_name(w, card), card_text(w, kind)) for card, kind in kinds.items()}


def aim(w: Words, goal: int) -> str:
    """Return the sentence on what wins a game (E1, E2)."""
    return w("Have the highest score at the end of the round in which somebody reaches %(goal)s points.", goal=goal)


def _own_rules(w: Words, game: Any) -> list[tuple[str, str]]:
    """Return the goal, the cards, the dice and the points at the start where they are not those of the rulebook."""
    found = [(w("The aim"), aim(w, game.goal))] if game.goal != GOAL else []
    own = [kind for kind in game.kinds if kind.partition("@")[0] not in TEXTS]
    found += [(card_name(w, kind), card_text(w, kind)) for kind in own]
    if game.rules.faces != FACES:
        found.append((w("dice"), w("Every die shows %(faces)s.", faces=" ".join(game.rules.faces))))
    start = game.rules.start(game.seats)
    if any(start):
        found.append(
            (w("points"), w("At the start, in the order of the seats: %(points)s.", points=", ".join(map(str, start))))
        )
    return found


_FACTS: Final = {
    "scores": mark("scores of each card"),
    "points": mark("points of each card"),
    "rerolls": mark("freezes for a reroll"),
    "skips": mark("skipped turns"),
}


def _fact(w: Words, name: str) -> tuple[str, str]:
    """Return the kind and the label of what the lab counts."""
    card, _, kind = name.rpartition(" ")
    return w(_FACTS[kind]), card_name(w, card) if card else w(_FACTS[kind])


KIT: Final = GameWords(
    tell=tell,
    ending=_ending,
    last_round=_last_round,
    glossary=_glossary,
    own_rules=_own_rules,
    invitation=mark("Roll six dice, play a card, freeze it: the highest score wins once somebody reaches 100."),
    moves=mark("a move in record notation: score odds 531, reroll 21 odds, skip, freeze odds, reset odds"),
    topics=mark("? rules: all of them; ? T5: one clause; ? odds: a card; ? word: every clause with that word"),
    modes=MODES,
    decisions={
        "score": (mark("scoring a card"), "roll-on"),
        "reroll": (mark("rerolling"), "score-now"),
        "skip": (mark("skipping"), "skip-now"),
        "freeze": (mark("choosing the card to freeze"), "freeze-the-odd-one"),
        "reset": (mark("choosing the card to reset"), "wake-the-right-card"),
    },
    fact=_fact,
)
