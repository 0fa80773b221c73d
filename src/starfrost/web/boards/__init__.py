"""The boards: how each game looks on the pages, and what its forms mean. One package per game, one registry.

`board_of` finds the board of a game; a game without one of its own gets the plain `Board`.
"""

from starfrost.web.boards.board import Board, Face, Position
from starfrost.web.boards.registry import BOARDS, board_of, boards

__all__ = ["BOARDS", "Board", "Face", "Position", "board_of", "boards"]
