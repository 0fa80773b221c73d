"""The ways to choose the five cards (D5 to D8): named sets, a random five, or the host's own."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from random import Random

from starfrost.errors import UsageError, quoted
from starfrost.games.dicy_cards.cards import CARDS, check_cards
from starfrost.games.dicy_cards.effects import CARDS_IN_A_GAME

INTERGLACIAL = "interglacial"


@dataclass(frozen=True)
class Mode:
    """A named set of five cards; `ruling` marks a set that is this project's interpretation (D7)."""

    id: str
    cards: tuple[str, ...]
    ruling: bool


def _load() -> dict[str, Mode]:
    table = tomllib.loads(files("starfrost.games.dicy_cards").joinpath("modes.toml").read_text(encoding="utf-8"))
    return {name: Mode(name, check_cards(tuple(row["cards"])), bool(row["ruling"])) for name, row in table.items()}


MODES: dict[str, Mode] = _load()


def interglacial(rng: Random) -> tuple[str, ...]:
    """Draw five of the twelve cards at random (D6), in the order of their clauses."""
    drawn = rng.sample(tuple(CARDS), CARDS_IN_A_GAME)
    return tuple(card for card in CARDS if card in drawn)


def mode_cards(mode: str, rng: Random) -> tuple[str, ...]:
    """Return the five cards of a mode; only Interglacial uses `rng`. Raises UsageError."""
    if mode == INTERGLACIAL:
        return interglacial(rng)
    if mode not in MODES:
        raise UsageError(
            "There is no mode %(mode)s; expected one of %(modes)s.",
            mode=quoted(mode),
            modes=", ".join([*MODES, INTERGLACIAL]),
        )
    return MODES[mode].cards


def mode_of(cards: tuple[str, ...]) -> str | None:
    """Return the mode with these five cards, in any order; None if there is none."""
    return next((mode.id for mode in MODES.values() if set(mode.cards) == set(cards)), None)


def read_cards(text: str, rng: Random) -> tuple[str, ...]:
    """Parse a mode's name or five card ids separated by spaces or commas. Raises UsageError."""
    words = text.lower().replace(",", " ").split()
    if len(words) == 1 and words[0] not in CARDS:
        return mode_cards(words[0], rng)
    return check_cards(tuple(words))


def clean_cards(text: str) -> str:
    """Return the `cards` of a record for a mode's name or for ids; the game checks the ids, which its rules know."""
    words = text.lower().replace(",", " ").split()
    return " ".join(words if len(words) > 1 else read_cards(text, Random(0)))
