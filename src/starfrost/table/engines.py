"""Connections to the database: SQLite's one writer and its readers, and Postgres."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from starfrost.errors import require
from starfrost.table.settings import Settings

_T = TypeVar("_T")

# Moves of many tables touch many pages: a larger log and cache avoid rewriting them all the time.
_PRAGMAS = (
    "busy_timeout=5000",
    "journal_mode=WAL",
    "synchronous=FULL",
    "temp_store=MEMORY",
    "wal_autocheckpoint=4000",
    "cache_size=-16000",
    # What a person deletes is overwritten.
    "secure_delete=ON",
)


class SqliteWriter:
    """The one connection that writes to a SQLite file, in a thread of its own.

    A transaction is one trip to the thread; with the asynchronous driver every statement is one.
    """

    def __init__(self, settings: Settings) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite-writer")
        # Every transaction ends in a commit or a rollback, so returning the connection needs no other rollback.
        self._engine = create_engine(
            f"sqlite:///{settings.sqlite_path}", hide_parameters=True, pool_size=1, pool_reset_on_return=None
        )
        # The driver begins the transaction itself, together with its first statement.
        _set_up_connections(self._engine, "IMMEDIATE")

    async def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run some work in one transaction."""

        def transaction() -> _T:
            with self._engine.begin() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, transaction)

    async def close(self) -> None:
        """Disconnect and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown()


def _set_up_connections(engine: Engine, isolation_level: str | None) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = isolation_level
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


def sqlite_engine(settings: Settings) -> AsyncEngine:
    """Return an engine that reads a SQLite file and migrates it."""
    engine = create_async_engine(
        settings.url, pool_size=2, max_overflow=0, hide_parameters=True, pool_reset_on_return=None
    )
    _set_up_connections(engine.sync_engine, None)

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def postgres_engine(settings: Settings, patient: bool = False) -> AsyncEngine:
    """Return an engine for a Postgres; `patient` waits for a command however long it takes."""
    require("Postgres needs one more part: pip install 'starfrost[postgres]'.", "asyncpg")
    options = {
        # Whatever the host prefers elsewhere: here a commit means that it is on the disk.
        "synchronous_commit": "on",
        # A suspended process must not keep others from taking its tables over.
        "idle_in_transaction_session_timeout": "0" if patient else str(round(1000 * settings.lease)),
    }
    return create_async_engine(
        settings.url,
        pool_size=8,
        max_overflow=8,
        pool_timeout=5,
        hide_parameters=True,
        connect_args={"timeout": 5, "command_timeout": None if patient else 10, "server_settings": options},
    )
