"""The event streams of one process: who watches which table, and the signals sent to them.

A signal says which version a table has reached; the reader fetches the events it lacks. A lost wake-up therefore costs
a delay and never a move.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, Final, NamedTuple

from starfrost.table.pubsub import BELIEVED
from starfrost.table.view import Watchers

_MOST: Final = 16
"""Messages that wait for a slow reader."""


class Signal(NamedTuple):
    """A message to a watcher of a table; `kind` is `version`, `presence`, `reaction` or `ping` (keep-alive)."""

    kind: str
    version: int
    data: dict[str, Any]
    after: int = 0
    """The version of which the watcher was last told."""


class _Stream:
    """One open stream."""

    __slots__ = ("guest", "looking", "messages", "seen", "version", "waiter")

    def __init__(self, guest: str | None, after: int, looking: bool) -> None:
        self.guest = guest
        self.looking = looking
        self.version = 0
        self.seen = after
        """The version of which the reader was last told."""
        self.messages: tuple[Signal, ...] = ()
        self.waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Wake the reader."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class Streams:
    """All open streams of this process, by table."""

    def __init__(self, presence_changed: Callable[[str], None]) -> None:
        self._streams: dict[str, set[_Stream]] = {}
        self._elsewhere: dict[str, dict[str, tuple[Watchers, float]]] = {}
        """Who watches a table in other processes, and when they said so."""
        self._presence_changed = presence_changed
        self._closed = False

    @property
    def count(self) -> int:
        """Return the number of open streams."""
        return sum(map(len, self._streams.values()))

    @property
    def is_closed(self) -> bool:
        """Return whether this process is being stopped."""
        return self._closed

    @property
    def watched(self) -> list[str]:
        """Return the tables of which this process has an open stream."""
        return list(self._streams)

    def version(self, table_id: str) -> int:
        """Return the version of a table that its streams know; 0 if there are none."""
        return max((stream.version for stream in self._streams.get(table_id, ())), default=0)

    def is_watched(self, table_id: str) -> bool:
        """Return whether this process has an open stream of a table."""
        return table_id in self._streams

    def announce(self, table_id: str, version: int) -> None:
        """Signal the version that a table has reached to its watchers."""
        for stream in self._streams.get(table_id, ()):
            if version > stream.version:
                stream.version = version
                stream.wake()

    def send(self, table_id: str, kind: str, data: dict[str, Any]) -> None:
        """Send a message (presence, reaction, ping) to the watchers of a table; it is not stored."""
        for stream in self._streams.get(table_id, ()):
            stream.messages = (*stream.messages[1 - _MOST :], Signal(kind, stream.version, data))
            stream.wake()

    def watchers(self, table_id: str) -> Watchers:
        """Return who watches a table, in any process."""
        guests, anonymous, looking = self.watchers_here(table_id)
        for others, _ in self._elsewhere.get(table_id, {}).values():
            guests |= others.guests
            anonymous += others.anonymous
            looking |= others.looking
        return Watchers(guests, anonymous, looking)

    def watchers_here(self, table_id: str) -> Watchers:
        """Return who watches a table by a stream of this process."""
        group = self._streams.get(table_id, ())
        return Watchers(
            frozenset(stream.guest for stream in group if stream.guest),
            sum(not stream.guest for stream in group),
            frozenset(stream.guest for stream in group if stream.guest and stream.looking),
        )

    def readers(self) -> set[tuple[str, str]]:
        """Return the table and the guest of every open stream of a guest."""
        return {(table_id, one.guest) for table_id, group in self._streams.items() for one in group if one.guest}

    def is_looked_at(self, table_id: str, guest: str) -> bool:
        """Return whether a guest has a table before their eyes: an open page that nobody sees does not count."""
        return guest in self.watchers(table_id).looking

    def note_elsewhere(self, process: str, table_id: str, watchers: Watchers) -> None:
        """Note who watches a table in another process, as that has just said."""
        told = self._elsewhere.setdefault(table_id, {})
        told[process] = watchers, time.monotonic()
        if not watchers.guests and not watchers.anonymous:
            del told[process]
        if not told:
            del self._elsewhere[table_id]

    def forget_elsewhere(self, process: str | None = None) -> list[str]:
        """Forget what a process told, and what others told too long ago; return the tables that this is about."""
        oldest = time.monotonic() - BELIEVED
        gone = [
            (table_id, other)
            for table_id, told in self._elsewhere.items()
            for other, (_, at) in told.items()
            if other == process or at < oldest
        ]
        for table_id, other in gone:
            self.note_elsewhere(other, table_id, Watchers(frozenset(), 0))
        return [table_id for table_id, _ in gone]

    def is_watched_elsewhere(self, table_id: str) -> bool:
        """Return whether another process has an open stream of a table."""
        return table_id in self._elsewhere

    async def watch(
        self,
        table_id: str,
        guest: str | None,
        reached: Callable[[str], Awaitable[int]],
        after: int,
        looking: bool = False,
    ) -> AsyncGenerator[Signal, None]:
        """Yield signals until the reader leaves or the process shuts down; the first at once if `after` is behind.

        `reached` returns the version that a table has. `looking` says that a person sees the table.
        """
        stream = _Stream(guest, after, looking)
        # What happens while the version is looked up is announced to it.
        self._streams.setdefault(table_id, set()).add(stream)
        try:
            stream.version = max(stream.version, await reached(table_id))
            self._presence_changed(table_id)
            while not self._closed:
                if stream.version > stream.seen:
                    before, stream.seen = stream.seen, stream.version
                    yield Signal("version", stream.seen, {}, before)
                elif stream.messages:
                    first, *others = stream.messages
                    stream.messages = tuple(others)
                    yield first
                else:
                    stream.waiter = asyncio.get_running_loop().create_future()
                    await stream.waiter
        finally:
            group = self._streams[table_id]
            group.discard(stream)
            if not group:
                del self._streams[table_id]
            self._presence_changed(table_id)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        for group in self._streams.values():
            for stream in group:
                stream.wake()
