"""What the coach says: notes at the table, and a whole game judged step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from starfrost.coach.analysis import NOTICEABLE, Analysis, Moment
from starfrost.coach.estimate import Estimate
from starfrost.coach.estimate_report import meaning as estimate_meaning
from starfrost.coach.judging import Advice, Verdict
from starfrost.coach.report import meaning, share_kept
from starfrost.games.core import Game
from starfrost.table.moves import Move
from starfrost.web.views.after import x_of, y_of
from starfrost.words import Words
from starfrost.words.numbers import percent
from starfrost.words.story import tell

MISTAKE: Final = 0.01
BLUNDER: Final = 0.05
"""The least losses that are called a mistake and a big mistake."""
GRID: Final = (0, 25, 50, 75, 100)
SHOWN: Final = 8
"""The most mistakes that a list shows of one player."""


def tight(text: str) -> str:
    """Keep every per cent sign on the line of its number, and every error beside its plus-minus sign."""
    return text.replace(" %", "\u00a0%").replace("± ", "±\u00a0")


@dataclass(frozen=True)
class Note:
    """What the coach tells one player."""

    kind: str
    """`hint`; `best`, `slip`, `mistake` or `blunder`; `working` while cards are worked out; `none` for no answer."""
    heading: str
    text: str = ""
    estimate: bool = False
    event: int = -1
    """The move that is judged, from 0; -1 for a hint."""


def hint_note(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str], found: Advice) -> Note:
    """Return what the coach would do, and why."""

    def told(action: str) -> str:
        return tell(w, game, state, game.parse_action(action), names)

    chance = percent(w, found.chance)
    if not found.other:
        why = w("There is nothing else to do.")
    elif found.behind < max(NOTICEABLE, found.error):
        equal = told(found.other)
        why = (
            w("It wins %(chance)s of all games. Just as good: %(other)s", chance=chance, other=equal)
            if found.exact
            else w("It wins about %(chance)s of all games. Just as good: %(other)s", chance=chance, other=equal)
        )
    elif found.exact:
        why = w(
            "It wins %(chance)s of all games, %(more)s more than the best other way: %(other)s",
            chance=chance,
            more=percent(w, found.behind),
            other=told(found.other),
        )
    else:
        why = w(
            "It wins about %(chance)s of all games, %(more)s (± %(error)s) more than the best other way: %(other)s",
            chance=chance,
            more=percent(w, found.behind),
            error=percent(w, found.error),
            other=told(found.other),
        )
    return Note("hint", told(found.best), tight(why), not found.exact)


def severity(loss: float) -> str:
    """Return how bad a loss is: best, slip, mistake or blunder."""
    if loss < NOTICEABLE:
        return "best"
    return "slip" if loss < MISTAKE else "mistake" if loss < BLUNDER else "blunder"


def verdict_note(w: Words, game: Game[Any, Any], move: Move, names: Sequence[str], found: Verdict, event: int) -> Note:
    """Return how good a move was, and what would have been better."""
    kind = severity(found.loss)
    chance = percent(w, found.chance)
    if kind == "best":
        if found.only:
            heading = w("There was nothing else to do.")
        else:
            heading = w("Well played: the best move.") if found.exact else w("Well played: nothing better is proved.")
        text = (
            w("Your chance to win: %(chance)s.", chance=chance)
            if found.exact
            else w("Your chance to win: about %(chance)s.", chance=chance)
        )
    else:
        heading = cost_words(w, found.loss, found.error, exact=found.exact)
        best = tell(w, game, move.before, game.parse_action(found.best), names)
        text = w("Better: %(best)s", best=best)
    return Note(kind, tight(heading), tight(text), not found.exact, event)


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


def chance_of(found: Analysis, place: int, seat: int) -> float:
    """Return a seat's winning chance in a position of the game."""
    if isinstance(found, Estimate):
        return min(1.0, max(0.0, found.shares[place][seat]))
    return found.curve[place] if seat == 0 else 1.0 - found.curve[place]


def _error(found: Analysis, event: int) -> float:
    return found.errors[event] if isinstance(found, Estimate) else 0.0


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
    before, last = moves[moment.event].before, max(1, len(found.curve) - 1)
    return Mistake(
        moment.event,
        moment.seat + 1,
        moment.turn,
        severity(moment.loss),
        tight(cost_words(w, moment.loss, _error(found, moment.event), exact=found.exact)),
        tight(percent(w, -moment.loss, signed=True)),
        tell(w, game, before, moment.action, names),
        tell(w, game, before, moment.best, names),
        x_of((moment.event + 1) / last),
        y_of(chance_of(found, moment.event + 1, side)),
    )


def judged_game(
    w: Words, game: Game[Any, Any], moves: Sequence[Move], names: Sequence[str], found: Analysis, own: Sequence[int]
) -> Judged:
    """Return a judged game for the templates; `own` are the reader's seats, from 0."""
    side = own[0] if own else 0
    last = max(1, len(found.curve) - 1)
    curve = [chance_of(found, place, side) for place in range(len(found.curve))]
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
            tight(share_kept(w, found.tallies[seat])),
            tight(percent(w, found.tallies[seat].luck, signed=True)),
            tight(percent(w, -found.tallies[seat].loss, signed=True)),
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
        meaning(w) if found.exact else estimate_meaning(w),
        not found.exact,
        w("No mistakes.") if found.tallies[side].decisions else w("Nothing to decide."),
    )


def judged_steps(w: Words, found: Analysis, steps: Sequence[int], side: int) -> list[Step]:
    """Return what the coach says about every scene of a replay: the first, and each stretch between two steps."""
    shown = [Step(tight(percent(w, chance_of(found, steps[0], side - 1))), "", "")]
    for start, end in pairwise(steps):
        worst = max(found.moments[start:end], key=lambda one: one.loss)
        # Another player's good roll is bad luck for the reader, beside whose chance it is shown.
        luck = chance_of(found, end, side - 1) - chance_of(found, start, side - 1)
        change, kind = "", ""
        if worst.loss >= NOTICEABLE:
            change, kind = percent(w, -worst.loss, signed=True), severity(worst.loss)
        elif abs(luck) >= NOTICEABLE:
            change, kind = percent(w, luck, signed=True), "luck" if luck > 0 else "bad-luck"
        shown.append(Step(tight(percent(w, chance_of(found, end, side - 1))), tight(change), kind))
    return shown
