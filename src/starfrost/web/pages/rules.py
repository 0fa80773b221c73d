"""The rules in the reader's language: a page with drawings and examples, and a summary beside a table."""

from functools import cache
from typing import Any, Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from starfrost.boards import Board, Position, board_of, boards
from starfrost.boards.drawing import part_of_page, words_of
from starfrost.boards.lessons import Scene
from starfrost.boards.rules import Stage, rules_page
from starfrost.errors import Refused
from starfrost.table import SeatView
from starfrost.table.moves import Move
from starfrost.web.asking import service_of
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words, rules
from starfrost.words.registry import PLAIN, WORDS
from starfrost.words.story import tell

router = Pages()

NAMES: Final = ("Anna", "Ben")
"""Who plays in the examples."""


@router.get("/rules/{game}")
async def game_rules(request: Request, game: str, table: str = "") -> HTMLResponse:
    """Show a game's rules, with those of a table's variant; `?beside` gives the summary alone, for the panel there."""
    if not rules.has_page(game):
        games = ", ".join(board.id for board in boards() if board.has_rules)
        raise Refused("no-page", "There are rules pages for %(games)s.", 404, games=games)
    w, board = reader_of(request).w, board_of(game)
    text = rules_page(game, w.language)
    playing = (await service_of(request).view(table, None)).game if table else None
    if playing is not None and playing.name != game:
        playing = None
    own = WORDS.get(game, PLAIN).own_rules(w, playing) if playing is not None else ()
    shown: dict[str, Any] = {"rules": text, "board": board, "playing": playing, "own": own, "table": table}
    if "beside" in request.query_params:
        return page(request, "parts/rules_summary.html", **shown)
    return page(request, "rules.html", **shown, article=_article(board, w.language))


@cache
def _article(board: Board, language: str) -> Markup:
    """Draw the rules of a game in a language, which takes several milliseconds."""
    w = words_of(language)
    examples = {f"s{number}": _stages(w, board, scene) for number, scene in board.illustrations.examples.items()}
    text = rules_page(board.id, language)
    return Markup(part_of_page(language, "parts/rules.html", rules=text, board=board, examples=examples))


def _stages(w: Words, board: Board, scene: Scene) -> list[Stage]:
    """Draw a worked example, one stage for each event in the turns of the learner."""
    game, (events, states) = scene.game, scene.played
    seats = [SeatView(number, "person", name) for number, name in enumerate(NAMES[: game.seats], 1)]
    moves = [Move(event.seat, event.action, before) for event, before in zip(events, states, strict=False)]
    return [
        Stage(
            tell(w, game, move.before, move.action, NAMES),
            board.draw(w, Position(game, after, NAMES, seats, scene.learner, past=moves[: number + 1])),
        )
        for number, (move, after) in enumerate(zip(moves, states[1:], strict=True))
        if game.turn_of(move.before) == scene.learner
    ]
