"""Rooms: coming in by a link or a code, who is there, the standings, and what the host decides."""

from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from starfrost.boards import board_of, boards
from starfrost.boards.previews import Preview
from starfrost.boards.terms import terms
from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table import Guest, Snapshot
from starfrost.table.rooms.line_up import like, players
from starfrost.table.rooms.standings import Standings, Sums
from starfrost.web.asking import address_of, opening, service_of
from starfrost.web.guests import current_guest, known_guest, remember
from starfrost.web.pages.problems import explain
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.render import go_to, page, qr_code, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.numbers import count, decimal

if TYPE_CHECKING:
    from starfrost.table.rooms.book import Member, Room

router = Pages()

_CHANGES: Final[dict[str, dict[str, Any]]] = {
    "close": {"closed": True},
    "open": {"closed": False},
    "code": {"code": ""},
}


def no_room() -> Refused:
    """Return the refusal for a room that does not exist, or is none of the reader's business."""
    return Refused("no-room", "There is no room with this code, or it is closed.", 404)


async def _found(request: Request, code: str) -> tuple["Room", Guest | None, bool]:
    """Return the room of a code, who asks, and whether they belong to it. Raises Refused.

    Codes that do not lead anywhere, closed rooms and rooms whose host has removed the reader answer alike.
    """
    rooms = service_of(request).rooms
    guest = await current_guest(request)
    room = await rooms.find(code)
    belongs = room is not None and guest is not None and await rooms.is_member(room, guest)
    if not belongs:
        request.app.state.limits.code(address_of(request))
    if room is None or (room.closed and not belongs):
        raise no_room()
    return room, guest, belongs


async def _own(request: Request, code: str) -> tuple["Room", Guest]:
    """Return a room and a member of it who does something there. Raises Refused."""
    room, _, belongs = await _found(request, code)
    guest = await known_guest(request)
    if not belongs:
        raise no_room()
    request.app.state.limits.command(guest.id)
    return room, guest


def room_name(w: Words, room: "Room", host: str) -> str:
    """Return what a room is called: as its host wants, or after the host."""
    return room.name or w("The room of %(name)s", name=host)


async def usual_game(w: Words, room: "Room") -> str:
    """Return the usual game of a room in words."""
    wanted = room.opening
    game, mode = await wanted.made()
    size = w.plural("one player", "%(n)s players", len(wanted.seats))
    return " · ".join(filter(None, (board_of(wanted.game).title, size, terms(w, game, mode, wanted.clock))))


@dataclass(frozen=True)
class Row:
    """A line of the standings."""

    name: str
    you: bool
    games: str
    won: str
    average: str


def _row(w: Words, name: str, you: bool, sums: Sums) -> Row:
    won = decimal(w, sums.won, 1) if sums.won % 1 else count(w, int(sums.won))
    return Row(name, you, count(w, sums.games), won, decimal(w, sums.average, 1))


def tables_of(w: Words, found: Standings, guest: str) -> list[tuple[str, list[Row]]]:
    """Return the standings as tables: the evening, everything, and each game by its size."""
    lines = [(person.guest == guest and not person.name, line) for person, line in found.lines.items()]
    evening = sorted(lines, key=lambda one: (-one[1].evening.won, one[1].evening.games))
    told = [(w("This evening"), [_row(w, line.name, you, line.evening) for you, line in evening if line.evening.games])]
    if found.evening == found.games:
        told = []
    told.append((w("All games"), [_row(w, line.name, you, line.all) for you, line in lines]))
    kinds = sorted({kind for _, line in lines for kind in line.kinds})
    for game, seats in kinds if len(kinds) > 1 else ():
        title = f"{board_of(game).title} · {w.plural('one player', '%(n)s players', seats)}"
        told.append(
            (
                title,
                [_row(w, one.name, you, one.kinds[game, seats]) for you, one in lines if (game, seats) in one.kinds],
            )
        )
    return told


def duels(found: Standings, guest: str) -> list[tuple[str, int, int, str]]:
    """Return how often one was ahead of another: the reader's own duels first."""
    told = []
    for (one, other), (ahead, behind, _) in found.pairs.items():
        own = other.guest == guest
        pair = (other, behind, ahead, one) if own else (one, ahead, behind, other)
        told.append((pair[0].guest != guest, found.lines[pair[0]].name, pair[1], pair[2], found.lines[pair[3]].name))
    return [duel for _, *duel in sorted(told)[:12]]  # type: ignore[misc]


async def _table(request: Request, room: "Room") -> Snapshot | None:
    """Return the room's table while its game waits or runs."""
    try:
        found = await service_of(request).snapshot(room.table_id) if room.table_id else None
    except Refused as refusal:
        if refusal.code not in ("no-table", "unreadable"):
            raise
        return None
    return None if found is None or found.ended else found


def _is_free(table: Snapshot | None) -> bool:
    """Return whether a seat is free for somebody who comes now."""
    waits = table is not None and table.status == "waiting"
    return table is None or (waits and any(seat.kind == "open" and seat.reserved is None for seat in table.seats))


def _names(members: list["Member"], own: list[str], w: Words) -> str:
    return w.all_of([one.name for one in members if one.guest in own])


def link_of(request: Request, room: "Room") -> str:
    """Return the link that leads into a room."""
    return f"{request.base_url}r/{room.code}"


async def _show(
    request: Request, room: "Room", guest: Guest, *, error: str = "", status: int = 200, host: bool = False
) -> HTMLResponse:
    """Show a room to somebody who belongs to it; `host` shows what its host decides."""
    rooms, w = service_of(request).rooms, reader_of(request).w
    await rooms.seen(room, guest)
    members = await rooms.members(room)
    table = await _table(request, room)
    seated = [who for who, _ in players(table)]
    found = await rooms.standings(room, members)
    names = {one.guest: one.name for one in members}
    usual, link = room.opening, link_of(request, room)
    given = urlencode(
        {"who": "friends", "room": room.code, "seats": len(usual.seats), "clock": usual.clock, **usual.options}
    )
    return page(
        request,
        "room_host.html" if host else "room.html",
        status,
        room=room,
        name=room_name(w, room, names.get(room.host, "")),
        guest=guest,
        members=members,
        present=await rooms.present(room, members),
        usual=await usual_game(w, room),
        table=table,
        free=_is_free(table),
        terms=f"{board_of(table.game.name).title} · {terms(w, table.game, table.mode, table.clock)}" if table else "",
        playing=_names(members, seated, w),
        seated=guest.id in seated,
        waits=next((one.waits is not None for one in members if one.guest == guest.id), False),
        standings=tables_of(w, found, guest.id) if found.games else [],
        duels=duels(found, guest.id),
        games=found.games,
        others=[
            (one, given if one.id == usual.game else urlencode({"who": "friends", "room": room.code}))
            for one in boards()
        ],
        link=link,
        qr=qr_code(link),
        key=token_hex(8),
        error=error,
        preview=Preview(address=""),
        back=f"/r/{room.code}",
    )


@router.get("/r")
async def rooms_page(request: Request, code: str = "") -> Response:
    """Show the reader's rooms, and ask for the code of another one."""
    if code:
        return RedirectResponse(f"/r/{code.strip().replace(' ', '-').replace('/', '-')[:60]}", status_code=303)
    return await _rooms(request)


async def _rooms(request: Request, *, error: str = "", status: int = 200, typed: str = "") -> HTMLResponse:
    guest = await current_guest(request)
    found = await own_rooms(request, guest)
    return page(request, "rooms.html", status, rooms=found, error=error, typed=typed, guest=guest, back="/r")


async def own_rooms(request: Request, guest: Guest | None) -> list[dict[str, Any]]:
    """Return the rooms of a guest as a list shows them."""
    if guest is None:
        return []
    service, w = service_of(request), reader_of(request).w
    told = []
    for room in await service.rooms.of_member(guest):
        members = await service.rooms.members(room)
        names = {one.guest: one.name for one in members}
        others = [one.name for one in members if one.guest != guest.id]
        board = board_of(room.opening.game) if room.opening.game in GAMES else None
        if board is not None:
            title = room_name(w, room, names.get(room.host, ""))
            told.append({"room": room, "name": title, "others": w.all_of(others[:6]), "board": board})
    return told


@router.get("/r/{code}")
async def room_page(request: Request, code: str) -> Response:
    """Show a room to its members, and the way in to others."""
    w = reader_of(request).w
    try:
        room, guest, belongs = await _found(request, code)
    except Refused as refusal:
        if refusal.code != "no-room":
            raise
        return await _rooms(request, error=explain(w, refusal), status=404, typed=code[:60])
    if guest is not None and belongs:
        return await _show(request, room, guest)
    service = service_of(request)
    members = await service.rooms.members(room)
    names = {one.guest: one.name for one in members}
    table = await _table(request, room)
    title = room_name(w, room, names.get(room.host, ""))
    shown = await usual_game(w, room)
    preview = Preview(title, shown, f"/preview/game/{room.opening.game}.png", address="")
    return page(
        request,
        "room_door.html",
        room=room,
        name=title,
        host=names.get(room.host, ""),
        guest=guest,
        usual=shown,
        free=_is_free(table),
        table=table,
        back=f"/r/{room.code}",
        preview=preview,
    )


@router.post("/r/{code}/come")
async def come(request: Request, code: str) -> Response:
    """Take a seat in the room's game, or wait for the next one."""
    room, guest, _ = await _found(request, code)
    form = await request.form()
    token = None
    name = name_from_form(form.get("name"))
    if guest is None or name:
        guest, token = await guest_for(request, name)
    request.app.state.limits.command(guest.id)
    contribution = str(form.get("contribution") or "")[:60] or None
    table = await service_of(request).rooms.come(room, guest, contribution)
    answer = go_to(request, f"/t/{table}" if table else f"/r/{room.code}")
    if token:
        remember(answer, request, token)
    return answer


@router.post("/r/{code}/next")
async def next_game(request: Request, code: str) -> Response:
    """Open the room's next game, the usual one, and go there."""
    room, guest = await _own(request, code)
    form = await request.form()
    async with opening(request, guest.id):
        await service_of(request).rooms.next(room, guest, key=str(form.get("key") or token_hex(8))[:64])
    return await come(request, code)


@router.get("/r/{code}/host")
async def host_page(request: Request, code: str) -> Response:
    """Show what the host of a room decides."""
    room, guest = await _own(request, code)
    if room.host != guest.id:
        return RedirectResponse(f"/r/{room.code}", status_code=303)
    return await _show(request, room, guest, host=True)


@router.post("/r/{code}/change")
async def change(request: Request, code: str) -> Response:
    """Rename, close or open a room, give it another code, hand over hosting, or remove somebody."""
    room, guest = await _own(request, code)
    form, rooms = await request.form(), service_of(request).rooms
    what, who = str(form.get("do", "")), str(form.get("who", ""))[:32]
    asked = {"name": {"name": str(form.get("name", ""))[:200]}, "host": {"host": who}, **_CHANGES}
    values = asked.get(what, {})
    try:
        if what == "remove":
            await rooms.remove(room, guest, who)
        elif values:
            room = await rooms.change(room, guest, **values)
    except Refused as refusal:
        text = explain(reader_of(request).w, refusal)
        return await _show(request, room, guest, error=text, status=refusal.status, host=room.host == guest.id)
    return go_to(request, f"/r/{room.code}" + ("" if what == "host" else "/host"))


@router.post("/r/{code}/leave")
async def leave(request: Request, code: str) -> Response:
    """Leave a room."""
    room, guest = await _own(request, code)
    await service_of(request).rooms.leave(room, guest)
    return go_to(request, "/r")


@router.post("/t/{table}/room")
async def keep(request: Request, table: str) -> Response:
    """Make a room of the people who have played at a table."""
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    service = service_of(request)
    ended = await service.snapshot(table)
    if not ended.ended or not ended.played_by(guest.id) or ended.room is not None or ended.daily:
        raise Refused("nobody-to-invite", "You have not played a game with other people at this table.", 403)
    async with opening(request, guest.id):
        room = await service.rooms.create(guest, like(ended), ended)
    return go_to(request, f"/r/{room.code}")
