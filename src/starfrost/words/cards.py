"""The twelve cards of Dicy Cards and the modes, in words."""

from collections.abc import Mapping
from typing import Final

from starfrost.words.catalogue import Words, mark

__all__ = [
    "NAMES",
    "card_effect",
    "card_hint",
    "card_name",
    "card_text",
    "effect_hint",
    "mode_name",
    "mode_text",
]

NAMES: Final[Mapping[str, str]] = {
    "any-two": mark("Any two"),
    "no-sixes": mark("No sixes"),
    "odds": mark("Odds"),
    "straight": mark("Straight"),
    "two-pairs": mark("Two pairs"),
    "sixes": mark("Sixes"),
    "double-pair": mark("Double pair"),
    "three-lowest": mark("Three lowest"),
    "distinct-fours": mark("Distinct fours"),
    "distinct-sum": mark("Distinct sum"),
    "forty-minus": mark("Forty minus"),
    "same-fives": mark("Same fives"),
}

HINTS: Final[Mapping[str, str]] = {
    "any-two": mark("two dice"),
    "no-sixes": mark("all six, no 6"),
    "odds": mark("odd dice"),
    "straight": mark("in a row"),
    "two-pairs": mark("two pairs"),
    "sixes": mark("only sixes"),
    "double-pair": mark("a pair, twice"),
    "three-lowest": mark("three lowest"),
    "distinct-fours": mark("4 a die, all different"),
    "distinct-sum": mark("up to 5, all different"),
    "forty-minus": mark("40 minus all six"),
    "same-fives": mark("5 a die, all equal"),
}

TEXTS: Final[Mapping[str, str]] = {
    "any-two": mark("Choose exactly two dice of any value. They score their sum."),
    "no-sixes": mark("Use all six dice, and none of them may show a 6. They score their sum."),
    "odds": mark("Choose one to six dice that all show odd numbers. They score their sum."),
    "straight": mark("Choose two to six dice whose values follow one another, each value once. They score their sum."),
    "two-pairs": mark("Choose exactly four dice: two pairs of different values. They score their sum."),
    "sixes": mark("Choose one to six dice that all show 6. They score their sum."),
    "double-pair": mark("Choose exactly two dice of the same value. They score twice their sum."),
    "three-lowest": mark("Choose exactly the three lowest of the six dice. They score their sum."),
    "distinct-fours": mark("Choose one to six dice that all differ. Each of them scores 4 points."),
    "distinct-sum": mark("Choose one to five dice that all differ. They score their sum."),
    "forty-minus": mark("Use all six dice, whatever they show. You score 40 minus their sum."),
    "same-fives": mark("Choose one to six dice of the same value. Each of them scores 5 points."),
}

EFFECTS: Final[Mapping[str, str]] = {
    "any-two": mark("Then each neighbour freezes one of their active cards."),
    "sixes": mark("Then each neighbour resets one of their frozen cards."),
    "three-lowest": mark("Then every other player freezes one of their active cards."),
}

EFFECT_HINTS: Final[Mapping[str, str]] = {
    "any-two": mark("neighbours freeze"),
    "sixes": mark("neighbours reset"),
    "three-lowest": mark("others freeze"),
}

MODES: Final[Mapping[str, tuple[str, str]]] = {
    "glacial": (mark("Glacial"), mark("The five cards to start with, as the rulebook names them.")),
    "interglacial": (mark("Interglacial"), mark("Five of the twelve cards, drawn at random.")),
    "b": (mark("Beginner (B)"), mark("Cards that are easy to see. This set is our reading, not the printed one.")),
    "c": (mark("Intermediate (C)"), mark("Cards that ask for a plan. This set is our reading, not the printed one.")),
    "d": (
        mark("Increased interactions (D)"),
        mark("All three cards that touch other players. This set is our reading, not the printed one."),
    ),
    "custom": (mark("Custom"), mark("Any five of the twelve cards, chosen by whoever sets up the game.")),
}


def card_name(w: Words, card: str) -> str:
    """Name a card by its id."""
    return w(NAMES[card])


def card_hint(w: Words, card: str) -> str:
    """Say in two or three words which dice a card wants."""
    return w(HINTS[card])


def card_effect(w: Words, card: str) -> str:
    """Say what a card does to other players; empty if nothing."""
    return w(EFFECTS[card]) if card in EFFECTS else ""


def effect_hint(w: Words, card: str) -> str:
    """Say in two words what a card does to other players; empty if nothing."""
    return w(EFFECT_HINTS[card]) if card in EFFECT_HINTS else ""


def card_text(w: Words, card: str) -> str:
    """Explain a card: its dice, its points, its effect."""
    return " ".join(filter(None, (w(TEXTS[card]), card_effect(w, card))))


def mode_name(w: Words, mode: str) -> str:
    """Name a mode of Dicy Cards by its id."""
    return w(MODES[mode][0])


def mode_text(w: Words, mode: str) -> str:
    """Explain a mode of Dicy Cards in a sentence."""
    return w(MODES[mode][1])
