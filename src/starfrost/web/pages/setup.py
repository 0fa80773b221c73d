"""The set-up form of a game, and opening the table that it describes."""

import asyncio
from collections.abc import Sequence
from random import SystemRandom
from secrets import choice, randbelow, token_hex
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from starfrost.boards import Board, board_of
from starfrost.boards.board import form_number
from starfrost.boards.terms import CLOCK_NAMES
from starfrost.bots.registry import all_bots, bots_here, entries
from starfrost.coach.registry import COACHES
from starfrost.errors import Refused, UsageError, quoted
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.games.variants import PASTED, RULES, SIZE_LIMIT, Variant
from starfrost.table import CLOCKS, Guest, Opening
from starfrost.table.names import shorten_name, tidy_name
from starfrost.table.snapshot import RANDOM
from starfrost.table.view import DiceSource
from starfrost.web.asking import address_of, opening, service_of
from starfrost.web.guests import current_guest, device_label, remember
from starfrost.web.pages.problems import explain, page_error
from starfrost.web.render import FIRST, go_to, is_fragment, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words, mark
from starfrost.words.bots import bot_name, bot_text, usual_bot

router = Pages()

ANIMALS: Final = (
    mark("Arctic fox"),
    mark("Snowy owl"),
    mark("Lynx"),
    mark("Ermine"),
    mark("Reindeer"),
    mark("Wolf"),
    mark("Seal"),
    mark("Hare"),
)
"""Names for guests who enter none."""

_EXAMPLE: Final = 'game = "{game}"\nname = "…"\n'
"""The first lines of every rules file."""


def name_from_form(text: object) -> str:
    """Return a name fit to be shown: one line, no control characters, not too long; empty if nothing is left."""
    return shorten_name(tidy_name(str(text or "")))


async def guest_for(request: Request, name: str = "") -> tuple[Guest, str | None]:
    """Return the guest who asks, or a new one; the token is returned only for a new one, to be remembered."""
    service = service_of(request)
    guest = await current_guest(request)
    if guest is None:
        request.app.state.limits.opening(address_of(request))
        device = device_label(request.headers.get("user-agent", ""))
        return await service.new_guest(name or reader_of(request).w(choice(ANIMALS)), device)
    if name and name != guest.name:
        guest = await service.rename_guest(guest, name)
    return guest, None


def _bots(board: Board, seats: int, rules: str = "") -> tuple[str, ...]:
    """Return the bots that play the usual game with this number of seats, or a variant of it."""
    return bots_here(Setup(board.id, seats, {RULES: rules} if rules else {}).make(SystemRandom()))


async def _form(
    request: Request, board: Board, given: FormData | QueryParams, *, error: str = "", status: int = 200
) -> HTMLResponse:
    """Show the set-up form with what was entered so far."""
    w = reader_of(request).w
    guest = await current_guest(request)
    # For every number of bots those that play in such a game.
    there = {seats - 1: _bots(board, seats) for seats in board.kit.seats}
    strengths = [
        {
            "id": bot,
            "name": bot_name(w, bot),
            "text": bot_text(w, bot, entry.description),
            "bots": counts,
            "prepares": bool(entry.tables),
        }
        for bot, entry in entries(board.id).items()
        if any(counts := [count for count, bots in there.items() if bot in bots])
    ]
    names = [str(bot["id"]) for bot in strengths]
    who, wanted = given.get("who", "bots"), given.get("bot")
    return page(
        request,
        "new.html",
        status,
        board=board,
        who=who if who in ("bots", "device", "friends") else "bots",
        bots=list(there),
        most_seats=max(board.kit.seats),
        strengths=strengths,
        knowing=board.bots_note(w, names),
        strength=wanted if wanted in names else usual_bot(names),
        clocks=[(clock, w(CLOCK_NAMES[clock]) if clock in CLOCK_NAMES else clock) for clock in CLOCKS],
        setup=board.setup(w),
        practises=board.id in COACHES,
        varied=board.kit.option(RULES) is not None,
        variants=[one for one in request.app.state.settings.offered if one.game == board.id],
        example=_EXAMPLE.format(game=board.id),
        name=guest.name if guest else "",
        keeps=room if (room := str(given.get("room") or "")[:60]) != "new" else "",
        given=given,
        error=error,
        key=token_hex(8),
        back=f"/new/{board.id}",
    )


async def _refuse(request: Request, board: Board, form: FormData, refusal: Refused) -> Response:
    """Say why a form was refused; a plain form is shown again with the reason."""
    if is_fragment(request):
        return await page_error(request, refusal)
    return await _form(request, board, form, error=explain(reader_of(request).w, refusal), status=refusal.status)


def _bot(board: Board, seats: int, name: str, rules: str = "") -> str:
    """Return the bot of that name; if it does not play such a game, the strongest bot that does."""
    there = _bots(board, seats, rules)
    if name in there:
        return name
    return there[-1] if name in all_bots() else usual_bot(there)


def _bots_of_form(board: Board, form: FormData | QueryParams, rules: str = "") -> list[str]:
    """Return the bots that a set-up form chooses; those after the first are as strong as it unless they are named."""
    many = _number_of_bots(board, form)
    usual = str(form.get("bot", ""))
    return [_bot(board, many + 1, str(form.get(f"bot{n}") or usual), rules) for n in range(1, many + 1)]


@router.get("/new/{game}")
async def new(request: Request, game: str) -> Response:
    """Show the form that sets up a game."""
    if game not in GAMES:
        return RedirectResponse("/", status_code=303)
    return await _form(request, board_of(game), request.query_params)


@router.get("/new/{game}/knowing")
async def knowing(request: Request, game: str) -> Response:
    """Return what the chosen bot knows of the set-up, for the script; nothing if it need not know anything."""
    note = ""
    if game in GAMES:
        board, form = board_of(game), request.query_params
        w = reader_of(request).w
        notes = (board.bot_note(w, bot, form) for bot in _bots_of_form(board, form))
        note = next(filter(None, notes), "")
    return PlainTextResponse(note) if note else Response(status_code=204)


def _number_of_bots(board: Board, form: FormData | QueryParams) -> int:
    return form_number(form, "bots", 1, min(board.kit.seats) - 1, max(board.kit.seats) - 1)


def _names(form: FormData, board: Board, first: int | None) -> list[str]:
    """Return the people at one device, in the order of play: whoever begins is the first."""
    people = range(1, max(board.kit.seats) + 1)
    names = {n: name for n in people if (name := name_from_form(form.get(f"name{n}")))}
    begins = first or form_number(form, "begins-device", 1, 1, len(people))
    places = list(names)
    start = places.index(begins) if begins in names else 0
    if form.get("begins-device") == RANDOM and names and first is None:
        start = randbelow(len(names))
    return [names[n] for n in places[start:] + places[:start]]


async def _variant(form: FormData, board: Board, offered: Sequence[Variant]) -> Variant | None:
    """Return the variant that a form chooses, or brings as a file or as text. Raises UsageError."""
    for variant in offered:
        if variant.game == board.id and variant.digest == form.get("variant"):
            return variant
    file = form.get("rules_file")
    name, text = PASTED, str(form.get(RULES) or "")
    if isinstance(file, UploadFile) and file.filename:
        data = await file.read(4 * SIZE_LIMIT)
        name = quoted(file.filename)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise UsageError("%(file)s is not a text in UTF-8.", RULES, file=name) from None
    # Checking a long file takes some milliseconds.
    return await asyncio.to_thread(board.kit.variant, text, name) if text.strip() else None


def _options(form: FormData, board: Board, variant: Variant | None) -> dict[str, str]:
    """Return the options of a form; what a variant decides is not asked for. Raises UsageError."""
    found = board.read_setup(form)
    if variant is None:
        return found
    decided = set(variant.options)
    if decided & board.kit.decided:
        decided |= {MODE, *board.kit.decided}
    return {name: text for name, text in found.items() if name not in decided} | {RULES: variant.text}


def _head_start(form: FormData, board: Board, w: Words) -> tuple[Variant | None, int | None]:
    """Return the variant that gives the head start of a form, and who then begins, from 1. Raises UsageError."""
    found = board.head_start(w, form)
    if found is None:
        return None, None
    variant, begins = found
    ahead = form_number(form, "ahead", 1, 1, 2)
    return variant, ahead if begins else 3 - ahead


def _opening(form: FormData, board: Board, names: list[str], variant: Variant | None, first: int | None) -> Opening:
    """Return the table that a set-up form describes; with a head start `first` begins. Raises UsageError."""
    who = str(form.get("who", "bots"))
    if who == "device":
        seats = ["open"] * len(names)
    elif who == "friends":
        seats = ["open"] * form_number(form, "seats", 2, 2, max(board.kit.seats))
    else:
        seats = ["open", *(f"bot:{bot}" for bot in _bots_of_form(board, form, variant.text if variant else ""))]
    if first is not None and len(seats) != 2:
        raise UsageError("A head start is for two players.")
    begins = None if first else form.get(f"begins-{who}")
    chosen = first or form_number(form, f"begins-{who}", 1, 1, len(seats)) if who != "device" else None
    clock = str(form.get("clock", "none")) if who == "friends" else "none"
    entered: DiceSource = "pad" if form.get("pad") and who == "device" else "entered"
    dice: DiceSource = entered if form.get("dice") == "entered" else "sealed"
    return Opening(
        board.id,
        tuple(seats),
        _options(form, board, variant),
        clock if clock in CLOCKS else "none",
        bool(form.get("public")) and who == "friends",
        RANDOM if begins == RANDOM and who != "device" else chosen,
        "practice" if form.get("practice") and who == "bots" else "ask",
        dice=dice,
    )


async def _open(request: Request, guest: Guest, wanted: Opening, kept: str, key: str) -> str:
    """Open a table, in a room if it is to be kept: `new`, or the code of one. Raises Refused."""
    service = service_of(request)
    if not kept:
        return (await service.open(guest, wanted, key=key)).table
    if kept == "new":
        await wanted.made()
        return await service.rooms.next(await service.rooms.create(guest, wanted, key=key), guest, key=key)
    room = await service.rooms.find(kept)
    if room is None or not await service.rooms.is_member(room, guest):
        raise Refused("no-room", "There is no room with this code, or it is closed.", 404)
    return await service.rooms.play(room, guest, wanted, key=key)


@router.post("/play")
async def play(request: Request) -> Response:
    """Open a table and send its host there to take a seat.

    The table's seed must be committed before the host's browser adds randomness of its own, so sitting down is a second
    step, which the page takes by itself.
    """
    form = await request.form()
    game = str(form.get("game", ""))
    if game not in GAMES:
        return RedirectResponse("/", status_code=303)
    board = board_of(game)
    try:
        variant, first = await _variant(form, board, request.app.state.settings.offered), None
        if variant is None:
            variant, first = _head_start(form, board, reader_of(request).w)
        names = _names(form, board, first)
        if form.get("who") == "device" and len(names) < 2:
            return await _refuse(request, board, form, Refused("names", "Give at least two names.", 422))
        wanted = _opening(form, board, names, variant, first)
    except UsageError as problem:
        return await _refuse(request, board, form, Refused("set-up", problem.sentence, 422, **problem.facts))
    guest, token = await guest_for(request, name_from_form(form.get("name")))
    key = str(form.get("key") or token_hex(8))[:64]
    try:
        async with opening(request, guest.id):
            kept = str(form.get("room") or "") if form.get("who") == "friends" and not wanted.public else ""
            table = await _open(request, guest, wanted, kept[:60], key)
    except Refused as refusal:
        response: Response = await _refuse(request, board, form, refusal)
    else:
        sit = urlencode([("sit", name) for name in names] if form.get("who") == "device" else [("sit", "")])
        response = go_to(request, f"/t/{table}?{sit}")
        if form.get("first"):
            response.set_cookie(FIRST, table, samesite="lax", httponly=True)
    if token:
        remember(response, request, token)
    return response
