"""A table's page: its waiting room, then its board; scenes for the script; invitations."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import segno
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from markupsafe import Markup

from starfrost.games.core import Game
from starfrost.games.dicy_cards import mode_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.scenes import read_scene, say_solving
from starfrost.web.render import fragment, page, reader_of
from starfrost.web.views.live import Asking, Live
from starfrost.web.views.pictures import Mini, mini
from starfrost.web.views.seats import SHAPES, seat_names, strengths, usual_bot
from starfrost.words import Words
from starfrost.words.dicy_cards import mode_name

__all__ = ["is_fragment", "router", "show_table"]

router = APIRouter()


@dataclass(frozen=True)
class RoomSeat:
    """A seat in the waiting room."""

    number: int
    shape: str
    name: str
    free: bool
    you: bool
    person: bool
    present: bool
    can_bot: bool


@dataclass(frozen=True)
class Room:
    """The waiting room of a table."""

    heading: str
    text: str
    waiting: bool
    seats: tuple[RoomSeat, ...]
    strengths: tuple[tuple[str, str], ...]
    """The bots that may take a free seat, with their names."""
    strength: str
    can_join: bool
    sit: bool
    names: tuple[str, ...]
    invitation: str
    link: str
    qr: Markup
    mode: str
    cards: tuple[Mini, ...]


def is_fragment(request: Request) -> bool:
    """Say whether a script asks for the one element it swaps, rather than a whole page."""
    return request.headers.get("x-fragment") == "1"


def _room(request: Request, w: Words, view: dict[str, Any], game: Game[Any, Any], invitation: str, guest: Any) -> Room:
    names = seat_names(w, view["seats"])
    seated = any(seat["yours"] for seat in view["seats"])
    free = [seat for seat in view["seats"] if seat["kind"] == "open"]
    mine = [seat for seat in free if not seat["reserved"] or seat["kept_for_you"]]
    seats = tuple(
        RoomSeat(
            number=seat["seat"],
            shape=SHAPES[i],
            name=names[i],
            free=seat["kind"] == "open",
            you=bool(seat["yours"]),
            person=seat["kind"] == "person",
            present=bool(seat["present"]),
            can_bot=bool(view["host"]) and seat["kind"] == "open" and seated and not seat["reserved"],
        )
        for i, seat in enumerate(view["seats"])
    )
    bots = strengths(w, game)
    wishes = request.query_params.getlist("sit")
    sit = bool(wishes) and not seated and (bool(view["host"]) or any(seat["kept_for_you"] for seat in free))
    known = invitation or str(view["invitation"] or "")
    link = f"{request.base_url}i/{known}" if known and len(free) > int(not seated) else ""
    cards = tuple(str(view["headers"].get("cards", "")).split())
    if view["status"] == "closed":
        heading, text = w("This table is closed"), w("Nobody plays here any more. Open a new one from the start page.")
    elif seated:
        heading = w("Waiting for the others")
        text = w.plural("One seat is free.", "%(n)s seats are free.", len(free)) + " " + w("The game starts by itself.")
    else:
        heading = w("Take a seat")
        text = w("You are invited to a game of %(game)s.", game=_game_name(view["game"]))
    return Room(
        heading=heading,
        text=text,
        waiting=seated and bool(free),
        seats=seats,
        strengths=tuple(bots),
        strength=usual_bot([bot for bot, _ in bots]),
        can_join=view["status"] == "waiting" and not seated and bool(mine),
        sit=sit,
        names=tuple(name for name in wishes if name) or (guest.name if guest else "",),
        invitation=known,
        link=link if view["status"] == "waiting" else "",
        qr=Markup(segno.make(link, error="m").svg_inline(scale=4, border=2, omitsize=True)) if link else Markup(""),
        mode=mode_name(w, mode_of(cards) or "custom") if cards else "",
        cards=tuple(mini(w, card) for card in cards),
    )


def _game_name(game: str) -> str:
    return "Dicy Cards" if game == "dicy-cards" else "Dice Stars"


def _waiting_live(w: Words, view: dict[str, Any], room: Room, error: str) -> Live:
    mine = [seat["seat"] for seat in view["seats"] if seat["yours"]]
    return Live(
        id=view["id"],
        version=view["version"],
        step=0,
        more=False,
        status=view["status"],
        game=view["game"],
        title=room.heading,
        subtitle="",
        names=seat_names(w, view["seats"]),
        seats=view["seats"],
        me=mine[0] if mine else None,
        your_turn=False,
        acting=None,
        act="",
        key=token_hex(12),
        said=room.text,
        host=bool(view["host"]),
        error=error,
    )


async def show_table(
    request: Request,
    table: str,
    guest: Any,
    *,
    after: int | None = None,
    error: str = "",
    status: int = 200,
    asking: Asking | None = None,
    invitation: str = "",
) -> HTMLResponse:
    """Draw a table for whoever asks: the waiting room before the game, the board from then on."""
    service = request.app.state.service
    reader = reader_of(request)
    view = await service.view(table, guest)
    draw = fragment if is_fragment(request) else page
    if view["status"] == "waiting" or (view["status"] == "closed" and not await service.history(table)):
        game, _state = await service.game_of(table)
        room = _room(request, reader.w, view, game, invitation, guest)
        live = _waiting_live(reader.w, view, room, error)
        template = "parts/lobby.html" if is_fragment(request) else "lobby.html"
        return draw(request, template, status, live=live, room=room)
    scene = await read_scene(request, table, guest, after=after, error=error, asking=asking)
    template = "parts/table.html" if is_fragment(request) else "table.html"
    return draw(request, template, status, live=scene.live, t=scene.board)


@router.get("/t/{table}")
async def table_page(request: Request, table: str) -> Response:
    """Show a table."""
    return await show_table(request, table, await current_guest(request))


@router.get("/t/{table}/scene")
async def scene(request: Request, table: str, after: int | None = None, version: int = -1) -> Response:
    """Give the script the next scene, or nothing if the reader has seen everything."""
    guest = await current_guest(request)
    service = request.app.state.service
    seen = after is not None and (await service.view(table, guest))["version"] == version
    if seen and after is not None and after >= len(await service.history(table)):
        return Response(status_code=204)
    return await show_table(request, table, guest, after=after)


@router.get("/t/{table}/solving")
async def solving(request: Request, table: str) -> Response:
    """Say how far the cards are solved that a bot waits for, or nothing if none does."""
    service = request.app.state.service
    view = await service.view(table, await current_guest(request))
    game, _state = await service.game_of(table)
    said = say_solving(reader_of(request).w, game, view)
    return PlainTextResponse(said) if said else Response(status_code=204)


@router.get("/i/{invitation}")
async def invited(request: Request, invitation: str) -> Response:
    """Show the table of an invitation; who already sits there goes straight to it."""
    service = request.app.state.service
    table = await service.find_invitation(invitation)
    if table is None:
        return page(request, "problem.html", 404, **_lost(reader_of(request).w))
    guest = await current_guest(request)
    view = await service.view(table, guest)
    if view["status"] != "waiting" or any(seat["yours"] for seat in view["seats"]):
        return RedirectResponse(f"/t/{table}", status_code=303)
    return await show_table(request, table, guest, invitation=invitation)


def _lost(w: Words) -> dict[str, str]:
    return {
        "heading": w("This invitation leads nowhere"),
        "text": w("Perhaps a part of the link is missing. Ask for it again, or open a table of your own."),
        "path": "",
    }
