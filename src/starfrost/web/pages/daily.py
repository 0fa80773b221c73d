"""The daily game: today's and past days', beginning one, and the result that a player shares."""

import re
import time
from secrets import token_hex
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from starfrost.errors import Refused
from starfrost.table import Guest
from starfrost.table.days import ends, read_day, shifted, streaks, today
from starfrost.web.api.parts import service_of
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.limits import opening
from starfrost.web.pages.previews import picture
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.views.daily import bars, month, panel, result_text, share_line
from starfrost.web.views.previews import Preview
from starfrost.words import Words
from starfrost.words.numbers import day_name

router = APIRouter()

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
        players=standings.players,
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
