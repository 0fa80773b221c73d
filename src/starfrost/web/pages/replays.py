"""Replays: step through a table's game or through any record, and share a link to a position.

An uploaded record is not stored: the address holds all of it (compressed, about a kilobyte). A shared link therefore
works on any server, and nobody can fill the host's disk.
"""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlencode

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards.previews import Preview
from starfrost.boards.seats import look_of, seat_names
from starfrost.errors import RecordError, Refused
from starfrost.games.core import CHANCE, OVER, Game, rolls_at_once
from starfrost.games.record import Event, decode, parse_record, replay
from starfrost.table import SeatView, TableView
from starfrost.table.moves import Move
from starfrost.web.asking import in_page_thread, service_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.judged import Panel, judged_steps, look_back, mistake_of, try_again, with_better
from starfrost.web.pages.previews import at_step, drawn, picture, table_preview, told
from starfrost.web.pages.scenes import draw_scene, unbroken
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words.story import narrate

router = Pages()

LONGEST_RECORD: Final = 15_000
"""Bytes of a record that travels in an address: four times the longest game of the test vectors."""

LONGEST_ADDRESS: Final = 3_900
"""Letters that a record may have there; the guard accepts addresses of 4096."""


@dataclass(frozen=True)
class ReplayBar:
    """Where a replay stands, and where one can go from here."""

    address: str
    """The replay's own address, to which a step is added."""
    number: int
    """Which scene is shown, from 0."""
    last: int
    steps: tuple[int, ...]
    moves: tuple[tuple[int, str], ...]
    """For every scene after the first the seat, from 1, and what happened."""

    def at(self, number: int) -> str:
        """Return the address of a scene."""
        number = max(0, min(number, self.last))
        return f"{self.address}{'&' if '?' in self.address else '?'}step={self.steps[number]}"


def pack(text: str) -> str:
    """Write a record as a word that fits into an address. Raises RecordError if it is too long for one."""
    word = urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(text.encode()) > LONGEST_RECORD or len(word) > LONGEST_ADDRESS:
        raise RecordError(1, "This game is too long to fit in a link.")
    return word


def unpack(word: str) -> str:
    """Read what `pack` wrote. Raises RecordError."""
    try:
        data = urlsafe_b64decode(word + "=" * (-len(word) % 4))
        # Limited because a short word could expand to gigabytes.
        return zlib.decompressobj().decompress(data, LONGEST_RECORD).decode()
    except (binascii.Error, zlib.error, ValueError):
        raise RecordError(1, "This replay link is incomplete.") from None


def view_of(
    game: Game[Any, Any], events: Sequence[Event], states: Sequence[Any], seats: tuple[SeatView, ...]
) -> TableView:
    """Return events that were played as a table at which nothing can be done; `states` has one more than `events`."""
    moves = [Move(event.seat, event.action, before) for event, before in zip(events, states[:-1], strict=True)]
    return TableView("", 0, "over" if game.actor(states[-1]) == OVER else "closed", game, states[-1], moves, seats)


def position_address(game: Game[Any, Any], state: Any) -> str:
    """Return the address of the page about a position."""
    fields = {"seats": str(game.seats), **game.headers(), "at": game.position_text(state)}
    return f"/position/{game.name}?{urlencode(fields, safe='/:,*|')}"


@router.get("/replay")
async def replay_record(request: Request, record: str = "", step: int | None = None) -> Response:
    """Show the record that an address carries, or ask for one."""
    if not record:
        return page(request, "replay_new.html", error="", line=0, text="")
    try:
        view = await in_page_thread(request, partial(_view_of_link, record))
    except RecordError as error:
        return _faulty(request, error, "")
    query = urlencode({"record": record})
    title, text = told(reader_of(request).w, at_step(view, step))
    shown = f"/preview/replay.png?{query}" + (f"&step={step}" if step is not None else "")
    preview = Preview(title, text, shown, f"/replay?{query}")
    # The coach does not help in a game that is still played.
    panel = await look_back(request, view, [seat.name for seat in view.seats], []) if view.status == "over" else Panel()
    return await in_page_thread(request, partial(_show, request, view, f"/replay?{query}", step, preview, panel))


@router.get("/preview/replay.png")
async def replay_picture(request: Request, record: str = "", step: int | None = None) -> Response:
    """Return the picture of the game that an address carries. Raises Refused if there is none."""
    try:
        view = await in_page_thread(request, partial(_view_of_link, record))
    except RecordError as error:
        raise Refused("bad-record", error.sentence, 422, **error.facts) from None
    return await picture(request, **drawn(reader_of(request).w, at_step(view, step)))


def _view_of_link(word: str) -> TableView:
    """Return the game in an address as a table. Raises RecordError."""
    return _view_of_record(unpack(word))


def _view_of_record(text: str) -> TableView:
    played = replay(parse_record(text))
    found = played.record
    seats = tuple(SeatView(number, "person", name, present=True) for number, name in enumerate(found.players, start=1))
    return replace(view_of(found.game, found.events, played.states, seats), mode=found.headers.get("mode"))


@router.post("/replay")
async def upload(request: Request) -> Response:
    """Take a record as a file or as text, check it, and send the reader to its replay."""
    form = await request.form()
    file, text = form.get("file"), str(form.get("text") or "")
    try:
        if isinstance(file, UploadFile) and file.filename:
            text = decode(await file.read())
        text = text.replace("\r\n", "\n").strip() + "\n"
        await in_page_thread(request, partial(_view_of_record, text))
        return RedirectResponse(f"/replay?{urlencode({'record': pack(text), 'step': 0})}", status_code=303)
    except RecordError as error:
        return _faulty(request, error, text)


@router.get("/replay/{table}")
async def replay_table(request: Request, table: str, step: int | None = None) -> Response:
    """Show a table's game up to now; that of an archived table as well."""
    seen = await _view_of_table(request, table)
    seats = tuple(replace(seat, present=True) for seat in seen.seats)
    still = TableView(table, 0, seen.status, seen.game, seen.state, seen.moves, seats, mode=seen.mode)
    w = reader_of(request).w
    panel = await look_back(request, seen, seat_names(w, seats), [seat - 1 for seat in seen.mine])
    preview = table_preview(w, seen, step)
    return await in_page_thread(request, partial(_show, request, still, f"/replay/{table}", step, preview, panel))


async def _view_of_table(request: Request, table: str) -> TableView:
    """Return a table as the reader may see it; one whose events were removed as its record. Raises Refused."""
    service = service_of(request)
    try:
        return await service.view(table, await current_guest(request))
    except Refused as refusal:
        record = await service.archive.record(table) if refusal.code == "no-table" else None
        if record is None:
            raise
    return await in_page_thread(request, partial(_view_of_record, record))


@router.post("/replay/try")
async def try_record(request: Request) -> Response:
    """Open a table that goes on from a decision of the game that a form carries."""
    form = await request.form()
    try:
        view = await in_page_thread(request, partial(_view_of_link, str(form.get("record") or "")))
    except RecordError as error:
        raise Refused("bad-record", error.sentence, 422, **error.facts) from None
    if view.status != "over":
        raise Refused("not-over", "The game is not over yet.", 409)
    return await try_again(request, view, str(form.get("step") or ""))


@router.post("/replay/{table}/try")
async def try_table(request: Request, table: str) -> Response:
    """Open a table that goes on from a decision of a table's game."""
    form = await request.form()
    view = await _view_of_table(request, table)
    return await try_again(request, view, str(form.get("step") or ""))


def _show(
    request: Request, view: TableView, address: str, step: int | None, preview: Preview, panel: Panel
) -> Response:
    """Show the scene that a step belongs to; the last one without a step. With `?better`, a mistake is put right."""
    reader = reader_of(request)
    w, game, last = reader.w, view.game, len(view.moves)
    names = seat_names(w, view.seats)
    steps = tuple(i for i in range(last + 1) if i in (0, last) or not rolls_at_once(game, view.state_at(i)))
    number = len(steps) - 1 if step is None else max(i for i, start in enumerate(steps) if i == 0 or start <= step)
    moves = []
    for start, end in pairwise(steps):
        events = view.moves[start:end]
        actor = game.actor(events[0].before)
        seat = game.turn_of(events[0].before) if actor == CHANCE else actor
        told = " ".join(narrate(w, game, move.before, move.action, names) for move in events)
        moves.append((seat + 1, unbroken(told)))
    if "coach" in request.query_params:
        address += f"{'&' if '?' in address else '?'}coach=1"
    bar = ReplayBar(address, number, len(steps) - 1, steps, tuple(moves))
    mistake = panel.mistake_at(steps[number])
    better = mistake is not None and "better" in request.query_params
    if mistake is not None and better:
        shown = with_better(view, mistake)
        live, board = draw_scene(reader, shown, len(shown.moves), looking_back=True)
    else:
        live, board = draw_scene(reader, view, steps[number], looking_back=True)
    told_steps = judged_steps(w, panel.found, steps, panel.judged.side) if panel.found and panel.judged else ()
    template = "parts/replay.html" if is_fragment(request) else "replay.html"
    share = str(request.base_url).rstrip("/") + bar.at(number)
    return page(
        request,
        template,
        live=live,
        t=board,
        bar=bar,
        share=share,
        preview=preview,
        look=partial(look_of, view.seats),
        coach=panel,
        coached=told_steps,
        mistake=mistake_of(w, view.game, view.moves, names, panel.found, mistake) if mistake and panel.found else None,
        better=better,
        record=request.query_params.get("record", ""),
        # Nobody is helped in a game that is still played.
        spot=position_address(game, view.state_at(steps[number])) if view.status == "over" or not view.id else "",
    )


def _faulty(request: Request, error: RecordError, text: str) -> Response:
    return page(request, "replay_new.html", 422, error=reader_of(request).w.say(error), line=error.line, text=text)
