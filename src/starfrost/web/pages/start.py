"""The start page: the games, the reader's own tables, open tables."""

from asyncio import to_thread
from collections.abc import Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from starfrost.boards import Board, board_of, boards
from starfrost.boards.lessons import CHECK
from starfrost.boards.seats import own_absences, seat_names
from starfrost.coach.registry import COACHES, PUZZLES
from starfrost.table import Guest, TableView
from starfrost.table.daily.days import streaks, today
from starfrost.web.asking import service_of
from starfrost.web.guests import current_guest, known_guest
from starfrost.web.pages.finished import line
from starfrost.web.pages.learn import progress_of
from starfrost.web.pages.puzzles import of_the_day, sets
from starfrost.web.pages.puzzles import today as puzzle_day
from starfrost.web.pages.rooms import own_rooms
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words, You

if TYPE_CHECKING:
    from starfrost.table import TableService

router = Pages()

_MOST_TABLES: Final = 12
"""Tables in each list."""
_MOST_ENDED: Final = 5
"""Finished games; the reader's own page has all of them."""


def _line(w: Words, view: TableView) -> dict[str, Any]:
    """Return what a list shows of a table."""
    yours = view.status == "running" and view.acting in view.mine and not view.upgrading
    names = seat_names(w, view.seats)
    state = {
        "waiting": w("waiting for players"),
        "running": w("your turn") if yours else w("%(name)s's turn", name=names[(view.acting or 1) - 1]),
    }.get(view.status, "")
    away = own_absences(w, view)
    if view.upgrading:
        state = w("paused")
    elif away:
        state = w("a bot plays for you")
    kept = view.status == "waiting" and any(seat.kept_for_you for seat in view.seats)
    invited = kept and not view.host
    if kept:
        # A free seat has the name of the person whom it is kept for.
        names = [
            seat.name if seat.kind == "open" and seat.name else name
            for seat, name in zip(view.seats, names, strict=True)
        ]
        state = w("You are invited") if invited else w("your seat is kept")
    return {
        "invited": invited,
        "away": away[0][0] if away else None,
        "view": view,
        "board": board_of(view.game.name),
        # A reader with one seat knows that they play.
        "names": w.all_of([name for name in names if not isinstance(name, You)] or names),
        "state": state,
        "yours": yours or invited,
        "dismissed": may_dismiss(view),
    }


def may_dismiss(view: TableView) -> bool:
    """Return whether the reader may close a table from a list: a game against bots, which nobody else misses."""
    alone = all(seat.kind == "bot" or seat.yours for seat in view.seats)
    return view.status == "running" and view.host and alone and view.daily is None


async def _today(request: Request, guest: Guest | None) -> dict[str, Any]:
    """Return what the reader has done today: the games of the daily games and of the puzzles, and the days in a row."""
    # A device without a server has neither.
    if guest is None or request.app.state.alone:
        return {"daily": {}, "puzzles": {}, "streak": 0}
    service = service_of(request)
    day, attempts = today(), await service.daily.attempts_of(guest)
    standing = await service.puzzles.standing(guest.id)
    kits = await to_thread(sets) if standing.attempts else {}
    answers = {game: standing.answered.get(of_the_day(kit, puzzle_day()).id) for game, kit in kits.items()}
    return {
        "daily": {one.game: not one.playing for one in attempts if one.day == day},
        "puzzles": {game: answer.solved for game, answer in answers.items() if answer},
        "streak": streaks({one.day for one in attempts if one.counts}, day)[0],
    }


def _learn(request: Request, w: Words, board: Board) -> tuple[str, str] | None:
    """Return the address and the title of what the reader can learn next about a game; None if it has no lesson."""
    if board.lesson is None:
        return None
    progress = progress_of(request, board)
    number = progress.next_chapter(board.lesson)
    if number is not None:
        return f"/learn/{board.id}/{number}", w(board.lesson.chapters[number - 1].title)
    if not progress.checked(board.lesson):
        return f"/learn/{board.id}/{CHECK}", w("What would you do?")
    return f"/learn/{board.id}", w("All chapters")


async def _played(service: "TableService", guest: Guest | None, running: Sequence[TableView]) -> set[str]:
    """Return the games that the reader has played or plays."""
    ended = await service.history.sums(guest.id) if guest else []
    return {view.game.name for view in running} | {one.game for one in ended}


@router.post("/me/dismiss")
async def dismiss(request: Request) -> Response:
    """Close a game against bots that the reader does not want to go on with."""
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    service = service_of(request)
    view = await service.view(str((await request.form()).get("table", "")).replace("\0", "")[:32], guest)
    if may_dismiss(view):
        await service.close(view.id, guest, version=view.version, key=token_hex(8))
    return go_to(request, "/")


@router.get("/")
async def start(request: Request) -> HTMLResponse:
    """Show the start page."""
    service = request.app.state.service
    w = reader_of(request).w
    guest = await current_guest(request)
    mine = await service.tables_to_play(guest, _MOST_TABLES) if guest else []
    ended = await service.history.page(guest.id, _MOST_ENDED) if guest else []
    running = [_line(w, view) for view in mine]
    running.sort(key=lambda one: (not one["invited"], one["view"].status != "running", not one["yours"]))
    known = {view.id for view in mine}
    waiting = await service.open_tables(guest, _MOST_TABLES)
    return page(
        request,
        "start.html",
        running=running,
        rooms=await own_rooms(request, guest) if guest else [],
        finished=[line(w, played) for played in ended],
        open=[_line(w, view) for view in waiting if view.id not in known],
        learn={board.id: _learn(request, w, board) for board in boards()},
        puzzles=list(PUZZLES),
        coached=list(COACHES),
        played=await _played(service, guest, mine),
        today=await _today(request, guest),
        key=token_hex(8),
    )
