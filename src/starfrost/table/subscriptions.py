"""Push subscriptions: browsers that want to be told when it is their guest's turn; and the key that signs messages."""

import asyncio
import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select
from structlog import get_logger

from starfrost.table.schema import push_subscriptions
from starfrost.table.store import Conflict, Store, Unavailable, unavailable
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")
_MOST = 5
"""Subscriptions of one guest; more replace the oldest."""
_REFRESH = 30.0
"""Seconds between looks for guests who subscribed in another process."""


class Subscription(NamedTuple):
    """A browser that takes push messages for a guest."""

    guest: str
    endpoint: str
    """The address at the browser's push service."""
    p256dh: str
    auth: str
    """The browser's public key and secret, in URL-safe base 64."""
    language: str
    site: str
    """The host name of Starfrost as that browser knows it."""

    @property
    def id(self) -> str:
        """Return the short name of the endpoint, which may be long."""
        return hashlib.sha256(self.endpoint.encode()).hexdigest()


class Subscriptions:
    """The subscriptions of all guests; who has one is kept in memory, because every turn asks for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._guests: set[str] = set()
        self._changes = 0
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Find out who has subscribed, and keep looking."""
        await self._refresh()
        self._tasks = [asyncio.create_task(self._look(), name="subscribers")]

    async def stop(self) -> None:
        """Stop looking."""
        await end(self._tasks)

    async def _refresh(self) -> None:
        before = self._changes
        found = await self._subscribers()
        # Whoever subscribed during the look may be missing in it.
        if self._changes == before:
            self._guests = found

    async def _subscribers(self) -> set[str]:
        async with self._store.read() as connection:
            return set((await connection.execute(select(push_subscriptions.c.guest).distinct())).scalars())

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH)
            try:
                await self._refresh()
            except Unavailable as error:
                _log.warning("subscribers unknown", error=str(error))

    def has(self, guest: str) -> bool:
        """Return whether a guest has subscribed."""
        return guest in self._guests

    async def server_key(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return a key that all processes of this server share; it is made when it is first asked for."""
        return await self._store.server_key(name, make)

    async def of(self, guest: str) -> list[Subscription]:
        """Return a guest's subscriptions, newest first. Raises Refused."""
        query = select(*(push_subscriptions.c[name] for name in Subscription._fields))
        query = query.where(push_subscriptions.c.guest == guest).order_by(push_subscriptions.c.created.desc())
        try:
            async with self._store.read() as connection:
                return [Subscription(*row) for row in (await connection.execute(query)).all()]
        except Unavailable:
            raise unavailable() from None

    async def add(self, new: Subscription) -> None:
        """Store a subscription. Raises Refused."""
        others = [one for one in await self.of(new.guest) if one.id != new.id]
        replaced = [new.id, *(one.id for one in others[_MOST - 1 :])]
        row = {"id": new.id, **new._asdict(), "created": time.time()}

        def work(connection: Connection) -> None:
            connection.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(replaced)))
            connection.execute(insert(push_subscriptions), [row])

        try:
            await self._store.write(work)
        except (Unavailable, Conflict):
            raise unavailable() from None
        self._changes += 1
        self._guests.add(new.guest)

    async def remove(self, gone: Subscription) -> None:
        """Remove a subscription. Raises Refused."""
        query = delete(push_subscriptions).where(push_subscriptions.c.id == gone.id)
        try:
            await self._store.write(lambda connection: connection.execute(query))
        except (Unavailable, Conflict):
            raise unavailable() from None
        if not await self.of(gone.guest):
            self._guests.discard(gone.guest)
