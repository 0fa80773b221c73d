"""The pictures of the twelve cards: little dice that show what a card asks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starfrost.games.dicy_cards import Card, Pattern, card_of
from starfrost.games.dicy_cards.cards import DICE
from starfrost.games.dicy_cards.words import card_hint, card_name, card_text, short_hint
from starfrost.words import Words


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


def mini(w: Words, kind: str) -> Mini:
    """Return a card with its texts and its picture."""
    card = card_of(kind)
    if (official := kind.partition("@")[0]) in PICTURES:
        return Mini(card.id, card_name(w, kind), card_hint(w, kind), card_text(w, kind), PICTURES[official])
    # The picture shows an example; the words say what it leaves open.
    picture = tuple(_mark(sign) for sign in _signs(card))
    return Mini(card.id, card_name(w, kind), short_hint(w, card), card_text(w, kind), picture)


def _signs(card: Card) -> list[str]:
    """Draw a variant's card: dice such as it asks for, then what counts besides their sum."""
    values = [value for value in card.values if value in card.faces]
    match card.pattern:
        case Pattern.ALIKE:
            signs = values[-1:] * max(card.least, min(card.most, 3))
        case Pattern.TWO_PAIRS:
            signs = [*values[-1:] * 2, *values[:1] * 2]
        case Pattern.LOWEST:
            signs = [*values[: card.least], *"." * (DICE - card.least)]
        case Pattern.ANY if set(values) == set(card.faces):
            signs = ["?"] * min(card.least if card.least > 1 else 3, 4)
        case _:
            signs = values[: max(card.least, min(card.most, 3))]
    if card.times == -1 and card.fixed > 0:
        return [f"={card.fixed}−", *(sign for sign in signs if sign != ".")]
    counts = card.times if card.times > 1 else card.per_die if not card.times else 0
    points = f"×{counts}" if counts else ""
    points += f"{card.fixed:+d}".replace("-", "−") if card.fixed and (card.times or card.per_die) else ""
    return [*signs, f"={points or card.fixed}"] if points or not card.times else signs
