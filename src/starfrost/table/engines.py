"""Connections to the database: SQLite's one writer and its readers, and Postgres."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from starfrost.errors import require
from starfrost.table.settings import Settings

_T = TypeVar("_T")

# Moves of many tables touch many pages: a larger log (64 MB) and cache avoid rewriting them all the time, and everybody
# waits while the log is written back.
_PRAGMAS = (
    "busy_timeout=5000",
    "journal_mode=WAL",
    "synchronous=FULL",
    "temp_store=MEMORY",
    "wal_autocheckpoint=16000",
    "cache_size=-16000",
    # What a person deletes is overwritten.
    "secure_delete=ON",
)

_LONGEST_PAUSE: Final = 6.0
"""Seconds after which Postgres ends the transaction of a process that was suspended in it."""


class SqliteWriter:
    """The one connection that writes to a SQLite file, in a thread of its own.

    A transaction is one trip to the thread; with the asynchronous driver every statement is one.
    """

    def __init__(self, settings: Settings) -> None:
        self._engine = create_engine(
            f"sqlite:///{settings.sqlite_path}", hide_parameters=True, pool_size=1, pool_reset_on_return=None
        )
        _set_up_connections(self._engine, "BEGIN IMMEDIATE")
        self._thread = ThreadPoolExecutor(1, "sqlite-writer")

    async def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run some work in one transaction."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transaction, work)

    def _transaction(self, work: Callable[[Connection], _T]) -> _T:
        with self._engine.begin() as connection:
            return work(connection)

    async def checkpoint(self) -> None:
        """Write the log back into the file and empty it, unless somebody reads it just now."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._checkpoint)

    def _checkpoint(self) -> None:
        with closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self) -> None:
        """Disconnect and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        await asyncio.to_thread(self._thread.shutdown)


def _set_up_connections(engine: Engine, begin: str) -> None:
    """Begin transactions by a statement of our own: the driver itself begins them for rows alone, not for tables."""

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def sqlite_engine(settings: Settings) -> AsyncEngine:
    """Return an engine that reads a SQLite file."""
    engine = create_async_engine(
        settings.url, pool_size=2, max_overflow=0, hide_parameters=True, pool_reset_on_return=None
    )
    _set_up_connections(engine.sync_engine, "BEGIN")
    return engine


def postgres_engine(settings: Settings, patient: bool = False) -> AsyncEngine:
    """Return an engine for a Postgres; `patient` waits for a command however long it takes."""
    require("Postgres needs one more part: pip install 'starfrost[postgres]'.", "asyncpg")
    options = {
        # Whatever the host prefers elsewhere: here a commit means that it is on the disk.
        "synchronous_commit": "on",
        # A suspended process must not keep others from the tables that it was writing to.
        "idle_in_transaction_session_timeout": "0" if patient else str(round(1000 * _LONGEST_PAUSE)),
    }
    return create_async_engine(
        settings.url,
        pool_size=8,
        max_overflow=8,
        pool_timeout=5,
        hide_parameters=True,
        connect_args={"timeout": 5, "command_timeout": None if patient else 10, "server_settings": options},
    )
