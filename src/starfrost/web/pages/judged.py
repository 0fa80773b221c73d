"""A whole game judged by the coach, as the replay and the page after the game show it; trying a position again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from starfrost.bots.registry import bots_here
from starfrost.coach.analysis import Analysis, Moment
from starfrost.coach.judge import MISTAKE, NOTICEABLE
from starfrost.coach.registry import coach_of
from starfrost.coach.report import meaning, share_kept
from starfrost.errors import Refused
from starfrost.games.core import CHANCE, Game
from starfrost.games.record import Event, Record
from starfrost.table import Opening, TableView
from starfrost.table.moves import Move
from starfrost.web.asking import address_of, in_page_thread, opening, service_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.reasons import Reason, reasons_of
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import go_to, reader_of
from starfrost.words import Words
from starfrost.words.bots import usual_bot
from starfrost.words.numbers import percent
from starfrost.words.story import tell

if TYPE_CHECKING:
    from starfrost.web.coaching import CoachWorkers

WIDTH: Final = 640
"""The width of a curve's box, its height, and what is kept free at the left, at the bottom, and elsewhere."""
HEIGHT: Final = 280
LEFT: Final = 50
BOTTOM: Final = 34
EDGE: Final = 14
BLUNDER: Final = 0.05
"""The least loss that is called a big mistake."""
GRID: Final = (0, 25, 50, 75, 100)
SHOWN: Final = 8
"""The most mistakes that a list shows of one player."""


def tight(text: str) -> str:
    """Keep every error beside its plus-minus sign."""
    return text.replace("± ", "±\u00a0")


def severity(loss: float) -> str:
    """Return how bad a loss is: best, slip, mistake or blunder."""
    if loss < NOTICEABLE:
        return "best"
    return "slip" if loss < MISTAKE else "mistake" if loss < BLUNDER else "blunder"


def cost_words(w: Words, loss: float, error: float, *, exact: bool) -> str:
    """Return a sentence on what a move cost."""
    cost = percent(w, loss)
    kind = severity(loss)
    if exact:
        return {
            "slip": w("Almost the best move: it cost %(loss)s.", loss=cost),
            "mistake": w("A mistake: it cost %(loss)s.", loss=cost),
            "blunder": w("A big mistake: it cost %(loss)s.", loss=cost),
        }[kind]
    return {
        "slip": w("Almost the best move: it cost about %(loss)s (± %(error)s).", loss=cost, error=percent(w, error)),
        "mistake": w("A mistake: it cost about %(loss)s (± %(error)s).", loss=cost, error=percent(w, error)),
        "blunder": w("A big mistake: it cost about %(loss)s (± %(error)s).", loss=cost, error=percent(w, error)),
    }[kind]


def x_of(share: float) -> float:
    """Return how far right a curve is after a share of the game."""
    return round(LEFT + (WIDTH - LEFT - EDGE) * share, 1)


def y_of(share: float) -> float:
    """Return how far down a curve is at a share of its height."""
    return round(EDGE + (HEIGHT - EDGE - BOTTOM) * (1 - share), 1)


@dataclass(frozen=True)
class Mistake:
    """A costly decision."""

    event: int
    """The number of the event, from 0: the position before it is at this step."""
    seat: int
    turn: int
    kind: str
    cost: str
    """What it cost, in a sentence."""
    loss: str
    played: str
    better: str
    x: float
    y: float
    reasons: Sequence[Reason] = ()


@dataclass(frozen=True)
class Step:
    """What the coach says about a step of a replay."""

    chance: str
    """The winning chance of the player from whose side the game is seen."""
    change: str
    """How the step changed it: luck, or what a decision cost; empty if it did not."""
    kind: str
    """`luck`, `bad-luck`, or how bad the decision was; empty for nothing to say."""


@dataclass(frozen=True)
class Judged:
    """A whole game, judged."""

    side: int
    """The seat from whose side the chances are shown, from 1."""
    name: str
    path: str
    rows: tuple[tuple[float, int], ...]
    mistakes: tuple[tuple[int, str, tuple[Mistake, ...]], ...]
    """For every player the seat, the name and the costly decisions, the reader's own seats first."""
    own: bool
    """Whether the first of these are the reader's own."""
    tallies: tuple[tuple[int, str, str, str, str], ...]
    """For every player the seat, the name, the accuracy, the luck and what the decisions cost."""
    meaning: str
    estimate: bool
    none: str
    """What to say where there are no mistakes."""

    @property
    def marks(self) -> tuple[Mistake, ...]:
        """The mistakes that the curve marks: those of the first player in the list."""
        return self.mistakes[0][2] if self.mistakes else ()


def mistake_of(
    w: Words,
    game: Game[Any, Any],
    moves: Sequence[Move],
    names: Sequence[str],
    found: Analysis,
    moment: Moment,
    side: int = 0,
) -> Mistake:
    """Return a costly decision for the templates; `side` is the seat whose chances the curve shows, from 0."""
    before, last = moves[moment.event].before, max(1, len(found.moments))
    return Mistake(
        moment.event,
        moment.seat + 1,
        moment.turn,
        severity(moment.loss),
        tight(cost_words(w, moment.loss, moment.error, exact=found.exact)),
        percent(w, -moment.loss, signed=True),
        tell(w, game, before, moment.action, names),
        tell(w, game, before, moment.best, names),
        x_of((moment.event + 1) / last),
        y_of(found.chance(moment.event + 1, side)),
        reasons_of(w, game, before, moment.best, moment.action, moment.parts),
    )


def judged_game(
    w: Words, game: Game[Any, Any], moves: Sequence[Move], names: Sequence[str], found: Analysis, own: Sequence[int]
) -> Judged:
    """Return a judged game for the templates; `own` are the reader's seats, from 0."""
    side = own[0] if own else 0
    last = max(1, len(found.moments))
    curve = [found.chance(place, side) for place in range(len(found.shares))]
    path = f"M{x_of(0)} {y_of(curve[0])}" + "".join(
        f"H{x_of(event / last)}V{y_of(after)}" for event, after in enumerate(curve[1:], 1)
    )

    order = [*own, *(seat for seat in range(game.seats) if seat not in own)]
    costly = sorted((moment for moment in found.moments if moment.loss >= NOTICEABLE), key=lambda one: -one.loss)
    mistakes = tuple(
        (
            seat + 1,
            names[seat],
            tuple(
                mistake_of(w, game, moves, names, found, one, side)
                for one in [m for m in costly if m.seat == seat][:SHOWN]
            ),
        )
        for seat in order
    )
    tallies = tuple(
        (
            seat + 1,
            names[seat],
            share_kept(w, found.tallies[seat]),
            percent(w, found.tallies[seat].luck, signed=True),
            percent(w, -found.tallies[seat].loss, signed=True),
        )
        for seat in order
    )
    return Judged(
        side + 1,
        names[side],
        path,
        tuple((y_of(number / 100), number) for number in GRID),
        mistakes,
        bool(own),
        tallies,
        meaning(w, exact=found.exact),
        not found.exact,
        w("No mistakes.") if found.tallies[side].decisions else w("Nothing to decide."),
    )


def judged_steps(w: Words, found: Analysis, steps: Sequence[int], side: int) -> list[Step]:
    """Return what the coach says about every scene of a replay: the first, and each stretch between two steps."""
    shown = [Step(percent(w, found.chance(steps[0], side - 1)), "", "")]
    for start, end in pairwise(steps):
        worst = max(found.moments[start:end], key=lambda one: one.loss)
        # Another player's good roll is bad luck for the reader, beside whose chance it is shown.
        luck = found.chance(end, side - 1) - found.chance(start, side - 1)
        change, kind = "", ""
        if worst.loss >= NOTICEABLE:
            change, kind = percent(w, -worst.loss, signed=True), severity(worst.loss)
        elif abs(luck) >= NOTICEABLE:
            change, kind = percent(w, luck, signed=True), "luck" if luck > 0 else "bad-luck"
        shown.append(Step(percent(w, found.chance(end, side - 1)), tight(change), kind))
    return shown


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
    game, coach = view.game, coach_of(view.game)
    if coach is None or not coach.reviews or view.status not in ("over", "closed") or not view.moves:
        return Panel()
    asked = "coach" in request.query_params
    if not coach.can_judge(game):
        if not await may_solve(request, bool(own)):
            return Panel("none" if asked else "")
        if not asked:
            return Panel("ask")
        request.app.state.limits.solving(address_of(request), game)
        return Panel("solving", await run_in_threadpool(coach.solve, game))
    from starfrost.web.coaching import Failed

    events = tuple(Event(move.seat, move.action) for move in view.moves)
    record = Record(game, tuple(names), events, start=view.state_at(0))
    coaching: CoachWorkers = request.app.state.coaching
    found = await coaching.analysis(record, view.state, 3.0 if asked else 0.2, ask=asked or bool(own))
    if isinstance(found, Failed):
        return Panel("none")
    if found is None:
        return Panel("thinking" if asked or own else "ask")
    w = reader_of(request).w
    return Panel(
        "judged", 100, await in_page_thread(request, lambda: judged_game(w, game, view.moves, names, found, own)), found
    )


async def may_solve(request: Request, own: bool) -> bool:
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
    began = view.state_at(0)
    position = None if began == game.start() else game.position_text(began)
    wanted = Opening(game.name, tuple(seats), dict(game.headers()), coach="practice", given=given, position=position)
    async with opening(request, guest.id):
        answer = await service_of(request).open(guest, wanted, key=token_hex(8))
    response = go_to(request, f"/t/{answer.table}?sit=")
    if token:
        remember(response, request, token)
    return response
