"""The route of the static files."""

from pathlib import Path
from typing import Final

from fastapi import APIRouter, FastAPI, HTTPException
from starlette.responses import Response

from starfrost.boards.assets import FONTS, STATIC, TYPES, digest, files
from starfrost.web.routing import guarded

PYTHON: Final = "js/here_worker.js"
"""The script that runs Python in a browser, which compiles it from WebAssembly."""


async def _serve(release: str, name: str) -> Response:
    """Serve a file; the address of an older release gets the current file, which is not cached."""
    if name not in files():
        raise HTTPException(404)
    kept = "public, max-age=31536000, immutable" if release == digest() else "no-cache"
    headers = {"Cache-Control": kept}
    if name == PYTHON:
        headers["Content-Security-Policy"] = f"{guarded()}; script-src 'self' 'wasm-unsafe-eval'"
    return Response(files()[name], media_type=TYPES[Path(name).suffix], headers=headers)


def install(app: FastAPI) -> None:
    """Add the route of the files. Raises FileNotFoundError in a source tree without the typefaces."""
    for name in FONTS:
        if name not in files():
            raise FileNotFoundError(f"{STATIC / name} is missing: `python hatch_build.py` makes it.")
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/static/{release}/{name:path}", _serve, methods=["GET", "HEAD"])
    app.include_router(router)
