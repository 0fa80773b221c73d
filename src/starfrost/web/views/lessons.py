"""A lesson: a record with prepared dice, and a text for each decision of the learner.

A lesson keeps no state: its address holds the progress, and the rules play the record up to there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from starfrost.games.record import Replay, parse_record, replay

LEARNER: Final = 0


@dataclass(frozen=True)
class Beat:
    """The text at one decision: why, and what to do."""

    why: str
    do: str


@dataclass(frozen=True)
class Lesson:
    """A prepared game with its texts."""

    record: str
    beats: Sequence[Beat]
    """One for each decision of the learner."""
    end: str

    @cached_property
    def played(self) -> Replay:
        """The record, played through."""
        return replay(parse_record(self.record))

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """For every beat the number of events before it."""
        return tuple(i for i, state in enumerate(self.played.states[:-1]) if _is_stop(self.game, state))

    @property
    def game(self) -> Any:
        """The game of the record."""
        return self.played.record.game

    def step(self, number: int) -> int:
        """Return the number of events before beat `number` (from 0), or of all events at the end."""
        return self.stops[number] if number < len(self.stops) else len(self.played.states) - 1

    def taught(self, number: int) -> str:
        """Return the action that the learner is asked for at a beat, as a table's form names it."""
        event = self.played.record.events[self.stops[number]]
        return str(event.action) if event.seat == LEARNER else "roll"


def _is_stop(game: Any, state: Any) -> bool:
    return game.actor(state) == LEARNER or (bool(game.starts_turn(state)) and game.turn_of(state) == LEARNER)
