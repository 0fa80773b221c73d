"""The start page: every game one tap from play; the reader's own games; open tables."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from starfrost.games.registry import GAMES
from starfrost.table import TableView
from starfrost.web.guests import current_guest
from starfrost.web.render import page, reader_of
from starfrost.web.views.seats import seat_names
from starfrost.words import Words

__all__ = ["router"]

router = APIRouter()

_MOST_TABLES: Final = 12
"""Tables in each list."""


@dataclass(frozen=True)
class TableLine:
    """A table in a list."""

    id: str
    game: str
    name: str
    who: str
    state: str
    yours: bool


def _line(w: Words, view: TableView) -> TableLine:
    names = seat_names(w, view.seats)
    yours = view.status == "running" and view.acting in view.mine
    state = {
        "waiting": w("waiting"),
        "running": w("your turn") if yours else w("running"),
        "over": " : ".join(map(str, view.game.scores(view.state))),
        "closed": w("closed"),
    }[view.status]
    return TableLine(view.id, view.game.name, GAMES[view.game.name].title, w.all_of(names), state, yours)


@router.get("/")
async def start(request: Request) -> HTMLResponse:
    """Show the start page."""
    service = request.app.state.service
    w = reader_of(request).w
    guest = await current_guest(request)
    mine = await service.tables_of(guest, _MOST_TABLES) if guest else []
    known = {view.id for view in mine}
    waiting = await service.open_tables(guest, _MOST_TABLES)
    return page(
        request,
        "start.html",
        tables=[_line(w, view) for view in mine if view.status != "closed"],
        open=[_line(w, view) for view in waiting if view.id not in known],
        key=token_hex(8),
    )
