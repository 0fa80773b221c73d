"""The daily game for clients: the deals of a day, everybody's results, and beginning one."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from starfrost.table import Guest
from starfrost.table.daily.days import ends, opens, read_day, today
from starfrost.table.daily.deals import Deal
from starfrost.table.daily.games import Attempt
from starfrost.web.api.models import DailyBegin, DailyBegun, DailyShown
from starfrost.web.api.parts import ERRORS, as_json, commanding
from starfrost.web.asking import opening, service_of
from starfrost.web.guests import current_guest

router = APIRouter(tags=["daily"], responses=ERRORS)

Day = Annotated[str, Path(max_length=10, description="A day in UTC, such as 2026-11-16")]
GameId = Annotated[str, Path(max_length=64)]


def _result(attempt: Attempt) -> dict[str, Any]:
    return {"won": attempt.won, "points": attempt.points, "scores": list(attempt.scores)}


async def _deal(request: Request, deal: Deal, guest: Guest | None) -> dict[str, Any]:
    daily = service_of(request).daily
    attempt = await daily.attempt(guest, deal.day, deal.game)
    standings = await daily.standings(deal.day, deal.game)
    is_told = deal.seed is not None or (attempt is not None and not attempt.playing)
    own = None
    if attempt is not None:
        own = {
            "table": attempt.table,
            "playing": attempt.playing,
            "result": _result(attempt) if attempt.counts else None,
        }
    places = [
        {"rank": place.rank, "name": place.name, **_result(place.attempt)}
        for place in (*standings.places, *standings.newcomers)
    ]
    return {
        "game": deal.game,
        "headers": dict(deal.headers),
        "mode": deal.mode,
        "seats": list(deal.seats),
        "commitment": deal.commitment,
        "sealed": deal.sealed,
        "seed": deal.seed,
        "attempt": own,
        "players": standings.players,
        "places": places if is_told else None,
        "best": {name: dict(result) for name, result in deal.best.items()},
    }


async def _day(request: Request, day: str) -> Response:
    daily = service_of(request).daily
    guest = await current_guest(request)
    deals = [await _deal(request, deal, guest) for deal in await daily.deals.of(day)]
    coming = [{"game": deal.game, "commitment": deal.commitment} for deal in await daily.deals.sealed_after(today())]
    return as_json({"day": day, "ends": ends(day), "opens": opens(day), "deals": deals, "tomorrow": coming})


@router.get("/daily", response_model=DailyShown)
async def show_today(request: Request) -> Response:
    """Show the daily games of today, your attempts, and the commitments of tomorrow."""
    return await _day(request, today())


@router.get("/daily/{day}", response_model=DailyShown)
async def show_day(request: Request, day: Day) -> Response:
    """Show the daily games of a day; the seeds are there once it is over."""
    return await _day(request, read_day(day))


@router.post("/daily/{day}/{game}", response_model=DailyBegun)
async def begin(request: Request, day: Day, game: GameId, body: DailyBegin) -> Response:
    """Begin a daily game or go on with it: you are given a seat at a table, which is played as any other."""
    guest = await commanding(request)
    service = service_of(request)
    async with opening(request, guest.id):
        table = await service.daily.begin(guest, day, game, practice=body.practice, key=body.key)
    view = await service.view(table, guest)
    return as_json(
        {"table": table, "seat": view.mine[0] if view.mine else None, "counts": bool(view.daily and view.daily.counts)}
    )
