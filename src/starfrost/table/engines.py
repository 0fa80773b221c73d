"""Connections to the database: SQLite's one writer and its readers, and Postgres."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar, cast

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

_BEGINS: Final = "IMMEDIATE"
_ROWS_AT_ONCE: Final = 64
"""The most rows of one statement: the driver keeps a compiled one for each number of rows."""


class SqliteWriter:
    """The one connection that writes to a SQLite file, in a thread of its own.

    A transaction is one trip to the thread; with the asynchronous driver every statement is one.
    """

    def __init__(self, settings: Settings) -> None:
        self._engine = create_engine(f"sqlite:///{settings.sqlite_path}", hide_parameters=True, pool_size=1)
        # The driver begins the transaction itself, together with its first statement.
        _set_up_connections(self._engine, _BEGINS)
        self._connection: Connection | None = None
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="sqlite-writer", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    async def _do(self, call: Callable[[Connection], _T]) -> _T:
        """Call something in the thread with the connection."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()

        def job() -> None:
            try:
                if self._connection is None:
                    self._connection = self._engine.connect()
                answer = partial(_answer, done, call(self._connection), None)
            except BaseException as error:
                answer = partial(_answer, done, None, error)
            # The loop may have been closed meanwhile; then nobody waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(answer)

        self._jobs.put(job)
        return await done

    async def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run some work in one transaction."""

        def transaction(connection: Connection) -> _T:
            with connection.begin():
                return work(connection)

        return await self._do(transaction)

    async def insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows in one transaction, by the driver alone: SQLAlchemy takes longer than SQLite for a few rows.

        `statement` inserts one row. The thread gives Python's lock away with every statement and waits for it
        afterwards, so many rows are one statement, and a few rows are one statement that is the whole transaction.
        """

        def transaction(connection: Connection) -> None:
            driver = cast(sqlite3.Connection, connection.connection.dbapi_connection)
            if len(rows) <= _ROWS_AT_ONCE:
                driver.isolation_level = None
                try:
                    driver.execute(_for_rows(statement, len(rows)), list(chain.from_iterable(rows)))
                finally:
                    driver.isolation_level = _BEGINS
                return
            with driver:
                for start in range(0, len(rows), _ROWS_AT_ONCE):
                    part = rows[start : start + _ROWS_AT_ONCE]
                    driver.execute(_for_rows(statement, len(part)), list(chain.from_iterable(part)))

        await self._do(transaction)

    async def close(self) -> None:
        """Disconnect and end the thread."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)


@cache
def _for_rows(statement: str, count: int) -> str:
    """Return a statement that inserts some rows, made from the one that inserts one."""
    start = statement.rindex("(")
    return statement + f", {statement[start:]}" * (count - 1)


def _answer(done: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


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
