"""The event streams of one process: who watches which table, and the signals sent to them.

A signal says which version a table has reached; the reader fetches the events it lacks. A lost wake-up therefore costs
a delay and never a move. A reader that waits for the next event can be told it at once, without a wake-up.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NamedTuple


class Signal(NamedTuple):
    """A message to a watcher of a table; `kind` is `version`, `presence`, `reaction` or `ping` (keep-alive)."""

    kind: str
    version: int
    data: dict[str, Any]
    after: int = 0
    """The version of which the watcher was last told."""


Tell = Callable[[int, bytes], bool]
"""Tells a reader the next version and its event; returns False if the reader must be woken instead."""


class Watchers(NamedTuple):
    """Who watches a table: guests, and the number of streams without a guest."""

    guests: frozenset[str]
    anonymous: int


class _Stream:
    """One open stream."""

    __slots__ = ("ended", "guest", "messages", "seen", "tell", "version", "waiter")

    def __init__(self, guest: str | None, after: int, tell: Tell | None) -> None:
        self.guest = guest
        self.tell = tell
        self.version = 0
        self.seen = after
        """The version of which the reader was last told."""
        self.ended = False
        self.messages: deque[Signal] = deque(maxlen=16)
        self.waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Wake the reader."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def announce(self, version: int, event: bytes | None) -> None:
        """Tell the reader an event, or wake it."""
        if version <= self.version:
            return
        self.version = version
        if (
            event is not None
            and self.tell is not None
            and self.seen == version - 1
            and not self.messages
            and self.waiter is not None
            and not self.waiter.done()
            and self.tell(version, event)
        ):
            self.seen = version
        else:
            self.wake()


class Streams:
    """All open streams of this process, by table."""

    def __init__(self, presence_changed: Callable[[str], None]) -> None:
        self._streams: dict[str, set[_Stream]] = {}
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

    def is_watched(self, table_id: str) -> bool:
        """Return whether this process has an open stream of a table."""
        return table_id in self._streams

    def ping(self) -> None:
        """Send a keep-alive on every stream, so that proxies do not close it."""
        for table_id in self._streams:
            self.send(table_id, "ping", {})

    def announce(self, table_id: str, version: int, event: bytes | None = None) -> None:
        """Signal the version that a table has reached to its watchers, with its last event."""
        for stream in self._streams.get(table_id, ()):
            stream.announce(version, event)

    def send(self, table_id: str, kind: str, data: dict[str, Any]) -> None:
        """Send a message (presence, reaction, ping) to the watchers of a table; it is not stored."""
        for stream in self._streams.get(table_id, ()):
            stream.messages.append(Signal(kind, stream.version, data))
            stream.wake()

    def watchers(self, table_id: str) -> Watchers:
        """Return who watches a table; all its streams come to the process that owns it."""
        group = self._streams.get(table_id, ())
        return Watchers(
            frozenset(stream.guest for stream in group if stream.guest), sum(not stream.guest for stream in group)
        )

    def end(self, table_id: str) -> None:
        """End the streams of a table that another process takes over; their readers come back there."""
        for stream in self._streams.get(table_id, ()):
            stream.ended = True
            stream.wake()

    def end_all(self) -> None:
        """End all streams, whose readers come back."""
        for table_id in self._streams:
            self.end(table_id)

    async def watch(
        self,
        table_id: str,
        guest: str | None,
        reached: Callable[[str], Awaitable[int]],
        after: int,
        tell: Tell | None = None,
    ) -> AsyncGenerator[Signal, None]:
        """Yield signals until the reader leaves or the process shuts down; the first at once if `after` is behind.

        `reached` returns the version that a table has. While the reader waits, `tell` may be called instead.
        """
        stream = _Stream(guest, after, tell)
        stream.version = await reached(table_id)
        self._streams.setdefault(table_id, set()).add(stream)
        self._presence_changed(table_id)
        try:
            while not self._closed and not stream.ended:
                if stream.version > stream.seen:
                    before, stream.seen = stream.seen, stream.version
                    yield Signal("version", stream.seen, {}, before)
                elif stream.messages:
                    yield stream.messages.popleft()
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
