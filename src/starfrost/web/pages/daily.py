"""The daily game: today's and past days', beginning one, and the result that a player shares."""

import re
import time
from calendar import Calendar
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from secrets import token_hex
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from starfrost.boards import Board, board_of
from starfrost.boards.previews import Preview
from starfrost.errors import Refused
from starfrost.games.registry import make_game
from starfrost.table import Guest
from starfrost.table.daily.best_play import SEARCH
from starfrost.table.daily.days import ends, read_day, shifted, streaks, today
from starfrost.table.daily.deals import Deal
from starfrost.table.daily.games import Attempt, Standings
from starfrost.web.asking import opening, service_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.previews import picture
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.bots import bot_name
from starfrost.words.numbers import day_name, decimal
from starfrost.words.story import mode_label

router = Pages()

FEW: Final = 10
"""Places that a panel shows."""

SQUARES: Final = (("⬜", "#ffffff"), ("🟦", "#3b88e0"), ("🟩", "#3aa676"), ("🟨", "#f2b21b"))
"""Nothing, little, more and most of the points of a turn: as emoji, and as a colour of the picture."""


@dataclass(frozen=True)
class Compared:
    """What a bot or the search reached with the same dice."""

    name: str
    text: str
    share: float
    """The length of its bar, 0 to 100."""
    mine: bool = False


@dataclass(frozen=True)
class Panel:
    """One game of a day."""

    deal: Deal
    board: Board
    subtitle: str
    attempt: Attempt | None
    standings: Standings
    told: bool
    """Whether the results may be told: the reader has finished, or the day is over."""
    result: str = ""
    rank: str = ""
    line: str = ""
    """The result as a line of emoji to share."""
    bars: Sequence[tuple[str, float]] = ()
    """The colour and the height of each turn's points."""
    compared: Sequence[Compared] = ()
    early: bool = False
    """Whether the seal was published before the day began; it was not on the first day of a server."""


def result_text(w: Words, attempt: Attempt | Mapping[str, Any]) -> str:
    """Return a result in a few words."""
    found = attempt if isinstance(attempt, Mapping) else vars(attempt)
    scores = " : ".join(map(str, found["scores"]))
    points = w.plural("one point", "%(n)s points", found["points"]) if len(found["scores"]) == 1 else scores
    return w("Won: %(result)s", result=points) if found["won"] else w("Lost: %(result)s", result=points)


def squares(gains: Iterable[int]) -> str:
    """Return the points of every turn as coloured squares: they tell how the game went, and nothing of its dice."""
    return "".join(SQUARES[level][0] for level, _ in _levels(gains))


def bars(gains: Iterable[int]) -> list[tuple[str, float]]:
    """Return the same for a picture: the colour of each turn and its share of the best one."""
    return [(SQUARES[level][1], share) for level, share in _levels(gains)]


def _levels(gains: Iterable[int]) -> list[tuple[int, float]]:
    gains = list(gains)
    most = max([1, *gains])
    return [(min(3, -(-3 * max(0, gain) // most)), max(0.0, gain / most)) for gain in gains]


def share_line(title: str, attempt: Attempt) -> str:
    """Return the line to share: the game, the day, the result and the squares."""
    sign, scores = "🏆" if attempt.won else "🎲", ":".join(map(str, attempt.scores))
    return f"Starfrost · {title} · {attempt.day} · {sign} {scores} {squares(attempt.gains)}"


def rank_text(w: Words, attempt: Attempt, standings: Standings) -> str:
    """Return a reader's place among everybody, and the average."""
    if attempt.points is None:
        return ""
    if standings.players < 2:
        return w("Only you have a result on this day.")
    place = w("Only people who had already finished three games are ranked.")
    if attempt.ranked:
        rank = standings.rank(attempt.won, attempt.points)
        place = w("Place %(rank)s of %(players)s.", rank=rank, players=standings.ranked)
    mean = decimal(w, standings.mean, 1)
    if len(attempt.scores) == 1:
        return place + " " + w("The average is %(mean)s points.", mean=mean)
    return place + " " + w("The average lead is %(mean)s points.", mean=mean)


def panel(w: Words, deal: Deal, attempt: Attempt | None, standings: Standings) -> Panel:
    """Return what a page shows of one game of a day."""
    board = board_of(deal.game)
    game = make_game(deal.game, len(deal.seats), deal.headers)
    bots = [bot_name(w, word[4:]) for word in deal.seats if word.startswith("bot:")]
    against = w("against %(bots)s", bots=w.all_of(bots)) if bots else ""
    counts = attempt is not None and attempt.counts
    return Panel(
        deal,
        board,
        " · ".join(filter(None, (against, mode_label(w, game, deal.mode), board.subtitle(w, game)))),
        attempt,
        standings,
        told=deal.seed is not None or (attempt is not None and not attempt.playing),
        result=result_text(w, attempt) if attempt is not None and counts else "",
        rank=rank_text(w, attempt, standings) if attempt is not None else "",
        line=share_line(board.title, attempt) if attempt is not None and counts else "",
        bars=bars(attempt.gains) if attempt is not None else (),
        compared=_compared(w, deal, attempt),
        early=deal.sealed < ends(shifted(deal.day, -1)),
    )


def _compared(w: Words, deal: Deal, attempt: Attempt | None) -> list[Compared]:
    """Return the results of bots, of the search and the reader's own, best first."""
    found = [
        (dict(result), w("Best play found") if bot == SEARCH else bot_name(w, bot), False)
        for bot, result in deal.best.items()
    ]
    if found and attempt is not None and attempt.counts:
        found.append((vars(attempt), w("You"), True))
    found.sort(key=lambda one: (one[0]["won"], one[0]["points"], one[2]), reverse=True)
    most = max([1, *(result["scores"][0] for result, _, _ in found)])
    return [
        Compared(name, result_text(w, result), max(0.0, round(100 * result["scores"][0] / most, 1)), mine)
        for result, name, mine in found
    ]


@dataclass(frozen=True)
class Square:
    """A day of the calendar."""

    day: str
    number: int
    outside: bool
    """Whether it belongs to another month, or nobody could play on it."""
    today: bool
    won: int
    played: int
    label: str
    """The day and what the reader did on it, in words."""


@dataclass(frozen=True)
class Month:
    """A month of the calendar."""

    title: str
    weekdays: Sequence[str]
    weeks: Sequence[Sequence[Square]]
    earlier: str
    """The month before, such as `2026-10`; empty if there was no game in it."""
    later: str


def month(w: Words, shown: str, first: str, now: str, attempts: Iterable[Attempt]) -> Month:
    """Return the calendar of a month such as `2026-11`, with the reader's results."""
    from babel.dates import get_day_names

    year, number = int(shown[:4]), int(shown[5:])
    results: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.counts:
            results.setdefault(attempt.day, []).append(attempt)

    def square(day: date) -> Square:
        text = day.isoformat()
        own = results.get(text, [])
        won = sum(attempt.won for attempt in own)
        label = day_name(w, text)
        if own:
            label += ": " + ", ".join(f"{board_of(one.game).title} {result_text(w, one)}" for one in own)
        outside = day.month != number or not first <= text <= now
        return Square(text, day.day, outside, text == now, won, len(own), label)

    names = get_day_names("short", locale=w.language)
    weeks = [[square(day) for day in week] for week in Calendar().monthdatescalendar(year, number)]
    before = date(year - (number == 1), 12 if number == 1 else number - 1, 1).isoformat()[:7]
    after = date(year + (number == 12), 1 if number == 12 else number + 1, 1).isoformat()[:7]
    return Month(
        day_name(w, f"{shown}-01", "month"),
        [names[day] for day in range(7)],
        weeks,
        before if before >= first[:7] else "",
        after if after <= now[:7] else "",
    )


_MONTH: Final = re.compile("[0-9]{4}-(0[1-9]|1[0-2])")


def _left(w: Words, day: str) -> str:
    """Return how long a day still lasts."""
    minutes = max(1, int(ends(day) - time.time()) // 60)
    if minutes < 60:
        return w.plural("one minute left", "%(n)s minutes left", minutes)
    return w.plural("one hour left", "%(n)s hours left", minutes // 60)


async def _show(request: Request, day: str, guest: Guest | None) -> Response:
    daily = service_of(request).daily
    w = reader_of(request).w
    now = today()
    deals = await daily.deals.of(day)
    if not deals:
        raise Refused("no-deal", "There was no daily game on this day.", 404)
    first = min(day, await daily.deals.first_day() or day)
    attempts = await daily.attempts_of(guest) if guest else []
    own = {attempt.game: attempt for attempt in attempts if attempt.day == day}
    panels = [panel(w, deal, own.get(deal.game), await daily.standings(day, deal.game)) for deal in deals]
    asked = request.query_params.get("month", "")
    shown = asked if _MONTH.fullmatch(asked) and first[:7] <= asked <= now[:7] else day[:7]
    streak, longest = streaks({attempt.day for attempt in attempts if attempt.counts}, now)
    return page(
        request,
        "daily.html",
        day=day,
        title=day_name(w, day),
        is_today=day == now,
        is_over=deals[0].seed is not None,
        left=_left(w, day) if day == now else "",
        before=shifted(day, -1) if shifted(day, -1) >= first else "",
        after=shifted(day, 1) if day < now else "",
        panels=panels,
        next_seals=[(board_of(deal.game).title, deal.commitment) for deal in await daily.deals.sealed_after(now)],
        month=month(w, shown, first, now, attempts),
        streak=streak,
        longest=longest,
        guest=guest,
        site=str(request.base_url),
        key=token_hex(8),
        day_name=day_name,
        result_text=result_text,
    )


@router.get("/daily")
async def daily_page(request: Request) -> Response:
    """Show today's games."""
    return await _show(request, today(), await current_guest(request))


@router.get("/daily/{day}")
async def day_page(request: Request, day: str) -> Response:
    """Show the games of a day."""
    return await _show(request, read_day(day), await current_guest(request))


@router.post("/daily/{day}/{game}")
async def begin(request: Request, day: str, game: str) -> Response:
    """Begin the game of a day, or go on with it."""
    form = await request.form()
    daily = service_of(request).daily
    # A forged day or game is refused before a guest is made for it.
    await daily.deals.one(day, game)
    guest, token = await guest_for(request, name_from_form(form.get("name")))
    key = str(form.get("key") or token_hex(8))[:64]
    async with opening(request, guest.id):
        table = await daily.begin(guest, day, game, practice=bool(form.get("practice")), key=key)
    response = go_to(request, f"/t/{table}")
    if token:
        remember(response, request, token)
    return response


@router.get("/daily/result/{share}")
async def result_page(request: Request, share: str) -> Response:
    """Show a result that a player shared: it tells nothing of the dice."""
    daily = service_of(request).daily
    w = reader_of(request).w
    name, attempt = await daily.shared(share)
    board = board_of(attempt.game)
    standings = await daily.standings(attempt.day, attempt.game)
    path, result = f"/daily/picture/{share}.png", result_text(w, attempt)
    return page(
        request,
        "daily_result.html",
        name=name,
        board=board,
        attempt=attempt,
        day=day_name(w, attempt.day),
        is_today=attempt.day == today(),
        result=result,
        picture=f"{path}?lang={w.language}",
        preview=Preview(f"{name}: {result}", f"{board.title} · {day_name(w, attempt.day)}", path),
        line=share_line(board.title, attempt),
        link=f"{request.base_url}daily/result/{share}",
        rank=standings.rank(attempt.won, attempt.points or 0),
        players=standings.ranked if attempt.ranked else 0,
    )


@router.get("/daily/picture/{share}.png")
async def result_picture(request: Request, share: str) -> Response:
    """Return the picture of a result that a player shared."""
    w = reader_of(request).w
    name, attempt = await service_of(request).daily.shared(share)
    board = board_of(attempt.game)
    return await picture(
        request,
        "daily_preview.svg",
        board=board,
        title=result_text(w, attempt),
        text=f"{name} · {board.title} · {day_name(w, attempt.day)}",
        bars=bars(attempt.gains),
    )
