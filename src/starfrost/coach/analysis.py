"""The coach: the loss of every decision of a record and the luck of every roll.

Both are winning probabilities. The luck of a roll is how much it changed the value for the player who rolled; the loss
of a decision is the value of the best action minus that of the action taken. A player's change from start to end is
the own luck, minus the other's luck, minus the own losses, plus the other's losses.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import Action, State
from starfrost.games.record import Replay
from starfrost.solver.adviser import Adviser
from starfrost.solver.shared import NEAR

NOTICEABLE: Final = 0.0005
"""The least loss that a report shows as more than 0.0 %."""


@dataclass(frozen=True)
class Moment:
    """One event of a record: a roll or a decision."""

    event: int
    """the number of the event in the record, from 0"""
    turn: int
    """the number of the turn, from 1"""
    seat: int
    """the seat that decides or rolls"""
    action: Action
    chance: bool
    before: float
    after: float
    """the seat's winning probability before and after the event; before a decision, that of the best action"""
    best: Action
    """the best action, or the roll itself"""
    stake: float
    """the value of the best action minus that of the worst; 0 for a roll"""

    @property
    def luck(self) -> float:
        """How much the roll changed the value for the player who rolled; 0 for a decision."""
        return self.after - self.before if self.chance else 0.0

    @property
    def loss(self) -> float:
        """How much the decision cost the player; 0 for a roll."""
        return 0.0 if self.chance else self.before - self.after


@dataclass(frozen=True)
class Tally:
    """The sums of a player."""

    luck: float
    loss: float
    decisions: int
    """decisions with something at stake"""
    mistakes: int
    """decisions that cost more than 1 %"""
    accuracy: float | None
    """the share of the stakes that the decisions kept: 1 if all were best, 0 if all were worst; None without stakes"""
    change: float
    """the change of winning probability from the start of the record to its end"""


@dataclass(frozen=True)
class Analysis:
    """The analysis of a record."""

    exact: ClassVar[bool] = True
    """Whether the values are exact."""
    curve: tuple[float, ...]
    """the first seat's winning probability in every position; one more than there are events"""
    moments: tuple[Moment, ...]
    tallies: tuple[Tally, ...]

    def worst(self, count: int = 3) -> list[Moment]:
        """Return the decisions with the greatest noticeable losses, the greatest first."""
        costly = [moment for moment in self.moments if moment.loss >= NOTICEABLE]
        return sorted(costly, key=lambda moment: -moment.loss)[:count]

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the analysis with the players' names as JSON data; seats and events count from 1."""
        return {
            "players": [
                {"seat": seat, "name": name, **asdict(tally)}
                for seat, (name, tally) in enumerate(zip(names, self.tallies, strict=True), 1)
            ],
            "curve": list(self.curve),
            "events": [
                {
                    "event": moment.event + 1,
                    "turn": moment.turn,
                    "seat": moment.seat + 1,
                    "chance": moment.chance,
                    "action": str(moment.action),
                    "before": moment.before,
                    "after": moment.after,
                    **(
                        {"luck": moment.luck}
                        if moment.chance
                        else {"loss": moment.loss, "best": str(moment.best), "stake": moment.stake}
                    ),
                }
                for moment in self.moments
            ],
        }


def analyse(adviser: Adviser, played: Replay) -> Analysis:
    """Analyse a two-player record."""
    game, states = adviser.game, played.states
    curve = tuple(adviser.value(state) for state in states)
    moments, turn = [], 0
    for number, event in enumerate(played.record.events):
        state: State = states[number]
        turn += game.starts_turn(state)
        chance = event.seat == CHANCE
        seat = state.seat if chance else event.seat
        before, after = (curve[place] if seat == 0 else 1.0 - curve[place] for place in (number, number + 1))
        best, stake = event.action, 0.0
        if not chance:
            values = {choice.action: choice.value for choice in adviser.action_values(state)}
            most = max(values.values())
            # Of several best actions, prefer the one taken.
            best = event.action if values[event.action] >= most - NEAR else adviser.best(state).action
            stake = most - min(values.values())
        moments.append(Moment(number, turn, seat, event.action, chance, before, after, best, stake))
    return Analysis(curve, tuple(moments), tuple(_tally(seat, moments, curve) for seat in range(2)))


def _tally(seat: int, moments: list[Moment], curve: tuple[float, ...]) -> Tally:
    own = [moment for moment in moments if moment.seat == seat]
    loss = sum(moment.loss for moment in own)
    decisions = sum(moment.stake > NEAR for moment in own)
    stake = sum(moment.stake for moment in own)
    change = curve[-1] - curve[0]
    return Tally(
        sum(moment.luck for moment in own),
        loss,
        decisions,
        sum(moment.loss > 0.01 for moment in own),
        # Rounding errors may leave the range.
        min(1.0, max(0.0, 1.0 - loss / stake)) if decisions else None,
        change if seat == 0 else -change,
    )
