"""Tables: open, join, act and all other commands.

Routes return the stored bytes or plain dictionaries; the response models describe them, and tests compare the two.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import PlainTextResponse, Response

from starfrost.errors import Refused
from starfrost.table import CLOCKS, REACTIONS, Opening
from starfrost.table import Answer as Accepted
from starfrost.table.coaching import CoachMode
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
from starfrost.web.api.parts import ERRORS, answered, as_json, commanding
from starfrost.web.asking import opening, service_of
from starfrost.web.guests import current_guest, known_guest

router = APIRouter(tags=["tables"], responses=ERRORS)

TableId = Annotated[str, Path(max_length=32, pattern=r"^[A-Za-z0-9_-]+$")]


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
    coach: CoachMode = "practice" if body.practice else "ask"
    seats = tuple(body.seats)
    wanted = Opening(
        body.game,
        seats,
        body.options,
        body.clock,
        body.public,
        body.first,
        coach,
        dice=body.dice,
        position=body.position,
    )
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


@router.post("/tables/{table}/unseat", response_model=Answer)
async def unseat(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Free a seat before the start; only the host may. Whoever sat there cannot sit down again."""
    return await _command(request, table, body, service_of(request).unseat)


@router.post("/tables/{table}/bot", response_model=Answer)
async def seat_bot(request: Request, table: TableId, body: BotCommand) -> Response:
    """Put a bot on a free seat; only the host may."""
    return await _command(request, table, body, service_of(request).seat_bot)


@router.post("/tables/{table}/stand-in", response_model=Answer)
async def stand_in(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Let a bot play for another person who is `gone`, until they return; only players may, where no clock runs."""
    return await _command(request, table, body, service_of(request).stand_in)


@router.post("/tables/{table}/undo", response_model=Answer)
async def undo(request: Request, table: TableId, body: SeatCommand) -> Response:
    """Take back your own last move; never past dice."""
    return await _command(request, table, body, service_of(request).undo)


@router.post("/tables/{table}/rematch", response_model=Answer)
async def rematch(request: Request, table: TableId, body: Command) -> Response:
    """Offer another game with the seats moved on; the event names its table, or the refusal `rematch-open`."""
    guest = await commanding(request)
    async with opening(request, guest.id):
        return answered(await service_of(request).rematch(table, guest, version=body.version, key=body.key))


@router.post("/tables/{table}/close", response_model=Answer)
async def close(request: Request, table: TableId, body: Command) -> Response:
    """Close an unfinished table, which reveals its seed; the host may, and every player if somebody is `gone`."""
    return await _command(request, table, body, service_of(request).close)


@router.post("/tables/{table}/reactions", status_code=204)
async def react(request: Request, table: TableId, body: Reaction) -> Response:
    """Send a reaction to everybody who watches now."""
    guest = await commanding(request)
    await service_of(request).react(table, guest, body.reaction)
    return Response(status_code=204)


@router.post("/tables/{table}/act", response_model=Answer)
async def act(request: Request, table: TableId, body: ActCommand) -> Response:
    """Play an action in record notation, or `roll`. Answered once the move is durable."""
    return await _command(request, table, body, service_of(request).act)
