"""The pictures of the twelve cards: little dice that show what a card asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starfrost.words import Words
from starfrost.words.dicy_cards import card_hint, card_name, card_text


@dataclass(frozen=True)
class Mark:
    """One sign of a picture: a little die in some style, or a few letters (`text`)."""

    kind: str
    value: str


# A digit is a die with that value, `?` any die, `!6` a forbidden die, `.` an ignored one; `=` starts letters.
SIGNS: Final[Mapping[str, str]] = {
    "any-two": "? ?",
    "no-sixes": "1 2 3 4 5 !6",
    "odds": "1 3 5",
    "straight": "2 3 4",
    "two-pairs": "6 6 3 3",
    "sixes": "6 6 6",
    "double-pair": "4 4 =×2",
    "three-lowest": "1 2 3 . . .",
    "distinct-fours": "1 2 5 6 =×4",
    "distinct-sum": "2 4 5",
    "forty-minus": "=40− ? ? ?",
    "same-fives": "1 1 1 =×5",
}


def _mark(sign: str) -> Mark:
    if sign.startswith("="):
        return Mark("text", sign[1:])
    if sign.startswith("!"):
        return Mark("not", sign[1:])
    return Mark({"?": "any", ".": "off"}.get(sign, "pip"), sign if sign.isdigit() else "")


PICTURES: Final[Mapping[str, tuple[Mark, ...]]] = {
    card: tuple(_mark(sign) for sign in signs.split()) for card, signs in SIGNS.items()
}


@dataclass(frozen=True)
class Mini:
    """A card with its texts and its picture."""

    id: str
    name: str
    hint: str
    text: str
    picture: tuple[Mark, ...]


def mini(w: Words, card: str) -> Mini:
    """Return a card with its texts and its picture."""
    return Mini(card, card_name(w, card), card_hint(w, card), card_text(w, card), PICTURES[card])
