"""The commands of a table's page: play, take back, sit down, leave, react. Every command is a plain form."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData
from starlette.types import ASGIApp

from starfrost.errors import NotationError, Refused, UsageError
from starfrost.table import ROLL, Answer, Guest, TableView
from starfrost.web.api.parts import service_of
from starfrost.web.boards import board_of
from starfrost.web.compress import CompressPages
from starfrost.web.guests import current_guest, known_guest, remember
from starfrost.web.limits import opening
from starfrost.web.pages.problems import explain, page_error
from starfrost.web.pages.scenes import Asking
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.pages.tables import show_table
from starfrost.web.render import go_to, is_fragment, reader_of
from starfrost.web.views.seats import seat_names
from starfrost.words.story import narrate

router = APIRouter()


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
            raise UsageError("Choose what you do first.")
        return str(form["action"])
    return board_of(game.name).read_form(form, legal)


def chosen_action(game: Any, form: FormData, legal: Sequence[Any]) -> Any:
    """Return the legal action that a form stands for. Raises UsageError if there is none."""
    asked = str(read_action(game, form, legal))
    for action in legal:
        if str(action) == asked:
            return action
    raise UsageError("The rules do not allow this here.")


def _answer(request: Request, form: FormData, view: TableView, guest: Guest | None, **message: Any) -> Response:
    """Answer a command: the next scene for a script, a redirect for a plain form, the page if it shows a message."""
    if message or is_fragment(request):
        return show_table(request, view, guest, after=None if message else _int(form, "step"), **message)
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
    return _answer(request, form, view, guest, error=error, status=refusal.status)


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
        answer = _answer(request, form, view, guest)
    if token:
        remember(answer, request, token)
    return answer


def _seat(form: FormData) -> dict[str, int]:
    return {"seat": _int(form, "at")}


@router.post("/t/{table}/act")
async def act(request: Request, table: str) -> Response:
    """Play a move."""
    if request.headers.get("content-type") == "application/x-www-form-urlencoded":
        # Starlette's parser, made for uploads of any size, takes five times as long.
        fields: Sequence[tuple[str, Any]] = parse_qsl((await request.body()).decode("latin-1"), keep_blank_values=True)
        form = FormData(list(fields))
    else:
        form = await request.form()
    service = service_of(request)
    reader = reader_of(request)
    guest = await current_guest(request)
    try:
        snapshot = await service.snapshot(table)
        action = read_action(snapshot.game, form, snapshot.legal)
        if reader.confirms and ROLL not in snapshot.legal and not form.get("sure"):
            if isinstance(action, str):
                action = snapshot.game.parse_action(action)
            if action in snapshot.legal:
                view = service.show(snapshot, guest)
                sentence = narrate(reader.w, view.game, view.state, action, seat_names(reader.w, view.seats))
                fields = [(name, str(value)) for name, value in form.multi_items()]
                return _answer(request, form, view, guest, asking=Asking(sentence, fields))
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
    return _answer(request, form, service.show(answer.snapshot, guest), guest)


act_route = next(route for route in router.routes if getattr(route, "endpoint", None) is act)


async def direct_act(request: Request) -> ASGIApp:
    """Play a move without the framework's routing and layers, and compress the answer as they do."""
    return CompressPages(await act(request, request.path_params["table"]))


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
    open_already = (await service.snapshot(table)).rematch
    if open_already:
        return go_to(request, f"/t/{open_already}?sit=")
    try:
        async with opening(request, guest.id):
            answer = await service.rematch(table, guest, version=_int(form, "version"), key=_key(form))
    except Refused as refusal:
        return await _refuse(request, table, guest, form, refusal)
    return go_to(request, f"/t/{answer.event['table']}?sit=")


@router.post("/t/{table}/react")
async def react(request: Request, table: str) -> Response:
    """Send one of the canned reactions to everybody at the table."""
    form = await request.form()
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    await service_of(request).react(table, guest, str(form.get("reaction")))
    return Response(status_code=204) if is_fragment(request) else RedirectResponse(f"/t/{table}", status_code=303)
