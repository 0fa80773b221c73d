"""A game in progress: its events, its players, undo, and the record that is saved after every event."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Event, Record, write_record

__all__ = ["HUMAN", "Session"]

HUMAN = "human"
"""The kind of seat at which a person sits; every other kind is `bot:NAME`."""


class Session:
    """One game at this keyboard, from its first event to its result."""

    def __init__(
        self,
        game: Game[Any, Any],
        names: Sequence[str],
        kinds: Sequence[str],
        path: Path,
        *,
        headers: Mapping[str, str] | None = None,
        states: Sequence[Any] = (),
        events: Sequence[Event] = (),
        seed: str = "",
    ) -> None:
        self.game, self.names, self.kinds, self.path = game, tuple(names), tuple(kinds), path
        self.headers, self.seed = dict(headers or {}), seed
        self.states: list[Any] = list(states) or [game.start()]
        self.events: list[Event] = list(events)

    @property
    def state(self) -> Any:
        """The position now."""
        return self.states[-1]

    @property
    def actor(self) -> int:
        """Who acts now: a seat, `CHANCE` or `OVER`."""
        return self.game.actor(self.state)

    def is_human(self, seat: int) -> bool:
        """Say whether a person sits at a seat."""
        return seat >= 0 and self.kinds[seat] == HUMAN

    def random(self) -> Random:
        """Give the source of randomness for the next event.

        With a seed it depends on the seed and the number of events alone, so that a game resumed goes on as it would
        have gone on.
        """
        return Random(f"{self.seed} {len(self.events)}") if self.seed else SystemRandom()

    def apply(self, action: Any) -> None:
        """Play an event and save.

        Raises IllegalAction if the rules do not allow it, UsageError if it cannot be saved.
        """
        actor = self.actor
        following = self.game.apply(self.state, action)
        self.events.append(Event(actor, action))
        self.states.append(following)
        self.save()

    def last_by_human(self) -> bool:
        """Say whether the last event was a person's decision."""
        return bool(self.events) and self.is_human(self.events[-1].seat)

    def undo(self) -> bool:
        """Take back the last decision of a person and what bots answered to it; never past dice."""
        for count, event in enumerate(reversed(self.events), start=1):
            if event.seat == CHANCE:
                return False
            if self.is_human(event.seat):
                del self.events[-count:]
                del self.states[-count:]
                self.save()
                return True
        return False

    def record(self) -> Record:
        """Give the game so far as a record that also says who sits where, so that it can be resumed."""
        headers = dict(self.headers)
        headers["seats"] = " | ".join(self.kinds)
        if self.seed:
            headers["seed"] = self.seed
        return Record(self.game, self.names, tuple(self.events), headers)

    def save(self) -> None:
        """Write the record in one step, so that a reader or a crash never sees half of it.

        Raises UsageError, with the reason, if it cannot be written.
        """
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.draft")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.write(write_record(self.record()))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise UsageError(
                "The game cannot be saved as %(file)s: %(reason)s.", file=self.path, reason=error.strerror
            ) from None

    @property
    def is_over(self) -> bool:
        """Say whether the game has ended."""
        return self.actor == OVER
