"""The commands of a table's page: play, take back, sit down, leave, react. Every command is a plain form."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards import board_of
from starfrost.boards.seats import seat_names
from starfrost.errors import NotationError, Refused, UsageError
from starfrost.games.core import OVER
from starfrost.table import ROLL, Answer, Guest, TableView
from starfrost.table.moves import ENTER
from starfrost.web.asking import opening, service_of
from starfrost.web.guests import current_guest, known_guest, remember
from starfrost.web.pages.problems import explain, page_error
from starfrost.web.pages.scenes import Asking
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.pages.tables import show_table
from starfrost.web.render import go_to, is_fragment, reader_of
from starfrost.web.routing import Pages
from starfrost.words.story import narrate

router = Pages()


async def _fields(request: Request) -> FormData:
    """Read a form; those of moves come in one short piece, for which the parser of uploads takes ten times as long."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        return await request.form()
    return FormData([*parse_qsl((await request.body()).decode(errors="replace"), keep_blank_values=True)])


def _int(form: FormData, name: str) -> int:
    try:
        return int(str(form.get(name) or -1))
    except ValueError:
        return -1


def _key(form: FormData) -> str:
    return str(form.get("key") or token_hex(12))[:64]


def read_action(game: Any, form: FormData, legal: Sequence[Any]) -> Any:
    """Return the action that a board's form stands for, or its notation if the form holds one.

    Raises UsageError if a part is missing. Whether the rules allow the action is decided when it is played.
    """
    if "action" in form:
        if not form["action"]:
            raise UsageError("First choose what to do.")
        return str(form["action"])
    return board_of(game.name).read_form(form, legal)


def chosen_action(game: Any, form: FormData, legal: Sequence[Any]) -> Any:
    """Return the legal action that a form stands for. Raises UsageError if there is none."""
    asked = str(read_action(game, form, legal))
    for action in legal:
        if str(action) == asked:
            return action
    raise UsageError("The rules do not allow this here.")


async def _answer(request: Request, form: FormData, view: TableView, guest: Guest | None, **message: Any) -> Response:
    """Answer a command: the next scene for a script, a redirect for a plain form, the page if it shows a message."""
    if message or is_fragment(request):
        return await show_table(request, view, guest, after=None if message else _int(form, "step"), **message)
    return RedirectResponse(f"/t/{view.id}", status_code=303)


async def _refuse(
    request: Request, table: str, guest: Guest | None, form: FormData, problem: UsageError | NotationError | Refused
) -> Response:
    """Say why a command was refused; a plain form gets the table with the reason."""
    refusal = problem if isinstance(problem, Refused) else Refused("not-a-move", problem.sentence, 422, **problem.facts)
    if is_fragment(request):
        return await page_error(request, refusal)
    view = await service_of(request).view(table, guest, str(form.get("invitation") or ""))
    error = explain(reader_of(request).w, refusal)
    return await _answer(request, form, view, guest, error=error, status=refusal.status)


async def _command(
    request: Request,
    table: str,
    command: Callable[..., Awaitable[Answer]],
    arguments: Callable[[FormData], Mapping[str, Any]] = lambda form: {},
) -> Response:
    """Run a command of the service with the values of a form, for a guest who may be new here."""
    form = await request.form()
    guest, token = await current_guest(request), None
    if guest is None:
        guest, token = await guest_for(request, name_from_form(form.get("name")))
    request.app.state.limits.command(guest.id)
    try:
        done = await command(table, guest, **arguments(form), version=_int(form, "version"), key=_key(form))
    except Refused as refusal:
        answer = await _refuse(request, table, guest, form, refusal)
    else:
        # Who stands up before the game may sit down again.
        view = service_of(request).show(done.snapshot, guest, str(form.get("invitation") or ""))
        answer = await _answer(request, form, view, guest)
    if token:
        remember(answer, request, token)
    return answer


def _seat(form: FormData) -> dict[str, int]:
    return {"seat": _int(form, "at")}


@router.post("/t/{table}/act")
async def act(request: Request, table: str) -> Response:
    """Play a move."""
    form = await _fields(request)
    service = service_of(request)
    reader = reader_of(request)
    guest = await current_guest(request)
    try:
        snapshot = await service.snapshot(table)
        game = snapshot.game
        enters = ENTER in snapshot.legal
        if enters and "action" not in form:
            action = board_of(game.name).entry(reader.w, game, snapshot.state).read(form)
        else:
            action = read_action(game, form, snapshot.legal)
        # With real dice the last entry of a game is confirmed: nothing can be taken back after it.
        if (reader.confirms or snapshot.entered) and not enters and ROLL not in snapshot.legal and not form.get("sure"):
            if isinstance(action, str):
                action = game.parse_action(action)
            ends = action in snapshot.legal and game.actor(game.apply(snapshot.state, action)) == OVER
            if ends or (reader.confirms and action in snapshot.legal):
                view = service.show(snapshot, guest)
                sentence = narrate(reader.w, view.game, view.state, action, seat_names(reader.w, view.seats))
                fields = [(name, str(value)) for name, value in form.multi_items()]
                return await _answer(request, form, view, guest, asking=Asking(sentence, fields))
        if guest is None:
            raise Refused("who", "We do not know who you are.", 401)
        service.wish_pace(guest, reader.settings["pace"])
        request.app.state.limits.command(guest.id)
        version = _int(form, "version")
        answer = await service.act(table, guest, _int(form, "seat"), action, version=version, key=_key(form))
        # A move that was confirmed is not taken back, so bots answer it at once.
        if form.get("sure"):
            await service.press_on(table, guest, _int(form, "seat"))
    except (UsageError, NotationError, Refused) as problem:
        return await _refuse(request, table, guest, form, problem)
    return await _answer(request, form, service.show(answer.snapshot, guest), guest)


@router.post("/t/{table}/undo")
async def undo(request: Request, table: str) -> Response:
    """Take the last move back."""
    return await _command(request, table, service_of(request).undo, _seat)


@router.post("/t/{table}/on")
async def press_on(request: Request, table: str) -> Response:
    """Let the bots go on without waiting for an undo."""
    form = await request.form()
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    await service_of(request).press_on(table, guest, _int(form, "at"))
    return Response(status_code=204) if is_fragment(request) else RedirectResponse(f"/t/{table}", status_code=303)


@router.post("/t/{table}/leave")
async def leave(request: Request, table: str) -> Response:
    """Leave a seat; during a game a bot takes it."""
    return await _command(request, table, service_of(request).leave, _seat)


@router.post("/t/{table}/stand-in")
async def stand_in(request: Request, table: str) -> Response:
    """Let a bot play for somebody who is gone."""
    return await _command(request, table, service_of(request).stand_in, _seat)


@router.post("/t/{table}/unseat")
async def unseat(request: Request, table: str) -> Response:
    """Free a seat before the game begins."""
    return await _command(request, table, service_of(request).unseat, _seat)


@router.post("/t/{table}/bot")
async def bot(request: Request, table: str) -> Response:
    """Put a bot on a free seat."""
    service = service_of(request)
    return await _command(
        request, table, service.seat_bot, lambda form: {**_seat(form), "bot": str(form.get("bot") or "greedy")}
    )


@router.post("/t/{table}/close")
async def close(request: Request, table: str) -> Response:
    """Close a table whose game is not finished."""
    return await _command(request, table, service_of(request).close)


@router.post("/t/{table}/join")
async def join(request: Request, table: str) -> Response:
    """Take a seat, or one seat for each name when several people share a device."""

    async def sit(table: str, guest: Guest, *, form: FormData, version: int, key: str) -> Answer:
        names = [name_from_form(name) for name in form.getlist("name")] or [""]
        contribution = str(form.get("contribution") or "")[:60]
        for i, name in enumerate(names):
            answer = await service_of(request).join(
                table,
                guest,
                seat=_int(form, "at") if form.get("at") else None,
                name=name or None,
                contribution=f"{contribution}-{i}" if contribution else None,
                invitation=str(form.get("invitation") or "") or None,
                version=version,
                key=f"{key[:60]}-{i}",
            )
            version = answer.version
        return answer

    return await _command(request, table, sit, lambda form: {"form": form})


@router.post("/t/{table}/rematch")
async def rematch(request: Request, table: str) -> Response:
    """Open the next game of the same people and take the guest's seat there."""
    service = service_of(request)
    form = await request.form()
    guest = await known_guest(request)
    opened = await service.rematch_of(table)
    try:
        if opened is None:
            # The form may be that of the rematch which was closed; a game that has ended does not move on.
            version = (await service.snapshot(table)).version
            async with opening(request, guest.id):
                opened = (await service.rematch(table, guest, version=version, key=_key(form))).event["table"]
    except Refused as refusal:
        if refusal.code != "rematch-open":
            return await _refuse(request, table, guest, form, refusal)
        # Somebody pressed at the same moment and was faster.
        opened = str(refusal.detail["table"])
    return go_to(request, f"/t/{opened}?sit=")


@router.post("/t/{table}/react")
async def react(request: Request, table: str) -> Response:
    """Send one of the canned reactions to everybody at the table."""
    form = await request.form()
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    await service_of(request).react(table, guest, str(form.get("reaction")))
    return Response(status_code=204) if is_fragment(request) else RedirectResponse(f"/t/{table}", status_code=303)
