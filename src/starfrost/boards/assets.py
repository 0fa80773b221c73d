"""The static files: style sheets, scripts, drawings and the two typefaces, which `hatch_build.py` makes.

Every address contains a digest of all files, so a browser may keep a file for a year and still fetches a new release
at once.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starfrost.boards.registry import boards

STATIC: Final = Path(__file__).parents[1] / "web" / "static"

FONTS: Final = ("fredoka.woff", "manrope.woff")

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff": "font/woff",
}


@cache
def files() -> dict[str, bytes]:
    """Return every file by the name it is served under."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in (STATIC, *(board.static for board in boards() if board.static))
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES
    }


@cache
def digest() -> str:
    """Return a short digest of all files; where a browser draws the pages, only that is there."""
    if (STATIC / "digest").exists():
        return (STATIC / "digest").read_text(encoding="utf-8")
    total = sha256()
    for name, content in files().items():
        total.update(name.encode() + b"\0" + content)
    return total.hexdigest()[:12]


def names() -> tuple[str, ...]:
    """Return the names of all files, typefaces included."""
    return tuple(files())


def url(name: str) -> str:
    """Return the address of a file, such as `css/base.css`."""
    return f"/static/{digest()}/{name}"
