"""The pictures of link previews, and what they show of a table or a replay.

A preview stays in a chat for ever and is fetched by strangers: it shows of a private table only which game is played.
"""

import asyncio
import re
from collections import OrderedDict
from dataclasses import replace
from hashlib import sha256
from subprocess import SubprocessError
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from starfrost.boards import Board, Position, board_of
from starfrost.boards.png import picture_of
from starfrost.boards.previews import Preview
from starfrost.boards.seats import seat_names
from starfrost.boards.terms import terms
from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table import TableView
from starfrost.web.asking import address_of, service_of
from starfrost.web.render import drawing, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.story import mode_label, result

router = Pages()

_MOST_KEPT: Final = 100
"""Pictures that are kept, each of about 100 kilobytes."""

_MOST_WAITING: Final = 20
"""Pictures that may wait to be drawn; two are drawn at a time."""

_HEADERS: Final = {"Cache-Control": "public, max-age=600", "Cross-Origin-Resource-Policy": "cross-origin"}

# What XML does not allow, whoever wrote it into a name.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Pictures:
    """The pictures of one server process: drawn two at a time, each once, the last ones kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, asyncio.Task[bytes]] = OrderedDict()
        self._turn = asyncio.Semaphore(2)
        self._waiting = 0

    def has(self, svg: str) -> bool:
        """Return whether a picture is drawn already, or being drawn."""
        return _key(svg) in self._kept

    async def draw(self, svg: str) -> bytes:
        """Return a drawing as PNG. Raises Refused if too many wait or it cannot be drawn."""
        key = _key(svg)
        if key not in self._kept:
            if self._waiting >= _MOST_WAITING:
                raise Refused("busy", "The server is busy. Try again in a moment.", 503)
            self._kept[key] = asyncio.create_task(self._draw(svg))
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        try:
            return await asyncio.shield(self._kept[key])
        except (OSError, SubprocessError):
            self._kept.pop(key, None)
            raise Refused("no-picture", "This picture cannot be drawn just now.", 503) from None

    async def _draw(self, svg: str) -> bytes:
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(picture_of, svg)
        finally:
            self._waiting -= 1


def _key(svg: str) -> bytes:
    return sha256(svg.encode()).digest()


async def picture(request: Request, template: str = "preview.svg", /, **values: Any) -> Response:
    """Return a picture of 1200 by 630 points in the reader's language, drawn off the event loop and kept.

    `preview.svg` shows `title`, `text`, `rows` (pairs of a label and a value: players and their points, or anything
    with `players=False`) and the drawing of a `board`; another template may extend it and fill its blocks. Raises
    Refused if one address asks for too many.
    """
    pictures: Pictures = request.app.state.pictures
    svg = _FORBIDDEN.sub("", drawing(request, template, **values))
    if not pictures.has(svg):
        request.app.state.limits.picture(address_of(request))
    return Response(await pictures.draw(svg), media_type="image/png", headers=_HEADERS)


def game_preview(board: Board, title: str, text: str, address: str | None = None) -> Preview:
    """Return a preview that shows a game and nothing of what is played."""
    return Preview(title, text, f"/preview/game/{board.id}.png", address)


def invitation_preview(w: Words, view: TableView) -> Preview:
    """Return the preview of an invitation: who invites, to what, and whether a seat is free; not where."""
    board = board_of(view.game.name)
    text = w("You are invited to a game of %(game)s.", game=board.title)
    if view.host_name:
        text = w("%(name)s invites you to a game of %(game)s.", name=view.host_name, game=board.title)
    free = sum(seat.kind == "open" and not seat.reserved for seat in view.seats)
    seats = w.plural("One seat is free.", "%(n)s seats are free.", free) if free else w("The table is full.")
    agreed = terms(w, view.game, view.mode, view.clock)
    text = " ".join(filter(None, (text, f"{agreed}." if agreed else "", seats)))
    return game_preview(board, w("Take a seat"), text, address="")


def at_step(view: TableView, step: int | None) -> TableView:
    """Return a table as it was after a number of moves, so that a link to a position does not tell the result."""
    if step is None or not 0 <= step < len(view.moves):
        return view
    return replace(view, state=view.state_at(step), moves=view.moves[:step], status="running")


def table_preview(w: Words, view: TableView, step: int | None = None) -> Preview:
    """Return the preview of a table or of a step of its replay.

    It shows who plays at a public table, and of a private one the game alone.
    """
    board = board_of(view.game.name)
    if not view.public:
        return game_preview(board, w("A game of %(game)s", game=board.title), board.invitation(w))
    title, text = told(w, at_step(view, step))
    return Preview(title, text, f"/preview/table/{view.id}.png" + (f"?step={step}" if step is not None else ""))


def told(w: Words, view: TableView) -> tuple[str, str]:
    """Return the title and a sentence about a table that everybody may know of."""
    board, names = board_of(view.game.name), seat_names(w, view.seats)
    players = [name for name, seat in zip(names, view.seats, strict=True) if seat.kind != "open"]
    if view.status == "waiting":
        free = len(names) - len(players)
        seats = w.plural("One seat is free.", "%(n)s seats are free.", free)
        return w("Open table: %(game)s", game=board.title), seats
    title = result(w, view.game, view.state, names) if view.status == "over" else w.all_of(players)
    return title, " · ".join(filter(None, (board.title, mode_label(w, view.game, view.mode))))


def drawn(w: Words, view: TableView) -> dict[str, Any]:
    """Return what a picture shows of a position that everybody may see."""
    board, names = board_of(view.game.name), seat_names(w, view.seats)
    title, text = told(w, view)
    scores = [""] * len(names) if view.status == "waiting" else view.game.scores(view.state)
    position = Position(view.game, view.state, names, view.seats, None, past=view.moves[-3:])
    return {
        "board": board,
        "title": title,
        "text": text,
        "rows": list(zip(names, scores, strict=True)),
        "t": board.draw(w, position),
    }


@router.get("/preview.png")
async def site_picture(request: Request) -> Response:
    """Return the picture of pages that have none of their own."""
    return await picture(request)


@router.get("/preview/game/{game}.png")
async def game_picture(request: Request, game: str) -> Response:
    """Return the picture of a game."""
    if game not in GAMES:
        raise HTTPException(404)
    board = board_of(game)
    return await picture(request, board=board, title=board.title)


@router.get("/preview/table/{table}.png")
async def table_picture(request: Request, table: str, step: int | None = None) -> Response:
    """Return the picture of a public table, now or at a step; of a private one the picture of its game."""
    view = await service_of(request).view(table, None)
    if not view.public:
        return await game_picture(request, view.game.name)
    return await picture(request, **drawn(reader_of(request).w, at_step(view, step)))
