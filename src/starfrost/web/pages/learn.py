"""Lessons: chapters and a final check, on the real board and by the real rules."""

from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards import Board, board_of
from starfrost.boards.lessons import CHECK, Chapter, Lesson, PlayedTurn, Progress, Question, Scene, Step
from starfrost.boards.seats import seat_names
from starfrost.coach.registry import PUZZLES
from starfrost.errors import Refused, UsageError
from starfrost.games.record import Event
from starfrost.games.registry import GAMES
from starfrost.table import ROLL, SeatView
from starfrost.web.guests import current_guest
from starfrost.web.pages.playing import chosen_action
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.settings import YEAR
from starfrost.web.pages.setup import ANIMALS
from starfrost.web.render import go_to, is_fragment, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words.story import tell

router = Pages()

OTHERS: Final = ("Ben", "Cleo", "Dora")
"""The other players of the lessons; the texts name them."""


def progress_of(request: Request, board: Board) -> Progress:
    """Return what the reader has learnt of a game; a cookie keeps it."""
    return Progress.read(request.cookies.get(f"sf-learnt-{board.id}", ""))


def _remember(request: Request, answer: Response, board: Board, progress: Progress) -> Response:
    secure = request.url.scheme == "https"
    answer.set_cookie(
        f"sf-learnt-{board.id}", str(progress), max_age=YEAR, samesite="lax", secure=secure, httponly=True
    )
    return answer


def _found(game: str) -> tuple[Board, Lesson]:
    board = board_of(game) if game in GAMES else None
    if board is None or board.lesson is None:
        raise Refused("not-found", "There is no such lesson.", 404)
    return board, board.lesson


def _chapter(game: str, chapter: int, step: int) -> tuple[Board, Lesson, Chapter]:
    board, lesson = _found(game)
    if not (1 <= chapter <= len(lesson.chapters) and 1 <= step <= len(lesson.chapters[chapter - 1].steps) + 1):
        raise Refused("not-found", "There is no such lesson.", 404)
    return board, lesson, lesson.chapters[chapter - 1]


def _question(game: str, number: int) -> tuple[Board, Lesson, Question]:
    board, lesson = _found(game)
    if not 1 <= number <= len(lesson.questions):
        raise Refused("not-found", "There is no such lesson.", 404)
    return board, lesson, lesson.questions[number - 1]


async def _read(request: Request, scene: Scene, state: Any) -> Any:
    """Return the action of the rules that the board's form stands for. Raises UsageError if there is none."""
    return chosen_action(scene.game, await request.form(), _legal(scene, state))


def _legal(scene: Scene, state: Any) -> tuple[Any, ...]:
    """Return what the learner may do here: an action of the rules, or the roll that begins a turn."""
    return tuple(scene.game.legal_actions(state)) if scene.game.actor(state) == scene.learner else (ROLL,)


async def learner_seats(request: Request, game: Any, learner: int) -> tuple[SeatView, ...]:
    """Return the seats of a game with the reader at one of them."""
    guest = await current_guest(request)
    seats = [SeatView(0, "bot", name, bot="greedy", present=True) for name in OTHERS[: game.seats - 1]]
    name = guest.name if guest else reader_of(request).w(ANIMALS[0])
    seats.insert(learner, SeatView(0, "person", name, yours=True, present=True))
    return tuple(replace(seat, seat=number) for number, seat in enumerate(seats, 1))


async def _show(
    request: Request,
    scene: Scene,
    played: PlayedTurn,
    act: str = "",
    status: int = 200,
    *,
    step: Step | None = None,
    **shown: Any,
) -> Response:
    """Draw a page of a lesson; the learner can act if `act` is the address that takes the action."""
    legal = _legal(scene, played.states[-1]) if act else ()
    view = replace(
        view_of(scene.game, played.events, played.states, await learner_seats(request, scene.game, scene.learner)),
        status="running",
        acting=scene.learner + 1 if act else None,
        legal=tuple(action for action in legal if step is None or step.offers(str(action))),
    )
    live, board = draw_scene(reader_of(request), view, len(played.events))
    alone = is_fragment(request)
    template = "parts/lesson.html" if alone else "lesson.html"
    shown = {"chapter": None, "question": None, "step": step, "error": "", "verdict": "", **shown}
    live = replace(live, act=act, key="lesson")
    return page(request, template, 200 if alone else status, live=live, t=board, **shown)


async def _step(request: Request, game: str, number: int, at: int, error: str = "", status: int = 200) -> Response:
    board, lesson, chapter = _chapter(game, number, at)
    step = chapter.steps[at - 1] if at <= len(chapter.steps) else None
    shown = await _show(
        request,
        chapter.scene,
        chapter.stops[at - 1],
        f"/learn/{game}/{number}/{at}" if step and step.action else "",
        status,
        lesson=lesson,
        chapter=chapter,
        number=number,
        step=step,
        at=at,
        error=error,
    )
    if step is None:
        return _remember(request, shown, board, progress_of(request, board).finish(chapter.id))
    return shown


@router.get("/learn/{game}")
async def overview(request: Request, game: str) -> Response:
    """Show the chapters of a game, which of them are done, and the final check."""
    board, lesson = _found(game)
    return page(
        request, "learn.html", board=board, lesson=lesson, progress=progress_of(request, board), puzzles=game in PUZZLES
    )


@router.get(f"/learn/{{game}}/{CHECK}")
async def begin_check(game: str) -> Response:
    """Begin the final check."""
    _found(game)
    return RedirectResponse(f"/learn/{game}/{CHECK}/1", status_code=303)


@router.get(f"/learn/{{game}}/{CHECK}/{{number}}")
async def check(request: Request, game: str, number: int) -> Response:
    """Ask a question of the final check."""
    return await _ask(request, game, number)


async def _ask(
    request: Request, game: str, number: int, error: str = "", tries: int = 0, status: int = 200
) -> Response:
    _board, lesson, question = _question(game, number)
    act = f"/learn/{game}/{CHECK}/{number}?tries={tries}"
    shown: dict[str, Any] = {"lesson": lesson, "question": question, "number": number, "error": error}
    return await _show(request, question.scene, question.scene.played, act, status, **shown)


@router.post(f"/learn/{{game}}/{CHECK}/{{number}}")
async def answer(request: Request, game: str, number: int, tries: int = 0) -> Response:
    """Judge an answer by the rules: explain it, and offer a second try after a wrong one."""
    board, lesson, question = _question(game, number)
    w = reader_of(request).w
    scene, (events, states) = question.scene, question.scene.played
    try:
        action = await _read(request, scene, states[-1])
    except UsageError as problem:
        return await _ask(request, game, number, w.say(problem), tries, 422)
    right = action in question.right
    if not right and not tries:
        return await _ask(request, game, number, f"{w('Not quite.')} {w(question.hint)}", 1, 422)
    best = action if right else question.right[0]
    names = seat_names(w, await learner_seats(request, scene.game, scene.learner))
    move = tell(w, scene.game, states[-1], best, names)
    shown = await _show(
        request,
        scene,
        PlayedTurn((*events, Event(scene.learner, best)), (*states, scene.game.apply(states[-1], best))),
        lesson=lesson,
        question=question,
        number=number,
        verdict=w("Right!") if right else w("This would be right: %(move)s", move=move),
    )
    return _remember(request, shown, board, progress_of(request, board).answer(number, right and not tries))


@router.get("/learn/{game}/{number}")
async def begin(game: str, number: int) -> Response:
    """Begin a chapter."""
    _chapter(game, number, 1)
    return RedirectResponse(f"/learn/{game}/{number}/1", status_code=303)


@router.get("/learn/{game}/{number}/{at}")
async def learn(request: Request, game: str, number: int, at: int) -> Response:
    """Show one step of a chapter."""
    return await _step(request, game, number, at)


@router.post("/learn/{game}/{number}/{at}")
async def learnt(request: Request, game: str, number: int, at: int) -> Response:
    """Go on if the learner has read a step or taken its action; otherwise explain, and show the same step again."""
    _board, lesson, chapter = _chapter(game, number, at)
    if at > len(chapter.steps):
        return go_to(request, f"/learn/{game}/{number}/{at}")
    step, w = chapter.steps[at - 1], reader_of(request).w
    if step.action:
        try:
            action = await _read(request, chapter.scene, chapter.stops[at - 1].states[-1])
        except UsageError as problem:
            return await _step(request, game, number, at, w.say(problem), 422)
        if str(action) != step.action:
            reason = lesson.explain(step, str(action))
            return await _step(request, game, number, at, w(reason) if reason else w("Not quite."), 422)
    if is_fragment(request):
        return await _step(request, game, number, at + 1)
    return RedirectResponse(f"/learn/{game}/{number}/{at + 1}", status_code=303)
