"""A whole game judged by the coach, as the replay and the page after the game show it; trying a position again."""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from starfrost.coach.analysis import NOTICEABLE, Analysis, Moment
from starfrost.errors import Refused
from starfrost.games.core import CHANCE, Game
from starfrost.games.record import Event, Record
from starfrost.players.registry import bots_here
from starfrost.table import Opening, TableView
from starfrost.table.moves import Move
from starfrost.web.api.parts import service_of
from starfrost.web.coaching import Coaching, Failed
from starfrost.web.guests import current_guest, remember
from starfrost.web.heavy import made
from starfrost.web.limits import address_of, opening
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import go_to, reader_of
from starfrost.web.views.coach import Judged, judged_game
from starfrost.web.views.seats import usual_bot


@dataclass(frozen=True)
class Panel:
    """What a page shows of the coach."""

    state: str = ""
    """`judged`; `thinking` while the coach works, `solving` while it works out the cards, `ask` if it can be asked;
    `none` if it has no answer; empty if there is no coach."""
    percent: int = 0
    """How far the cards are."""
    judged: Judged | None = None
    found: Analysis | None = None

    def mistake_at(self, event: int) -> Moment | None:
        """Return the decision at an event if it was a mistake."""
        if self.found is None or event >= len(self.found.moments):
            return None
        moment = self.found.moments[event]
        return moment if moment.loss >= NOTICEABLE else None


async def look_back(request: Request, view: TableView, names: Sequence[str], own: Sequence[int]) -> Panel:
    """Return what the coach says about a game that has ended; `own` are the reader's seats, from 0.

    Players get it at once, other readers ask for it. Only who asks has the cards worked out.
    """
    game, coach = view.game, Coaching.of(view.game)
    if coach is None or view.status not in ("over", "closed") or not view.moves:
        return Panel()
    asked = "coach" in request.query_params
    if not coach.can_judge(game):
        if not await _may_solve(request, bool(own)):
            return Panel("none" if asked else "")
        if not asked:
            return Panel("ask")
        request.app.state.limits.solving(address_of(request), game)
        return Panel("solving", await run_in_threadpool(coach.solve, game))
    record = Record(game, tuple(names), tuple(Event(move.seat, move.action) for move in view.moves))
    coaching: Coaching = request.app.state.coaching
    found = await coaching.analysis(record, view.state, 3.0 if asked else 0.2, ask=asked or bool(own))
    if isinstance(found, Failed):
        return Panel("none")
    if found is None:
        return Panel("thinking" if asked or own else "ask")
    w = reader_of(request).w
    return Panel("judged", 100, await made(request, lambda: judged_game(w, game, view.moves, names, found, own)), found)


async def _may_solve(request: Request, own: bool) -> bool:
    """Return whether the reader may have the cards of a game worked out, as the host decided."""
    who = request.app.state.settings.solve
    if who in ("guests", "players"):
        return await current_guest(request) is not None and (own or who == "guests")
    return True


def with_better(view: TableView, moment: Moment) -> TableView:
    """Return the game up to a decision, and then with the better move."""
    before = view.state_at(moment.event)
    moves = [*view.moves[: moment.event], Move(moment.seat, moment.best, before)]
    after = view.game.apply(before, moment.best)
    return TableView(view.id, 0, "closed", view.game, after, moves, view.seats, mode=view.mode)


async def try_again(request: Request, view: TableView, text: str) -> Response:
    """Open a table for practice that goes on from a decision of a game that has ended, with bots on the other seats."""
    game: Game[Any, Any] = view.game
    step = int(text) if text.isdecimal() and len(text) < 6 else -1
    if view.status not in ("over", "closed"):
        raise Refused("not-over", "The game is not over yet.", 409)
    if not 0 <= step < len(view.moves) or view.moves[step].seat == CHANCE:
        raise Refused("no-decision", "There is no decision at this place of the game.", 422)
    mine = view.moves[step].seat
    seats = []
    here = bots_here(game)
    for number, seat in enumerate(view.seats):
        seats.append("open" if number == mine else f"bot:{seat.bot if seat.bot in here else usual_bot(here)}")
    given = tuple(str(Event(move.seat, move.action)) for move in view.moves[:step])
    guest, token = await guest_for(request)
    wanted = Opening(game.name, tuple(seats), dict(game.headers()), coach="practice", given=given)
    async with opening(request, guest.id):
        answer = await service_of(request).open(guest, wanted, key=token_hex(8))
    response = go_to(request, f"/t/{answer.table}?sit=")
    if token:
        remember(response, request, token)
    return response
