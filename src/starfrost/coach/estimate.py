"""The coach where nobody knows exact values: estimates by a network, confirmed by rollouts.

The value of a position is every seat's estimated share of the victory. A decision is suspected if another action has a
higher value by the network. Then both are played on with the same dice, in stages, until the interval of the difference
excludes 0 or the last stage is reached. Only a confirmed difference is a loss; otherwise the two count as equal.

The curve is computed backwards: before a decision it is the value after it plus the loss, and before a roll the
network's value. So luck and losses add up to the change of the estimate, for every seat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from starfrost.coach.analysis import Analysis, Moment, Tally
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Replay

Shares = tuple[float, ...]
"""Every seat's share of the victory."""

SUSPECTED: Final = 0.004
"""The least difference by the network that rollouts check."""
MISTAKE: Final = 0.01
"""The least confirmed loss that counts as a mistake."""


class Option(NamedTuple):
    """An action and every seat's share after it, by the network."""

    action: Any
    shares: Shares


class Difference(NamedTuple):
    """How much better one action is than another, by rollouts on the same dice."""

    mean: Shares
    """The difference of every seat's share."""
    error: float
    """Half the 95 % interval of the acting seat's difference."""
    proved: bool
    """Whether the first action is better beyond doubt."""


class Judge(Protocol):
    """The estimates of one game."""

    def value(self, state: Any) -> Shares:
        """Return the value of a position that waits for dice, or of an end."""

    def options(self, state: Any) -> list[Option]:
        """Return every legal action with its value, the best for the acting seat first."""

    def compare(self, state: Any, one: Any, other: Any) -> Difference:
        """Play two actions on with the same dice, until the interval of the difference excludes 0 or is small."""


class Checked(NamedTuple):
    """A decision and what the coach found about it."""

    best: Any
    loss: Shares
    """The gain of every seat if the best action had been taken; zeros if none is proved better."""
    error: float
    stake: float


def check(judge: Judge, seat: int, state: Any, action: Any, suspected: float = SUSPECTED) -> Checked:
    """Judge a decision; a difference below `suspected` is not looked into."""
    options = judge.options(state)
    best = options[0]
    taken = next(option for option in options if option.action == action)
    nothing = (0.0,) * len(best.shares)
    stake = best.shares[seat] - min(option.shares[seat] for option in options)
    if best.shares[seat] - taken.shares[seat] < suspected:
        return Checked(action, nothing, 0.0, stake)
    found = judge.compare(state, best.action, action)
    if not found.proved:
        return Checked(action, nothing, found.error, stake)
    return Checked(best.action, found.mean, found.error, max(stake, found.mean[seat]))


@dataclass(frozen=True)
class Estimate(Analysis):
    """The analysis of a record by estimates."""

    exact: ClassVar[bool] = False
    shares: tuple[Shares, ...] = ()
    """every seat's estimated share of the victory in every position"""
    errors: tuple[float, ...] = ()
    """half the 95 % interval of every event's loss; 0 where nothing was suspected"""
    others: tuple[tuple[float, float], ...] = ()
    """for every seat, what the others' luck and the others' decisions changed for it"""

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the analysis as JSON data; it says that the values are estimates and gives the error of every loss."""
        facts = super().as_json(names)
        for event, error in zip(facts["events"], self.errors, strict=True):
            if not event["chance"]:
                event["error"] = error
        for player, (luck, decisions) in zip(facts["players"], self.others, strict=True):
            player |= {"others_luck": luck, "others_decisions": decisions}
        return {"estimate": True, **facts, "curves": [list(seat) for seat in zip(*self.shares, strict=True)]}


def estimate(
    game: Game[Any, Any],
    judge: Judge,
    played: Replay,
    check_all: Callable[[Sequence[tuple[int, Any, Any]]], Sequence[Checked]],
) -> Estimate:
    """Analyse a record; `check_all` judges the decisions, given as seat, position and action."""
    states, events = played.states, played.record.events
    decisions = [number for number, event in enumerate(events) if event.seat != CHANCE]
    found = check_all([(events[number].seat, states[number], events[number].action) for number in decisions])
    checked = dict(zip(decisions, found, strict=True))
    curve: list[Shares] = [()] * len(states)
    last = states[-1]
    waits = game.actor(last) not in (CHANCE, OVER)
    curve[-1] = judge.options(last)[0].shares if waits else judge.value(last)
    for number in reversed(range(len(events))):
        if number in checked:
            curve[number] = tuple(a + b for a, b in zip(curve[number + 1], checked[number].loss, strict=True))
        else:
            curve[number] = judge.value(states[number])
    moments, turn = [], 0
    for number, event in enumerate(events):
        state = states[number]
        turn += game.starts_turn(state)
        chance = number not in checked
        seat = game.turn_of(state) if chance else event.seat
        before, after = curve[number][seat], curve[number + 1][seat]
        best, stake = (event.action, 0.0) if chance else (checked[number].best, checked[number].stake)
        moments.append(Moment(number, turn, seat, event.action, chance, before, after, best, stake))
    errors = tuple(checked[number].error if number in checked else 0.0 for number in range(len(events)))
    seats = range(game.seats)
    changes = [tuple(b - a for a, b in zip(curve[n], curve[n + 1], strict=True)) for n in range(len(events))]
    others = tuple(
        (
            sum(changes[m.event][seat] for m in moments if m.chance and m.seat != seat),
            sum(changes[m.event][seat] for m in moments if not m.chance and m.seat != seat),
        )
        for seat in seats
    )
    tallies = tuple(_tally(seat, moments, curve) for seat in seats)
    return Estimate(
        tuple(min(1.0, max(0.0, shares[0])) for shares in curve), tuple(moments), tallies, tuple(curve), errors, others
    )


def _tally(seat: int, moments: Sequence[Moment], curve: Sequence[Shares]) -> Tally:
    own = [moment for moment in moments if moment.seat == seat]
    loss = sum(moment.loss for moment in own)
    stake = sum(moment.stake for moment in own)
    return Tally(
        sum(moment.luck for moment in own),
        loss,
        sum(moment.stake > SUSPECTED for moment in own),
        sum(moment.loss > MISTAKE for moment in own),
        min(1.0, max(0.0, 1.0 - loss / stake)) if stake > SUSPECTED else None,
        curve[-1][seat] - curve[0][seat],
    )
