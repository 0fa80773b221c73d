"""Lines and columns that fit a plain terminal.

Widths are counted in the cells of a terminal: a letter of Chinese, Japanese or Korean takes two.
"""

import re
from typing import Final

from rich.cells import cell_len, chop_cells, set_cell_size

__all__ = ["WIDTH", "column", "short", "wrapped"]

WIDTH: Final = 80
"""The columns of a plain terminal."""


def column(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text up with blanks to a width, at its right or at its left."""
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks


def short(text: str, width: int) -> str:
    """Cut a text that is too wide, and mark the cut."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def wrapped(text: str, further: str = "") -> list[str]:
    """Break a text into lines of a plain terminal; all but the first are indented, and a % stays with its number."""
    lines, line = [], ""
    for blanks, word in re.findall(r"( *)([^ ]+(?: %)?)", text):
        if line and cell_len(line) + len(blanks) + cell_len(word) > WIDTH:
            lines.append(line)
            line, blanks = further, ""
        line += blanks + word
        if cell_len(line) > WIDTH:
            # A single word wider than the screen, or Chinese, which does without blanks.
            *full, line = chop_cells(line, WIDTH)
            lines += full
    return [*lines, line] if line else lines
