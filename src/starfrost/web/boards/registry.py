"""The boards by game id."""

from functools import cache
from typing import Final

from starfrost.games.registry import GAMES
from starfrost.registry import Registry
from starfrost.web.boards.board import Board

BOARDS: Final[Registry[type[Board]]] = Registry(
    "starfrost.web",
    {
        "dicy-cards": "starfrost.web.boards.dicy_cards:DicyCardsBoard",
        "dice-stars": "starfrost.web.boards.dice_stars:DiceStarsBoard",
    },
)


@cache
def board_of(game: str) -> Board:
    """Return the board of a game: its own, or the plain one. Raises UsageError if there is no such game."""
    return BOARDS.get(game, Board)(GAMES[game])


def boards() -> tuple[Board, ...]:
    """Return the boards of all games, our own games first."""
    return tuple(board_of(game) for game in GAMES)
