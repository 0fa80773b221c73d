"""Both games by name, built from the headers of a record."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from starfrost.errors import UsageError
from starfrost.games.core import Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards

__all__ = ["GAMES", "SEATS", "make_game"]


def _whole(headers: Mapping[str, str], key: str, default: int) -> int:
    text = headers.get(key, str(default)).strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 6 or int(text) < 1:
        raise UsageError(f"'{key}: {text}' is not usable; expected a whole number of at least 1.")
    return int(text)


def _dicy_cards(seats: int, headers: Mapping[str, str]) -> DicyCards:
    if "cards" not in headers:
        raise UsageError("Dicy Cards needs the header 'cards' with the five card ids.")
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
        raise UsageError(f"There is no game '{name}'; expected {' or '.join(GAMES)}.")
    return _made(name, seats, tuple((key, headers[key]) for key in SET_UP_HEADERS if key in headers))


@lru_cache(maxsize=64)
def _made(name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> Game[Any, Any]:
    """Keep set-ups, so that thousands of records of one kind share their tables."""
    return GAMES[name](seats, dict(headers))
