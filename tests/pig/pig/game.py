"""The rules of Pig.

On your turn you roll one die as often as you like. Each roll adds to the total of the turn, but a 1 ends the turn and
loses the total. Hold to end the turn and score the total. The round in which somebody reaches the goal is the last;
the highest score wins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from starfrost.errors import IllegalAction, NotationError, Phrase, UsageError, quoted
from starfrost.games.core import CHANCE, OVER

SEATS = (2, 3, 4)
GOAL = 100
MOST_GOAL = 9_999


class Action(NamedTuple):
    """A decision, `roll` or `hold`, or what the die shows, `1` to `6`."""

    word: str

    def __str__(self) -> str:
        return self.word


ROLL, HOLD = Action("roll"), Action("hold")
FACES = tuple(Action(str(face)) for face in range(1, 7))


class State(NamedTuple):
    """A position: whose turn it is, what they have rolled in this turn, and everybody's points."""

    seat: int
    total: int
    scores: tuple[int, ...]
    rolling: bool = False
    over: bool = False


@dataclass(frozen=True)
class Pig:
    """A game of Pig. Raises UsageError."""

    seats: int = 2
    goal: int = GOAL
    name = "pig"

    def __post_init__(self) -> None:
        if self.seats not in SEATS:
            raise UsageError("Pig is for 2 to 4 players, not %(seats)s.", "players", seats=self.seats)
        if not 1 <= self.goal <= MOST_GOAL:
            raise UsageError(
                "The goal of Pig is 1 to %(most)s points, not %(goal)s.", "goal", most=MOST_GOAL, goal=self.goal
            )

    def headers(self) -> Mapping[str, str]:
        """Return the record header `goal`."""
        return {"goal": str(self.goal)}

    def start(self) -> State:
        """Return the state before the first event."""
        return State(0, 0, (0,) * self.seats)

    def actor(self, state: State) -> int:
        """Return who acts: the seat whose turn it is, `CHANCE` or `OVER`."""
        return OVER if state.over else CHANCE if state.rolling else state.seat

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        """List the decisions: a turn begins with a roll."""
        if state.over or state.rolling:
            return ()
        return (ROLL, HOLD) if state.total else (ROLL,)

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, int], ...]:
        """List the faces of the die, all equally likely."""
        return tuple((face, 1) for face in FACES) if state.rolling else ()

    def sample(self, state: State, rng: Random) -> Action:
        """Roll the die."""
        return rng.choice(FACES)

    def apply(self, state: State, action: Action) -> State:
        """Return the state after a decision or a roll. Raises IllegalAction."""
        if state.rolling and action in FACES:
            if action == FACES[0]:
                return self._next(state, state.scores)
            return state._replace(total=state.total + int(action.word), rolling=False)
        if action not in self.legal_actions(state):
            raise IllegalAction(
                "'%(action)s' is not allowed here; expected %(expected)s.",
                action=action,
                expected=self.expected(state),
            )
        if action == ROLL:
            return state._replace(rolling=True)
        scores = list(state.scores)
        scores[state.seat] += state.total
        return self._next(state, tuple(scores))

    def _next(self, state: State, scores: tuple[int, ...]) -> State:
        """End the turn; the game is over after the round in which somebody reached the goal."""
        last = state.seat == self.seats - 1
        if last and max(scores) >= self.goal:
            return State(state.seat, 0, scores, over=True)
        return State(0 if last else state.seat + 1, 0, scores)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return everybody's points."""
        return state.scores

    def winners(self, state: State) -> tuple[int, ...]:
        """List the seats with the highest score; empty while the game runs."""
        return tuple(seat for seat in range(self.seats) if state.over and state.scores[seat] == max(state.scores))

    def starts_turn(self, state: State) -> bool:
        """Return whether the next event is the first of a turn."""
        return not (state.over or state.rolling or state.total)

    def turn_of(self, state: State) -> int:
        """Return the seat whose turn it is."""
        return state.seat

    def view(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Return what a seat may see, ready for JSON: everything."""
        return {"game": self.name, "goal": self.goal, "turn": state.seat + 1, **state._asdict()}

    def parse_action(self, text: str) -> Action:
        """Read a decision or a roll. Raises NotationError."""
        action = Action(text.strip())
        if action not in (ROLL, HOLD, *FACES):
            raise NotationError("%(text)s is not a move: expected roll, hold or a die.", text=quoted(text))
        return action

    def position_text(self, state: State) -> str:
        """Write a state on one line: `1 12 30/41 decide`."""
        phase = "over" if state.over else "rolling" if state.rolling else "decide"
        return f"{state.seat + 1} {state.total} {'/'.join(map(str, state.scores))} {phase}"

    def parse_position(self, text: str) -> State:
        """Read what `position_text` wrote. Raises NotationError."""
        try:
            seat, total, scores, phase = text.split()
            points = tuple(map(int, scores.split("/")))
            return State(int(seat) - 1, int(total), points, phase == "rolling", phase == "over")
        except ValueError:
            raise NotationError("%(text)s is not a position of Pig.", text=quoted(text)) from None

    def extra_results(self, state: State) -> Mapping[str, int]:
        """Return no result beyond scores and winners."""
        return {}

    def expected(self, state: State) -> Phrase:
        """Return what the next event may be, for errors."""
        if state.over:
            return Phrase("nothing: the game is over")
        if state.rolling:
            return Phrase("a die from 1 to 6")
        return Phrase("roll or hold") if state.total else Phrase("roll")
