"""After the game: standings, the curve of the game, its dice, the fair-dice check and the record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards import board_of
from starfrost.boards.board import Board, Face
from starfrost.boards.seats import look_of, seat_names, seat_shape
from starfrost.errors import RecordError
from starfrost.fair.proof import prove
from starfrost.games.core import CHANCE
from starfrost.games.setup import variant_of
from starfrost.table.envelope import explain
from starfrost.table.moves import Move
from starfrost.web.asking import in_page_thread
from starfrost.web.guests import current_guest
from starfrost.web.pages.judged import HEIGHT, WIDTH, look_back, x_of, y_of
from starfrost.web.pages.scenes import standings
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.numbers import decimal
from starfrost.words.story import mode_label, result

router = Pages()

# Chi-square with five degrees of freedom: fair dice stay below the first in 95 and below the second in 99 games of 100.
USUAL: Final = 11.07
RARE: Final = 15.09


@dataclass(frozen=True)
class Run:
    """A seat's line in the curve."""

    seat: int
    name: str
    shape: str
    points: str
    """The line, as SVG writes points."""
    x: float
    y: float
    scores: tuple[int, ...]


@dataclass(frozen=True)
class Curve:
    """The scores of all seats after every round, drawn in a box of `width` by `height`."""

    width: int
    height: int
    runs: tuple[Run, ...]
    rows: tuple[tuple[float, int], ...]
    """Heights and numbers of the grid."""
    rounds: int


@dataclass(frozen=True)
class FaceCount:
    """How often a face was rolled, and how often fair dice show it on average."""

    face: Face
    seen: int
    expected: str
    share: float
    """The bar's length, 0 to 100."""
    mark: float
    """The place of the expectation on the bar, 0 to 100."""


@dataclass(frozen=True)
class DiceCount:
    """All dice of a game."""

    dice: int
    faces: tuple[FaceCount, ...]
    sentence: str


def score_curve(game: Any, history: Sequence[Move], final: Any, names: Sequence[str]) -> Curve:
    """Return the curve of every seat's score, at the start of each round and at the end."""
    starts = [before for _seat, _action, before in history if game.starts_turn(before) and game.turn_of(before) == 0]
    stations = [game.scores(state) for state in (*starts, final)]
    top = max(10, *(score for scores in stations for score in scores))
    low = min(0, *(score for scores in stations for score in scores))
    step = next(step for step in (5, 10, 20, 25, 50, 100, 200, 500, 10**9) if (top - low) / step <= 6)
    top = -(-top // step) * step
    low = low // step * step

    def x(station: int) -> float:
        return x_of(station / max(1, len(stations) - 1))

    def y(score: int) -> float:
        return y_of((score - low) / (top - low))

    runs = []
    for seat, name in enumerate(names):
        scores = tuple(station[seat] for station in stations)
        points = " ".join(f"{x(i)},{y(score)}" for i, score in enumerate(scores))
        runs.append(Run(seat + 1, name, seat_shape(seat + 1), points, x(len(scores) - 1), y(scores[-1]), scores))
    rows = tuple((y(number), number) for number in range(low, top + 1, step))
    return Curve(WIDTH, HEIGHT, tuple(runs), rows, len(stations) - 1)


def dice_count(w: Words, board: Board, game: Any, history: Sequence[Move], *, sealed: bool = True) -> DiceCount | None:
    """Compare a game's dice with what fair dice show; None for a game without statistics of dice."""
    if not board.faces:
        return None
    seen: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    for _seat, action, before in history:
        if game.actor(before) == CHANCE:
            for shown, faces in board.dice_of(game, before, action):
                seen[shown] += 1
                expected.update(faces)
    # A die shows each of its six faces as often as the others.
    means = {face: count / 6 for face, count in expected.items()}
    longest = max([1, *seen.values(), *means.values()])
    counts = []
    for face in board.faces:
        count, mean = seen[face.text], means.get(face.text, 0.0)
        counts.append(FaceCount(face, count, decimal(w, mean, 1), 100 * count / longest, 100 * mean / longest))
    return DiceCount(seen.total(), tuple(counts), _verdict(w, seen, means, sealed=sealed))


def _verdict(w: Words, seen: Mapping[str, int], expected: Mapping[str, float], *, sealed: bool) -> str:
    far = sum((seen.get(face, 0) - mean) ** 2 / mean for face, mean in expected.items() if mean)
    if far < USUAL:
        return w("Nothing unusual: such differences are what fair dice show in 95 of 100 games.")
    if far < RARE:
        return w("A little unusual: with fair dice, about one game in twenty-five is like this.")
    if not sealed:
        return w("Rare: fewer than one game in a hundred is like this. It happens, with real dice as well.")
    return w(
        "Rare: fewer than one game in a hundred is like this. It happens; the check tells whether these were the "
        "sealed dice."
    )


@router.get("/after/{table}/costliest")
async def costliest(request: Request, table: str) -> Response:
    """Lead to the reader's own decision that cost most; to the whole review if none is known."""
    view = await request.app.state.service.view(table, await current_guest(request))
    own = [seat - 1 for seat in view.mine]
    judged = (await look_back(request, view, seat_names(reader_of(request).w, view.seats), own)).judged
    found = judged.mistakes[0][2] if judged and judged.own else ()
    path = f"/replay/{table}?step={found[0].event}" if found else f"/after/{table}?coach=1#coach"
    return RedirectResponse(path, status_code=303)


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
            proof = await in_page_thread(request, partial(prove, await service.record(table)))
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
            dice=dice_count(w, board, game, moves, sealed=view.dice == "sealed"),
            entered=view.dice != "sealed",
            look=partial(look_of, view.seats),
            envelope=explain(w),
            seal=view.commitment,
            seed=view.seed,
            sealed=service.sealed,
            opens=view.daily is not None and view.seed is None,
            proof=proof,
            standings=standings(game, state, names),
            coach=coach,
            fault=fault,
        )

    return await in_page_thread(request, draw)
