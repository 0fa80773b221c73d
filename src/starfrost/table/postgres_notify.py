"""Signals between server processes on one Postgres: NOTIFY after the commit, LISTEN on a connection of its own.

A notification carries a table and the version it has reached, or passing news. A poll finds what a lost notification
did not tell.
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

__all__ = ["Relay"]

_log = get_logger("starfrost.table")
_CHANNEL = "starfrost"
_LONGEST = 7000  # Postgres allows just under 8,000 bytes.
_SILENCE = 15.0


class Relay:
    """This process's ear and voice among the others."""

    def __init__(
        self,
        settings: Settings,
        reached: Callable[[str, int], None],
        told: Callable[[dict[str, Any]], None],
        missed: Callable[[], None],
        silent: Callable[[str], None],
    ) -> None:
        self._dsn = "postgresql://" + settings.database.split("://", 1)[1]
        self._ping = max(settings.poll, 0.2)
        self._reached, self._told, self._missed, self._silent = reached, told, missed, silent
        self.process = secrets.token_hex(4)
        self._outbox: dict[str, int] = {}
        self._news: list[str] = []
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._heard: dict[str, float] = {}

    def start(self) -> None:
        """Begin to listen and to notify."""
        self._tasks = [
            asyncio.create_task(self._listen(), name="relay-listen"),
            asyncio.create_task(self._speak(), name="relay-speak"),
        ]

    async def stop(self) -> None:
        """Fall silent."""
        await end(self._tasks)

    def announce(self, table_id: str, version: int) -> None:
        """Tell the other processes, soon, which version a table has reached."""
        self._outbox[table_id] = version
        self._wake.set()

    def tell(self, news: dict[str, Any]) -> None:
        """Tell the other processes passing news."""
        self._news.append(json.dumps({**news, "from": self.process}, separators=(",", ":")))
        self._wake.set()

    async def _connect(self) -> Any:
        import asyncpg

        return await asyncpg.connect(self._dsn, timeout=5, command_timeout=5)

    async def _speak(self) -> None:
        connection: Any = None
        while True:
            await self._wake.wait()
            self._wake.clear()
            outbox, self._outbox = self._outbox, {}
            news, self._news = self._news, []
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                for payload in [*self._payloads(outbox), *news]:
                    await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, payload)
            except asyncio.CancelledError:
                if connection is not None:
                    connection.terminate()
                raise
            except Exception as error:
                # The others poll: what is lost here costs them a moment.
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
                await connection.add_listener(_CHANNEL, self._hear)
                # Whatever was said while nobody listened.
                self._missed()
                while True:
                    await asyncio.sleep(self._ping)
                    await connection.execute("SELECT 1")
                    self._missed()
                    self._look_for_silence()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                _log.warning("listen failed", error=type(error).__name__)
                self._missed()
                await asyncio.sleep(0.3)
            finally:
                if connection is not None:
                    with contextlib.suppress(Exception):
                        connection.terminate()

    def _look_for_silence(self) -> None:
        now = time.monotonic()
        for process in [process for process, at in self._heard.items() if now - at > _SILENCE]:
            del self._heard[process]
            self._silent(process)

    def _hear(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        if payload.startswith("{"):
            news = json.loads(payload)
            if news["from"] != self.process:
                self._heard[news["from"]] = time.monotonic()
                self._told(news)
            return
        process, *words = payload.split()
        if process != self.process:
            for word in words:
                table_id, _, version = word.partition(":")
                self._reached(table_id, int(version))
