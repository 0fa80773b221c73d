"""A table's page: its waiting room, then its board; scenes for the script; invitations."""

from typing import Any

import segno
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from markupsafe import Markup

from starfrost.players.registry import bots_here, entries
from starfrost.table import Guest, TableView
from starfrost.table.opening import RANDOM
from starfrost.web.api.parts import service_of
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.previews import invitation_preview, table_preview
from starfrost.web.pages.scenes import Asking, Live, bot_progress, draw_scene, next_scene
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.views.coach import Note
from starfrost.web.views.previews import Preview
from starfrost.web.views.seats import seat_names, usual_bot
from starfrost.words import Words
from starfrost.words.bots import bot_name, bot_text
from starfrost.words.story import mode_label

router = APIRouter()


def _welcome(w: Words, view: TableView, may_sit: bool) -> tuple[str, str]:
    """Return the heading of the waiting room and what the reader may do there."""
    free = [seat for seat in view.seats if seat.kind == "open"]
    game = board_of(view.game.name).title
    if view.status == "closed":
        return w("This table is closed"), w("Nobody plays here any more. Open a new one from the start page.")
    if view.mine:
        seats = w.plural("One seat is free.", "%(n)s seats are free.", len(free))
        return w("Waiting for the others"), seats + " " + w("The game starts by itself.")
    if any(seat.kept_for_you for seat in free):
        return w("Take a seat"), w("A seat is kept for you in this game of %(game)s.", game=game)
    if may_sit and view.invitation and not view.host:
        return w("Take a seat"), w("You are invited to a game of %(game)s.", game=game)
    if may_sit:
        return w("Take a seat"), w("This is a game of %(game)s.", game=game)
    if view.public or view.invitation:
        why = w("The free seats are kept for other people.")
    else:
        why = w("To sit down here you need the invitation link, which everybody at the table can send you.")
    return w("You are watching"), why + " " + w("You can watch: the game appears here when it begins.")


def _may_choose(view: TableView, names: list[str]) -> bool:
    """Return whether one person who sits down may choose a seat: there are several, and chance does not decide."""
    free = [seat for seat in view.seats if seat.kind == "open" and not seat.reserved]
    return len(free) > 1 and len(names) < 2 and view.first != RANDOM


def _lobby(request: Request, w: Words, view: TableView, guest: Guest | None, error: str) -> dict[str, Any]:
    """Return what the waiting room shows."""
    board = board_of(view.game.name)
    seated = bool(view.mine)
    free = [seat for seat in view.seats if seat.kind == "open"]
    bots = bots_here(view.game)
    names = request.query_params.getlist("sit")
    known = view.invitation or ""
    link = f"{request.base_url}i/{known}" if known and len(free) > int(not seated) else ""
    open_to_me = bool(view.public or view.host or known)
    may_sit = any(seat.kept_for_you or (open_to_me and not seat.reserved) for seat in free) and not seated
    heading, text = _welcome(w, view, may_sit)
    known_bots = entries(view.game.name)
    room = {
        "waiting": seated and bool(free),
        "strengths": [(bot, bot_name(w, bot), bot_text(w, bot, known_bots[bot].description)) for bot in bots],
        "strength": usual_bot(bots),
        "can_join": view.status == "waiting" and may_sit,
        "sit": bool(names) and not seated and (view.host or any(seat.kept_for_you for seat in free)),
        "names": [name for name in names if name]
        # In a rematch on one device everybody has a kept seat.
        or [seat.name for seat in free if seat.kept_for_you and seat.name]
        or [guest.name if guest else ""],
        "invitation": known,
        "choice": [seat.seat for seat in free if not seat.reserved] if _may_choose(view, names) else [],
        "link": link if view.status == "waiting" else "",
        "qr": Markup(segno.make(link, error="m").svg_inline(scale=4, border=2, omitsize=True)) if link else "",
        "setup": board.lobby(w, view.game),
        "mode": mode_label(w, view.game, view.mode),
    }
    live = Live(
        view,
        heading,
        seat_names(w, view.seats),
        min(view.mine, default=None),
        said=text,
        error=error,
        invitation=known if not seated else "",
    )
    return {"live": live, "room": room}


def may_come(view: TableView) -> bool:
    """Return whether the reader has the table's invitation and may still need it."""
    return bool(view.invitation) and not (view.mine or view.host) and view.status in ("waiting", "running")


def show_table(
    request: Request,
    view: TableView,
    guest: Guest | None,
    *,
    after: int | None = None,
    error: str = "",
    status: int = 200,
    asking: Asking | None = None,
    preview: Preview | None = None,
    note: Note | None = None,
) -> HTMLResponse:
    """Draw a table for a reader: the waiting room before the game, the board from then on."""
    reader = reader_of(request)
    if guest is not None and view.mine:
        service_of(request).wish_pace(guest, reader.settings["pace"])
    alone, back = is_fragment(request), f"/i/{view.invitation}" if may_come(view) else f"/t/{view.id}"
    if preview is None and not alone:
        preview = table_preview(reader.w, view)
    if view.status == "waiting" or (view.status == "closed" and not view.moves):
        shown = _lobby(request, reader.w, view, guest, error)
        return page(request, "parts/lobby.html" if alone else "lobby.html", status, back=back, preview=preview, **shown)
    step = len(view.moves) if reader.at_once else next_scene(view, after)
    live, board = draw_scene(reader, view, step, error, asking, after, note)
    template = "parts/table.html" if alone else "table.html"
    return page(request, template, status, back=back, preview=preview, live=live, t=board)


@router.get("/t/{table}")
async def table_page(request: Request, table: str) -> Response:
    """Show a table."""
    guest = await current_guest(request)
    return show_table(request, await service_of(request).view(table, guest), guest)


@router.get("/t/{table}/scene")
async def scene(
    request: Request, table: str, after: int | None = None, version: int = -1, invitation: str | None = None
) -> Response:
    """Return the next scene for the script, or nothing if the reader has seen everything."""
    service = service_of(request)
    snapshot = await service.snapshot(table)
    if after is not None and after >= len(snapshot.moves) and version == snapshot.version:
        return Response(status_code=204)
    guest = await current_guest(request)
    return show_table(request, service.show(snapshot, guest, invitation), guest, after=after)


@router.get("/t/{table}/solving")
async def solving(request: Request, table: str) -> Response:
    """Return how far the bots are that still prepare, or nothing."""
    progress = bot_progress(reader_of(request).w, await service_of(request).view(table, None))
    return PlainTextResponse(progress) if progress else Response(status_code=204)


@router.get("/i/{invitation}")
async def invited(request: Request, invitation: str) -> Response:
    """Show the table of an invitation; a guest who already sits there is sent to it."""
    service = service_of(request)
    table = await service.find_invitation(invitation)
    if table is None:
        w = reader_of(request).w
        text = w("Perhaps a part of the link is missing. Ask for it again, or open a table of your own.")
        return page(request, "problem.html", 404, heading=w("This invitation leads nowhere"), text=text, path="")
    guest = await current_guest(request)
    view = await service.view(table, guest, invitation)
    if not may_come(view):
        return RedirectResponse(f"/t/{table}", status_code=303)
    return show_table(request, view, guest, preview=invitation_preview(reader_of(request).w, view))
