"""The reader's own history: figures, records, levels and charts, the list of all games, and all records as one file."""

from collections.abc import AsyncIterator, Iterable, Sequence
from csv import writer
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from secrets import token_hex
from time import time
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from starfrost.boards import Board, board_of
from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table import TableService
from starfrost.table.history import Bests, Opponents, Sum
from starfrost.table.results import DEVICE, PEOPLE
from starfrost.web.api.parts import commanding
from starfrost.web.asking import in_page_thread, opening, service_of
from starfrost.web.guests import current_guest, known_guest
from starfrost.web.pages import levels
from starfrost.web.pages.finished import line
from starfrost.web.pages.puzzles import deck_of
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.routing import Pages
from starfrost.web.zipping import zipped
from starfrost.words import Words
from starfrost.words.bots import bot_name
from starfrost.words.numbers import count, decimal, short_date, whole_percent

router = Pages()


def opponents_text(w: Words, against: str) -> str:
    """Return in words who the others were."""
    names = {PEOPLE: w("people"), DEVICE: w("one device")}
    return w.all_of(names.get(name) or bot_name(w, name) for name in against.split("+")) if against else w("alone")


@dataclass(frozen=True)
class Summary:
    """The games of one kind in figures."""

    who: str
    against: str
    seats: int
    games: str
    won: str
    average: str
    best: str


def _summary(w: Words, who: str, against: str, seats: int, sums: Sequence[Sum]) -> Summary:
    games = sum(one.games for one in sums)
    share = whole_percent(w, sum(one.won for one in sums) / games)
    average = sum(one.points for one in sums) / games
    best = max(one.best for one in sums)
    return Summary(who, against, seats, count(w, games), share, decimal(w, average, 1), count(w, best))


def summaries(w: Words, sums: Iterable[Sum]) -> tuple[Summary | None, list[Summary]]:
    """Return all games in figures, and those against each kind of opponents at each size of table."""
    found = sorted(sums, key=lambda one: (one.seats, -one.games))
    if not found:
        return None, []
    kinds = [_summary(w, opponents_text(w, one.against), one.against, one.seats, [one]) for one in found]
    return _summary(w, "", "", 0, found), kinds


@dataclass(frozen=True)
class Best:
    """A personal record."""

    what: str
    value: str
    table: str = ""
    date: str = ""


def bests(w: Words, found: Bests | None) -> list[Best]:
    """Return the personal records in words."""
    if found is None:
        return []
    top, lead, fast = found.score, found.lead, found.fast
    told = [Best(w("Most points"), count(w, top.number), top.table_id, short_date(w, top.at))]
    if lead is not None:
        told.append(
            Best(
                w("Biggest win"),
                w.plural("one point ahead", "%(n)s points ahead", lead.number),
                lead.table_id,
                short_date(w, lead.at),
            )
        )
    if fast is not None:
        told.append(
            Best(
                w("Fastest win"),
                w.plural("one turn", "%(n)s turns", fast.number),
                fast.table_id,
                short_date(w, fast.at),
            )
        )
    if found.streak > 1:
        told.append(Best(w("Longest winning streak"), w.plural("one game", "%(n)s games", found.streak)))
    return told


def boards_played(sums: Iterable[Sum]) -> list[tuple[Board, int]]:
    """Return the games that a guest has finished, the most played first."""
    games: dict[str, int] = {}
    for one in sums:
        games[one.game] = games.get(one.game, 0) + one.games
    return [(board_of(game), n) for game, n in sorted(games.items(), key=lambda item: (-item[1], item[0]))]


_RECENT: Final = 5
"""Games on the first page."""
_PAGE: Final = 30
"""Games on each page of the list."""
_TREND: Final = 50
"""Games in the charts."""
_GROUPS: Final = 6
"""Groups of people on the first page."""


def _known_game(game: str | None) -> str | None:
    """Return a game of the address. Raises Refused if there is none of this name."""
    if game is not None and game not in GAMES:
        raise Refused("bad-game", "The game must be one of %(games)s.", 404, games=", ".join(GAMES))
    return game


def _opponents(w: Words, group: Opponents) -> dict[str, Any]:
    return {
        "table": group.table_id,
        "names": w.all_of(group.names),
        "board": board_of(group.game),
        "games": group.games,
        "date": short_date(w, group.at),
    }


async def _facts(request: Request, guest: str, game: str, sums: list[Sum]) -> dict[str, Any]:
    """Return what the page shows of one game, and have the coach look at games that nobody has judged."""
    service, w = service_of(request), reader_of(request).w
    total, kinds = summaries(w, [one for one in sums if one.game == game])
    points = await service.history.trend(guest, game, _TREND)
    rated = [point for point in points if point.level is not None]
    level, deviation = (rated[-1].level, rated[-1].deviation) if rated else (None, None)
    found = await service.history.bests(guest, game)
    await service.historian.look_at(guest)

    def shown() -> dict[str, Any]:
        charts = (chart(w, points) for chart in (levels.level_chart, levels.accuracy_chart, levels.luck_chart))
        return {
            "total": total,
            "kinds": kinds,
            "bests": bests(w, found),
            "ladder": levels.ladder(w, game, level, deviation, found.rated if found else 0),
            "charts": [chart for chart in charts if chart is not None],
            "costs": levels.costs(w, game, points),
            "average_cost": levels.average_cost(w, points),
            "judged": sum(point.judged is not None for point in points),
        }

    return await in_page_thread(request, shown)


@router.get("/me")
async def me(request: Request, game: str | None = None) -> HTMLResponse:
    """Show the reader's history, with the figures of one game: the one asked for, or the most played."""
    history, w = service_of(request).history, reader_of(request).w
    chosen = _known_game(game)
    guest = await current_guest(request)
    sums = await history.sums(guest.id) if guest else []
    played = boards_played(sums)
    board = board_of(chosen) if chosen else played[0][0] if played else None
    facts = await _facts(request, guest.id, board.id, sums) if guest and board else {}
    recent = await history.page(guest.id, _RECENT) if guest else []
    opponents = await history.opponents(guest.id, _GROUPS) if guest else []
    deck = await deck_of(request)

    def draw() -> HTMLResponse:
        return page(
            request,
            "me.html",
            guest=guest,
            board=board,
            played=played,
            since=short_date(w, min(one.first for one in sums)) if sums else "",
            facts=facts,
            recent=[line(w, one) for one in recent],
            opponents=[_opponents(w, one) for one in opponents],
            deck=deck,
            key=token_hex(8),
        )

    return await in_page_thread(request, draw)


@router.get("/me/games")
async def games(request: Request, number: int = 1, game: str | None = None, against: str | None = None) -> Response:
    """Show one page of all finished games, newest first; those of one game or against the same opponents if asked."""
    history, w = service_of(request).history, reader_of(request).w
    chosen, against = _known_game(game), (against or "").replace("\0", "")[:200] or None
    guest = await current_guest(request)
    if guest is None:
        # Whoever has not played yet reads there how to begin.
        return RedirectResponse("/me", status_code=303)
    found = await history.count(guest.id, chosen, against)
    last = max(1, -(-found // _PAGE))
    if not 1 <= number <= last:
        raise Refused("no-page", "This list has the pages 1 to %(last)s.", 404, last=last)
    lines = await history.page(guest.id, _PAGE, (number - 1) * _PAGE, chosen, against)

    def draw() -> HTMLResponse:
        return page(
            request,
            "me_games.html",
            lines=[line(w, one) for one in lines],
            found=found,
            number=number,
            last=last,
            game=chosen,
            against=against,
            opponents=opponents_text(w, against) if against else "",
        )

    return await in_page_thread(request, draw)


_downloading: set[str] = set()
"""The guests who are downloading their records."""


@router.get("/me/games.zip")
async def download(request: Request) -> Response:
    """Send all records of the reader's finished games as one file, with a table of contents; it is made meanwhile."""
    guest = await known_guest(request)
    if guest.id in _downloading:
        raise Refused("busy", "Your download is already on its way.", 429)
    _downloading.add(guest.id)

    async def parts() -> AsyncIterator[bytes]:
        try:
            async for part in zipped(_files(service_of(request), guest.id)):
                yield part
        finally:
            _downloading.discard(guest.id)

    headers = {
        "Content-Disposition": 'attachment; filename="starfrost-games.zip"',
        # It is compressed already.
        "Content-Encoding": "identity",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(parts(), media_type="application/zip", headers=headers)


async def _files(service: TableService, guest: str) -> AsyncIterator[tuple[str, str, float]]:
    """Yield the records of a guest's games and at the end the list of them: name, text and time of each file."""
    lines = StringIO()
    table = writer(lines)
    table.writerow(("file", "ended", "game", "mode", "players", "seat", "score", "victory"))
    async for played in service.history.records(guest):
        mine = played.mine
        day = datetime.fromtimestamp(mine.at, UTC)
        name = f"{day:%Y-%m-%d}-{mine.game}-{mine.table_id}.sfr"
        table.writerow(
            (name, f"{day:%Y-%m-%d %H:%M}", mine.game, mine.mode or "", mine.seats, mine.seat, mine.score, mine.share)
        )
        yield name, await service.past_record(mine.table_id), mine.at
    yield "games.csv", lines.getvalue(), time()


@router.post("/me/again")
async def again(request: Request) -> Response:
    """Invite the people of a finished game to another one, and send the reader to its table."""
    guest = await commanding(request)
    form = await request.form()
    key = str(form.get("key") or token_hex(8))[:64]
    async with opening(request, guest.id):
        table = await service_of(request).invite_again(str(form.get("table", "")), guest, key=key)
    return go_to(request, f"/t/{table}?sit=")


@router.post("/me/decline")
async def decline(request: Request) -> Response:
    """Forget an invitation."""
    guest = await commanding(request)
    form = await request.form()
    await service_of(request).history.decline(guest.id, str(form.get("table", "")).replace("\0", "")[:32])
    return go_to(request, "/")
