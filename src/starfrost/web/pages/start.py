"""The start page: both games, one tap from play; the reader's own games; open tables."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from starfrost.web.guests import current_guest
from starfrost.web.render import page, reader_of
from starfrost.web.views.seats import seat_names
from starfrost.words import Words

__all__ = ["GameCard", "game_card", "router"]

router = APIRouter()

GAMES = ("dicy-cards", "dice-stars")


@dataclass(frozen=True)
class GameCard:
    """A game as the start page shows it."""

    id: str
    name: str
    text: str
    bots: tuple[int, ...]


@dataclass(frozen=True)
class TableLine:
    """A table in a list."""

    id: str
    game: str
    name: str
    who: str
    state: str
    yours: bool


def game_card(w: Words, game: str) -> GameCard:
    """Describe a game in a sentence."""
    if game == "dicy-cards":
        text = w("Five cards, six dice. Freeze a card to roll again, score the rest, and be the first to reach 100.")
        return GameCard(game, "Dicy Cards", text, (1, 2, 3))
    text = w("Draw dice, take a colour, a number or the stars, and fill your sheet before the others do.")
    return GameCard(game, "Dice Stars", text, (0, 1, 2, 3))


def _line(w: Words, view: dict[str, Any]) -> TableLine:
    name = "Dicy Cards" if view["game"] == "dicy-cards" else "Dice Stars"
    names = seat_names(w, view["seats"])
    yours = view["status"] == "running" and any(
        seat["yours"] and seat["seat"] == view["acting"] for seat in view["seats"]
    )
    state = {
        "waiting": w("waiting"),
        "running": w("your turn") if yours else w("running"),
        "over": " : ".join(map(str, view["scores"])),
        "closed": w("closed"),
    }[view["status"]]
    return TableLine(view["id"], view["game"], name, w.all_of(names), state, yours)


@router.get("/")
async def start(request: Request) -> HTMLResponse:
    """Show the start page."""
    service = request.app.state.service
    w = reader_of(request).w
    guest = await current_guest(request)
    mine = await service.tables_of(guest) if guest else []
    views = [await service.view(_id(table), guest) for table in mine[:12]]
    known = {view["id"] for view in views}
    waiting = [await service.view(_id(table), guest) for table in (await service.open_tables())[:12]]
    return page(
        request,
        "start.html",
        games=[game_card(w, game) for game in GAMES],
        tables=[_line(w, view) for view in views if view["status"] != "closed"],
        open=[_line(w, view) for view in waiting if view["id"] not in known],
        key=token_hex(8),
    )


def _id(table: Any) -> str:
    return str(table["id"] if isinstance(table, dict) else table)
