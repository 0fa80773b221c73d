"""The boards by game id."""

from functools import cache
from typing import Final

from starfrost.boards.board import Board
from starfrost.games.registry import GAMES, Part

BOARDS: Final = Part[type[Board]]("board")


@cache
def board_of(game: str) -> Board:
    """Return the board of a game: its own, or the plain one. Raises UsageError if there is no such game."""
    return BOARDS.get(game, Board)(GAMES[game])


def boards() -> tuple[Board, ...]:
    """Return the boards of all games, our own games first."""
    return tuple(board_of(game) for game in GAMES)
