"""A table's page: its waiting room, then its board; scenes for the script; invitations."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import segno
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from markupsafe import Markup

from starfrost.table import Guest, TableView
from starfrost.web.api.parts import service_of
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.scenes import bot_progress, draw_scene, next_scene
from starfrost.web.render import page, reader_of
from starfrost.web.views.live import Asking, Live
from starfrost.web.views.seats import seat_names, strengths, usual_bot
from starfrost.words import Words

__all__ = ["is_fragment", "router", "show_table"]

router = APIRouter()


@dataclass(frozen=True)
class Room:
    """The waiting room of a table."""

    heading: str
    text: str
    waiting: bool
    strengths: tuple[tuple[str, str], ...]
    """The bots that may take a free seat, with their names."""
    strength: str
    can_join: bool
    sit: bool
    names: tuple[str, ...]
    invitation: str
    link: str
    qr: Markup
    setup: Any
    """What the board shows of the set-up."""


def is_fragment(request: Request) -> bool:
    """Return whether a script asks for the element it swaps rather than for a whole page."""
    return request.headers.get("x-fragment") == "1"


def _room(request: Request, w: Words, view: TableView, invitation: str, guest: Guest | None) -> Room:
    board = board_of(view.game.name)
    seated = bool(view.mine)
    free = [seat for seat in view.seats if seat.kind == "open"]
    mine = [seat for seat in free if not seat.reserved or seat.kept_for_you]
    bots = strengths(w, view.game)
    wishes = request.query_params.getlist("sit")
    sit = bool(wishes) and not seated and (view.host or any(seat.kept_for_you for seat in free))
    known = invitation or view.invitation or ""
    link = f"{request.base_url}i/{known}" if known and len(free) > int(not seated) else ""
    if view.status == "closed":
        heading, text = w("This table is closed"), w("Nobody plays here any more. Open a new one from the start page.")
    elif seated:
        heading = w("Waiting for the others")
        text = w.plural("One seat is free.", "%(n)s seats are free.", len(free)) + " " + w("The game starts by itself.")
    else:
        heading = w("Take a seat")
        text = w("You are invited to a game of %(game)s.", game=board.title)
    return Room(
        heading=heading,
        text=text,
        waiting=seated and bool(free),
        strengths=tuple(bots),
        strength=usual_bot([bot for bot, _ in bots]),
        can_join=view.status == "waiting" and not seated and bool(mine),
        sit=sit,
        names=tuple(name for name in wishes if name) or (guest.name if guest else "",),
        invitation=known,
        link=link if view.status == "waiting" else "",
        qr=Markup(segno.make(link, error="m").svg_inline(scale=4, border=2, omitsize=True)) if link else Markup(""),
        setup=board.lobby(w, view.game),
    )


def _waiting_live(w: Words, view: TableView, room: Room, error: str) -> Live:
    return Live(
        id=view.id,
        version=view.version,
        step=0,
        more=False,
        status=view.status,
        game=view.game.name,
        title=room.heading,
        subtitle="",
        names=seat_names(w, view.seats),
        seats=view.seats,
        me=min(view.mine, default=None),
        your_turn=False,
        acting=None,
        act="",
        key=token_hex(12),
        said=room.text,
        host=view.host,
        error=error,
    )


def show_table(
    request: Request,
    view: TableView,
    guest: Guest | None,
    *,
    after: int | None = None,
    error: str = "",
    status: int = 200,
    asking: Asking | None = None,
    invitation: str = "",
) -> HTMLResponse:
    """Draw a table for a reader: the waiting room before the game, the board from then on."""
    reader = reader_of(request)
    alone = is_fragment(request)
    if view.status == "waiting" or (view.status == "closed" and not view.moves):
        room = _room(request, reader.w, view, invitation, guest)
        live = _waiting_live(reader.w, view, room, error)
        return page(request, "parts/lobby.html" if alone else "lobby.html", status, live=live, room=room)
    scene = draw_scene(reader, view, next_scene(view, after), error, asking)
    return page(request, "parts/table.html" if alone else "table.html", status, live=scene.live, t=scene.board)


@router.get("/t/{table}")
async def table_page(request: Request, table: str) -> Response:
    """Show a table."""
    guest = await current_guest(request)
    return show_table(request, await service_of(request).view(table, guest), guest)


@router.get("/t/{table}/scene")
async def scene(request: Request, table: str, after: int | None = None, version: int = -1) -> Response:
    """Return the next scene for the script, or nothing if the reader has seen everything."""
    service = service_of(request)
    snapshot = await service.snapshot(table)
    if after is not None and after >= len(snapshot.moves) and version == snapshot.version:
        return Response(status_code=204)
    guest = await current_guest(request)
    return show_table(request, service.show(snapshot, guest), guest, after=after)


@router.get("/t/{table}/solving")
async def solving(request: Request, table: str) -> Response:
    """Return what there is to say about bots that prepare, or nothing."""
    said = bot_progress(reader_of(request).w, await service_of(request).view(table, None))
    return PlainTextResponse(said) if said else Response(status_code=204)


@router.get("/i/{invitation}")
async def invited(request: Request, invitation: str) -> Response:
    """Show the table of an invitation; a guest who already sits there is sent to it."""
    service = service_of(request)
    table = await service.find_invitation(invitation)
    if table is None:
        return page(request, "problem.html", 404, **_lost(reader_of(request).w))
    guest = await current_guest(request)
    view = await service.view(table, guest)
    if view.status != "waiting" or view.mine:
        return RedirectResponse(f"/t/{table}", status_code=303)
    return show_table(request, view, guest, invitation=invitation)


def _lost(w: Words) -> dict[str, str]:
    return {
        "heading": w("This invitation leads nowhere"),
        "text": w("Perhaps a part of the link is missing. Ask for it again, or open a table of your own."),
        "path": "",
    }
