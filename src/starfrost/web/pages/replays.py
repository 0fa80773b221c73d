"""Replays: step through a table's game or through any record, and share a link to a position.

A record from elsewhere is not stored: it travels whole in its address (compressed, about a kilobyte), so that a shared
link works on any server and for ever, and nobody can fill a host's disk.
"""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from starfrost.errors import RecordError
from starfrost.games.record import decode
from starfrost.web.guests import current_guest
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.tables import is_fragment
from starfrost.web.render import Reader, page, reader_of
from starfrost.web.views.replays import pack, read_record, replay_bar, seats_of, still, unpack
from starfrost.web.views.seats import seat_names

__all__ = ["router"]

router = APIRouter()


@router.get("/replay")
async def replay_record(request: Request, record: str = "", step: int | None = None) -> Response:
    """Show the record that an address carries, or ask for one."""
    if not record:
        return page(request, "replay_new.html", error="", line=0, text="")
    try:
        parsed, played = read_record(unpack(record))
    except RecordError as error:
        return _faulty(request, error, "")
    history = [
        (event.seat, event.action, before) for event, before in zip(parsed.events, played.states[:-1], strict=True)
    ]
    address = f"/replay?{urlencode({'record': record})}"
    view = still("", parsed.game.name, "over" if played.finished else "closed", seats_of(parsed.players))
    return _show(request, parsed.game, history, list(played.states), view, address, step, upload=True)


@router.post("/replay")
async def upload(request: Request) -> Response:
    """Take a record as a file or as text, check it, and send the reader to its replay."""
    form = await request.form()
    file, text = form.get("file"), str(form.get("text") or "")
    try:
        if isinstance(file, UploadFile) and file.filename:
            text = decode(await file.read())
        text = text.replace("\r\n", "\n").strip() + "\n"
        read_record(text)
        return RedirectResponse(f"/replay?{urlencode({'record': pack(text), 'step': 0})}", status_code=303)
    except RecordError as error:
        return _faulty(request, error, text)


@router.get("/replay/{table}")
async def replay_table(request: Request, table: str, step: int | None = None) -> Response:
    """Show a table's game, as far as it has come."""
    service = request.app.state.service
    view = await service.view(table, await current_guest(request))
    game, state = await service.game_of(table)
    history = await service.history(table)
    states = [before for _seat, _action, before in history] + [state]
    seats = [{**seat, "yours": False} for seat in view["seats"]]
    shown = still(table, view["game"], view["status"], seats)
    return _show(request, game, history, states, shown, f"/replay/{table}", step)


def _show(
    request: Request,
    game: Any,
    history: list[Any],
    states: list[Any],
    view: dict[str, Any],
    address: str,
    step: int | None,
    upload: bool = False,
) -> Response:
    reader: Reader = reader_of(request)
    names = seat_names(reader.w, view["seats"])
    bar = replay_bar(reader.w, game, history, states, names, address=address, step=step, upload=upload)
    scene = draw_scene(reader, view, game, history, states, bar.steps[bar.number], "", None)
    template = "parts/replay.html" if is_fragment(request) else "replay.html"
    share = str(request.base_url).rstrip("/") + bar.at(bar.number)
    return page(request, template, live=scene.live, t=scene.board, bar=bar, share=share)


def _faulty(request: Request, error: RecordError, text: str) -> Response:
    return page(request, "replay_new.html", 422, error=reader_of(request).w.say(error), line=error.line, text=text)
