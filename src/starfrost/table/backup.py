"""Backups: one SQLite file with everything, made while servers run, and restored into a file or a Postgres.

A backup is a snapshot of one moment. A plain copy of a file that a server writes to is not: it lacks what is still in
the write-ahead log, or mixes two moments. A backup of a Postgres can be restored into a file and the other way round.
"""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, Integer, Table, create_engine, event, func, insert, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from starfrost.errors import UsageError
from starfrost.table.schema import events, guests, metadata, tables
from starfrost.table.settings import Settings
from starfrost.table.store import Store
from starfrost.table.upgrade import known_revisions, revision_of, upgrade

_ROWS: Final = 2000
"""Rows that are copied at once."""


class Copied(NamedTuple):
    """What a backup holds."""

    guests: int
    tables: int
    events: int


async def back_up(settings: Settings, file: Path) -> Copied:
    """Write a backup of a database, in one moment and all at once. Raises UsageError."""
    if file.exists():
        raise UsageError("%(file)s exists already.", file=file)
    store = Store(settings)
    await store.visit()
    try:
        with _replacing(file) as made:
            if settings.is_sqlite:
                with closing(sqlite3.connect(settings.sqlite_path)) as source:
                    # One read transaction, which keeps no server from writing; deleted rows are left out.
                    source.execute("PRAGMA busy_timeout=10000")
                    source.execute("VACUUM INTO ?", (str(made),))
            else:
                await _copy_postgres(settings, made)
            return checked(made)
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise _failed(file, error) from None
    finally:
        await store.close()


async def restore(settings: Settings, file: Path) -> Copied:
    """Put a backup in place of a database that no server uses; an SQLite file that was there is kept aside.

    A Postgres must be empty. Backups of older versions are upgraded. Raises UsageError.
    """
    if not file.is_file():
        raise UsageError("There is no file %(file)s.", file=file)
    try:
        beside = settings.sqlite_path.parent if settings.is_sqlite else None
        if beside is not None:
            # Where it will be: there must be room for it there anyway.
            beside.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".starfrost-restore-", dir=beside) as folder:
            copy = Path(folder) / "tables.db"
            shutil.copyfile(file, copy)
            checked(copy, file)
            engine = _sqlite(copy)
            with engine.begin() as connection:
                upgrade(connection)
            # The last connection to close empties the write-ahead log into the file.
            engine.dispose()
            found = checked(copy)
            if settings.is_sqlite:
                _put_file(settings.sqlite_path, copy)
            else:
                await _fill_postgres(settings, copy)
            return found
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise _failed(file, error) from None


def checked(file: Path, called: Path | None = None) -> Copied:
    """Return what a backup holds. Raises UsageError if it is damaged, no backup, or of a newer version.

    `called` is the file that the host knows, if this one is a copy of it.
    """
    called = called or file
    engine = _sqlite(file)
    try:
        with engine.connect() as connection:
            sound = connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            revision = revision_of(connection)
            if not sound or revision is None:
                raise UsageError("%(file)s is not a backup of Starfrost, or is damaged.", file=called)
            if revision not in known_revisions():
                raise UsageError("%(file)s was made by a newer version of Starfrost; use that version.", file=called)
            counts = (select(func.count()).select_from(each) for each in _COUNTED)
            return Copied(*(connection.execute(query).scalar_one() for query in counts))
    except SQLAlchemyError:
        raise UsageError("%(file)s is not a backup of Starfrost, or is damaged.", file=called) from None
    finally:
        engine.dispose()


_COUNTED: Final = (guests, tables, events)


@contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    """Yield a file to write, beside the one that it becomes once it is complete; only its owner may read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".starfrost-", dir=file.parent) as folder:
        made = Path(folder) / file.name
        yield made
        # It holds the seeds of games that are not over.
        made.chmod(0o600)
        with made.open("rb") as written:
            os.fsync(written.fileno())
        made.replace(file)


def _put_file(path: Path, made: Path) -> None:
    lock = FileLock(f"{path}.lock", blocking=False, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError("A server uses %(file)s; stop it first.", file=path) from None
    with lock, _replacing(path) as placed:
        shutil.copyfile(made, placed)
        aside = f"{path}.before-{time.strftime('%Y%m%d-%H%M%S')}"
        # What a killed server left in the write-ahead log belongs to the old file.
        for suffix in ("-wal", "-shm", ""):
            old = Path(f"{path}{suffix}")
            if old.exists():
                old.replace(f"{aside}{suffix}")


def _sqlite(file: Path) -> Engine:
    engine = create_engine(f"sqlite:///{file}")

    # All or nothing, tables included: the driver itself begins transactions for rows alone.
    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


async def _copy_postgres(settings: Settings, made: Path) -> None:
    """Copy all rows of a Postgres as they are in one moment."""
    engine, target = create_async_engine(settings.url, isolation_level="REPEATABLE READ"), _sqlite(made)
    try:
        async with engine.connect() as source:
            if await source.run_sync(revision_of) != known_revisions()[0]:
                raise UsageError("This database is of another version; use that version's starfrost admin.")
            with target.begin() as connection:
                upgrade(connection)
                for table in metadata.sorted_tables:
                    connection.execute(table.delete())
                    found = await source.stream(select(table))
                    async for some in found.mappings().partitions(_ROWS):
                        connection.execute(insert(table), [dict(row) for row in some])
    finally:
        target.dispose()
        await engine.dispose()


async def _fill_postgres(settings: Settings, copy: Path) -> None:
    """Fill an empty Postgres with the rows of a backup, all or none."""
    store = Store(settings)
    await store.open()
    await store.close()
    engine, source = create_async_engine(settings.url), _sqlite(copy)
    try:
        async with engine.begin() as connection:
            if (await connection.execute(select(guests.c.id).limit(1))).first():
                raise UsageError("The Postgres database is not empty; restore into a new one.")
            with source.connect() as rows:
                for table in metadata.sorted_tables:
                    await connection.execute(table.delete())
                    for some in rows.execute(select(table)).mappings().partitions(_ROWS):
                        await connection.execute(insert(table), [dict(row) for row in some])
                    await connection.run_sync(_count_on, table)
    finally:
        source.dispose()
        await engine.dispose()


def _count_on(connection: Connection, table: Table) -> None:
    """Have Postgres number further rows after those that were copied."""
    key = table.autoincrement_column
    if key is not None and isinstance(key.type, Integer):
        name = connection.execute(select(func.pg_get_serial_sequence(table.name, key.name))).scalar()
        highest = connection.execute(select(func.max(key))).scalar()
        if name and highest:
            connection.execute(select(func.setval(name, highest)))


def _failed(file: Path, error: Exception) -> UsageError:
    reason = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error).splitlines()[0]
    return UsageError("%(file)s: %(reason)s.", file=file, reason=reason)
