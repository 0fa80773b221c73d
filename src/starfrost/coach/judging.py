"""One interface to the coaches of all games: what to do in a position, how good a move was, and a whole record.

A judge is exact where the values of a game are solved and at hand; elsewhere it estimates. Nothing here is solved.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from starfrost.coach.analysis import NOTICEABLE, Analysis
from starfrost.coach.estimate import SUSPECTED, Difference, Judge, Option, Shares, check
from starfrost.games.core import Game
from starfrost.games.dicy_cards import Action, State
from starfrost.games.record import Replay
from starfrost.solver.adviser import Adviser
from starfrost.solver.shared import NEAR


class Coach(Protocol):
    """The coach of one game."""

    def is_exact(self, game: Any) -> bool:
        """Return whether exact values of this set-up are at hand."""

    def can_judge(self, game: Any) -> bool:
        """Return whether there is a judge for this set-up now, exact or estimating."""

    def judge(self, game: Any) -> Judge | None:
        """Return the best judge that is at hand; None if there is none."""

    def analyse(self, played: Replay) -> Analysis | None:
        """Judge every event of a record; None if there is no judge for it."""

    def can_solve(self, game: Any) -> bool:
        """Return whether this machine can work out the exact values of this set-up, which are not at hand."""

    def solve(self, game: Any) -> int:
        """Start to work them out in the background; return how far that is, in per cent."""


class ExactJudge:
    """Judges by the solved values of a game of two."""

    def __init__(self, adviser: Adviser) -> None:
        self.adviser = adviser

    def value(self, state: State) -> Shares:
        """Return both seats' winning probabilities."""
        first = self.adviser.value(state)
        return first, 1.0 - first

    def options(self, state: State) -> list[Option]:
        """Return every action with its value, the best for the acting seat first."""
        seat, best = self.adviser.game.actor(state), self.adviser.best(state).action
        ranked = sorted(self.adviser.action_values(state), key=lambda one: (one.action != best, -one.value))
        return [Option(one.action, (one.value, 1.0 - one.value)[:: 1 if seat == 0 else -1]) for one in ranked]

    def compare(self, state: State, one: Action, other: Action) -> Difference:
        """Return the exact difference of two actions."""
        values = {choice.action: choice.value for choice in self.adviser.action_values(state)}
        mean = values[one] - values[other]
        seat = self.adviser.game.actor(state)
        return Difference((mean, -mean) if seat == 0 else (-mean, mean), 0.0, mean > NEAR)


@dataclass(frozen=True)
class Advice:
    """What the coach would do in a position."""

    best: str
    """The action, as records write it."""
    chance: float
    """The acting seat's winning chance then."""
    other: str
    """The best alternative, of another kind if there is one that is clearly worse; empty if there is only one move."""
    behind: float
    """How much worse that is; below `NOTICEABLE` they are equally good."""
    error: float
    """Half the 95 % interval of `behind`; 0 if it is exact."""
    exact: bool


@dataclass(frozen=True)
class Verdict:
    """How good a move was."""

    best: str
    """The best action; the one taken if none is proved better."""
    loss: float
    """The winning chance lost."""
    chance: float
    """The winning chance after the move."""
    error: float
    """Half the 95 % interval of the loss; 0 if it is exact or if nothing was suspected."""
    exact: bool
    only: bool
    """Whether there was nothing else to do."""


def kind_of(action: Any) -> str:
    """Return the kind of a decision: the first word of its notation."""
    return str(action).split()[0]


def advise(judge: Judge, game: Game[Any, Any], state: Any) -> Advice:
    """Return the best action of a position in which a seat acts, and how much better it is than another."""
    seat, options, exact = game.actor(state), judge.options(state), isinstance(judge, ExactJudge)
    best = options[0]
    if len(options) == 1:
        return Advice(str(best.action), best.shares[seat], "", 0.0, 0.0, exact)
    other = options[1]
    if best.shares[seat] - other.shares[seat] >= NOTICEABLE:
        # That another kind of move is worse says more than that another choice of dice is.
        other = next((one for one in options[1:] if kind_of(one.action) != kind_of(best.action)), other)
    found = judge.compare(state, best.action, other.action)
    behind = found.mean[seat]
    if behind < 0 and not exact and -behind > found.error:
        # Played on, the network's second choice is better.
        best, other, behind = other, best, -behind
    return Advice(str(best.action), best.shares[seat], str(other.action), max(0.0, behind), found.error, exact)


def judge_move(judge: Judge, game: Game[Any, Any], state: Any, action: Any) -> Verdict:
    """Judge a decision of the acting seat."""
    seat, exact = game.actor(state), isinstance(judge, ExactJudge)
    options = judge.options(state)
    found = check(judge, seat, state, action, NEAR if exact else SUSPECTED)
    taken = next(option for option in options if option.action == action)
    chance = taken.shares[seat]
    return Verdict(str(found.best), found.loss[seat], chance, found.error, exact, len(options) == 1)


@dataclass(frozen=True)
class Review:
    """How one seat played a game."""

    accuracy: float | None
    """The share of the stakes that the decisions kept; None if there was nothing to decide."""
    luck: float
    """What the own rolls changed."""
    loss: float
    """What the own decisions cost."""
    mean_loss: float
    """The mean cost of a decision with something at stake; 0 if there was none."""
    decisions: int
    exact: bool
    """Whether these are exact values; otherwise estimates."""
    kinds: Mapping[str, tuple[int, float]]
    """For every kind of decision (the first word of its notation) how many there were and what they cost."""


def review(played: Replay, seat: int, *, estimates: bool = False) -> Review | None:
    """Review a seat's play; None if nothing at hand can judge it.

    With exact values it takes about a second, with estimates many: only if `estimates` is set. Nothing is solved.
    """
    from starfrost.coach.registry import COACHES

    coach = COACHES.get(played.record.game.name)
    if coach is None or not (estimates or coach.is_exact(played.record.game)):
        return None
    found = coach.analyse(played)
    return None if found is None else review_of(found, seat)


def review_of(found: Analysis, seat: int) -> Review:
    """Return a seat's part of an analysis."""
    tally, kinds = found.tallies[seat], dict[str, tuple[int, float]]()
    for moment in found.moments:
        if moment.seat == seat and not moment.chance:
            count, loss = kinds.get(kind_of(moment.action), (0, 0.0))
            kinds[kind_of(moment.action)] = (count + 1, loss + moment.loss)
    mean = tally.loss / tally.decisions if tally.decisions else 0.0
    return Review(tally.accuracy, tally.luck, tally.loss, mean, tally.decisions, found.exact, kinds)
