"""Notifications between server processes on one Postgres: NOTIFY after the commit, LISTEN on a separate connection.

A notification carries tables and the versions they have reached, or a message (presence, reaction) that is not stored.
A regular poll makes up for lost notifications.
"""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from structlog import get_logger

from starfrost.table.settings import Settings
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")
_CHANNEL = "starfrost"
_LONGEST = 7000  # Postgres allows just under 8,000 bytes.
_SILENCE = 15.0


class PostgresNotifier:
    """Sends this process's notifications and receives those of the other processes."""

    def __init__(
        self,
        settings: Settings,
        on_version: Callable[[str, int], None],
        on_message: Callable[[dict[str, Any]], None],
        check_all: Callable[[], None],
        on_process_gone: Callable[[str], None],
        on_return: Callable[[], None] = lambda: None,
    ) -> None:
        self._dsn = "postgresql://" + settings.database.split("://", 1)[1]
        self._ping = max(settings.poll, 0.2)
        self._on_version, self._on_message = on_version, on_message
        self._check_all, self._on_process_gone, self._on_return = check_all, on_process_gone, on_return
        self._listened = False
        self.process = secrets.token_hex(4)
        self._outbox: dict[str, int] = {}
        self._messages: list[str] = []
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._last_heard: dict[str, float] = {}

    def start(self) -> None:
        """Start listening and notifying."""
        self._tasks = [
            asyncio.create_task(self._listen(), name="notify-listen"),
            asyncio.create_task(self._send(), name="notify-send"),
        ]

    async def stop(self) -> None:
        """Stop listening and notifying."""
        await end(self._tasks)

    def notify_version(self, table_id: str, version: int) -> None:
        """Tell the other processes soon which version a table has reached."""
        self._outbox[table_id] = version
        self._wake.set()

    def notify(self, message: dict[str, Any]) -> None:
        """Send a message to the other processes."""
        self._messages.append(json.dumps({**message, "from": self.process}, separators=(",", ":")))
        self._wake.set()

    async def _connect(self) -> Any:
        import asyncpg

        return await asyncpg.connect(self._dsn, timeout=5, command_timeout=5)

    async def _send(self) -> None:
        connection: Any = None
        while True:
            await self._wake.wait()
            self._wake.clear()
            outbox, self._outbox = self._outbox, {}
            messages, self._messages = self._messages, []
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                for payload in [*self._payloads(outbox), *messages]:
                    await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)
            except asyncio.CancelledError:
                if connection is not None:
                    connection.terminate()
                raise
            except Exception as error:
                # A lost notification only costs a delay: the other processes poll.
                _log.warning("notify failed", error=type(error).__name__)
                if connection is not None:
                    connection.terminate()
                connection = None
                await asyncio.sleep(0.2)

    def _payloads(self, outbox: dict[str, int]) -> list[str]:
        payloads: list[str] = []
        line = self.process
        for table_id, version in outbox.items():
            word = f" {table_id}:{version}"
            if len(line) + len(word) > _LONGEST:
                payloads.append(line)
                line = self.process
            line += word
        return [*payloads, line] if outbox else payloads

    async def _listen(self) -> None:
        while True:
            connection: Any = None
            try:
                connection = await self._connect()
                await connection.add_listener(_CHANNEL, self._receive)
                # Find what was notified while this process did not listen.
                if self._listened:
                    self._on_return()
                self._listened = True
                self._check_all()
                while True:
                    await asyncio.sleep(self._ping)
                    await connection.execute("SELECT 1")
                    self._check_all()
                    self._find_silent_processes()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                _log.warning("listen failed", error=type(error).__name__)
                self._check_all()
                await asyncio.sleep(0.3)
            finally:
                if connection is not None:
                    with contextlib.suppress(Exception):
                        connection.terminate()

    def _find_silent_processes(self) -> None:
        now = time.monotonic()
        for process in [process for process, at in self._last_heard.items() if now - at > _SILENCE]:
            del self._last_heard[process]
            self._on_process_gone(process)

    def _receive(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        if payload.startswith("{"):
            message = json.loads(payload)
            if message["from"] != self.process:
                self._last_heard[message["from"]] = time.monotonic()
                self._on_message(message)
            return
        process, *words = payload.split()
        if process != self.process:
            for word in words:
                table_id, _, version = word.partition(":")
                self._on_version(table_id, int(version))
