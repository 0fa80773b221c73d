"""Messages between server processes on one Postgres: NOTIFY, and LISTEN on a separate connection.

They are rare: a guest was renamed, a log was rewritten, a table is wanted elsewhere. No move causes one.
"""

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable
from typing import Any

from structlog import get_logger

from starfrost.table.settings import Settings
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")
_CHANNEL = "starfrost"


class PostgresNotifier:
    """Sends this process's notifications and receives those of the other processes."""

    def __init__(
        self,
        settings: Settings,
        on_message: Callable[[dict[str, Any]], None],
        on_return: Callable[[], None],
    ) -> None:
        self._dsn = "postgresql://" + settings.database.split("://", 1)[1]
        self._ping = max(settings.poll, 0.2)
        self._on_message, self._on_return = on_message, on_return
        self._listened = False
        self.process = secrets.token_hex(4)
        self._messages: list[str] = []
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start listening and notifying."""
        self._tasks = [
            asyncio.create_task(self._listen(), name="notify-listen"),
            asyncio.create_task(self._send(), name="notify-send"),
        ]

    async def stop(self) -> None:
        """Stop listening and notifying."""
        await end(self._tasks)

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
            messages, self._messages = self._messages, []
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                for payload in messages:
                    await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)
            except asyncio.CancelledError:
                if connection is not None:
                    connection.terminate()
                raise
            except Exception as error:
                # Who asks for a table asks again; renamed guests are looked up again every few seconds.
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
        message = json.loads(payload)
        if message["from"] != self.process:
            self._on_message(message)
