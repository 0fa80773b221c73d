"""Any position: set up by taps, held by its address, with the value of all that can be done in it."""

from asyncio import to_thread
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import SystemRandom
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from starlette.datastructures import MultiDict, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards import Board, board_of
from starfrost.boards.board import form_number
from starfrost.boards.previews import Preview
from starfrost.bots.registry import bots_here
from starfrost.coach.registry import coach_of
from starfrost.errors import NotationError, RecordError, Refused, UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.kit import CUSTOM, MODE
from starfrost.games.record import decode, parse_record, replay
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.table import Opening, SeatView
from starfrost.web.asking import address_of, in_page_thread, opening, service_of
from starfrost.web.guests import remember
from starfrost.web.pages.coach import hint_note
from starfrost.web.pages.judged import may_solve
from starfrost.web.pages.puzzles import Alternative
from starfrost.web.pages.replays import position_address, view_of
from starfrost.web.pages.scenes import Note, draw_scene
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.bots import usual_bot
from starfrost.words.numbers import percent
from starfrost.words.story import tell

if TYPE_CHECKING:
    from starfrost.web.coaching import CoachWorkers

router = Pages()

FEW: Final = 8
"""The values that are shown at once."""
WAIT: Final = 3.0
"""Seconds that a reader waits for the coach before the page says that it thinks."""


@dataclass(frozen=True)
class Valued:
    """What the page says of the chances in a position."""

    state: str
    """`valued`; `thinking` while the coach works, `solving` while it works out the cards; `none` without an answer."""
    percent: int = 0
    shares: Sequence[str] = ()
    """Every seat's chance to win."""
    choices: Sequence[Alternative] = ()
    note: Note | None = None
    exact: bool = False


def _board(game: str) -> Board:
    if game not in GAMES:
        raise Refused("not-found", "There is no such game.", 404)
    return board_of(game)


def _refused(problem: UsageError | NotationError) -> Refused:
    return Refused("bad-position", problem.sentence, 422, **problem.facts)


def _game(board: Board, given: Any) -> Game[Any, Any]:
    """Return the game that an address or a form describes. Raises Refused."""
    seats = form_number(given, "seats", max(2, min(board.kit.seats)), min(board.kit.seats), max(board.kit.seats))
    options = {option.name: str(given[option.name]) for option in board.kit.options if given.get(option.name)}
    try:
        if given.get(MODE):
            options = board.read_setup(given)
        return Setup(board.id, seats, options).make(SystemRandom())
    except UsageError as problem:
        raise _refused(problem) from None


def _state(game: Game[Any, Any], text: str) -> Any:
    try:
        return game.parse_position(text)
    except NotationError as problem:
        raise _refused(problem) from None


def _names(w: Words, game: Game[Any, Any]) -> list[str]:
    return [w("Player %(n)s", n=number) for number in range(1, game.seats + 1)]


async def _valued(request: Request, game: Game[Any, Any], state: Any) -> Valued:
    """Ask the coach what a position is worth."""
    coach = coach_of(game)
    if coach is None or game.actor(state) == OVER:
        return Valued("none")
    limits = request.app.state.limits
    if not coach.can_judge(game):
        if not await may_solve(request, False):
            return Valued("none")
        limits.solving(address_of(request), game)
        return Valued("solving", await to_thread(coach.solve, game))
    limits.page(address_of(request))
    coaching: CoachWorkers = request.app.state.coaching
    values = await coaching.values(game, state, WAIT)
    if values is None:
        return Valued("thinking")
    w, names = reader_of(request).w, _names(reader_of(request).w, game)
    note = None
    if values.options:
        advice = await coaching.advice(game, state, WAIT)
        note = hint_note(w, game, state, names, advice, 0) if advice else None
    best = max((value for _, value in values.options), default=1.0) or 1.0
    choices = [
        Alternative(
            tell(w, game, state, game.parse_action(action), names),
            percent(w, value),
            round(100 * max(value, 0.0) / best, 1),
            place == 0,
            yours=False,
        )
        for place, (action, value) in enumerate(values.options)
    ]
    return Valued("valued", 100, [percent(w, share) for share in values.shares], choices, note, values.exact)


async def _show(
    request: Request,
    game: Game[Any, Any],
    state: Any,
    given: Any,
    *,
    valued: Valued | None = None,
    error: str = "",
    record: str = "",
) -> Response:
    """Draw the editor, and the position with its values if there is one."""
    reader = reader_of(request)
    w, board = reader.w, board_of(game.name)
    names = _names(w, game)
    seats = tuple(SeatView(number, "person", name) for number, name in enumerate(names, start=1))
    view = view_of(game, (), (state,), seats)
    live, drawn = await to_thread(partial(draw_scene, reader, view, 0))
    mode = board.kit.mode_of(game, None) or ""
    cards = [(name, word) for name, text in game.headers().items() for word in text.split()]
    acting = game.turn_of(state) if game.actor(state) == CHANCE else game.actor(state)
    return page(
        request,
        "position.html",
        422 if error else 200,
        board=board,
        game=game,
        names=names,
        live=replace(live, waiting=""),
        t=drawn,
        given=given,
        chosen=MultiDict([*cards, (MODE, mode if mode in board.kit.modes else CUSTOM)]),
        setup=board.setup(w),
        dice=board.dice_of_position(w, game),
        valued=valued,
        few=FEW,
        turn="" if acting < 0 else names[acting],
        fields=[("seats", game.seats), *game.headers().items()],
        at=game.position_text(state),
        link=f"{request.base_url}{position_address(game, state)[1:]}",
        over=game.actor(state) == OVER,
        error=error,
        record=record,
        back=position_address(game, state),
        preview=Preview(f"{w('Any position')} · {board.title}", w("What is best?")),
    )


@router.get("/position")
async def first(request: Request) -> Response:
    """Lead to the editor of the first game."""
    return RedirectResponse(f"/position/{next(iter(GAMES))}", status_code=303)


@router.get("/position/{game}")
async def position(request: Request, game: str) -> Response:
    """Show the position that an address holds with its values, or an editor for one."""
    board, asked = _board(game), request.query_params
    made = _game(board, asked)
    if asked.get(MODE):
        # Cards were chosen by a form: the address names them alone.
        fields = {"seats": str(made.seats), **made.headers()}
        return RedirectResponse(f"/position/{game}?{urlencode(fields)}", status_code=303)
    state = _state(made, asked["at"]) if "at" in asked else None
    valued = await _valued(request, made, state) if state is not None else None
    shown = made.start() if state is None else state
    return await _show(request, made, shown, MultiDict(board.fields_of(made, shown)), valued=valued)


@router.post("/position/{game}")
async def set_up(request: Request, game: str) -> Response:
    """Send the reader to the position that a form describes, or to the last one of a record."""
    board, form = _board(game), await request.form()
    made, w, record = _game(board, form), reader_of(request).w, str(form.get("record") or "")
    try:
        file = form.get("file")
        if isinstance(file, UploadFile) and file.filename:
            record = decode(await file.read())
        if record.strip():
            played = await in_page_thread(request, lambda: replay(parse_record(record.strip() + "\n")))
            return RedirectResponse(position_address(played.record.game, played.final), status_code=303)
        state = made.parse_position(board.read_position(form, made))
        return RedirectResponse(position_address(made, state), status_code=303)
    except (UsageError, NotationError, RecordError) as problem:
        error = w.say(problem)
        if isinstance(problem, RecordError):
            error = f"{w('Line %(line)s', line=problem.line)}: {error}"
        return await _show(request, made, made.start(), form, error=error, record=record)


@router.post("/position/{game}/play")
async def play_on(request: Request, game: str) -> Response:
    """Open a table that goes on from a position: against bots, or with real dice on this device."""
    board, form = _board(game), await request.form()
    made = _game(board, form)
    state = _state(made, str(form.get("at") or ""))
    actor = made.actor(state)
    mine = made.turn_of(state) if actor == CHANCE else actor
    real = form.get("dice") == "entered"
    bot = f"bot:{usual_bot(bots_here(made))}"
    seats = tuple("open" if real or seat == mine else bot for seat in range(made.seats))
    guest, token = await guest_for(request)
    wanted = Opening(
        made.name,
        seats,
        dict(made.headers()),
        coach="ask" if real else "practice",
        dice="entered" if real else "sealed",
        position=made.position_text(state),
    )
    async with opening(request, guest.id):
        answer = await service_of(request).open(guest, wanted, key=token_hex(8))
    sit = _names(reader_of(request).w, made) if real else [""]
    response = go_to(request, f"/t/{answer.table}?{urlencode([('sit', name) for name in sit])}")
    if token:
        remember(response, request, token)
    return response
