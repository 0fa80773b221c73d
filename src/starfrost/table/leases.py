"""Which server process owns which table, where several share one Postgres.

A process has a row in `servers`, which it renews; `tables.owner` names the process that alone may write to a table. An
expired row is removed by whoever notices, and its tables are free. Every write of events locks the writer's own row: it
waits for the removal or the removal waits for it, so a process that was suspended never writes to a table that another
one has taken over. A process whose row is gone starts again under a new name, with no table.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.sql.elements import ColumnElement
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table.schema import downtimes, servers, tables
from starfrost.table.store import Conflict, Fenced, Store, Unavailable

_log = get_logger("starfrost.table")
_UNFINISHED = ("waiting", "running")


class Owner(NamedTuple):
    """The server process that owns a table, and where it can be reached."""

    server: str
    addresses: tuple[str, ...]


def _now() -> float:
    """Return a time that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Leases:
    """The lease of this process, and what it knows about the others."""

    def __init__(
        self, store: Store, addresses: tuple[str, ...], lost: Callable[[], None], ask: Callable[[str, str], None]
    ) -> None:
        self._store = store
        self._lost = lost
        self._ask = ask
        """Asks the owner of a table to hand it to this process."""
        self._length = store.settings.lease
        self.beat = self._length / 6
        """Seconds between renewals."""
        self.server = ""
        """The name of this process, which is never used again once it has been lost."""
        self._addresses = addresses
        self.unreachable: set[str] = set()
        """Other servers that could not be reached just now."""
        self._good_until = 0.0
        self._renewing = asyncio.Lock()

    async def start(self) -> None:
        """Make the lease of this process. Raises Unavailable."""
        await self._register()

    async def stop(self) -> None:
        """Give back what is left, so that others need not wait."""
        if self.server:
            await self._remove(servers.c.id == self.server)
        self.server = ""

    @property
    def is_good(self) -> bool:
        """Return whether nobody can have taken the tables of this process."""
        return _now() < self._good_until

    async def make_good(self) -> None:
        """Renew the lease unless it is good. Raises Refused if the store does not answer."""
        if not self.is_good:
            try:
                await self.renew()
            except (Unavailable, Conflict):
                raise Refused(
                    "storage", "This could not be stored just now; try again with the same key.", 503
                ) from None

    async def renew(self) -> None:
        """Extend the lease, or start again under a new name if it is gone; free the tables of others that expired."""
        async with self._renewing:
            sent, server = _now(), self.server
            query = update(servers).where(servers.c.id == server)
            found = await self._store.write(
                lambda connection: connection.execute(query.values(until=_clock() + self._length)).rowcount
            )
            if found:
                self._good_until = sent + self._length
            else:
                self.lose(server)
                await self._register()
        self.unreachable.clear()
        await self._remove(servers.c.until < _clock())

    def lose(self, server: str) -> None:
        """Forget all tables: the row of this process is gone."""
        if server == self.server:
            _log.warning("lease lost", server=server)
            self._good_until = 0.0
            self._lost()

    async def _register(self) -> None:
        server, sent = secrets.token_hex(8), _now()
        row = {"id": server, "addresses": " ".join(self._addresses), "until": _clock() + self._length}
        await self._store.write(lambda connection: connection.execute(insert(servers).values(row)))
        self.server, self._good_until = server, sent + self._length

    def fence(self, connection: Connection) -> None:
        """Make sure, until the end of a transaction, that no other process takes this one's tables. Raises Fenced."""
        server = self.server
        query = select(servers.c.id).where(servers.c.id == server).with_for_update(read=True, key_share=True)
        if connection.execute(query).first() is None:
            raise Fenced(server)

    # Tables

    async def owner(self, table_id: str) -> Owner | None:
        """Return who owns a table, this process included; None if nobody does."""
        query = select(servers.c.id, servers.c.addresses).join(tables, tables.c.owner == servers.c.id)
        async with self._store.read() as connection:
            row = (await connection.execute(query.where(tables.c.id == table_id, servers.c.until >= _clock()))).first()
        return None if row is None else Owner(row[0], tuple(row[1].split()))

    async def claim(self, table_id: str) -> Owner | None:
        """Make this process the owner of a table; return the other owner if there is one. Raises Unavailable."""
        found = await self.owner(table_id)
        if found is not None:
            return None if found.server == self.server else found
        await self._remove(servers.c.until < _clock())

        def work(connection: Connection) -> bool:
            self.fence(connection)
            row = connection.execute(select(tables.c.owner).where(tables.c.id == table_id).with_for_update()).first()
            if row is None:
                return True
            alive = select(servers.c.id).where(servers.c.id == row[0])
            if row[0] not in (None, self.server) and connection.execute(alive).first():
                return False
            connection.execute(update(tables).where(tables.c.id == table_id).values(owner=self.server))
            return True

        return None if await self._store.write(work) else await self.owner(table_id)

    async def acquire(self, table_id: str) -> None:
        """Become the owner of a table; another owner is asked to hand it over. Raises Refused."""
        asked, began = 0.0, time.monotonic()
        while True:
            try:
                found = await self.claim(table_id)
            except (Unavailable, Conflict) as error:
                if isinstance(error, Fenced):
                    self.lose(str(error))
                    await self.make_good()
                    continue
                raise Refused(
                    "storage", "This could not be stored just now; try again with the same key.", 503
                ) from None
            if found is None:
                return
            waited = time.monotonic() - began
            if waited > 2 * self._length:
                raise Refused("busy", "Another server has this table and does not answer; try again.", 503)
            if found.server in self.unreachable:
                await self.give_up(found.server)
            if waited - asked >= 0.5 or not asked:
                asked = max(waited, 0.001)
                self._ask(found.server, table_id)
            await asyncio.sleep(0.01 + min(0.2, waited / 4))

    async def give_up(self, server: str) -> bool:
        """Free the tables of an unreachable server if it has missed a renewal as well; return whether it had."""
        late = servers.c.until < _clock() + self._length - 1.7 * self.beat
        return bool(await self._remove((servers.c.id == server) & late))

    async def _remove(self, which: ColumnElement[bool]) -> Sequence[str]:
        """Remove servers and free their tables, which somebody looks at soon."""
        async with self._store.read() as connection:
            if not (await connection.execute(select(servers.c.id).where(which))).first():
                return ()

        def work(connection: Connection) -> list[str]:
            gone = connection.execute(delete(servers).where(which).returning(servers.c.id, servers.c.until)).all()
            for server, until in gone:
                mine = tables.c.owner == server
                connection.execute(
                    update(tables).where(mine, tables.c.status.in_(_UNFINISHED)).values(owner=None, due=0)
                )
                connection.execute(update(tables).where(mine).values(owner=None))
                if server != self.server:
                    # No clock is charged for the time in which nobody could move.
                    silent = {"began": until - self._length, "ended": connection.execute(select(_clock())).scalar()}
                    connection.execute(insert(downtimes), [silent])
            return [server for server, _ in gone]

        removed = await self._store.write(work)
        for server in removed:
            if server != self.server:
                _log.warning("server gone", server=server)
        return removed


def release(connection: Connection, server: str, leaving: Iterable[tuple[str, float | None, str | None]]) -> None:
    """Give tables back in a transaction: each with the time when somebody must look at it, and its next owner."""
    for table_id, due, heir in leaving:
        if heir is not None:
            alive = select(servers.c.id).where(servers.c.id == heir).with_for_update(read=True, key_share=True)
            heir = connection.execute(alive).scalar()
        query = update(tables).where(tables.c.id == table_id, tables.c.owner == server)
        connection.execute(query.values(owner=heir, due=due))


def _clock() -> Any:
    """Return the database's clock: one for all servers."""
    return func.extract("epoch", func.clock_timestamp())
