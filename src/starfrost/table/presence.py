"""When each person was last at a table, for the others who wait for them where no clock runs.

A person is at a table while a page of it is open anywhere (its stream), and whenever they ask to see it. Their page may
be open at another process, so every process stores now and then whom it has seen.
"""

import asyncio
import time
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from starfrost.table.clocks import CLOCKS
from starfrost.table.host import TableHost
from starfrost.table.schema import presence
from starfrost.table.snapshot import Snapshot
from starfrost.table.tasks import end, regularly

GONE: Final = 120.0
"""Seconds that somebody must be away, and waited for, before the others may let a bot play."""
_LOOK = 5.0
"""Seconds between looks at who is here."""
_PING = 15.0
"""Seconds after which every stream carries another sign of life."""
_AGAIN = 30.0
"""Seconds after which it is stored again that somebody is here."""


class Presence:
    """Whom this process has seen, and whom any process has seen."""

    def __init__(self, tables: TableHost) -> None:
        self._tables = tables
        self._seen: dict[tuple[str, str], float] = {}
        """When this process last saw a guest at a table."""
        self._stored: dict[tuple[str, str], float] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Look at who is here from now on."""
        self._tasks = [regularly(self.look, _LOOK), regularly(self.ping, _PING)]

    async def stop(self) -> None:
        """Stop looking."""
        await end(self._tasks)

    def note(self, table: Snapshot, guest: str | None) -> None:
        """Note that a guest is at a table now, if anybody may come to wait for them there without a clock."""
        people = {seat.guest for seat in table.seats if seat.kind == "person"}
        if guest in people and len(people) > 1 and table.status == "running" and CLOCKS[table.clock] is None:
            self._seen[table.id, str(guest)] = time.time()

    async def look(self) -> None:
        """Note whose pages are open here, and store what other processes do not know yet. Raises Unavailable."""
        for table_id, guest in self._tables.streams.readers():
            table = self._tables.peek(table_id)
            if table is not None:
                self.note(table.snapshot, guest)
        now = time.time()
        news = {
            pair: at
            for pair, at in self._seen.items()
            if at > self._stored.get(pair, 0.0) and now - self._stored.get(pair, 0.0) >= _AGAIN
        }
        if news:
            await self._tables.store.write(lambda connection: _store(connection, news, now - 2 * GONE))
            self._stored |= dict.fromkeys(news, now)
        self._seen = {pair: at for pair, at in self._seen.items() if now - at < GONE}
        self._stored = {pair: at for pair, at in self._stored.items() if pair in self._seen}

    async def ping(self) -> None:
        """Send a sign of life on every stream: proxies do not close it then, and a page that hears it asks nothing.

        It tells who is gone, which no event does.
        """
        for table_id in self._tables.streams.watched:
            table = self._tables.peek(table_id)
            gone = await self.gone(table.snapshot) if table is not None else None
            self._tables.streams.send(table_id, "ping", {"gone": gone})

    async def gone(self, table: Snapshot) -> int | None:
        """Return the seat (from 1) whose person a table has waited for and who is away too long. Raises Refused."""
        guest, acting, now = table.awaited, table.acting, time.time()
        if guest is None or acting is None or CLOCKS[table.clock] is not None:
            return None
        here = guest in self._tables.streams.watchers(table.id).guests
        # While the server was down, nobody could be here.
        up = max((ended for _, ended in self._tables.downtimes()), default=0.0)
        if here or now - max(table.moved_at, up, self._seen.get((table.id, guest), 0.0)) < GONE:
            return None
        last = select(presence.c.at).where(presence.c.table_id == table.id, presence.c.guest == guest)
        return acting + 1 if now - (await self._tables.store.scalar(last) or 0.0) >= GONE else None


def _store(connection: Connection, seen: dict[tuple[str, str], float], old: float) -> None:
    connection.execute(delete(presence).where(presence.c.at < old))
    # In one order for everybody, so that two processes never wait for each other.
    for (table_id, guest), at in sorted(seen.items()):
        connection.execute(delete(presence).where(presence.c.table_id == table_id, presence.c.guest == guest))
        connection.execute(insert(presence), [{"table_id": table_id, "guest": guest, "at": at}])
