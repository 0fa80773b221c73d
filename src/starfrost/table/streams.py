"""Live signals inside one process: who watches which table, and what reaches them.

A signal says which version a table has reached; whoever reads it fetches what it lacks. A lost wake-up therefore costs
a delay and never a move.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, NamedTuple

__all__ = ["Hub", "Signal"]


class Signal(NamedTuple):
    """News of a table: `version`, `presence`, `reaction`, or `ping` when there is none."""

    kind: str
    version: int
    data: dict[str, Any]


class _Listener:
    """One open stream."""

    __slots__ = ("guest", "news", "version", "waiter")

    def __init__(self, guest: str | None) -> None:
        self.guest = guest
        self.version = 0
        self.news: deque[Signal] = deque(maxlen=16)
        self.waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Let the reader look."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class Hub:
    """Every stream of this process."""

    def __init__(self, presence_changed: Callable[[str], None]) -> None:
        self._listeners: dict[str, set[_Listener]] = {}
        self._presence_changed = presence_changed
        self._elsewhere: dict[str, dict[str, tuple[frozenset[str], int]]] = {}
        self._streams_of: Counter[str] = Counter()
        self._closed = False

    @property
    def streams(self) -> int:
        """Count the open streams."""
        return sum(map(len, self._listeners.values()))

    @property
    def tables(self) -> tuple[str, ...]:
        """List the tables that somebody watches here."""
        return tuple(self._listeners)

    def is_watched(self, table_id: str) -> bool:
        """Say whether any stream of this process is open at a table."""
        return table_id in self._listeners

    def streams_of(self, guest: str) -> int:
        """Count a guest's open streams."""
        return self._streams_of.get(guest, 0)

    def ping(self) -> None:
        """Send a sign of life down every stream, so that the network between keeps it open."""
        for table_id in self._listeners:
            self.tell(table_id, "ping", {})

    def reached(self, table_id: str, version: int) -> None:
        """Tell the streams of a table which version it has reached."""
        for listener in self._listeners.get(table_id, ()):
            if version > listener.version:
                listener.version = version
                listener.wake()

    def tell(self, table_id: str, kind: str, data: dict[str, Any]) -> None:
        """Pass on passing news."""
        for listener in self._listeners.get(table_id, ()):
            listener.news.append(Signal(kind, listener.version, data))
            listener.wake()

    def here(self, table_id: str) -> tuple[set[str], int]:
        """Say which guests watch a table from this process, and how many streams have no guest."""
        group = self._listeners.get(table_id, ())
        return {listener.guest for listener in group if listener.guest}, sum(not listener.guest for listener in group)

    def present(self, table_id: str) -> tuple[set[str], int]:
        """Say who watches a table from anywhere, and how many nameless watchers there are."""
        guests, nameless = self.here(table_id)
        for others, count in self._elsewhere.get(table_id, {}).values():
            guests |= others
            nameless += count
        return guests, nameless

    def present_elsewhere(self, table_id: str, process: str, guests: frozenset[str], nameless: int) -> None:
        """Remember who watches a table from another process."""
        group = self._elsewhere.setdefault(table_id, {})
        if guests or nameless:
            group[process] = (guests, nameless)
        else:
            group.pop(process, None)
            if not group:
                self._elsewhere.pop(table_id, None)

    def forget_process(self, process: str) -> list[str]:
        """Forget another process that has fallen silent; gives the tables whose presence changed."""
        touched = [table_id for table_id, group in self._elsewhere.items() if process in group]
        for table_id in touched:
            self.present_elsewhere(table_id, process, frozenset(), 0)
        return touched

    async def watch(self, table_id: str, guest: str | None, version: int, after: int) -> AsyncGenerator[Signal, None]:
        """Yield signals until the reader goes or the process shuts down; at once, if it has missed something."""
        listener = _Listener(guest)
        listener.version = version
        seen = after
        self._listeners.setdefault(table_id, set()).add(listener)
        if guest is not None:
            self._streams_of[guest] += 1
        self._presence_changed(table_id)
        try:
            while not self._closed:
                if listener.version > seen:
                    seen = listener.version
                    yield Signal("version", seen, {})
                elif listener.news:
                    yield listener.news.popleft()
                else:
                    listener.waiter = asyncio.get_running_loop().create_future()
                    await listener.waiter
        finally:
            group = self._listeners[table_id]
            group.discard(listener)
            if guest is not None:
                self._streams_of[guest] -= 1
                if not self._streams_of[guest]:
                    del self._streams_of[guest]
            if not group:
                del self._listeners[table_id]
            self._presence_changed(table_id)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        for group in self._listeners.values():
            for listener in group:
                listener.wake()
