"""Replays: step through a table's game or through any record, and share a link to a position.

An uploaded record is not stored: the address holds all of it (compressed, about a kilobyte). A shared link therefore
works on any server, and nobody can fill the host's disk.
"""

from dataclasses import replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import UploadFile

from starfrost.errors import RecordError
from starfrost.games.record import decode, parse_record, replay
from starfrost.table import SeatView, TableView
from starfrost.web.guests import current_guest
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.tables import is_fragment
from starfrost.web.render import Reader, page, reader_of
from starfrost.web.views.replays import pack, replay_bar, unpack, view_of
from starfrost.web.views.seats import seat_names

__all__ = ["router"]

router = APIRouter()


@router.get("/replay")
async def replay_record(request: Request, record: str = "", step: int | None = None) -> Response:
    """Show the record that an address carries, or ask for one."""
    if not record:
        return page(request, "replay_new.html", error="", line=0, text="")
    try:
        played = replay(parse_record(unpack(record)))
    except RecordError as error:
        return _faulty(request, error, "")
    found = played.record
    seats = tuple(SeatView(number, "person", name) for number, name in enumerate(found.players, start=1))
    view = view_of(found.game, found.events, played.states, seats)
    return _show(request, view, f"/replay?{urlencode({'record': record})}", step, upload=True)


@router.post("/replay")
async def upload(request: Request) -> Response:
    """Take a record as a file or as text, check it, and send the reader to its replay."""
    form = await request.form()
    file, text = form.get("file"), str(form.get("text") or "")
    try:
        if isinstance(file, UploadFile) and file.filename:
            text = decode(await file.read())
        text = text.replace("\r\n", "\n").strip() + "\n"
        replay(parse_record(text))
        return RedirectResponse(f"/replay?{urlencode({'record': pack(text), 'step': 0})}", status_code=303)
    except RecordError as error:
        return _faulty(request, error, text)


@router.get("/replay/{table}")
async def replay_table(request: Request, table: str, step: int | None = None) -> Response:
    """Show a table's game up to now."""
    seen = await request.app.state.service.view(table, await current_guest(request))
    seats = tuple(replace(seat, yours=False) for seat in seen.seats)
    still = TableView(table, 0, seen.status, seen.game, seen.state, seen.moves, seats)
    return _show(request, still, f"/replay/{table}", step)


def _show(request: Request, view: TableView, address: str, step: int | None, upload: bool = False) -> Response:
    reader: Reader = reader_of(request)
    bar = replay_bar(reader.w, view, seat_names(reader.w, view.seats), address=address, step=step, upload=upload)
    scene = draw_scene(reader, view, bar.steps[bar.number])
    template = "parts/replay.html" if is_fragment(request) else "replay.html"
    share = str(request.base_url).rstrip("/") + bar.at(bar.number)
    return page(request, template, live=scene.live, t=scene.board, bar=bar, share=share)


def _faulty(request: Request, error: RecordError, text: str) -> Response:
    return page(request, "replay_new.html", 422, error=reader_of(request).w.say(error), line=error.line, text=text)
