"""Tables: open, join, act and all other commands.

Routes return the stored bytes or plain dictionaries; the response models describe them, and tests compare the two.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import PlainTextResponse, Response

from starfrost.errors import Refused
from starfrost.table import CLOCKS, REACTIONS, Opening
from starfrost.table import Answer as Accepted
from starfrost.table.coaching import Coaching
from starfrost.table.opening import offers
from starfrost.web.api.models import (
    ActCommand,
    Answer,
    BotCommand,
    Command,
    Events,
    Games,
    Invitation,
    JoinCommand,
    OpenCommand,
    Reaction,
    SeatCommand,
    Tables,
    TableShown,
)
from starfrost.web.api.parts import ERRORS, answered, as_json, commanding, service_of, whole_body
from starfrost.web.guests import current_guest, known_guest
from starfrost.web.limits import opening

router = APIRouter(tags=["tables"], responses=ERRORS)

TableId = Annotated[str, Path(max_length=32, pattern=r"^[A-Za-z0-9_-]+$")]
_TABLE_ID = {"type": "string", "maxLength": 32, "pattern": "^[A-Za-z0-9_-]+$"}


@router.get("/games", response_model=Games)
async def games() -> Response:
    """List the games, their options and bots, the clocks and the reactions."""
    return as_json({"games": offers(), "clocks": list(CLOCKS), "reactions": list(REACTIONS)})


@router.get("/tables", response_model=Tables)
async def open_tables(request: Request) -> Response:
    """List public tables that wait for players, newest first."""
    return as_json({"tables": [view.summary() for view in await service_of(request).open_tables()]})


@router.post("/tables", status_code=201, response_model=Answer)
async def open_table(request: Request, body: OpenCommand) -> Response:
    """Open a table. The answer carries its commitment; join it next, with your own randomness."""
    guest = await known_guest(request)
    coach: Coaching = "practice" if body.practice else "ask"
    wanted = Opening(body.game, tuple(body.seats), body.options, body.clock, body.public, body.first, coach)
    async with opening(request, guest.id):
        return answered(await service_of(request).open(guest, wanted, key=body.key), 201)


@router.get("/invitations/{invitation}", response_model=Invitation)
async def find_invitation(request: Request, invitation: TableId) -> Response:
    """Find the table that an invitation is for."""
    table = await service_of(request).find_invitation(invitation)
    if table is None:
        raise Refused("no-invitation", "This invitation does not belong to any table.", 404)
    return as_json({"table": table})


@router.get("/tables/{table}", response_model=TableShown)
async def show_table(request: Request, table: TableId) -> Response:
    """Show a table as you may see it; with your token also what your seat may do."""
    return as_json((await service_of(request).view(table, await current_guest(request))).json())


@router.get("/tables/{table}/events", response_model=Events)
async def events(request: Request, table: TableId, after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0) -> Response:
    """List the events after a version."""
    raw = await service_of(request).raw_events(table, after)
    return Response(b'{"events":[' + b",".join(raw) + b"]}", media_type="application/json")


@router.get("/tables/{table}/record", response_class=PlainTextResponse)
async def record(request: Request, table: TableId) -> Response:
    """Return the game as a record; `starfrost verify` proves its dice once the table is over or closed."""
    return PlainTextResponse(await service_of(request).record(table))


async def _command(
    request: Request, table: str, body: Command, command: Callable[..., Awaitable[Accepted]]
) -> Response:
    """Run a command of the service with the fields of the body as arguments."""
    return answered(await command(table, await commanding(request), **dict(body)))


@router.post("/tables/{table}/join", response_model=Answer)
async def join(request: Request, table: TableId, body: JoinCommand) -> Response:
    """Take a seat."""
    return await _command(request, table, body, service_of(request).join)


@router.post("/tables/{table}/leave", response_model=Answer)
async def leave(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Leave a seat; in a running game a bot takes it."""
    return await _command(request, table, body, service_of(request).leave)


@router.post("/tables/{table}/resign", response_model=Answer)
async def resign(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Resign from a running game; a bot plays on."""
    return await _command(request, table, body, service_of(request).resign)


@router.post("/tables/{table}/bot", response_model=Answer)
async def seat_bot(request: Request, table: TableId, body: BotCommand) -> Response:
    """Put a bot on a free seat; only the host may."""
    return await _command(request, table, body, service_of(request).seat_bot)


@router.post("/tables/{table}/undo", response_model=Answer)
async def undo(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Take back your own last move; never past dice."""
    return await _command(request, table, body, service_of(request).undo)


@router.post("/tables/{table}/rematch", response_model=Answer)
async def rematch(request: Request, table: TableId, body: Command) -> Response:
    """Offer another game with the seats moved on; the event names the new table."""
    guest = await commanding(request)
    async with opening(request, guest.id):
        return answered(await service_of(request).rematch(table, guest, version=body.version, key=body.key))


@router.post("/tables/{table}/close", response_model=Answer)
async def close(request: Request, table: TableId, body: Command) -> Response:
    """Close an unfinished table, which reveals its seed; only the host may."""
    return await _command(request, table, body, service_of(request).close)


@router.post("/tables/{table}/reactions", status_code=204)
async def react(request: Request, table: TableId, body: Reaction) -> Response:
    """Send a reaction to everybody who watches now."""
    guest = await commanding(request)
    await service_of(request).react(table, guest, body.reaction)
    return Response(status_code=204)


_ACT_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": ActCommand.model_json_schema()}}},
    "parameters": [{"name": "table", "in": "path", "required": True, "schema": _TABLE_ID}],
}


@router.post("/tables/{table}/act", response_model=Answer, openapi_extra=_ACT_BODY)
async def act(request: Request) -> Response:
    """Play an action in record notation, or `roll`. Answered once the move is durable."""
    # The body is checked by hand because a model takes ten times as long, and every move passes here.
    guest = await commanding(request)
    move = read_move(await whole_body(request))
    return answered(await service_of(request).act(request.path_params["table"], guest, **move))


def read_move(text: bytes) -> dict[str, Any]:
    """Read the body of a move: the arguments of `TableService.act`. Raises Refused."""
    try:
        body = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise Refused("bad-request", "The request body is not JSON.", 422) from None
    if type(body) is not dict or body.keys() != _ACT_FIELDS:
        raise Refused("bad-request", "An action needs version, key, seat and action, and nothing else.", 422)
    version, seat, action = body["version"], body["seat"], body["action"]
    if type(version) is not int or type(seat) is not int or type(action) is not str:
        raise Refused("bad-request", "version and seat are whole numbers, action is a text.", 422)
    if not 0 <= version < 2**31 or len(action) > 200:
        raise Refused("bad-request", "version or action is out of range.", 422)
    return body


_ACT_FIELDS = {"version", "key", "seat", "action"}

act_route = next(route for route in router.routes if getattr(route, "endpoint", None) is act)
