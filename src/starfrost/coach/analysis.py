"""The coach: the loss of every decision of a record and the luck of every roll.

Both are winning probabilities. The luck of a roll is how much it changed the value for the player who rolled; the loss
of a decision is how much better the best action is than that taken. The curve of the values is computed backwards:
before a decision it is the value after it plus the loss, and before a roll the value of the position. So the luck and
the losses of all players add up to what changed between start and end, for every seat, also where values are estimates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, Final

from starfrost.coach.asking import ask_check, set_up
from starfrost.coach.judge import MISTAKE, NOTICEABLE, Checked, Judge, Parts, Shares, check, kind_of
from starfrost.coach.registry import COACHES
from starfrost.errors import MissingExtra
from starfrost.games.core import CHANCE, OVER
from starfrost.games.record import Replay, parse_record, replay

_ROUNDING: Final = 1e-12
"""Exact values that are closer than this are equal."""


@dataclass(frozen=True)
class Moment:
    """One event of a record: a roll or a decision."""

    event: int
    """the number of the event in the record, from 0"""
    turn: int
    """the number of the turn, from 1"""
    seat: int
    """the seat that decides or rolls"""
    action: Any
    chance: bool
    before: float
    after: float
    """the seat's winning probability before and after the event; before a decision, that of the best action"""
    best: Any
    """the best action, or the roll itself"""
    stake: float
    """the value of the best action minus that of the worst; 0 for a roll"""
    error: float = 0.0
    """half the 95% interval of the loss; 0 if it is exact or nothing was suspected"""
    parts: Parts = ()
    """the parts of the loss"""

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
    """decisions that cost more than 1%"""
    accuracy: float | None
    """the share of the stakes that the decisions kept: 1 if all were best, 0 if all were worst; None without stakes"""
    change: float
    """the change of winning probability from the start of the record to its end"""
    others_luck: float = 0.0
    others_decisions: float = 0.0
    """what the others' luck and the others' decisions changed for this player"""


@dataclass(frozen=True)
class Analysis:
    """The analysis of a record."""

    shares: tuple[Shares, ...]
    """every seat's share of the victory in every position; one more than there are events"""
    moments: tuple[Moment, ...]
    tallies: tuple[Tally, ...]
    exact: bool = True
    """whether the values are exact, and no estimates"""

    @cached_property
    def curve(self) -> list[float]:
        """The first seat's winning probability in every position."""
        return [self.chance(place, 0) for place in range(len(self.shares))]

    def chance(self, place: int, seat: int) -> float:
        """Return a seat's winning probability in a position."""
        return min(1.0, max(0.0, self.shares[place][seat]))

    def worst(self, count: int = 3) -> list[Moment]:
        """Return the decisions with the greatest noticeable losses, the greatest first."""
        costly = [moment for moment in self.moments if moment.loss >= NOTICEABLE]
        return sorted(costly, key=lambda moment: -moment.loss)[:count]

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the analysis with the players' names as JSON data; seats and events count from 1.

        Estimates say so, give the error of every loss and the curves of all seats.
        """
        players = [
            {"seat": seat, "name": name, **asdict(tally)}
            for seat, (name, tally) in enumerate(zip(names, self.tallies, strict=True), 1)
        ]
        facts = {"players": players, "curve": self.curve, "events": [self._event(moment) for moment in self.moments]}
        if not self.exact:
            return {"estimate": True, **facts, "curves": [list(seat) for seat in zip(*self.shares, strict=True)]}
        for player in players:
            # With two players these are the other one's own.
            del player["others_luck"], player["others_decisions"]
        return facts

    def _event(self, moment: Moment) -> dict[str, Any]:
        facts = {
            "event": moment.event + 1,
            "turn": moment.turn,
            "seat": moment.seat + 1,
            "chance": moment.chance,
            "action": str(moment.action),
            "before": moment.before,
            "after": moment.after,
        }
        if moment.chance:
            return {**facts, "luck": moment.luck}
        parts = [{"part": one.part, "value": one.value} for one in moment.parts]
        facts |= {"loss": moment.loss, "best": str(moment.best), "stake": moment.stake, "parts": parts}
        return facts if self.exact else {**facts, "error": moment.error}


def analyse(judge: Judge, played: Replay, jobs: int = 1) -> Analysis:
    """Analyse a record; estimates are made in this many processes."""
    game, states, events = judge.game, played.states, played.record.events
    decisions = [number for number, event in enumerate(events) if event.seat != CHANCE]
    checked = dict(zip(decisions, _check_all(judge, played, decisions, jobs), strict=True))
    curve: list[Shares] = [()] * len(states)
    waits = game.actor(states[-1]) not in (CHANCE, OVER)
    curve[-1] = judge.options(states[-1])[0].shares if waits else judge.value(states[-1])
    for number in reversed(range(len(events))):
        if number in checked:
            curve[number] = tuple(a + b for a, b in zip(curve[number + 1], checked[number].loss, strict=True))
        else:
            curve[number] = judge.value(states[number])
    moments, turn = [], 0
    for number, event in enumerate(events):
        turn += game.starts_turn(states[number])
        found = checked.get(number)
        seat = event.seat if found else game.turn_of(states[number])
        judged = (found.best, found.stake, found.error, found.parts) if found else (event.action, 0.0)
        before, after = curve[number][seat], curve[number + 1][seat]
        moments.append(Moment(number, turn, seat, event.action, found is None, before, after, *judged))
    threshold = max(judge.error, _ROUNDING)
    tallies = tuple(_tally(seat, moments, curve, threshold) for seat in range(game.seats))
    return Analysis(tuple(curve), tuple(moments), tallies, not judge.error)


def _check_all(judge: Judge, played: Replay, decisions: Sequence[int], jobs: int) -> list[Checked]:
    game, states, events = judge.game, played.states, played.record.events
    # Other processes read what the judge needs from a file; a full disk has none.
    if jobs > 1 and judge.error and COACHES[game.name].can_judge(game):
        texts = [(game.position_text(states[number]), str(events[number].action)) for number in decisions]
        # A browser has no processes, and asks for none.
        from starfrost.workers import map_ordered

        return list(map_ordered(partial(ask_check, set_up(game)), texts, jobs))
    return [check(judge, states[number], events[number].action) for number in decisions]


def _tally(seat: int, moments: Sequence[Moment], curve: Sequence[Shares], threshold: float) -> Tally:
    """Sum up a seat's moments; stakes up to the threshold do not count."""
    own = [moment for moment in moments if moment.seat == seat]
    others = [
        (moment.chance, curve[moment.event + 1][seat] - curve[moment.event][seat])
        for moment in moments
        if moment.seat != seat
    ]
    loss = sum(moment.loss for moment in own)
    stake = sum(moment.stake for moment in own)
    return Tally(
        sum(moment.luck for moment in own),
        loss,
        sum(moment.stake > threshold for moment in own),
        sum(moment.loss > MISTAKE for moment in own),
        # Rounding errors may leave the range.
        min(1.0, max(0.0, 1.0 - loss / stake)) if stake > threshold else None,
        curve[-1][seat] - curve[0][seat],
        sum(change for chance, change in others if chance),
        sum(change for chance, change in others if not chance),
    )


def ask_analysis(record: str) -> Analysis | None:
    """Judge every event of a record; None if nobody can. Nothing is solved."""
    played = replay(parse_record(record))
    coach = COACHES.get(played.record.game.name)
    try:
        judge = coach.judge(played.record.game) if coach is not None else None
        return None if judge is None else analyse(judge, played)
    except MissingExtra:
        return None


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


def review_of(found: Analysis, seat: int) -> Review:
    """Return a seat's part of an analysis."""
    tally, kinds = found.tallies[seat], dict[str, tuple[int, float]]()
    for moment in found.moments:
        if moment.seat == seat and not moment.chance:
            count, loss = kinds.get(kind_of(moment.action), (0, 0.0))
            kinds[kind_of(moment.action)] = (count + 1, loss + moment.loss)
    mean = tally.loss / tally.decisions if tally.decisions else 0.0
    return Review(tally.accuracy, tally.luck, tally.loss, mean, tally.decisions, found.exact, kinds)
