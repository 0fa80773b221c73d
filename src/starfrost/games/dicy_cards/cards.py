"""The cards: the twelve of the game (C1 to C12), and those of variants, which are written in the same few words.

A *kind* is the text of a card that says all about it: the id of one of the twelve, or an id and its definition, such as
`odds=1-6.135.any.1.0.3.none`. Functions that need a card's definition take its kind, so what they remember for one
card is never used for another one of the same name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Final

from starfrost.errors import UsageError, quoted
from starfrost.games.dice import subsets
from starfrost.games.dicy_cards.effects import CARDS_IN_A_GAME, EFFECTS, Effect
from starfrost.games.dicy_cards.expressions import condition, number, value

DICE: Final = 6
FACES: Final = "123456"
"""The faces of a die."""

ID: Final = re.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The ids that a card can have."""


class Pattern(Enum):
    """How the selected dice belong together."""

    ANY = "any"
    DIFFERENT = "different"
    ALIKE = "alike"
    CONSECUTIVE = "consecutive"
    TWO_PAIRS = "two pairs"
    LOWEST = "lowest"
    """the lowest of the dice on the table"""


@dataclass(frozen=True)
class Card:
    """One kind of card: its selection, its points and its effect."""

    id: str
    least: int = 1
    """the fewest dice of a selection"""
    most: int = DICE
    values: str = FACES
    """the values that selected dice can show, rising"""
    pattern: Pattern = Pattern.ANY
    times: int = 1
    """the points: so many times the sum of the dice, …"""
    per_die: int = 0
    """… plus so many for each die, …"""
    fixed: int = 0
    """… plus so many."""
    when: str = ""
    """a further condition on the selection (see `expressions`); empty if there is none"""
    score: str = ""
    """the points as an expression, in place of the three numbers; empty if those say them"""
    effect: Effect = Effect.NONE
    faces: str = FACES
    """the faces of the dice that the card is played with"""

    def fits(self, selection: str, dice: str) -> bool:
        """Return whether a selection from the dice on the table (both highest first) satisfies the card."""
        return (
            self.least <= len(selection) <= self.most
            and set(selection) <= set(self.values)
            and _MATCHES[self.pattern](selection, dice)
            and (not self.when or bool(value(self.when, selection)))
        )

    def points(self, selection: str) -> int:
        """Return the points of a selection."""
        if self.score:
            return value(self.score, selection)
        return self.times * sum(map(int, selection)) + self.per_die * len(selection) + self.fixed

    @property
    def kind(self) -> str:
        """The text that says all about the card."""
        dice = "" if self.faces == FACES else f"@{self.faces}"
        if CARDS.get(self.id) == replace(self, faces=FACES):
            return self.id + dice
        words = (self.pattern.value, self.times, self.per_die, self.fixed, self.effect.value)
        said = f"|{self.when}|{self.score}" if self.when or self.score else ""
        definition = ".".join(map(str, words)).replace(" ", "_")
        return f"{self.id}={self.least}-{self.most}.{self.values}.{definition}{said}{dice}"


def _different(selection: str, dice: str) -> bool:
    return len(set(selection)) == len(selection)


_MATCHES: Final[dict[Pattern, Callable[[str, str], bool]]] = {
    Pattern.ANY: lambda selection, dice: True,
    Pattern.DIFFERENT: _different,
    Pattern.ALIKE: lambda selection, dice: len(set(selection)) == 1,
    Pattern.CONSECUTIVE: lambda selection, dice: (
        _different(selection, dice) and int(selection[0]) - int(selection[-1]) == len(selection) - 1
    ),
    Pattern.TWO_PAIRS: lambda selection, dice: selection[0] == selection[1] != selection[2] == selection[3],
    Pattern.LOWEST: lambda selection, dice: selection == dice[-len(selection) :],
}

CARDS: Final[dict[str, Card]] = {
    card.id: card
    for card in (
        Card("any-two", 2, 2, effect=Effect.NEIGHBOURS_FREEZE),  # C1
        Card("no-sixes", 6, 6, "12345"),  # C2
        Card("odds", values="135"),  # C3
        Card("straight", 2, pattern=Pattern.CONSECUTIVE),  # C4
        Card("two-pairs", 4, 4, pattern=Pattern.TWO_PAIRS),  # C5
        Card("sixes", values="6", effect=Effect.NEIGHBOURS_RESET),  # C6
        Card("double-pair", 2, 2, pattern=Pattern.ALIKE, times=2),  # C7
        Card("three-lowest", 3, 3, pattern=Pattern.LOWEST, effect=Effect.OTHERS_FREEZE),  # C8
        Card("distinct-fours", pattern=Pattern.DIFFERENT, times=0, per_die=4),  # C9
        Card("distinct-sum", most=5, pattern=Pattern.DIFFERENT),  # C10
        Card("forty-minus", 6, 6, times=-1, fixed=40),  # C11
        Card("same-fives", pattern=Pattern.ALIKE, times=0, per_die=5),  # C12
    )
}
"""The twelve cards by id, in the order of their clauses."""

_KIND: Final = re.compile(
    rf"(?P<id>{ID.pattern})"
    r"(=(?P<least>[1-6])-(?P<most>[1-6])\.(?P<values>[1-6]{1,6})\.(?P<pattern>[a-z_]+)"
    r"\.(?P<times>-?\d{1,4})\.(?P<per_die>-?\d{1,4})\.(?P<fixed>-?\d{1,4})\.(?P<effect>[a-z_]+)"
    r"(\|(?P<when>[^|@\s]*)\|(?P<score>[^|@\s]*))?)?"
    r"(@(?P<faces>[1-6]{6}))?",
    re.ASCII,
)


@cache
def card_of(kind: str) -> Card:
    """Return the card of a kind. Raises UsageError."""
    found = _KIND.fullmatch(kind)
    if found is None or (not found["least"] and found["id"] not in CARDS):
        raise UsageError(
            "There is no card %(card)s; expected five of %(cards)s.",
            "cards",
            card=quoted(kind),
            cards=", ".join(CARDS),
        )
    if kind in CARDS:
        return CARDS[kind]
    faces = found["faces"] or FACES
    if not found["least"]:
        return replace(CARDS[found["id"]], faces=faces)
    try:
        pattern, effect = (found[word].replace("_", " ") for word in ("pattern", "effect"))
        numbers = {name: int(found[name]) for name in ("least", "most", "times", "per_die", "fixed")}
        return Card(
            found["id"],
            values=found["values"],
            pattern=Pattern(pattern),
            effect=EFFECTS[effect],
            faces=faces,
            when=condition(found["when"].replace("_", " ")) if found["when"] else "",
            score=number(found["score"].replace("_", " ")) if found["score"] else "",
            **numbers,
        )
    except (KeyError, ValueError):  # UsageError is a ValueError too.
        raise UsageError("%(card)s is not a definition of a card.", "cards", card=quoted(kind)) from None


@cache
def options(kind: str, dice: str) -> tuple[tuple[str, int], ...]:
    """List the selections from six dice (highest first) that satisfy a card, with their points, the best first."""
    card = card_of(kind)
    found = [(chosen, card.points(chosen)) for chosen in subsets(dice) if card.fits(chosen, dice)]
    return tuple(sorted(found, key=lambda option: -option[1]))


def check_cards(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the five cards unchanged (D3, D8). Raises UsageError unless they are five different existing cards."""
    different = len({card_of(kind).id for kind in kinds})
    if len(kinds) != CARDS_IN_A_GAME or different != len(kinds):
        raise UsageError(
            "Expected five different cards, not %(different)s: %(cards)s.",
            "cards",
            different=different,
            cards=quoted(" ".join(kinds)),
        )
    return kinds


def in_order(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return cards in the order of their clauses, cards of variants last."""
    places = {card: place for place, card in enumerate(CARDS)}
    return tuple(sorted(kinds, key=lambda kind: (places.get(card_of(kind).id, len(places)), kind)))
