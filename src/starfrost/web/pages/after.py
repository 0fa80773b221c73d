"""After the game: standings, the curve of the game, its dice, the fair-dice check and the record."""

from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from starfrost.errors import RecordError
from starfrost.fair.proof import prove
from starfrost.games.setup import variant_of
from starfrost.table.envelope import explain
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest
from starfrost.web.heavy import made
from starfrost.web.pages.judged import look_back
from starfrost.web.pages.scenes import standings
from starfrost.web.render import page, reader_of
from starfrost.web.views.after import dice_count, score_curve
from starfrost.web.views.seats import seat_names
from starfrost.words.story import mode_label, result

router = APIRouter()


@router.get("/after/{table}")
async def after(request: Request, table: str) -> Response:
    """Show a table that is over or closed; with `?check`, prove its dice; with `?coach`, judge its moves."""
    service = request.app.state.service
    w = reader_of(request).w
    view = await service.view(table, await current_guest(request))
    if view.status not in ("over", "closed"):
        return RedirectResponse(f"/t/{table}", status_code=303)
    game, state, moves = view.game, view.state, view.moves
    names = seat_names(w, view.seats)
    proof, fault = None, ""
    if "check" in request.query_params:
        try:
            proof = await made(request, partial(prove, await service.record(table)))
        except RecordError as error:
            fault = w.say(error)
    board = board_of(game.name)
    coach = await look_back(request, view, names, [seat - 1 for seat in view.mine])

    def draw() -> Response:
        return page(
            request,
            "after.html",
            table=table,
            game=game.name,
            title=result(w, game, state, names) if view.status == "over" else w("This table is closed"),
            variant=mode_label(w, game, view.mode) if variant_of(game) else "",
            curve=score_curve(game, moves, state, names),
            dice=dice_count(w, board, game, moves),
            envelope=explain(w),
            seal=view.commitment,
            seed=view.seed,
            opens=view.daily is not None and view.seed is None,
            proof=proof,
            standings=standings(game, state, names),
            coach=coach,
            fault=fault,
        )

    return await made(request, draw)
