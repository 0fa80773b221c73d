"""The start page: the games, the reader's own tables, open tables."""

from secrets import token_hex
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from starfrost.coach.registry import PUZZLES
from starfrost.table import TableView
from starfrost.web.boards import Board, board_of, boards
from starfrost.web.guests import current_guest
from starfrost.web.pages.learn import progress_of
from starfrost.web.render import page, reader_of
from starfrost.web.views.lessons import CHECK
from starfrost.web.views.me import line
from starfrost.web.views.seats import own_absences, seat_names
from starfrost.words import Words

router = APIRouter()

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
        "names": w.all_of(names),
        "state": state,
        "yours": yours or invited,
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
        finished=[line(w, played) for played in ended],
        open=[_line(w, view) for view in waiting if view.id not in known],
        learn={board.id: _learn(request, w, board) for board in boards()},
        puzzles=list(PUZZLES),
        key=token_hex(8),
    )
