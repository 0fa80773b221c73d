"""Lessons: a first game with prepared dice, on the real board and by the real rules."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from starfrost.errors import Refused, UsageError
from starfrost.games.registry import GAMES
from starfrost.table import ROLL, SeatView
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest
from starfrost.web.pages.playing import read_action
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.setup import ANIMALS
from starfrost.web.render import go_to, is_fragment, page, reader_of
from starfrost.web.views.lessons import LEARNER, Lesson

router = APIRouter()


def _lesson(game: str, number: int) -> Lesson:
    found = board_of(game).lesson if game in GAMES else None
    if found is None or not 1 <= number <= len(found.beats) + 1:
        raise Refused("not-found", "There is no such lesson.", 404)
    return found


def _legal(found: Lesson, state: Any) -> tuple[Any, ...]:
    """Return what the learner may do here."""
    return found.game.legal_actions(state) if found.game.actor(state) == LEARNER else (ROLL,)


async def _show(request: Request, found: Lesson, number: int, error: str = "", status: int = 200) -> Response:
    reader = reader_of(request)
    guest = await current_guest(request)
    step = found.step(number - 1)
    states = found.played.states[: step + 1]
    beat = found.beats[number - 1] if number <= len(found.beats) else None
    learner = SeatView(LEARNER + 1, "person", guest.name if guest else reader.w(ANIMALS[0]), yours=True, present=True)
    bot = SeatView(2, "bot", "", bot="greedy", present=True)
    view = replace(
        view_of(found.game, found.played.record.events[:step], states, (learner, bot)),
        status="running",
        acting=LEARNER + 1 if beat else None,
        legal=_legal(found, states[-1]) if beat else (),
    )
    live, board = draw_scene(reader, view, step)
    alone = is_fragment(request)
    return page(
        request,
        "parts/lesson.html" if alone else "learn.html",
        200 if alone else status,
        live=replace(live, act=f"/learn/{found.game.name}/{number}", key="lesson"),
        t=board,
        lesson=found,
        beat=beat,
        number=number,
        error=error,
    )


@router.get("/learn/{game}")
async def first(game: str) -> Response:
    """Begin a lesson."""
    _lesson(game, 1)
    return RedirectResponse(f"/learn/{game}/1", status_code=303)


@router.get("/learn/{game}/{number}")
async def learn(request: Request, game: str, number: int) -> Response:
    """Show one beat of a lesson."""
    return await _show(request, _lesson(game, number), number)


@router.post("/learn/{game}/{number}")
async def learnt(request: Request, game: str, number: int) -> Response:
    """Take the learner's move: go on if it is the taught one, otherwise show the same beat again."""
    found = _lesson(game, number)
    if number > len(found.beats):
        return go_to(request, f"/learn/{game}/{number}")
    w = reader_of(request).w
    legal = _legal(found, found.played.states[found.step(number - 1)])
    try:
        action = read_action(found.game, await request.form(), legal)
    except UsageError as problem:
        return await _show(request, found, number, w.say(problem), 422)
    if str(action) != found.taught(number - 1):
        return await _show(request, found, number, w("Not quite. In this lesson it goes on like this:"), 422)
    if is_fragment(request):
        return await _show(request, found, number + 1)
    return RedirectResponse(f"/learn/{game}/{number + 1}", status_code=303)
