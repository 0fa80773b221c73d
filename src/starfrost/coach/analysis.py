"""The coach: what every decision of a record cost and what every roll brought.

Everything is counted in winning probability. A roll's luck is what it changed for the player who rolled; a decision's
loss is what the best action was worth more than the one taken. For each player: the change from start to end is one's
own luck, less the other's luck, less one's own losses, plus the other's losses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import Action, State
from starfrost.games.record import Replay
from starfrost.solver.adviser import Adviser

__all__ = ["NOTICEABLE", "Analysis", "Moment", "Tally", "analyse"]


NOTICEABLE: Final = 0.0005
"""The least loss that a report shows as more than 0.0 %."""


@dataclass(frozen=True)
class Moment:
    """One event of a record: a roll or a decision."""

    event: int
    """which event of the record, from 0"""
    turn: int
    """which turn of the game, from 1"""
    seat: int
    """who decides or rolls"""
    action: Action
    chance: bool
    before: float
    after: float
    """the seat's winning probability before and after; a decision's is that of the best action before it"""
    best: Action
    """the best action, or the roll itself"""
    stake: float
    """what the best action is worth more than the worst; 0 for a roll"""

    @property
    def luck(self) -> float:
        """What the roll brought to the player who rolled; 0 for a decision."""
        return self.after - self.before if self.chance else 0.0

    @property
    def loss(self) -> float:
        """What the decision cost the player who took it; 0 for a roll."""
        return 0.0 if self.chance else self.before - self.after


@dataclass(frozen=True)
class Tally:
    """A player's sums."""

    luck: float
    loss: float
    decisions: int
    """decisions with something at stake"""
    mistakes: int
    """decisions that cost more than one point in a hundred"""
    accuracy: float | None
    """the share of what was at stake that the decisions kept: 0 is always the worst action, 1 always the best; None if
    nothing was at stake"""
    change: float
    """the change in winning probability from the start of the record to its end"""


@dataclass(frozen=True)
class Analysis:
    """A record through the coach's eyes."""

    curve: tuple[float, ...]
    """the first seat's winning probability in every position, one more than events"""
    moments: tuple[Moment, ...]
    tallies: tuple[Tally, ...]

    def worst(self, count: int = 3) -> list[Moment]:
        """Give the decisions that cost most, the dearest first; only those whose cost can be seen in a report."""
        dear = [moment for moment in self.moments if moment.loss >= NOTICEABLE]
        return sorted(dear, key=lambda moment: -moment.loss)[:count]

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Give the analysis with the players' names, ready for JSON; seats and events count from 1."""
        return {
            "players": [
                {
                    "seat": seat + 1,
                    "name": name,
                    "luck": tally.luck,
                    "loss": tally.loss,
                    "decisions": tally.decisions,
                    "mistakes": tally.mistakes,
                    "accuracy": tally.accuracy,
                    "change": tally.change,
                }
                for seat, (name, tally) in enumerate(zip(names, self.tallies, strict=True))
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
    """Judge every event of a two-player record."""
    game, states = adviser.game, played.states
    curve = tuple(adviser.value(state) for state in states)
    moments = []
    turn = 0
    for number, event in enumerate(played.record.events):
        state: State = states[number]
        turn += game.starts_turn(state)
        chance = event.seat == CHANCE
        seat = state.seat if chance else event.seat
        before, after = (curve[place] if seat == 0 else 1.0 - curve[place] for place in (number, number + 1))
        best, stake = event.action, 0.0
        if not chance:
            worths = adviser.action_values(state)
            taken = next(choice.value for choice in worths if choice.action == event.action)
            most = max(choice.value for choice in worths)
            # Among equals the action taken is as good as any.
            best = event.action if taken >= most - 1e-12 else adviser.best(state).action
            stake = most - min(choice.value for choice in worths)
        moments.append(Moment(number, turn, seat, event.action, chance, before, after, best, stake))
    return Analysis(curve, tuple(moments), tuple(_tally(seat, moments, curve) for seat in range(2)))


def _tally(seat: int, moments: list[Moment], curve: tuple[float, ...]) -> Tally:
    own = [moment for moment in moments if moment.seat == seat]
    loss = sum(moment.loss for moment in own)
    decisions = sum(moment.stake > 1e-12 for moment in own)
    stake = sum(moment.stake for moment in own)
    change = curve[-1] - curve[0]
    return Tally(
        sum(moment.luck for moment in own),
        loss,
        decisions,
        sum(moment.loss > 0.01 for moment in own),
        # Rounding may take it a last bit out of its range.
        min(1.0, max(0.0, 1.0 - loss / stake)) if decisions else None,
        change if seat == 0 else -change,
    )
