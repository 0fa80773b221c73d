"""A running game: its events, its players, undo, and the record that is saved after every event.

An event is appended to the file as a line, and the file is synced once a turn. The whole file is written only where
lines change: at the start, after an undo, at the end of the game, and if another program changed it.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from starfrost.bots.core import Bot
from starfrost.bots.registry import make_bot
from starfrost.errors import Phrase, UsageError, mark
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.record import Event, Record, write_record

HUMAN = "human"
"""The kind of a person's seat; every other kind is `bot:NAME`."""


class _Told(Phrase):
    """A sentence of the server; the catalogues know it where its version is ours."""


class Declined(UsageError):
    """The server that keeps a game understood and refused; `code` is its stable name for the reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(mark("The server says: %(reason)s"), reason=_Told(reason))
        self.code = code


class Session:
    """One game at this keyboard, from its first event to its result. Raises UsageError for an unknown bot."""

    at_server = False
    """Whether a server keeps the game and rolls its dice."""
    daily = False
    """Whether this is the daily game of a server."""
    practice = False
    """Whether this is a daily game that does not count."""

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
        self.bots = self._seated()
        self.states: list[Any] = list(states) or [game.start()]
        self.events: list[Event] = list(events)
        self._size = -1
        """The size of the file after our last write; -1 if it must be written as a whole."""

    @property
    def state(self) -> Any:
        """The current position."""
        return self.states[-1]

    @property
    def actor(self) -> int:
        """The acting seat, `CHANCE` or `OVER`."""
        return self.game.actor(self.state)

    def _seated(self) -> dict[int, Bot]:
        """Return the bots that decide here. Raises UsageError for an unknown bot."""
        return {
            seat: make_bot(kind.removeprefix("bot:"), self.game, meanwhile=True)
            for seat, kind in enumerate(self.kinds)
            if kind != HUMAN
        }

    def is_human(self, seat: int) -> bool:
        """Return whether a person at this keyboard has a seat."""
        return seat >= 0 and self.kinds[seat] == HUMAN

    @property
    def awaited(self) -> bool:
        """Whether a person elsewhere is to play now."""
        return False

    def leaders(self) -> "list[tuple[str, list[tuple[int | None, str, int]]]]":
        """Return the leaderboard of a daily game that is over: a heading, and everybody's rank, name and points."""
        return []

    def random(self) -> Random:
        """Return the source of randomness for the next event.

        With a seed it depends only on the seed and the number of events, so that a resumed game gets the same dice.
        """
        return Random(f"{self.seed} {len(self.events)}") if self.seed else SystemRandom()

    def next_event(self) -> Any:
        """Return what chance or the acting bot does next; at a server None if somebody took a move back instead."""
        if self.actor == CHANCE:
            return self.game.sample(self.state, self.random())
        return self.bots[self.actor].choose(self.game, self.state, self.random())

    def apply(self, action: Any) -> None:
        """Play an event and save.

        Raises IllegalAction if the rules do not allow it, UsageError if it cannot be saved.
        """
        actor = self.actor
        following = self.game.apply(self.state, action)
        self.events.append(Event(actor, action))
        self.states.append(following)
        if self.is_over or not self._append():
            self.save()

    def last_by_human(self) -> bool:
        """Return whether the last event was a person's decision."""
        return bool(self.events) and self.is_human(self.events[-1].seat)

    def undo(self) -> bool:
        """Undo the last decision of a person and the bots' events after it; never past a roll. Raises Declined."""
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
        """Return the game so far as a record with the kinds of the seats, so that it can be resumed."""
        own = {"seats": " | ".join(self.kinds), **({"seed": self.seed} if self.seed else {})}
        return Record(self.game, self.names, tuple(self.events), {**self.headers, **own}, self.states[0])

    def _append(self) -> bool:
        """Append the last event to the file; return False if the file changed since our last write.

        Raises UsageError, with the reason, if it cannot be written; then the file is as it was before.
        """
        if self._size < 0 or not self.path.is_file():
            return False
        size, self._size = self._size, -1
        line = f"{self.events[-1]}\n".encode()
        try:
            with self.path.open("r+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END) != size:
                    return False
                try:
                    # A short write means a full disk; the sync would fail too, but only at the end of the turn.
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    if self.game.starts_turn(self.state):
                        os.fsync(file.fileno())
                except OSError:
                    file.truncate(size)
                    raise
        except OSError as error:
            raise self._unsaved(error) from None
        self._size = size + len(line)
        return True

    def save(self) -> None:
        """Write the whole record atomically.

        Raises UsageError, with the reason, if it cannot be written.
        """
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.draft")
        text = write_record(self.record(), self.state).encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except OSError as error:
            self._size = -1
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise self._unsaved(error) from None
        self._size = len(text)

    def _unsaved(self, error: OSError) -> UsageError:
        return UsageError("The game cannot be saved as %(file)s: %(reason)s.", file=self.path, reason=error.strerror)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.actor == OVER
