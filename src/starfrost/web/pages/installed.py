"""Starfrost as an installed app: the manifest, the service worker and the offline page."""

import json
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from starfrost.boards import assets, boards
from starfrost.web.below import top_of
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import LANGUAGES

router = Pages()

WORKER: Final = Path(__file__).parents[1] / "worker.js"


@router.get("/manifest.webmanifest")
async def manifest(request: Request) -> Response:
    """Describe the app to browsers that install it."""
    reader = reader_of(request)
    w, top = reader.w, top_of(request)
    icons = [
        {"src": top + assets.url("icon.svg")[1:], "sizes": "any", "type": "image/svg+xml"},
        *(
            {"src": top + assets.url(f"icon-{size}.png")[1:], "sizes": f"{size}x{size}", "type": "image/png"}
            for size in (192, 512)
        ),
        {"src": top + assets.url("icon-mask.png")[1:], "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ]
    facts = {
        "id": top,
        "name": "Starfrost",
        "short_name": "Starfrost",
        "description": w(
            "Two dice games for friends and bots: %(games)s.", games=w.all_of(board.title for board in boards())
        ),
        "lang": reader.language,
        "start_url": top,
        "scope": top,
        "display": "standalone",
        "background_color": "#0b1530",
        "theme_color": "#0b1530",
        "categories": ["games"],
        "icons": icons,
        "shortcuts": [
            {"name": w("Play %(game)s", game=board.title), "url": f"{top}new/{board.id}"} for board in boards()
        ],
    }
    return Response(
        json.dumps(facts, ensure_ascii=False),
        media_type="application/manifest+json",
        headers={"Cache-Control": "no-cache", "Vary": "Cookie, Accept-Language"},
    )


def script(facts: dict[str, Any]) -> str:
    """Return the service worker with what it must know."""
    return f"const FACTS = {json.dumps(facts)};\n{WORKER.read_text(encoding='utf-8')}"


@router.get("/sw.js")
async def worker() -> Response:
    """Return the service worker with the names of this release's files, so that every release has a new worker.

    Their addresses begin where the worker lies.
    """
    facts = {
        "release": assets.digest(),
        "server": True,
        "here": "here",
        "icon": assets.url("icon-192.png")[1:],
        "shell": [assets.url(name)[1:] for name in assets.names() if not name.endswith(".png")],
        "offline": {language: f"offline?lang={language}" for language in LANGUAGES},
    }
    return Response(script(facts), media_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"})


@router.get("/offline")
async def offline(request: Request) -> HTMLResponse:
    """Show what to do without a connection; the worker caches this page in every language."""
    return page(request, "offline.html")
