"""Positions as arrays of pixels, in the render mode `rgb_array`: the pictures that links to a table show."""

import zlib
from struct import unpack_from
from typing import Any, Final

import numpy as np

from starfrost.errors import require

require("Pictures need more parts: pip install 'starfrost[serve]'.", "jinja2", "markdown_it", "resvg_py")

from starfrost.boards import Position, board_of  # noqa: E402
from starfrost.boards.drawing import part_of_page, words_of  # noqa: E402
from starfrost.boards.png import to_png  # noqa: E402
from starfrost.table.view import SeatView  # noqa: E402
from starfrost.words.story import result  # noqa: E402

WIDTH: Final = 640
"""The width of a picture; its height is 336. Encoders of films want even numbers."""


def rgb_array(rules: Any, state: Any) -> np.ndarray:
    """Return a picture of a position: the board, the seats with their points, and the result at the end."""
    w, board = words_of("en"), board_of(rules.name)
    names = [f"Seat {number}" for number in range(1, rules.seats + 1)]
    seats = [SeatView(number, "person", name) for number, name in enumerate(names, 1)]
    position = Position(rules, state, names, seats, None)
    acting = position.acting
    svg = part_of_page(
        "en",
        "preview.svg",
        board=board,
        title=names[acting] if acting is not None else result(w, rules, state, names),
        text=board.title,
        rows=list(zip(names, rules.scores(state), strict=True)),
        t=board.draw(w, position),
    )
    return pixels(to_png(svg, WIDTH))[..., :3]


def pixels(png: bytes) -> np.ndarray:
    """Return the pixels of a PNG of our renderer (eight bits of red, green, blue and opacity): `[row, column, 4]`."""
    width, height = unpack_from(">2I", png, 16)
    packed, at = b"", 8
    while at < len(png):
        size, kind = unpack_from(">I4s", png, at)
        packed += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 4 * width)
    found = np.zeros((height + 1, width, 4), np.uint8)
    for number, (kind, *_), line in zip(range(height), rows, rows[:, 1:].reshape(height, width, 4), strict=True):
        above = found[number]
        if kind < 3:
            found[number + 1] = (line, np.cumsum(line, axis=0, dtype=np.uint8), line + above)[kind]
        else:
            found[number + 1] = _predicted(kind, line.tolist(), above.tolist())
    return found[1:]


def _predicted(kind: int, line: list[list[int]], above: list[list[int]]) -> list[list[int]]:
    """Undo the filters of PNG that need the pixel before: 3 is the mean of two neighbours, 4 the one of Paeth."""
    left, corner, found = [0] * 4, [0] * 4, []
    for differences, up in zip(line, above, strict=True):
        if kind == 3:
            guess = [(a + b) // 2 for a, b in zip(left, up, strict=True)]
        else:
            guess = [
                min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                for a, b, c in zip(left, up, corner, strict=True)
            ]
        left, corner = [(a + b) & 255 for a, b in zip(differences, guess, strict=True)], up
        found.append(left)
    return found
