"""The archive: the records of tables whose events were removed.

A record says everything about a game that is over, and with its seed proves the dice; it takes a tenth of the room.
"""

import zlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from starfrost.table.records import table_record
from starfrost.table.schema import archive, archive_seats, events, invitations, results, seeds, tables
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Store

_PLAYERS: Final = "players: "
_BETWEEN: Final = " | "


class Archived(NamedTuple):
    """A game of the archive."""

    table_id: str
    game: str
    at: float
    """When its last event happened."""
    record: str


class Archive:
    """The records of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def record(self, table_id: str) -> str | None:
        """Return the record of an archived table; None if it is not in the archive. Raises Unavailable."""
        query = select(archive.c.record).where(archive.c.table_id == table_id[:33].replace("\0", ""))
        found = await self._store.scalar(query)
        return None if found is None else _unpacked(found)

    async def all(self, guest: str | None = None) -> AsyncIterator[Archived]:
        """Yield every archived game, or those that a guest played, by table. Raises Unavailable."""
        query = select(archive.c.table_id, archive.c.game, archive.c.at, archive.c.record)
        if guest is not None:
            query = query.where(
                archive.c.table_id.in_(select(archive_seats.c.table_id).where(archive_seats.c.guest == guest))
            )
        last = ""
        while True:
            some = query.where(archive.c.table_id > last).order_by(archive.c.table_id).limit(200)
            rows = await self._store.rows(some)
            for table_id, game, at, record in rows:
                yield Archived(table_id, game, at, _unpacked(record))
            if not rows:
                return
            last = rows[-1][0]

    async def put(self, table: Snapshot, at: float) -> bool:
        """Store the record of an ended table and remove its events, both or neither.

        Return whether that was done: False if the table has changed meanwhile. A table where nobody moved leaves no
        record. Raises Conflict or Unavailable.
        """
        text = table_record(table) if table.moves else None
        return await self._store.write(partial(_put, table, at, text))

    async def forget(self, guest: str, name: str) -> None:
        """Take a guest out of the archive: `name` replaces theirs, and games without other people are deleted."""
        query = select(archive_seats.c.table_id, archive_seats.c.seat).where(archive_seats.c.guest == guest)
        for table_id, seat in await self._store.rows(query):
            await self._store.write(partial(_forget, table_id, seat, guest, name))


def _unpacked(record: bytes) -> str:
    return zlib.decompress(bytes(record)).decode()


def packed(text: str) -> bytes:
    """Return a record as it is stored."""
    return zlib.compress(text.encode(), 9)


def _put(table: Snapshot, at: float, text: str | None, connection: Connection) -> bool:
    # What was decided on a copy of it finds no row any more.
    same = (tables.c.id == table.id) & (tables.c.version == table.version)
    if connection.execute(delete(tables).where(same)).rowcount != 1:
        return False
    if text is not None:
        row = {"table_id": table.id, "game": table.game.name, "at": at, "record": packed(text)}
        connection.execute(insert(archive), [row])
        people = [
            {"table_id": table.id, "seat": number, "guest": seat.player}
            for number, seat in enumerate(table.seats, start=1)
        ]
        connection.execute(insert(archive_seats), people)
    for other in (events, seeds, invitations):
        connection.execute(delete(other).where(other.c.table_id == table.id))
    return True


def _forget(table_id: str, seat: int, guest: str, name: str, connection: Connection) -> None:
    here, seats = archive.c.table_id == table_id, archive_seats.c.table_id == table_id
    record = connection.execute(select(archive.c.record).where(here)).scalar()
    others = connection.execute(
        select(archive_seats.c.seat).where(seats, archive_seats.c.guest.is_not(None), archive_seats.c.guest != guest)
    ).first()
    if record is None or others is None:
        for table in (archive, archive_seats, results):
            connection.execute(delete(table).where(table.c.table_id == table_id))
        return
    lines = _unpacked(record).split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith(_PLAYERS))
    names = lines[place].removeprefix(_PLAYERS).split(_BETWEEN)
    names[seat - 1] = name
    lines[place] = _PLAYERS + _BETWEEN.join(names)
    connection.execute(update(archive).where(here).values(record=packed("\n".join(lines))))
    connection.execute(update(archive_seats).where(seats, archive_seats.c.seat == seat).values(guest=None))
