"""After the game: standings, the curve of the game, its dice, the fair-dice check and the record."""

from asyncio import Lock

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from starfrost.errors import RecordError
from starfrost.fair.proof import prove
from starfrost.table.envelope import explain
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.scenes import standings
from starfrost.web.render import page, reader_of
from starfrost.web.views.after import dice_count, score_curve
from starfrost.web.views.seats import seat_names
from starfrost.words.story import result

router = APIRouter()

_COACH = Lock()


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
            proof = prove(await service.record(table))
        except RecordError as error:
            fault = w.say(error)
    board = board_of(game.name)
    solved = preparable = False
    judged = working = None
    if board.coach:
        # The values of a set-up are a large file, and judging takes seconds: neither may delay other people's moves.
        solved = await run_in_threadpool(board.coach.is_solved, game)
        preparable = not solved and board.coach.can_prepare(game)
    if board.coach and "coach" in request.query_params:
        if preparable:
            working = await run_in_threadpool(board.coach.prepare, game)
        elif solved:
            # One analysis at a time: repeated requests wait and do not slow down other people.
            async with _COACH:
                judged = await run_in_threadpool(board.coach.judge, w, game, moves, names)
    return page(
        request,
        "after.html",
        table=table,
        game=game.name,
        title=result(w, game, state, names) if view.status == "over" else w("This table is closed"),
        curve=score_curve(game, moves, state, names),
        dice=dice_count(w, board, game, moves),
        envelope=explain(w),
        seal=view.commitment,
        seed=view.seed,
        opens=view.daily is not None and view.seed is None,
        proof=proof,
        standings=standings(game, state, names),
        solved=solved,
        preparable=preparable,
        working=working,
        coach=judged,
        fault=fault,
    )
