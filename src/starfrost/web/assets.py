"""The static files: style sheets, scripts, drawings and the two typefaces, which `hatch_build.py` makes.

Every address contains a digest of all files, so a browser may keep a file for a year and still fetches a new release
at once.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from fastapi import APIRouter, FastAPI, HTTPException
from starlette.responses import Response

STATIC: Final = Path(__file__).parent / "static"

FONTS: Final = ("fredoka.woff", "manrope.woff")

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff": "font/woff",
}


@cache
def _files() -> dict[str, bytes]:
    return {
        path.relative_to(STATIC).as_posix(): path.read_bytes()
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in TYPES
    }


@cache
def digest() -> str:
    """Return a short digest of all files."""
    total = sha256()
    for name, content in _files().items():
        total.update(name.encode() + b"\0" + content)
    return total.hexdigest()[:12]


def names() -> tuple[str, ...]:
    """Return the names of all files, typefaces included."""
    return tuple(_files())


def url(name: str) -> str:
    """Return the address of a file, such as `css/base.css`."""
    return f"/static/{digest()}/{name}"


async def _serve(release: str, name: str) -> Response:
    """Serve a file; the address of an older release gets the current file, which is not cached."""
    if name not in _files():
        raise HTTPException(404)
    kept = "public, max-age=31536000, immutable" if release == digest() else "no-cache"
    return Response(_files()[name], media_type=TYPES[Path(name).suffix], headers={"Cache-Control": kept})


def install(app: FastAPI) -> None:
    """Add the route of the files. Raises FileNotFoundError in a source tree without the typefaces."""
    for name in FONTS:
        if name not in _files():
            raise FileNotFoundError(f"{STATIC / name} is missing: `python hatch_build.py` makes it.")
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/static/{release}/{name:path}", _serve, methods=["GET", "HEAD"])
    app.include_router(router)
