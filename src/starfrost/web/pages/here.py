"""Play without a network: the page that downloads what it takes and shows the pages of the device in a frame."""

import json
from asyncio import to_thread
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from starfrost.boards import assets
from starfrost.boards.drawing import SETTINGS
from starfrost.errors import Refused
from starfrost.web import bundle
from starfrost.web.asking import opening, service_of
from starfrost.web.assets import PYTHON
from starfrost.web.below import top_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words.numbers import decimal

router = Pages()


def facts(root: str = "/", *, server: bool = True) -> dict[str, Any]:
    """Return what the page downloads and where; the addresses begin with `root`, the path of the site."""
    files = [file._asdict() for file in bundle.described(f"{root}here")]
    shell = [root + assets.url(name)[1:] for name in assets.names() if not name.endswith(".png")]
    return {
        "root": root,
        "here": f"{root}here" if server else root,
        "release": bundle.digest(*(file["url"].encode() for file in files), *(url.encode() for url in shell)),
        "files": files,
        "shell": shell,
        "worker": root + assets.url(PYTHON)[1:],
        "server": server,
    }


def worker_facts() -> dict[str, Any]:
    """Return what the service worker of a site without a server must know."""
    return {
        "release": assets.digest(),
        "server": False,
        "here": "",
        "icon": f".{assets.url('icon-192.png')}",
        "shell": [],
        "offline": {},
    }


@router.get("/here")
async def here(request: Request) -> Response:
    """Offer to play without a network; where everything is downloaded, the page shows the games at once."""
    reader, guest, server = reader_of(request), await current_guest(request), request.app.state.alone != "site"
    found = await to_thread(partial(facts, top_of(request) if server else "./", server=server))
    settings = {f"sf-{name}": reader.settings[name] for name in SETTINGS if name != "notify"} if server else {}
    return page(
        request,
        "here.html",
        facts=json.dumps(found) if found["files"] else "",
        size=decimal(reader.w, sum(file["size"] for file in found["files"]) / 1e6, 1),
        settings=json.dumps(settings),
        name=guest.name if guest else "",
    )


@router.post("/here/games")
async def take(request: Request) -> Response:
    """Take a finished game that the reader has played on this device."""
    try:
        sent = json.loads(await request.body())
        text, mine, at = str(sent["record"]), [bool(own) for own in sent["mine"]], float(sent["at"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Refused("bad-request", "The request could not be read.", 422) from None
    guest, token = await guest_for(request, "")
    async with opening(request, guest.id):
        table = await service_of(request).played_here.add(guest, text, mine, at)
    answer = JSONResponse({"table": table})
    if token:
        remember(answer, request, token)
    return answer


@router.get("/here/{release}/{name}")
async def file(release: str, name: str) -> Response:
    """Send a file of those that are downloaded; its address holds its digest."""
    content = (await to_thread(bundle.downloads)).get(f"{release}/{name}")
    if content is None:
        raise Refused("not-found", "There is nothing here.", 404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Content-Encoding": "identity"}
    return Response(content, media_type="application/octet-stream", headers=headers)
