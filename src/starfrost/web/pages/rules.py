"""The rules in the reader's language: a page of its own, and the same text beside a table."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from starfrost.errors import Refused
from starfrost.web.boards import boards
from starfrost.web.render import page, reader_of
from starfrost.web.views.rules import rules_page
from starfrost.words import rules

router = APIRouter()


@router.get("/rules/{game}")
async def game_rules(request: Request, game: str) -> HTMLResponse:
    """Show a game's rules; `?beside` gives the text alone, for the panel beside a table."""
    if not rules.has_page(game):
        games = ", ".join(board.id for board in boards() if board.has_rules)
        raise Refused("no-page", "There are rules of %(games)s.", 404, games=games)
    template = "parts/rules.html" if "beside" in request.query_params else "rules.html"
    return page(request, template, rules=rules_page(game, reader_of(request).language), game=game)
