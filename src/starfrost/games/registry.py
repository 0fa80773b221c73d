"""The games by id."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from starfrost.games.core import Game
from starfrost.games.kit import GameKit
from starfrost.registry import Registry

GAMES: Final[Registry[GameKit]] = Registry(
    "starfrost.games",
    {
        "dicy-cards": "starfrost.games.dicy_cards.kit:KIT",
        "dice-stars": "starfrost.games.dice_stars.kit:KIT",
    },
)


def make_game(name: str, seats: int, headers: Mapping[str, str]) -> Game[Any, Any]:
    """Make a game from its id, its number of seats and its record headers. Raises UsageError."""
    known = (option.name for option in GAMES[name].options)
    return _made(name, seats, tuple((key, headers[key]) for key in known if key in headers))


@lru_cache(maxsize=64)
def _made(name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> Game[Any, Any]:
    """Cache games, so that thousands of records with the same headers share their tables."""
    return GAMES[name].make(seats, dict(headers))
