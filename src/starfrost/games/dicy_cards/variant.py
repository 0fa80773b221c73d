"""The rules of Dicy Cards that a variant can change: cards, effects, goal, dice, points at the start.

`Rules` is one immutable value; a game receives it with its setup, and the default is the official game.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Final

from starfrost.errors import Phrase, UsageError, quoted
from starfrost.games.dice import dice_text
from starfrost.games.dicy_cards.cards import CARDS, DICE, FACES, ID, Card, Pattern
from starfrost.games.dicy_cards.effects import CARDS_IN_A_GAME, EFFECTS
from starfrost.games.dicy_cards.expressions import condition, number, readable
from starfrost.games.variants import Fields, Variant, named

MOST_GOAL: Final = 999_999
MOST_CARDS: Final = 24
"""The most cards that a variant can change or add."""

MOST_POINTS: Final = 400
"""The most points of one score."""

_LARGEST: Final = 999
_TERM: Final = re.compile(r"([+-]?)(?:(\d{1,3})\*?)?(sum|dice)?(?:\*(\d{1,3}))?")
_COUNT: Final = re.compile(r"([1-6])(?:-([1-6]))?")


@dataclass(frozen=True)
class Rules:
    """The rules of a game besides its seats, its five cards and its goal."""

    changed: tuple[Card, ...] = ()
    """The cards that the variant changes or adds."""
    faces: str = FACES
    """The six faces of a die, rising."""
    handicap: tuple[int, ...] = ()
    """The points of each seat at the start; 0 for seats beyond."""
    variant: Variant | None = None
    """The variant; None for the official rules."""

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of all cards by id: the twelve, then new ones."""
        cards = {**CARDS, **{card.id: card for card in self.changed}}
        return {name: replace(card, faces=self.faces).kind for name, card in cards.items()}

    def kinds_of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the kinds of cards. Raises UsageError if one does not exist."""
        for name in names:
            if name not in self.kinds:
                raise UsageError(
                    "There is no card %(card)s; expected five of %(cards)s.",
                    "cards",
                    card=quoted(name),
                    cards=", ".join(self.kinds),
                )
        return tuple(self.kinds[name] for name in names)

    def start(self, seats: int) -> tuple[int, ...]:
        """Return every seat's points at the start."""
        return (*self.handicap, *(0,) * seats)[:seats]


OFFICIAL: Final = Rules()


def read(fields: Fields) -> Rules:
    """Read the keys of a rules file. Raises UsageError."""
    fields.choice("game", ["dicy-cards"])
    faces = _faces(fields)
    shown = "".join(map(str, faces)) if faces else FACES
    changed = tuple(
        _card(name, table, shown) for name, table in sorted(fields.tables("card").items()) if _checked(fields, name)
    )
    if len(changed) > MOST_CARDS:
        raise fields.refusal("card", Phrase("at most %(most)s cards", most=MOST_CARDS), len(changed))
    goal = fields.number("goal", 1, MOST_GOAL)
    handicap = fields.numbers("handicap", range(1, 5), 0, MOST_GOAL)
    known = list(dict.fromkeys([*CARDS, *(card.id for card in changed)]))
    five = _five(fields, known)
    rules: dict[str, Any] = {}
    if faces:
        rules["dice"] = faces
    if changed:
        rules["card"] = {card.id: _described(card) for card in changed}
    options = {}
    if goal is not None:
        rules["goal"] = goal
        options["goal"] = str(goal)
    if handicap is not None:
        rules["handicap"] = list(handicap)
        if goal is not None and max(handicap) >= goal:
            raise fields.refusal("handicap", Phrase("less than the goal of %(goal)s", goal=goal))
    if five:
        rules["cards"] = list(five)
        options["cards"] = " ".join(five)
    return Rules(changed, shown, handicap or (), named(fields, "dicy-cards", rules, options))


def _faces(fields: Fields) -> list[int]:
    """Return the faces of a die; empty if they are not given."""
    value = fields.anything("dice")
    if value is None:
        return []
    if isinstance(value, list) and len(value) == 6 and all(type(face) is int and 1 <= face <= 6 for face in value):
        return sorted(value)
    # Records, solver and engines know six dice, so a number of dice is refused in so many words.
    expected = Phrase(
        "a list of the six faces of a die, each from 1 to 6 (the number of dice is always %(dice)s)", dice=DICE
    )
    raise fields.refusal("dice", expected)


def _five(fields: Fields, known: list[str]) -> tuple[str, ...]:
    """Return the five cards to play with, if the file names them (D3)."""
    value = fields.anything("cards")
    if value is None:
        return ()
    if (
        not isinstance(value, list)
        or len(value) != CARDS_IN_A_GAME
        or not all(isinstance(card, str) and card in known for card in value)
        or len(set(value)) != len(value)
    ):
        raise fields.refusal("cards", Phrase("a list of five different cards among %(cards)s", cards=", ".join(known)))
    return tuple(value)


def _checked(fields: Fields, name: str) -> bool:
    if not ID.fullmatch(name) or len(name) > 24 or name in ("interglacial", "custom"):
        expected = Phrase("lower-case words joined by dashes, such as lucky-pair")
        raise fields.refusal(f"card.{name}", expected, name)
    return True


def _card(name: str, fields: Fields, faces: str) -> Card:
    """Read a card: a changed one starts from the official card, a new one from any one to six dice for their sum."""
    card = CARDS.get(name, Card(name))
    pattern = fields.choice("pattern", [one.value for one in Pattern])
    if pattern is not None:
        card = replace(card, pattern=Pattern(pattern))
        if card.pattern is Pattern.TWO_PAIRS and "dice" not in fields:
            card = replace(card, least=4, most=4)
        elif card.pattern is Pattern.CONSECUTIVE and card.least == 1:
            card = replace(card, least=2)
    effect = fields.choice("effect", EFFECTS)
    if effect is not None:
        card = replace(card, effect=EFFECTS[effect])
    values = fields.numbers("values", range(1, 7), 1, 6)
    if values is not None:
        card = replace(card, values="".join(map(str, sorted(set(values)))))
    count = fields.anything("dice")
    if count is not None:
        least, most = _count(fields, count)
        card = replace(card, least=least, most=most)
    if card.pattern is Pattern.TWO_PAIRS and (card.least, card.most) != (4, 4):
        raise fields.refusal("dice", Phrase("4 with the pattern two pairs"))
    when = fields.anything("when")
    if when is not None:
        expected = Phrase("a condition such as 'sum >= 20', 'sum % 2 == 0' or 'values == 2 and alike == 3'")
        card = replace(card, when=_expression(fields, "when", when, condition, expected))
    points = fields.anything("points")
    if points is not None:
        card = _scoring(fields, card, points)
    fields.finish()
    _check_points(fields, card, faces)
    return card


def _count(fields: Fields, count: object) -> tuple[int, int]:
    found = _COUNT.fullmatch("6" if count == "all" else str(count)) if isinstance(count, int | str) else None
    if found is None or int(found[1]) > int(found[2] or found[1]):
        raise fields.refusal("dice", Phrase("a number of dice such as 3, '2-4' or 'all'"))
    return int(found[1]), int(found[2] or found[1])


def _expression(fields: Fields, key: str, text: object, read: Callable[[str], str], expected: Phrase) -> str:
    """Return an expression in its canonical form."""
    try:
        if isinstance(text, str):
            return read(text)
    except UsageError:
        pass
    raise fields.refusal(key, expected)


def _scoring(fields: Fields, card: Card, text: object) -> Card:
    """Read the points of a card: three numbers where they say it, otherwise an expression."""
    if isinstance(text, int | str) and not isinstance(text, bool) and (parts := _linear(str(text))) is not None:
        return replace(card, times=parts[0], per_die=parts[1], fixed=parts[2], score="")
    expected = Phrase("a formula such as 'sum + 3', '4 * dice', '40 - sum' or 'max(10, 2 * highest)'")
    return replace(card, times=0, per_die=0, fixed=0, score=_expression(fields, "points", text, number, expected))


def _linear(text: str) -> tuple[int, int, int] | None:
    """Read a sum of `sum`, `dice` and numbers: how often the sum counts, the points of a die, and a number."""
    parts = {"sum": 0, "dice": 0, "": 0}
    rest = text.replace(" ", "")
    at = 0
    while at < len(rest):
        found = _TERM.match(rest, at)
        if found is None or found.end() == at or (at and not found[1]) or not (found[2] or found[3]):
            return None
        if found[4] and (found[2] or not found[3]):
            return None
        sign = -1 if found[1] == "-" else 1
        parts[found[3] or ""] += sign * int(found[2] or found[4] or 1)
        at = found.end()
    if not rest or any(abs(part) > _LARGEST for part in parts.values()):
        return None
    return parts["sum"], parts["dice"], parts[""]


def _check_points(fields: Fields, card: Card, faces: str) -> None:
    """Raise UsageError unless some dice satisfy the card and every score gives points, so that every game ends."""
    given = {}
    for size in range(card.least, card.most + 1):
        for dice in combinations_with_replacement(sorted(set(faces)), size):
            chosen = dice_text(dice)
            # The lowest dice of a roll can be any: the roll then has no lower ones.
            if card.fits(chosen, chosen):
                given[chosen] = card.points(chosen)
    if not given:
        raise fields.refusal("values", Phrase("such that some dice satisfy the card"), card.values)
    for chosen in (min(given, key=given.__getitem__), max(given, key=given.__getitem__)):
        if not 1 <= given[chosen] <= MOST_POINTS:
            expected = Phrase(
                "1 to %(most)s points for every selection; %(dice)s would score %(points)s",
                most=MOST_POINTS,
                dice=chosen,
                points=given[chosen],
            )
            raise fields.refusal("points", expected, formula(card))


def formula(card: Card) -> str:
    """Return the points of a card as a formula that `read` understands."""
    if card.score:
        return readable(card.score)
    terms = ""
    for times, what in ((card.times, "sum"), (card.per_die, "dice"), (card.fixed, "")):
        if times:
            sign = "-" if times < 0 else "+"
            value = f"{abs(times)} * {what}" if what and abs(times) > 1 else what or str(abs(times))
            terms += f" {sign} {value}"
    if card.times < 0 < card.fixed and not card.per_die:
        often = "" if card.times == -1 else f"{-card.times} * "
        return f"{card.fixed} - {often}sum"
    text = terms.removeprefix(" + ") or "0"
    return f"-{text[3:]}" if text.startswith(" - ") else text


def _described(card: Card) -> dict[str, Any]:
    """Return the definition of a card as `read` understands it."""
    return {
        "dice": f"{card.least}-{card.most}",
        "values": [int(value) for value in card.values],
        "pattern": card.pattern.value,
        "points": formula(card),
        "effect": card.effect.value,
        # Left out where there is none, so that variants from before keep their digest.
        **({"when": readable(card.when)} if card.when else {}),
    }
