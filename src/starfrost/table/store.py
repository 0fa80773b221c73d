"""The store: appends events in one transaction for many tables, and reads logs back.

SQLite runs in WAL mode with `synchronous=FULL`, Postgres with `synchronous_commit=on`. In both, `tables.version` and
UNIQUE (table, seq) decide which of two writers was first, and UNIQUE (table, key) makes a repeated command harmless.
"""

import contextlib
import json
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from filelock import BaseFileLock, FileLock, Timeout
from sqlalchemy import Connection, Executable, delete, func, insert, or_, select, text, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from starfrost.errors import Refused, UsageError
from starfrost.fair.dice import Seed
from starfrost.table.append import POSTGRES, Append, append_events, written
from starfrost.table.engines import SqliteWriter, postgres_engine, sqlite_engine
from starfrost.table.log import Event, TableRow
from starfrost.table.schema import (
    daily_attempts,
    downtimes,
    events,
    heartbeat,
    invitations,
    results,
    rooms,
    seeds,
    server_keys,
    tables,
)
from starfrost.table.settings import Settings
from starfrost.table.upgrade import check_readable, upgrade

_T = TypeVar("_T")


class Unavailable(Refused):
    """The store gave no answer, or did not confirm a write: full disk, lost connection, locked file."""

    def __init__(self, cause: str = "") -> None:
        super().__init__("storage", "This could not be stored just now; try again with the same key.", 503)
        self.cause = cause
        """What went wrong, for logs."""


class Conflict(Unavailable):
    """Another writer was first: this sequence number or key is taken. Where that is no answer, nothing was stored."""


class Opened(NamedTuple):
    """A new table: its row, its sealed seed, the event that opens it, and when a server must look at it."""

    row: TableRow
    seed: Seed
    event: Event
    due: float


class Version(NamedTuple):
    """How far the stored log of a table has come, and how often it was rewritten."""

    number: int
    epoch: int


class Write(NamedTuple):
    """What one command stores: an event, tables that it opens, and what belongs to them.

    With a new table, who is invited to it (table, guest and time); with the end of a game, its results.
    """

    append: Append | None = None
    opens: tuple[Opened, ...] = ()
    invites: tuple[tuple[str, str, float], ...] = ()
    results: tuple[Mapping[str, Any], ...] = ()
    attempt: Mapping[str, Any] | None = None
    """The row of a guest's first attempt at a daily game, which the table that is opened stands for."""
    room: tuple[str, str | None] | None = None
    """The room of the table that is opened, and the table that it had until now."""

    @property
    def is_move(self) -> bool:
        """Return whether this is an event and nothing else, as nearly all writes are."""
        return self.append is not None and self == Write(self.append)


_ROOM: Final = 1 << 20
"""Bytes on the disk without which the database counts as not writable."""

_EVENT = [events.c[name] for name in Event._fields]
_TAILS = text(
    "SELECT " + ", ".join(f"events.{name}" for name in Event._fields) + " FROM json_to_recordset(CAST(:known AS json)) "
    "AS known(id text, version integer) JOIN events ON events.table_id = known.id AND events.seq > known.version "
    "ORDER BY events.table_id, events.seq"
)


class Store:
    """One database; each process opens it once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._file_lock: BaseFileLock | None = None
        self._engine: AsyncEngine
        self._writer: SqliteWriter | None = None
        self._ahead = 0.0
        """Seconds by which the clock of the database is ahead of this machine's."""

    def now(self) -> float:
        """Return the time by the clock of the database, which all servers share."""
        return time.time() + self._ahead

    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises UsageError if the file or server cannot be used."""
        if self.settings.is_sqlite:
            self._claim_file()
            self._writer = SqliteWriter(self.settings)
            self._engine = sqlite_engine(self.settings)
        else:
            self._engine = postgres_engine(self.settings)
        # A migration may take longer than a command.
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
            last = await self.scalar(select(heartbeat.c.at).where(heartbeat.c.id == 1))
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

    async def rows(self, query: Any) -> Sequence[Any]:
        """Return the rows of a query. Raises Unavailable."""
        async with self.read() as connection:
            found: Sequence[Any] = (await connection.execute(query)).all()
            return found

    async def column(self, query: Any) -> list[Any]:
        """Return the first value of every row of a query. Raises Unavailable."""
        return [row[0] for row in await self.rows(query)]

    async def scalar(self, query: Any) -> Any:
        """Return the first value of a query; None if there is none. Raises Unavailable."""
        async with self.read() as connection:
            return (await connection.execute(query)).scalar()

    async def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run some work in one transaction. Raises Conflict or Unavailable."""
        with _faults():
            if self._writer is not None:
                return await self._writer.run(work)
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)

    async def execute(self, query: Executable) -> int:
        """Run one statement in a transaction of its own; return how many rows it changed. Raises as `write` does."""
        return await self.write(lambda connection: int(connection.execute(query).rowcount))

    async def scrub(self) -> None:
        """Take what was deleted out of SQLite's write-ahead log, unless somebody reads it just now."""
        if self._writer is not None:
            with _faults():
                await self._writer.checkpoint()

    # The log

    async def append(self, writes: Sequence[Write]) -> list[bool]:
        """Make writes durable; return which of them are, because nobody else was first at their tables.

        Raises Conflict if one of them repeats a key, and then stores nothing; Unavailable if nobody knows.
        """
        # In one order for everybody, so that two servers never wait for each other.
        moves = sorted((each.append for each in writes if each.is_move and each.append), key=lambda one: one.event[:2])
        if self._writer is None and len(moves) == len(writes):
            # Most transactions are only moves: one statement, which commits by itself.
            with _faults():
                async with self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                    stored = set((await connection.execute(POSTGRES, written(moves))).scalars())
            return [each.append is not None and each.append.event.table_id in stored for each in writes]

        def work(connection: Connection) -> list[bool]:
            touched = sorted(each.append.event.table_id for each in writes if each.append is not None)
            held = select(tables.c.id).where(tables.c.id.in_(touched)).order_by(tables.c.id)
            if self._writer is None and touched:
                connection.execute(held.with_for_update(key_share=True))
            stored = append_events(connection, moves) if moves else set()
            return [
                each.append.event.table_id in stored
                if each.is_move and each.append is not None
                else _stored_alone(connection, each)
                for each in writes
            ]

        return await self.write(work)

    async def log(self, table_id: str, after: int = 0) -> list[Event]:
        """Read a table's events after a sequence number, in order."""
        query = select(*_EVENT).where(events.c.table_id == table_id, events.c.seq > after).order_by(events.c.seq)
        return [Event(*row) for row in await self.rows(query)]

    async def tails(self, known: Mapping[str, int]) -> list[Event]:
        """Read the events of many tables after the version that is known of each, in order; only with Postgres."""
        rows = [{"id": table_id, "version": version} for table_id, version in known.items()]
        async with self.read() as connection:
            found = await connection.execute(_TAILS, {"known": json.dumps(rows)})
            return [Event(*row) for row in found.all()]

    async def table(self, table_id: str) -> tuple[TableRow, Seed, int] | None:
        """Read a table, its seed and its epoch."""
        row_of = [tables.c[name] for name in TableRow._fields]
        query = select(*row_of, seeds.c.seed, tables.c.epoch).join(seeds, seeds.c.table_id == tables.c.id)
        found = await self.rows(query.where(tables.c.id == table_id))
        return (TableRow(*found[0][:-2]), found[0][-2], found[0][-1]) if found else None

    async def versions(self, table_ids: Iterable[str]) -> dict[str, Version]:
        """Return how far these tables have come; those that do not exist are left out."""
        wanted = list(table_ids)
        query = select(tables.c.id, tables.c.version, tables.c.epoch)
        found: dict[str, Version] = {}
        for start in range(0, len(wanted), 500):
            chunk = query.where(tables.c.id.in_(wanted[start : start + 500]))
            found.update((row[0], Version(row[1], row[2])) for row in await self.rows(chunk))
        return found

    # Tables that need a server although nobody asks for them: a bot is to move, a clock runs out, patience ends

    async def claim_due(self, limit: int, patience: float) -> list[str]:
        """Return tables that must be looked at, and have others leave them alone for some seconds."""
        now = self.now()
        waiting = select(tables.c.id).where(tables.c.due <= now).order_by(tables.c.due).limit(limit)
        if not await self.rows(waiting):
            return []
        chosen = waiting.with_for_update(skip_locked=True)
        claimed = update(tables).where(tables.c.id.in_(chosen)).values(due=now + patience).returning(tables.c.id)
        return await self.write(lambda connection: list(connection.execute(claimed).scalars()))

    async def set_due(self, due: float | None, table_ids: Iterable[str], version: int | None = None) -> None:
        """Store when tables that have not ended must be looked at; with a version, only if it is still theirs."""
        chosen = select(tables.c.id).where(tables.c.id.in_(list(table_ids)), tables.c.due.is_not(None))
        if version is not None:
            chosen = chosen.where(tables.c.version == version)
        # Whoever holds one of them just now stores when it is due.
        free = chosen.with_for_update(skip_locked=True)
        await self.execute(update(tables).where(tables.c.id.in_(free)).values(due=due))

    async def free_claims(self, patience: float) -> None:
        """Have the tables looked at that the process before this one had claimed; only where there is one process."""
        await self.execute(update(tables).where(tables.c.due <= self.now() + patience).values(due=0.0))

    # Finding tables

    async def opened_with(self, open_key: str) -> str | None:
        """Find the table that a guest opened with an idempotency key."""
        found: str | None = await self.scalar(select(tables.c.id).where(tables.c.open_key == open_key))
        return found

    async def invited_by(self, invitation: str) -> str | None:
        """Find the table of an invitation."""
        found: str | None = await self.scalar(select(tables.c.id).where(tables.c.invitation == invitation))
        return found

    async def public_tables(self, limit: int = 50) -> list[str]:
        """List public tables that wait for players, newest first."""
        query = select(tables.c.id).where(tables.c.public, tables.c.status == "waiting")
        return await self.column(query.order_by(tables.c.created.desc()).limit(limit))

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
        return await self.column(query.order_by(tables.c.created.desc()).limit(limit))

    async def ping(self) -> None:
        """Check that the database takes a write. Raises Unavailable."""
        # Where a log of SQLite's has room left, this one write would pass although the next move does not.
        if self.settings.is_sqlite and shutil.disk_usage(self.settings.sqlite_path.parent).free < _ROOM:
            raise Unavailable("the disk is full")
        await self.execute(update(heartbeat).values(at=heartbeat.c.at))

    # Keys

    async def server_key(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return a key of the server; the first process that asks for it makes it."""
        query = select(server_keys.c.value).where(server_keys.c.name == name)
        found = await self.scalar(query)
        if found is None:
            with contextlib.suppress(Conflict):
                await self.execute(insert(server_keys).values(name=name, value=make()))
            found = await self.scalar(query)
        return bytes(found)

    # Downtime

    async def beat(self, threshold: float) -> list[tuple[float, float]]:
        """Record that a server is alive now; a gap longer than the threshold is a downtime. Return all downtimes."""

        def work(connection: Connection) -> list[tuple[float, float]]:
            if connection.dialect.name == "postgresql":
                shown = connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one()
                self._ahead = float(shown) - time.time()
            now = self.now()
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


def _stored_alone(connection: Connection, write: Write) -> bool:
    """Store a write, all of it or nothing, inside the transaction of others; return whether that was done."""
    try:
        with connection.begin_nested():
            for opened in write.opens:
                row = opened.row._asdict() | {"version": 1, "due": opened.due}
                connection.execute(insert(tables), [row])
                connection.execute(insert(seeds), [{"table_id": opened.row.id, "seed": opened.seed}])
                connection.execute(insert(events), [opened.event._asdict()])
            if write.append is not None and not append_events(connection, [write.append]):
                raise Conflict
            if write.room is not None:
                # Whoever was first has opened the next table of the room.
                here, before = write.room
                same = (rooms.c.id == here) & rooms.c.table_id.is_not_distinct_from(before)
                if connection.execute(update(rooms).where(same).values(table_id=write.opens[0].row.id)).rowcount != 1:
                    raise Conflict
            if write.attempt is not None:
                connection.execute(insert(daily_attempts), [dict(write.attempt)])
            if write.results:
                connection.execute(insert(results), list(write.results))
            if write.invites:
                invited = [dict(zip(("table_id", "guest", "at"), row, strict=True)) for row in write.invites]
                connection.execute(insert(invitations), invited)
    except (Conflict, IntegrityError):
        return False
    return True


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
