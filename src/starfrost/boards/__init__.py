"""The boards: how each game looks on the pages, and what its forms mean. They need Jinja, and no server.

`board_of` finds the board of a game; a game without one of its own gets the plain `Board`.
"""

from starfrost.errors import require

require("The server needs more parts: pip install 'starfrost[serve]'.", "jinja2", "markdown_it")

from starfrost.boards.board import Board, Face, Position  # noqa: E402
from starfrost.boards.registry import BOARDS, board_of, boards  # noqa: E402

__all__ = ["BOARDS", "Board", "Face", "Position", "board_of", "boards"]
