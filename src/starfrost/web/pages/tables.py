"""A table's page: its waiting room, then its board; scenes for the script; invitations."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from starfrost.boards import board_of
from starfrost.boards.previews import Preview
from starfrost.boards.seats import seat_names
from starfrost.boards.terms import terms
from starfrost.bots.registry import bots_here, entries
from starfrost.table import CLOCKS, Guest, TableView
from starfrost.table.clocks import DAY
from starfrost.table.snapshot import RANDOM
from starfrost.web.asking import service_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.previews import invitation_preview, table_preview
from starfrost.web.pages.scenes import Asking, Live, Note, bot_progress, draw_scene, next_scene
from starfrost.web.render import is_fragment, page, qr_code, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.bots import bot_name, bot_text, usual_bot
from starfrost.words.story import mode_label

if TYPE_CHECKING:
    from starfrost.table.rooms.games import Around

router = Pages()


class Big(NamedTuple):
    """What a big screen shows beside the table: how to join."""

    link: str = ""
    code: str = ""
    qr: str = ""


def _welcome(w: Words, view: TableView, may_sit: bool, waits: bool) -> tuple[str, str]:
    """Return the heading of the waiting room and what the reader may do there."""
    free = [seat for seat in view.seats if seat.kind == "open"]
    game = board_of(view.game.name).title
    if view.status == "closed":
        return w("This table is closed"), w("Nobody plays here any more.")
    if view.mine:
        seats = w.plural("One seat is free.", "%(n)s seats are free.", len(free))
        return w("Waiting for the others"), seats + " " + w("The game starts by itself.")
    if any(seat.kept_for_you for seat in free):
        return w("Take a seat"), w("A seat is kept for you in this game of %(game)s.", game=game)
    if may_sit and view.invitation and not view.host:
        if view.host_name:
            return w("Take a seat"), w("%(name)s invites you to a game of %(game)s.", name=view.host_name, game=game)
        return w("Take a seat"), w("You are invited to a game of %(game)s.", game=game)
    if may_sit:
        return w("Take a seat"), w("This is a game of %(game)s.", game=game)
    if waits:
        return w("You are watching"), w("The table is full: you play in the next game.")
    if view.public or view.invitation:
        why = w("The free seats are kept for other people.")
    else:
        why = w("To sit down here you need the invitation link, which everybody at the table can send you.")
    return w("You are watching"), why + " " + w("You can watch: the game appears here when it begins.")


def _may_choose(view: TableView, names: list[str]) -> bool:
    """Return whether one person who sits down may choose a seat: there are several, and chance does not decide."""
    free = [seat for seat in view.seats if seat.kind == "open" and not seat.reserved]
    return len(free) > 1 and len(names) < 2 and view.first != RANDOM


def _lobby(
    request: Request, w: Words, view: TableView, guest: Guest | None, error: str, around: "Around | None"
) -> dict[str, Any]:
    """Return what the waiting room shows."""
    board = board_of(view.game.name)
    seated = bool(view.mine)
    free = [seat for seat in view.seats if seat.kind == "open"]
    bots = bots_here(view.game)
    names = request.query_params.getlist("sit")
    known = view.invitation or ""
    # A seat that is kept for somebody is free for nobody else, and one is the reader's own.
    for_others = sum(not seat.reserved for seat in free) - (not seated and not any(seat.kept_for_you for seat in free))
    link = f"{request.base_url}i/{known}" if known and for_others > 0 else ""
    if around is not None:
        link = f"{request.base_url}r/{around.room.code}" if not around.room.closed else ""
    open_to_me = bool(view.public or view.host or known)
    may_sit = any(seat.kept_for_you or (open_to_me and not seat.reserved) for seat in free) and not seated
    heading, text = _welcome(w, view, may_sit, around is not None and around.waits)
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
        "for_others": for_others > 0,
        "link": link if view.status == "waiting" else "",
        "qr": qr_code(link) if link else "",
        "setup": board.lobby(w, view.game),
        "mode": mode_label(w, view.game, view.mode),
        "terms": terms(w, view.game, view.mode, view.clock),
        "again": view.previous if seated or view.host or any(seat.kept_for_you for seat in free) else None,
    }
    live = Live(
        view,
        heading,
        seat_names(w, view.seats),
        min(view.mine, default=None),
        said=text,
        error=error,
        invitation=known if not seated else "",
        around=around,
    )
    return {"live": live, "room": room}


def may_come(view: TableView) -> bool:
    """Return whether the reader has the table's invitation and may still need it."""
    return bool(view.invitation) and not (view.mine or view.host) and view.status in ("waiting", "running")


async def show_table(
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
    big: Big | None = None,
) -> HTMLResponse:
    """Draw a table for a reader: the waiting room before the game, the board from then on."""
    reader = reader_of(request)
    if guest is not None and view.mine:
        service_of(request).wish_pace(guest, reader.settings["pace"])
    around = await service_of(request).rooms.around(view, guest) if view.room else None
    alone, back = is_fragment(request), f"/i/{view.invitation}" if may_come(view) else f"/t/{view.id}"
    if preview is None and not alone:
        preview = table_preview(reader.w, view)
    if view.status == "waiting" or (view.status == "closed" and not view.moves):
        shown = _lobby(request, reader.w, view, guest, error, around)
        part = "lobby.html"
    else:
        step = len(view.moves) if reader.at_once else next_scene(view, after)
        live, board = draw_scene(reader, view, step, error, asking, after, note, around)
        part, shown = "table.html", {"live": live, "t": board}
    template = f"parts/{part}" if alone else "show.html" if big else part
    if guest is not None and _may_be_told(request, view, guest):
        shown["live"] = replace(shown["live"], tell=True)
    return page(request, template, status, back=back, preview=preview, part=f"parts/{part}", big=big, **shown)


def _may_be_told(request: Request, view: TableView, guest: Guest) -> bool:
    """Return whether somebody who waits for others for a day or more is not told yet when that is over."""
    waits = view.status == "waiting" or (view.status == "running" and view.acting not in view.mine)
    if not (view.mine and waits and not view.for_one and (CLOCKS[view.clock] or 0) >= DAY):
        # Without a clock nobody waits: a device, which has no subscriptions, has none.
        return False
    return reader_of(request).settings["notify"] != "on" and not service_of(request).subscriptions.has(guest.id)


@router.get("/t/{table}/show")
async def big_screen(request: Request, table: str) -> Response:
    """Show a table on a big screen, which everybody sees: the play, and how to join."""
    guest = await current_guest(request)
    service = service_of(request)
    own = await service.view(table, guest)
    around = await service.rooms.around(own, guest) if own.room else None
    link = f"{request.base_url}i/{own.invitation}" if own.invitation and own.status in ("waiting", "running") else ""
    code = around.room.code if around is not None and not around.room.closed else ""
    if code:
        link = f"{request.base_url}r/{code}"
    big = Big(link, code, qr_code(link) if link else "")
    return await show_table(request, await service.view(table, None), None, big=big)


@router.get("/t/{table}")
async def table_page(request: Request, table: str) -> Response:
    """Show a table."""
    guest = await current_guest(request)
    return await show_table(request, await service_of(request).view(table, guest), guest)


@router.get("/t/{table}/scene")
async def scene(
    request: Request,
    table: str,
    after: int | None = None,
    version: int = -1,
    gone: int | None = None,
    invitation: str | None = None,
    show: int = 0,
) -> Response:
    """Return the next scene for the script, or nothing if the reader has seen everything."""
    guest = None if show else await current_guest(request)
    service = service_of(request)
    snapshot = await service.snapshot(table)
    gone_now = await service.gone(snapshot, guest)
    if after is not None and after >= len(snapshot.moves) and (version, gone) == (snapshot.version, gone_now):
        return Response(status_code=204)
    view = replace(service.show(snapshot, guest, invitation), gone=gone_now)
    return await show_table(request, view, guest, after=after, big=Big() if show else None)


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
    return await show_table(request, view, guest, preview=invitation_preview(reader_of(request).w, view))
