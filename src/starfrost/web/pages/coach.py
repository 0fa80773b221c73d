"""The coach at the table, for one person among bots: a hint, and whether a move was good. Both are plain forms."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from starfrost.boards.seats import seat_names
from starfrost.coach.judge import NOTICEABLE, Advice, Coach, Verdict
from starfrost.coach.registry import coach_of
from starfrost.errors import Refused
from starfrost.games.core import CHANCE, Game
from starfrost.table import TableView
from starfrost.table.coaching import HINT, JUDGED, helped
from starfrost.table.moves import Move
from starfrost.web.asking import service_of
from starfrost.web.guests import known_guest
from starfrost.web.pages.judged import cost_words, severity, tight
from starfrost.web.pages.problems import explain, page_error
from starfrost.web.pages.reasons import reasons_of
from starfrost.web.pages.scenes import Note
from starfrost.web.pages.tables import show_table
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.numbers import percent
from starfrost.words.story import tell

router = Pages()

_LOOK: Final = 1.0
"""Seconds after which the server looks whether the reader is still there."""
_LOOKS: Final = 30

Found = TypeVar("Found")


def hint_note(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str], found: Advice, step: int) -> Note:
    """Return what the coach would do, and why."""

    def told(action: str) -> str:
        return tell(w, game, state, game.parse_action(action), names)

    chance = percent(w, found.chance)
    if not found.other:
        why = w("There is nothing else to do.")
    elif found.behind < max(NOTICEABLE, found.error):
        equal = told(found.other)
        why = (
            w("With it you win %(chance)s of all games. Just as good: %(other)s", chance=chance, other=equal)
            if found.exact
            else w("With it you win about %(chance)s of all games. Just as good: %(other)s", chance=chance, other=equal)
        )
    elif found.exact:
        why = w(
            "With it you win %(chance)s of all games, %(more)s more than with the next best move: %(other)s",
            chance=chance,
            more=percent(w, found.behind),
            other=told(found.other),
        )
    else:
        why = w(
            "With it you win about %(chance)s of all games, %(more)s (± %(error)s) more than with the next best "
            "move: %(other)s",
            chance=chance,
            more=percent(w, found.behind),
            error=percent(w, found.error),
            other=told(found.other),
        )
    best, other = game.parse_action(found.best), game.parse_action(found.other) if found.other else None
    reasons = reasons_of(w, game, state, best, other, found.parts)
    deed = f"{game.actor(state) + 1} {found.best}"
    return Note("hint", told(found.best), tight(why), not found.exact, reasons=reasons, step=step, deed=deed)


def verdict_note(w: Words, game: Game[Any, Any], move: Move, names: Sequence[str], found: Verdict, event: int) -> Note:
    """Return how good a move was, and what would have been better."""
    kind = severity(found.loss)
    chance = percent(w, found.chance)
    best = game.parse_action(found.best)
    if kind == "best":
        if found.only:
            heading = w("There was nothing else to do.")
        else:
            heading = (
                w("Well played: the best move.") if found.exact else w("Well played: no better move could be proved.")
            )
        text = (
            w("Your chance to win: %(chance)s.", chance=chance)
            if found.exact
            else w("Your chance to win: about %(chance)s.", chance=chance)
        )
    else:
        heading = cost_words(w, found.loss, found.error, exact=found.exact)
        text = w("Better: %(best)s", best=tell(w, game, move.before, best, names))
    reasons = reasons_of(w, game, move.before, best, move.action, found.parts)
    return Note(kind, tight(heading), tight(text), not found.exact, event, reasons, event)


async def _answer(request: Request, ask: Callable[[float], Awaitable[Found | None]]) -> Found | None:
    """Wait for the coach as long as the reader does; None if there is no answer."""
    for _ in range(_LOOKS):
        found = await ask(_LOOK)
        if found is not None or await request.is_disconnected():
            return found
    return None


def _silent(w: Words, why: str = "") -> Note:
    return Note("none", why or w("The coach has no answer here."))


async def _working(w: Words, coach: Coach, game: Any) -> Note | None:
    """Have the cards worked out that the coach needs, and say how far that is; None if it can judge already."""
    if coach.can_judge(game):
        return None
    share = await run_in_threadpool(coach.solve, game)
    text = w("That takes a minute or so, once for these cards. Play on, and ask again.")
    return Note("working", w("The coach is working out these cards: %(percent)s%%.", percent=share), text)


async def _speak(
    request: Request, table: str, speak: Callable[[TableView, Coach, Any], Awaitable[tuple[Note, str, int]]]
) -> Response:
    """Answer a question to the coach: the note for a script, the table with the note for a plain form."""
    service, w = service_of(request), reader_of(request).w
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    form = await request.form()
    try:
        snapshot = await service.snapshot(table)
        if snapshot.status == "over" and is_fragment(request):
            # The game ended while the question was on its way.
            return Response(status_code=204)
        helped(snapshot, guest.id)
        view = service.show(snapshot, guest)
        coach = coach_of(view.game)
        note = _silent(w)
        if coach is not None:
            note, what, event = await speak(view, coach, form)
            if note.kind not in ("none", "working") and not view.practice:
                await service.note_help(table, guest, what, event + 1)
    except Refused as refusal:
        if is_fragment(request):
            return await page_error(request, refusal)
        view = await service.view(table, guest)
        return await show_table(request, view, guest, error=explain(w, refusal), status=refusal.status)
    view = await service.view(table, guest)
    if is_fragment(request):
        return page(request, "parts/coach_note.html", note=note, undo=bool(view.undo) and view.practice)
    return await show_table(request, view, guest, note=note)


@router.post("/t/{table}/hint")
async def hint(request: Request, table: str) -> Response:
    """Say what the coach would do now, and why."""
    w = reader_of(request).w

    async def speak(view: TableView, coach: Coach, form: Any) -> tuple[Note, str, int]:
        event, game, state = len(view.moves), view.game, view.state
        if not view.legal or game.actor(state) == CHANCE:
            return _silent(w, w("There is nothing for you to decide just now.")), HINT, event
        working = await _working(w, coach, game)
        if working is not None:
            return working, HINT, event
        found = await _answer(request, lambda wait: request.app.state.coaching.advice(game, state, wait))
        if found is None:
            return _silent(w), HINT, event
        return hint_note(w, game, state, seat_names(w, view.seats), found, event), HINT, event

    return await _speak(request, table, speak)


@router.post("/t/{table}/judge")
async def judge(request: Request, table: str) -> Response:
    """Say how good the reader's own move was, and what would have been better."""
    w = reader_of(request).w

    async def speak(view: TableView, coach: Coach, form: Any) -> tuple[Note, str, int]:
        text = str(form.get("event") or "")
        event = int(text) if text.isdecimal() and len(text) < 6 else -1
        if not view.given <= event < len(view.moves) or view.moves[event].seat + 1 not in view.mine:
            raise Refused("no-move", "That is not a move of yours in this game.", 422)
        working = await _working(w, coach, view.game)
        if working is not None:
            return working, JUDGED, event
        move, game = view.moves[event], view.game
        found = await _answer(
            request, lambda wait: request.app.state.coaching.verdict(game, move.before, move.action, wait)
        )
        if found is None:
            return _silent(w), JUDGED, event
        return verdict_note(w, game, move, seat_names(w, view.seats), found, event), JUDGED, event

    return await _speak(request, table, speak)
