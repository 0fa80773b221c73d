"""Everything that is stored about a guest: one download, and deleting it.

Personal rows are those of the tables with a column `guest`. A game belongs to everybody who played it: deleting a guest
deletes the games without other people, and takes the name out of all others.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, insert, select, update

from starfrost.errors import Refused
from starfrost.table.archive import Archive
from starfrost.table.host import TableHost, newer
from starfrost.table.log import Event, write_body
from starfrost.table.records import table_record
from starfrost.table.rooms.book import leave_rooms
from starfrost.table.schema import events, guests, metadata, reports, rooms, tables
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict
from starfrost.table.table import Table as LoadedTable
from starfrost.table.view import NOBODY, Guest

_SECRETS: Final = ("token_hash", "code_hash")
_AGAIN: Final = 6.0
"""Seconds until everything is deleted once more: a request may have been on its way, here or in another process."""


_ALL: Final = 1_000_000
_pause = asyncio.sleep


def personal_tables() -> list[Table]:
    """Return the tables whose rows belong to a guest each; events belong to a game."""
    return [table for table in metadata.sorted_tables if "guest" in table.c and table is not events]


class OwnData:
    """What a guest may download and delete."""

    def __init__(self, all_tables: TableHost) -> None:
        self._tables = all_tables
        self._store = all_tables.store
        self._archive = Archive(all_tables.store)

    # Downloading

    async def files(self, guest: Guest) -> AsyncIterator[tuple[str, str, float]]:
        """Yield everything about a guest: all rows as JSON, then all games as records; name, text and time of each."""
        ids = await self._store.tables_of(guest.id, limit=_ALL)
        facts = await self._facts(guest, ids)
        yield "data.json", json.dumps(facts, indent=1, ensure_ascii=False), time.time()
        for table_id in ids:
            try:
                table = (await self._tables.read(table_id)).snapshot
            except Refused:
                # It was deleted meanwhile, or cannot be read; its events are in the JSON.
                continue
            yield _file(table.game.name, table_id, table.moved_at), table_record(table), table.moved_at
        async for old in self._archive.all(guest.id):
            yield _file(old.game, old.table_id, old.at), old.record, old.at

    async def _facts(self, guest: Guest, ids: Sequence[str]) -> dict[str, Any]:
        """Return every row about a guest, by table; hashes of secrets are left out."""
        queries = {"guests": select(guests).where(guests.c.id == guest.id)}
        queries |= {table.name: select(table).where(table.c.guest == guest.id) for table in personal_tables()}
        queries |= {table.name: select(table).where(table.c.host == guest.id) for table in (tables, rooms)}
        facts: dict[str, Any] = {}
        async with self._store.read() as connection:
            for name, query in queries.items():
                facts[name] = [_plain(row) for row in (await connection.execute(query)).mappings()]
            facts["events"] = []
            for some in _chunks(ids):
                query = select(events).where(events.c.table_id.in_(some), events.c.guest == guest.id)
                query = query.order_by(events.c.table_id, events.c.seq)
                facts["events"] += [_plain(row) for row in (await connection.execute(query)).mappings()]
        return facts

    # Deleting

    async def delete(self, guest: Guest) -> None:
        """Delete a guest and everything about them; in games that others played the name becomes `a guest`.

        Raises Refused if the store fails; what is not deleted yet is then deleted by the next try.
        """
        gone: set[str] = set()
        while not await self._delete_once(guest.id, gone):
            pass
        self._tables.spawn(self._delete_again(guest.id, gone), "forget")

    async def _delete_again(self, guest_id: str, gone: set[str]) -> None:
        await _pause(_AGAIN)
        await self._delete_once(guest_id, gone)

    async def _delete_once(self, guest_id: str, gone: set[str]) -> bool:
        """Return whether everything is deleted; if not, something was added meanwhile."""
        found = await self._tables_with(guest_id)
        gone.update(table_id for table_id, alone in found.items() if alone)
        for some in _chunks(gone):
            await self._store.write(partial(_remove, some))
        for table_id in gone:
            await self._tables.rewritten(table_id)
        for table_id, alone in found.items():
            if not alone:
                await self._leave_table(table_id, guest_id)
        await self._archive.forget(guest_id, NOBODY)

        def work(connection: Connection) -> bool:
            joined = select(events.c.table_id).where(events.c.guest == guest_id, events.c.kind == "join")
            hosted = select(tables.c.id).where(tables.c.host == guest_id)
            if connection.execute(joined.limit(1)).first() or connection.execute(hosted.limit(1)).first():
                return False
            leave_rooms(guest_id, None, connection)
            for table in personal_tables():
                connection.execute(delete(table).where(table.c.guest == guest_id))
            connection.execute(delete(reports).where(reports.c.subject == guest_id))
            connection.execute(delete(guests).where(guests.c.id == guest_id))
            return True

        done = await self._store.write(work)
        await self._store.scrub()
        self._tables.forget_guest(guest_id)
        return done

    async def _tables_with(self, guest_id: str) -> dict[str, bool]:
        """Return the tables that name a guest, and whether nobody else played there.

        Others who played with the guest may have opened tables where a seat is kept for the guest.
        """
        mine = await self._store.tables_of(guest_id, limit=_ALL)
        found = dict.fromkeys(mine, True)
        others: set[str] = set()
        async with self._store.read() as connection:
            for some in _chunks(mine):
                joined = select(events.c.table_id, events.c.guest).where(events.c.kind == "join")
                hosted = select(tables.c.id, tables.c.host).where(tables.c.id.in_(some))
                for query in (joined.where(events.c.table_id.in_(some)), hosted):
                    for table_id, guest in (await connection.execute(query)).all():
                        if guest not in (None, guest_id):
                            found[table_id] = False
                            others.add(guest)
            for some in _chunks(others):
                opened = select(events.c.table_id).join(tables, tables.c.id == events.c.table_id)
                keeping = opened.where(tables.c.host.in_(some), events.c.seq == 1, events.c.body.contains(guest_id))
                found |= dict.fromkeys((await connection.execute(keeping)).scalars(), False)
        return found

    async def _leave_table(self, table_id: str, guest_id: str) -> None:
        """Remove a guest from a table that other people also played at."""
        while True:
            loaded = await self._loaded(table_id)
            if loaded is not None and loaded.newer:
                raise newer()
            try:
                await self._rewrite(table_id, guest_id, loaded)
            except Conflict:
                # Somebody else was at this table meanwhile.
                continue
            return await self._tables.rewritten(table_id)

    async def _loaded(self, table_id: str) -> LoadedTable | None:
        try:
            return await self._tables.look(table_id, known_now=True)
        except Refused as refusal:
            if refusal.code in ("storage", "newer"):
                raise
            return None

    async def _rewrite(self, table_id: str, guest_id: str, loaded: LoadedTable | None) -> None:
        log = await self._store.log(table_id)
        snapshot = loaded.snapshot if loaded else None
        seated = [seat.guest for seat in snapshot.seats] if snapshot else []
        others = [guest for guest in [*seated, *(event.guest for event in log)] if guest not in (None, guest_id)]
        ids = events.c.table_id == table_id
        bodies = {event.seq: body for event in log if (body := _without(event, guest_id)) != event.body}
        new = [] if snapshot is None else _leaving(snapshot, guest_id, self._tables.settings.stand_in)
        if not log:
            return
        version = log[-1].seq
        if loaded is not None and loaded.version != version:
            raise Conflict

        def rewrite(connection: Connection) -> None:
            # Copies in memory with the old name are read again, and nothing is stored that was decided on them.
            changed = update(tables).where(tables.c.id == table_id, tables.c.version == version)
            values: dict[str, Any] = {"version": version + len(new), "epoch": tables.c.epoch + 1}
            if new:
                values["due"] = 0.0
            if connection.execute(changed.values(values)).rowcount != 1:
                raise Conflict
            for seq, body in bodies.items():
                connection.execute(update(events).where(ids, events.c.seq == seq).values(body=body))
            connection.execute(update(events).where(ids, events.c.guest == guest_id).values(guest=None, key=None))
            hosted = (tables.c.id == table_id) & (tables.c.host == guest_id)
            connection.execute(update(tables).where(hosted).values(host=(others or [""])[0], open_key=None))
            if new:
                connection.execute(insert(events), [event._asdict() for event in new])

        await self._store.write(rewrite)


def _file(game: str, table_id: str, at: float) -> str:
    return f"records/{datetime.fromtimestamp(at, UTC):%Y-%m-%d}-{game}-{table_id}.sfr"


def _chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield ids in lists that are short enough for one query."""
    listed = list(ids)
    for start in range(0, len(listed), 500):
        yield listed[start : start + 500]


def _remove(ids: list[str], connection: Connection) -> None:
    """Delete tables with everything that is stored about them."""
    for table in metadata.sorted_tables:
        if "table_id" in table.c:
            connection.execute(delete(table).where(table.c.table_id.in_(ids)))
    connection.execute(delete(tables).where(tables.c.id.in_(ids)))


def _without(event: Event, guest_id: str) -> str:
    """Return the body of an event without the guest's name and id; nothing of a damaged one."""
    try:
        json.loads(event.body)
    except ValueError:
        return "{}"
    if event.kind == "join" and event.guest == guest_id:
        return write_body({**json.loads(event.body), "name": NOBODY})
    if event.kind == "open" and guest_id in event.body:
        body = json.loads(event.body)
        body["reserved"] = [
            None if kept and kept[0] == guest_id else kept for kept in body.get("reserved") or []
        ] or None
        return write_body(body)
    return event.body


def _leaving(table: Snapshot, guest_id: str, stand_in: str) -> list[Event]:
    """Return the events by which a guest leaves the seats of an unfinished game."""
    if table.ended:
        return []
    now, waiting = time.time(), table.status == "waiting"
    more = {} if waiting else {"bot": stand_in, "why": "left"}
    return [
        Event(
            table.id,
            table.version + n,
            now,
            "leave" if waiting else "bot",
            None,
            None,
            write_body({"seat": seat + 1, **more}),
        )
        for n, seat in enumerate(table.seats_of(guest_id), start=1)
    ]


def _plain(row: Any) -> dict[str, Any]:
    """Return a row for JSON; stored JSON is shown as such."""
    shown = {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}
    if "body" in shown:
        with suppress(ValueError):
            shown["body"] = json.loads(shown["body"])
    return {name: value for name, value in shown.items() if name not in _SECRETS}
