"""Both games by name, built from the headers of a record."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from starfrost.errors import UsageError, quoted
from starfrost.games.core import Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards

__all__ = ["GAMES", "SEATS", "make_game"]

_WHOLE = re.compile("[0-9]{1,6}")
"""Six digits at most: as large as the games allow, and nothing that takes long to read."""


def _whole(headers: Mapping[str, str], key: str, default: int) -> int:
    text = headers.get(key, str(default)).strip()
    if not _WHOLE.fullmatch(text):
        raise UsageError(
            "'%(header)s' is a whole number from 1 to 999999, not %(found)s.", key, header=key, found=quoted(text)
        )
    return int(text)


def _dicy_cards(seats: int, headers: Mapping[str, str]) -> DicyCards:
    if "cards" not in headers:
        raise UsageError("Dicy Cards needs the header 'cards' with the five card ids.", "cards")
    return DicyCards(seats, tuple(headers["cards"].split()), _whole(headers, "goal", 100))


def _dice_stars(seats: int, headers: Mapping[str, str]) -> DiceStars:
    return DiceStars(seats, _whole(headers, "solo-boxes", 30))


GAMES: dict[str, Callable[[int, Mapping[str, str]], Game[Any, Any]]] = {
    "dicy-cards": _dicy_cards,
    "dice-stars": _dice_stars,
}
SEATS: dict[str, tuple[int, ...]] = {"dicy-cards": (2, 3, 4), "dice-stars": (1, 2, 3, 4)}
SET_UP_HEADERS = ("cards", "goal", "solo-boxes")


def make_game(name: str, seats: int, headers: Mapping[str, str]) -> Game[Any, Any]:
    """Set up a game from its name, its number of seats and its record headers. Raises UsageError."""
    if name not in GAMES:
        one, other = GAMES
        raise UsageError(
            "There is no game %(game)s; expected %(one)s or %(other)s.",
            "game",
            game=quoted(name),
            one=one,
            other=other,
        )
    return _made(name, seats, tuple((key, headers[key]) for key in SET_UP_HEADERS if key in headers))


@lru_cache(maxsize=64)
def _made(name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> Game[Any, Any]:
    """Keep set-ups, so that thousands of records of one kind share their tables."""
    return GAMES[name](seats, dict(headers))
