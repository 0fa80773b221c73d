"""The store: appends events in one transaction for many tables, and reads logs back.

SQLite runs in WAL mode with `synchronous=FULL`; Postgres commits as it is configured. In both, `UNIQUE(table, seq)`
decides which of two writers was first and `UNIQUE(table, key)` makes a repeated command harmless.
"""

import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from filelock import BaseFileLock, FileLock, Timeout
from sqlalchemy import Connection, delete, func, insert, or_, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from starfrost.errors import UsageError
from starfrost.fair.dice import Seed
from starfrost.table.engines import SqliteWriter, postgres_engine, sqlite_engine
from starfrost.table.schema import (
    USUAL_FORMAT,
    daily_attempts,
    downtimes,
    events,
    heartbeat,
    invitations,
    results,
    seeds,
    server_keys,
    tables,
)
from starfrost.table.settings import Settings
from starfrost.table.upgrade import check_readable, upgrade

_T = TypeVar("_T")


class Conflict(Exception):
    """Another writer was first: this sequence number or key is taken."""


class Unavailable(Exception):
    """The store did not confirm a write: full disk, lost connection, locked file."""


class Fenced(Unavailable):
    """This process has lost its tables: others took its silence for its end."""


class Event(NamedTuple):
    """One line of the log."""

    table_id: str
    seq: int
    at: float
    kind: str
    guest: str | None
    key: str | None
    body: str
    format: int = USUAL_FORMAT


class TableRow(NamedTuple):
    """The facts about a table that are stored beside its log."""

    id: str
    host: str
    status: str
    clock: str
    public: bool
    invitation: str
    open_key: str | None
    created: float
    origin: str | None = None
    format: int = USUAL_FORMAT


class Write(NamedTuple):
    """What one command stores: events, tables that it opens with their seeds, and a table's new status.

    With a new table, who is invited to it (table, guest and time); with the end of a game, its results.
    """

    events: tuple[Event, ...]
    opens: tuple[tuple[TableRow, Seed], ...] = ()
    status: tuple[str, str] | None = None
    invites: tuple[tuple[str, str, float], ...] = ()
    results: tuple[Mapping[str, Any], ...] = ()
    attempt: Mapping[str, Any] | None = None
    """The row of a guest's first attempt at a daily game, which the table that is opened stands for."""
    leaving: tuple["Leaving", ...] = ()
    """Tables that leave this process's memory."""
    takes: str | None = None
    """A table of which the store does not know yet that a process has it in memory."""


class Leaving(NamedTuple):
    """A table that a process gives back: when somebody must look at it (None: never), and who owns it next."""

    table_id: str
    due: float | None
    heir: str | None = None


HERE: Final = "here"
"""What `tables.owner` says of a table in the memory of the one process that uses a SQLite file."""
_EVENT = [events.c[name] for name in Event._fields]
_NOTHING_ELSE = Write(())[1:]
_APPEND = insert(events)
_APPEND_SQLITE = str(_APPEND.compile(dialect=sqlite.dialect()))


class Store:
    """One database; each process opens it once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._file_lock: BaseFileLock | None = None
        self._engine: AsyncEngine
        self.fence: Callable[[Connection], None] | None = None
        """Checks in every transaction with events that this process still owns its tables; only with Postgres."""
        self.append_moves: Callable[[Sequence[Event]], Awaitable[None]] | None = None
        """A faster way for transactions that have only events; it checks the same."""
        self.give_back: Callable[[Connection, Iterable[Leaving]], None] = lambda connection, leaving: None
        """Stores that tables leave this process's memory."""
        self._writer: SqliteWriter | None = None

    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises UsageError if the file or server cannot be used."""
        if self.settings.is_sqlite:
            self._claim_file()
            self._writer = SqliteWriter(self.settings)
            self._engine = sqlite_engine(self.settings)
        else:
            self._engine = postgres_engine(self.settings)
        # SQLite's writer begins transactions for rows, not for tables: the other engine migrates all or nothing. With
        # Postgres a migration may take longer than a command.
        engine = self._engine if self.settings.is_sqlite else postgres_engine(self.settings, patient=True)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
            if engine is not self._engine:
                await engine.dispose()
        except UsageError:
            await self.close()
            raise
        except (SQLAlchemyError, OSError) as error:
            await self.close()
            raise _not_opened(error) from None

    async def visit(self) -> None:
        """Connect beside a server that may run; nothing is upgraded. Raises UsageError."""
        if self.settings.is_sqlite:
            if not self.settings.sqlite_path.is_file():
                raise UsageError("There is no database %(file)s.", file=self.settings.sqlite_path)
            self._writer = SqliteWriter(self.settings)
            self._engine = sqlite_engine(self.settings)
        else:
            self._engine = postgres_engine(self.settings, patient=True)
        try:
            async with self._engine.connect() as connection:
                await connection.run_sync(check_readable)
        except (UsageError, SQLAlchemyError, OSError) as error:
            await self.close()
            raise error if isinstance(error, UsageError) else _not_opened(error) from None

    async def is_served(self) -> bool:
        """Return whether a server uses the database now."""
        if not self.settings.is_sqlite:
            last = await self._scalar(select(heartbeat.c.at).where(heartbeat.c.id == 1))
            return last is not None and time.time() - last < 3 * self.settings.beat + 1
        try:
            with FileLock(f"{self.settings.sqlite_path}.lock", blocking=False, thread_local=False):
                return False
        except Timeout:
            return True

    async def close(self) -> None:
        """Disconnect and release the file."""
        if self._writer is not None:
            await self._writer.close()
            self._writer = None
        await self._engine.dispose()
        if self._file_lock is not None:
            self._file_lock.release()
            self._file_lock = None

    def _claim_file(self) -> None:
        """Lock the file for this process: a second server would not see its moves."""
        path = self.settings.sqlite_path
        lock = FileLock(f"{path}.lock", blocking=False, thread_local=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without this check, a folder that cannot be written to would look like a lock that another process holds.
            Path(lock.lock_file).touch()
            # It holds the seeds of games that are not over: a new file is for its owner alone.
            path.touch(mode=0o600)
            lock.acquire()
        except Timeout:
            raise UsageError(
                "Another server already uses %(file)s; several servers need Postgres (--database postgresql://…).",
                file=path,
            ) from None
        except OSError as error:
            raise UsageError(
                "The database %(file)s cannot be opened: %(reason)s.", file=path, reason=error.strerror
            ) from None
        self._file_lock = lock

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Return a connection for queries. Raises Unavailable."""
        try:
            async with self._engine.connect() as connection:
                yield connection
        except (TimeoutError, SQLAlchemyError, OSError) as error:
            raise Unavailable(cause_of(error)) from error

    async def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run some work in one transaction. Raises Conflict or Unavailable."""
        with _faults():
            if self._writer is not None:
                return await self._writer.run(work)
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)

    async def scrub(self) -> None:
        """Take what was deleted out of SQLite's write-ahead log, unless somebody reads it just now."""
        if self._writer is not None:
            await self.write(lambda connection: connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all())

    # The log

    async def append(self, writes: Sequence[Write]) -> None:
        """Make the writes durable, all or none; only a return means that they are. Raises Conflict or Unavailable."""
        # In one order for everybody, so that two processes never wait for each other.
        rows = sorted((row for write in writes for row in write.events), key=lambda row: row[:2])
        if self.append_moves is not None and all(write[1:] == _NOTHING_ELSE for write in writes):
            await self.append_moves(rows)
            return
        idle = self.settings.idle_days * 86_400
        # Postgres lets the first process that is asked for a new table own it.
        owner = HERE if self._writer is not None else None

        def work(connection: Connection) -> None:
            if self.fence is not None:
                self.fence(connection)
            for write in writes:
                for opened, seed in write.opens:
                    # Bots play at once; otherwise nothing happens until somebody comes.
                    due = opened.created + (0.0 if opened.status == "running" else idle)
                    connection.execute(insert(tables), [opened._asdict() | {"due": due, "owner": owner}])
                    connection.execute(insert(seeds), [{"table_id": opened.id, "seed": seed}])
                if write.attempt is not None:
                    connection.execute(insert(daily_attempts), [dict(write.attempt)])
            if rows and self._writer is not None:
                # The driver takes half of the time that SQLAlchemy takes, and every move waits for this.
                connection.connection.cursor().executemany(_APPEND_SQLITE, rows)
            elif rows:
                connection.execute(_APPEND, [row._asdict() for row in rows])
            for write in writes:
                if write.status is not None:
                    table_id, status = write.status
                    change = {"status": status} if status == "running" else {"status": status, "origin": None}
                    connection.execute(update(tables).where(tables.c.id == table_id).values(change))
                if write.results:
                    connection.execute(insert(results), list(write.results))
                if write.invites:
                    invited = [dict(zip(("table_id", "guest", "at"), row, strict=True)) for row in write.invites]
                    connection.execute(insert(invitations), invited)
                if write.takes is not None:
                    connection.execute(update(tables).where(tables.c.id == write.takes).values(owner=owner))
                if write.leaving:
                    self.give_back(connection, write.leaving)

        if self._writer is not None and all(write[1:] == _NOTHING_ELSE for write in writes):
            with _faults():
                await self._writer.insert(_APPEND_SQLITE, rows)
        else:
            await self.write(work)

    async def log(self, table_id: str, after: int = 0) -> list[Event]:
        """Read a table's events after a sequence number, in order."""
        query = select(*_EVENT).where(events.c.table_id == table_id, events.c.seq > after).order_by(events.c.seq)
        async with self.read() as connection:
            return [Event(*row) for row in (await connection.execute(query)).all()]

    async def table(self, table_id: str) -> tuple[TableRow, Seed] | None:
        """Read a table and its seed."""
        row_of = [tables.c[name] for name in TableRow._fields]
        query = (
            select(*row_of, seeds.c.seed).join(seeds, seeds.c.table_id == tables.c.id).where(tables.c.id == table_id)
        )
        async with self.read() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else (TableRow(*row[:-1]), row[-1])

    async def versions(self, table_ids: Iterable[str]) -> dict[str, int]:
        """Return the last sequence number of each of these tables."""
        wanted = list(table_ids)
        query = select(events.c.table_id, func.max(events.c.seq)).group_by(events.c.table_id)
        found: dict[str, int] = {}
        async with self.read() as connection:
            for start in range(0, len(wanted), 500):
                chunk = query.where(events.c.table_id.in_(wanted[start : start + 500]))
                found.update((row[0], row[1]) for row in (await connection.execute(chunk)).all())
        return found

    # Finding tables

    async def opened_with(self, open_key: str) -> str | None:
        """Find the table that a guest opened with an idempotency key."""
        found: str | None = await self._scalar(select(tables.c.id).where(tables.c.open_key == open_key))
        return found

    async def invited_by(self, invitation: str) -> str | None:
        """Find the table of an invitation."""
        found: str | None = await self._scalar(select(tables.c.id).where(tables.c.invitation == invitation))
        return found

    async def public_tables(self, limit: int = 50) -> list[str]:
        """List public tables that wait for players, newest first."""
        query = select(tables.c.id).where(tables.c.public, tables.c.status == "waiting")
        return await self._column(query.order_by(tables.c.created.desc()).limit(limit))

    async def tables_of(self, guest_id: str, limit: int = 50, unfinished: bool = False) -> list[str]:
        """List the tables that a guest opened or joined, newest first; all, or those that are not over."""
        joined = select(events.c.table_id).where(events.c.guest == guest_id, events.c.kind == "join")
        own = tables.c.host == guest_id, tables.c.id.in_(joined)
        if unfinished:
            # Few tables are unfinished, but a guest may have thousands: with plain columns SQLite would look at those.
            own = func.coalesce(tables.c.host, "") == guest_id, func.coalesce(tables.c.id, "").in_(joined)
        query = select(tables.c.id).where(or_(*own))
        if unfinished:
            query = query.where(tables.c.status.in_(("waiting", "running")))
        return await self._column(query.order_by(tables.c.created.desc()).limit(limit))

    async def _scalar(self, query: Any) -> Any:
        async with self.read() as connection:
            return (await connection.execute(query)).scalar()

    async def _column(self, query: Any) -> list[Any]:
        async with self.read() as connection:
            return list((await connection.execute(query)).scalars())

    async def ping(self) -> None:
        """Check that the database takes a write. Raises Unavailable."""
        same = update(heartbeat).values(at=heartbeat.c.at)
        await self.write(lambda connection: connection.execute(same))

    # Keys

    async def server_key(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return a key of the server; the first process that asks for it makes it."""
        query = select(server_keys.c.value).where(server_keys.c.name == name)
        found = await self._scalar(query)
        if found is None:
            row = {"name": name, "value": make()}
            with contextlib.suppress(Conflict):
                await self.write(lambda connection: connection.execute(insert(server_keys), [row]))
            found = await self._scalar(query)
        return bytes(found)

    # Downtime

    async def beat(self, threshold: float) -> list[tuple[float, float]]:
        """Record that a server is alive now; a gap longer than the threshold is a downtime. Return all downtimes."""
        now = time.time()

        def work(connection: Connection) -> list[tuple[float, float]]:
            last = connection.execute(select(heartbeat.c.at).where(heartbeat.c.id == 1).with_for_update()).scalar()
            if last is None:
                connection.execute(insert(heartbeat), [{"id": 1, "at": now}])
            elif now > last or last - now > threshold:
                if now - last > threshold:
                    connection.execute(insert(downtimes), [{"began": last, "ended": now}])
                elif now < last:
                    # The clock was set back: what it recorded about times to come would be given to players as well.
                    connection.execute(delete(downtimes).where(downtimes.c.began >= now))
                    connection.execute(update(downtimes).where(downtimes.c.ended > now).values(ended=now))
                connection.execute(update(heartbeat).where(heartbeat.c.id == 1).values(at=now))
            # A month covers every clock.
            connection.execute(delete(downtimes).where(downtimes.c.ended < now - 30 * 86_400))
            found = connection.execute(select(downtimes.c.began, downtimes.c.ended).order_by(downtimes.c.began))
            return [(row[0], row[1]) for row in found]

        return await self.write(work)


@contextmanager
def _faults() -> Iterator[None]:
    """Raise Conflict or Unavailable for whatever a database says about a write."""
    try:
        yield
    except (IntegrityError, sqlite3.IntegrityError) as error:
        raise Conflict from error
    except (TimeoutError, SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise Unavailable(cause_of(error)) from error


def _not_opened(error: BaseException) -> UsageError:
    reason = (str(getattr(error, "orig", None) or error) or type(error).__name__).splitlines()[0]
    return UsageError("The database cannot be opened: %(reason)s.", reason=reason)


def cause_of(error: BaseException) -> str:
    """Return what went wrong without stored data: SQLite's messages hold none, the details of Postgres might."""
    cause = getattr(error, "orig", None) or error
    return f"{type(cause).__name__}: {cause}" if isinstance(cause, sqlite3.Error) else type(cause).__name__
