"""Messages between server processes on one Postgres: NOTIFY, and LISTEN on a separate connection.

A message is a hint that may be lost: whoever needs to be sure asks the database. What gathers while a message is sent
travels together. With SQLite there is one process, and nothing is sent.
"""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from structlog import get_logger

from starfrost.table.settings import Settings
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")
_CHANNEL: Final = "starfrost"
_LARGEST: Final = 7_500
"""Characters of one notification; Postgres allows 8,000 bytes."""
HERE: Final = 5.0
"""Seconds after which a process says again that it is there."""
BELIEVED: Final = 3 * HERE
"""Seconds after which what a process told is not believed any more: it has died."""


class PubSub:
    """Sends the messages of this process and receives those of the others."""

    def __init__(
        self,
        settings: Settings,
        on_message: Callable[[str, str, dict[str, Any]], None],
        say_more: Callable[[], None],
        on_return: Callable[[], None],
    ) -> None:
        self._dsn = "" if settings.is_sqlite else "postgresql://" + settings.database.split("://", 1)[1]
        self._ping = max(settings.beat, 0.2)
        self._on_message, self._say_more, self._on_return = on_message, say_more, on_return
        self._listened = False
        self.process = secrets.token_hex(4)
        self._others: dict[str, float] = {}
        self._messages: list[str] = []
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_alone(self) -> bool:
        """Return whether no other process has been heard of lately."""
        oldest = time.monotonic() - BELIEVED
        return not any(heard > oldest for heard in self._others.values())

    def start(self) -> None:
        """Start listening and sending, where there can be other processes."""
        if self._dsn:
            jobs = (self._listen, self._send, self._say_here)
            self._tasks = [asyncio.create_task(job(), name=f"pubsub{job.__name__}") for job in jobs]

    async def stop(self) -> None:
        """Say good-bye, and stop listening and sending."""
        self.send("gone")
        for _ in range(50):
            if not self._messages or not self._tasks:
                break
            await asyncio.sleep(0.01)
        await end(self._tasks)

    def send(self, kind: str, **data: Any) -> None:
        """Send a message to the other processes."""
        if self._dsn:
            self._messages.append(json.dumps({"kind": kind, "from": self.process, **data}, separators=(",", ":")))
            self._wake.set()

    async def _connect(self) -> Any:
        import asyncpg

        return await asyncpg.connect(self._dsn, timeout=5, command_timeout=5)

    async def _say_here(self) -> None:
        while True:
            self.send("here")
            self._say_more()
            await asyncio.sleep(HERE)

    async def _send(self) -> None:
        connection: Any = None
        while True:
            await self._wake.wait()
            self._wake.clear()
            messages, self._messages = self._messages, []
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                for payload in _together(messages):
                    await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)
            except asyncio.CancelledError:
                if connection is not None:
                    connection.terminate()
                raise
            except Exception as error:
                # Versions are asked for again every few seconds.
                _log.warning("notify failed", error=type(error).__name__)
                if connection is not None:
                    connection.terminate()
                connection = None
                await asyncio.sleep(0.2)

    async def _listen(self) -> None:
        while True:
            connection: Any = None
            try:
                connection = await self._connect()
                await connection.add_listener(_CHANNEL, self._receive)
                # Something may have been said while this process did not listen.
                if self._listened:
                    self._on_return()
                self._listened = True
                while True:
                    await asyncio.sleep(self._ping)
                    await connection.execute("SELECT 1")
            except asyncio.CancelledError:
                raise
            except Exception as error:
                _log.warning("listen failed", error=type(error).__name__)
                await asyncio.sleep(0.3)
            finally:
                if connection is not None:
                    with contextlib.suppress(Exception):
                        connection.terminate()

    def _receive(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        for message in json.loads(payload):
            process, kind = message.pop("from"), message.pop("kind")
            if process == self.process:
                continue
            if kind == "gone":
                self._others.pop(process, None)
            elif process not in self._others:
                self._others[process] = time.monotonic()
                self.send("here")
                self._say_more()
            else:
                self._others[process] = time.monotonic()
            self._on_message(kind, process, message)


def _together(messages: list[str]) -> Iterator[str]:
    """Yield lists of messages, each short enough for one notification."""
    some: list[str] = []
    for message in messages:
        if some and sum(map(len, some)) + len(some) + len(message) > _LARGEST:
            yield f"[{','.join(some)}]"
            some = []
        some.append(message)
    if some:
        yield f"[{','.join(some)}]"
