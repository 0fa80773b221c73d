"""Lines that fit a plain terminal. Widths are in terminal cells: a Chinese, Japanese or Korean letter takes two."""

import re
from shutil import get_terminal_size
from typing import Final

WIDTH: Final = 80
"""The width of a plain terminal; a narrower one gets shorter lines."""


def screen_width() -> int:
    """Return the width of the terminal, or of a plain one if it is wider or none is there."""
    return min(WIDTH, max(get_terminal_size((WIDTH, 24)).columns, 40))


def wrapped(text: str, further: str = "") -> list[str]:
    """Break a text into lines; those after the first start with `further`, and a % stays on the line of its number."""
    # Pages import this module and print nothing on a terminal.
    from rich.cells import cell_len, chop_cells

    width = screen_width()
    lines, line = [], ""
    for blanks, word in re.findall(r"( *)([^ ]+(?: %)?)", text):
        if line and cell_len(line) + len(blanks) + cell_len(word) > width:
            lines.append(line)
            line, blanks = further, ""
        line += blanks + word
        if cell_len(line) > width:
            # A word wider than the terminal, or a script without spaces, such as Chinese.
            *full, line = chop_cells(line, width)
            lines += full
    return [*lines, line] if line else lines
