"""Turn a drawing into a picture: `python -m starfrost.boards.png` reads SVG and writes PNG.

The renderer computes for a tenth of a second without letting other threads run, so the server starts this module as a
process of its own (`picture_of`), which also bounds its time and memory.
"""

import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from struct import pack, unpack_from
from tempfile import TemporaryDirectory
from typing import Final

_FONTS: Final = ("fredoka", "manrope")
_STATIC: Final = Path(__file__).parents[1] / "web" / "static"

_FOREIGN: Final = re.compile("[^\x00-\xff–—‘’‚“”„…−•€→←]")
"""Letters that our typefaces lack; only for them the system's own are loaded, which takes a while."""

_PATIENCE: Final = 20.0
"""Seconds after which a picture is given up."""


def picture_of(svg: str) -> bytes:
    """Draw a picture in a process of its own; blocks, so call it in a thread. Raises OSError or SubprocessError."""
    command = [sys.executable, "-m", "starfrost.boards.png"]
    return subprocess.run(command, input=svg.encode(), capture_output=True, check=True, timeout=_PATIENCE).stdout


def to_png(svg: str, width: int | None = None) -> bytes:
    """Draw a picture here and now, scaled to a width if one is given. Raises ValueError if the drawing is faulty."""
    import resvg_py

    with TemporaryDirectory(prefix="starfrost-") as folder:
        files = [Path(folder) / f"{name}.ttf" for name in _FONTS]
        for file in files:
            file.write_bytes(unpacked((_STATIC / file.with_suffix(".woff").name).read_bytes()))
        return resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=[str(file) for file in files],
            skip_system_fonts=not _FOREIGN.search(svg),
        )


def unpacked(woff: bytes) -> bytes:
    """Return a typeface in the form that the renderer reads: WOFF is the same with every table compressed."""
    flavor, count = unpack_from(">4x4s4xH", woff)
    power = count.bit_length() - 1
    head = pack(">4s4H", flavor, count, 16 << power, power, 16 * count - (16 << power))
    tables = b""
    for number in range(count):
        tag, start, packed_size, size, check = unpack_from(">4s4I", woff, 44 + 20 * number)
        data = woff[start : start + packed_size]
        head += pack(">4s3I", tag, check, 12 + 16 * count + len(tables), size)
        tables += (zlib.decompress(data) if packed_size < size else data) + bytes(-size % 4)
    return head + tables


if __name__ == "__main__":
    if hasattr(os, "nice"):
        # The moves of others go first.
        os.nice(10)
    sys.stdout.buffer.write(to_png(sys.stdin.buffer.read().decode()))
