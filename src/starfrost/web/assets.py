"""Files that never change under their address: our own style sheets, scripts and drawings, and the two typefaces.

Every address carries a digest of the whole set, so a browser may keep a file for a year and a new release is
fetched at once. The typefaces come out of their own packages, cut to the Latin letters that our languages need.
"""

import logging
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

from fastapi import APIRouter, FastAPI, HTTPException
from fontTools import subset
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

__all__ = ["FONTS", "digest", "font", "install", "names", "url"]

STATIC: Final = Path(__file__).parent / "static"

FONTS: Final[Mapping[str, tuple[str, str]]] = {
    "fredoka.woff": ("font_fredoka_one", "FredokaOne-Regular.ttf"),
    "manrope.woff": ("font_manrope", "Manrope-VariableFont_wght.ttf"),
}
"""The typefaces by the name they are served under: the package they come from and the file in it."""

LETTERS: Final = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x100),
    *(0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2026, 0x2212, 0x2022, 0x20AC, 0x2192, 0x2190),
)

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff": "font/woff",
}


def _source(name: str) -> Path:
    package, file = FONTS[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(package)
    return Path(spec.origin).parent / "files" / file


# Its news of what it cut away would fill the server's log.
logging.getLogger("fontTools").setLevel(logging.ERROR)


@cache
def font(name: str) -> bytes:
    """Cut a typeface to our letters and pack it; a fraction of a second, once a process."""
    options = subset.Options()
    options.flavor = "woff"
    options.hinting = False
    options.drop_tables += ["FFTM"]
    options.layout_features = ["kern", "liga", "tnum", "lnum", "locl", "mark", "ccmp"]
    face = subset.load_font(str(_source(name)), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=LETTERS)
    cutter.subset(face)
    packed = BytesIO()
    subset.save_font(face, packed, options)
    return packed.getvalue()


@cache
def _files() -> dict[str, bytes]:
    found = {
        path.relative_to(STATIC).as_posix(): path.read_bytes()
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in TYPES
    }
    return found


@cache
def digest() -> str:
    """Give a short digest of everything that is served here."""
    total = sha256()
    for name, content in _files().items():
        total.update(name.encode() + b"\0" + content)
    for name in FONTS:
        total.update(name.encode() + b"\0" + _source(name).read_bytes())
    return total.hexdigest()[:12]


def names() -> tuple[str, ...]:
    """List the names of all files, typefaces included."""
    return (*_files(), *FONTS)


def url(name: str) -> str:
    """Give the address of a file, such as `css/base.css`."""
    return f"/static/{digest()}/{name}"


async def _serve(release: str, name: str) -> Response:
    """Serve a file; an address of an older release gets today's file, but is not kept."""
    if name in FONTS:
        content = await run_in_threadpool(font, name)
    elif name in _files():
        content = _files()[name]
    else:
        raise HTTPException(404)
    kept = "public, max-age=31536000, immutable" if release == digest() else "no-cache"
    return Response(content, media_type=TYPES[Path(name).suffix], headers={"Cache-Control": kept})


def install(app: FastAPI) -> None:
    """Add the route of the files."""
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/static/{release}/{name:path}", _serve, methods=["GET", "HEAD"])
    app.include_router(router)
