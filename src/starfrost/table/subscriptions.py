"""Push subscriptions: browsers and addresses that are told of their guest's turn; the key that signs messages."""

import asyncio
import hashlib
import re
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from starfrost.errors import Refused
from starfrost.table.schema import push_subscriptions
from starfrost.table.store import Store
from starfrost.table.tasks import end, regularly

_MOST = 5
"""Subscriptions of one guest; more replace the oldest."""
_REFRESH = 30.0
"""Seconds between looks for guests who subscribed in another process."""
_HOURS: Final = re.compile(r"(?!(\d+)-\1$)(?:1?\d|2[0-3])-(?:1?\d|2[0-3])")


class Subscription(NamedTuple):
    """A browser that takes push messages for a guest, or an address that takes them as they are."""

    guest: str
    endpoint: str
    """The address at the browser's push service, or the address itself."""
    p256dh: str
    auth: str
    """The browser's public key and secret, in URL-safe base 64; empty for an address."""
    language: str
    site: str
    """The host name of Starfrost as that browser knows it; for an address what links to tables begin with."""
    quiet: str = ""
    """The hours in which the guest wants no messages, such as `22-7`; empty without."""
    east: int | None = None
    """By how many minutes the guest's clock is ahead of UTC; None if nobody knows."""

    @property
    def id(self) -> str:
        """Return the short name of the endpoint, which may be long."""
        return hashlib.sha256(self.endpoint.encode()).hexdigest()

    @property
    def is_plain(self) -> bool:
        """Return whether messages are sent as they are: to an address, not to a browser."""
        return not self.p256dh

    def silence(self, at: float) -> tuple[float, float] | None:
        """Return from when to when the guest wants no messages, if a moment lies in between."""
        if not self.quiet:
            return None
        first, last = (60 * int(hour) for hour in self.quiet.split("-"))
        since = (at / 60 + (self.east or 0) - first) % 1440
        lasts = (last - first) % 1440
        return (at - 60 * since, at + 60 * (lasts - since)) if since < lasts else None


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
        self._tasks = [regularly(self._refresh, _REFRESH, _REFRESH)]

    async def stop(self) -> None:
        """Stop looking."""
        await end(self._tasks)

    async def _refresh(self) -> None:
        before = self._changes
        found = set(await self._store.column(select(push_subscriptions.c.guest).distinct()))
        # Whoever subscribed during the look may be missing in it.
        if self._changes == before:
            self._guests = found

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
        return [Subscription(*row) for row in await self._store.rows(query)]

    async def add(self, new: Subscription) -> None:
        """Store a subscription; the guest's quiet hours hold for it too. Raises Refused."""
        known = await self.of(new.guest)
        others = [one for one in known if one.id != new.id]
        replaced = [new.id, *(one.id for one in others[_MOST - 1 :])]
        east = new.east if new.east is not None else next((one.east for one in known), None)
        new = new._replace(quiet=next((one.quiet for one in known), ""), east=east)
        row = {"id": new.id, **new._asdict(), "created": time.time()}

        def work(connection: Connection) -> None:
            connection.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(replaced)))
            connection.execute(insert(push_subscriptions), [row])

        await self._store.write(work)
        self._changes += 1
        self._guests.add(new.guest)

    async def be_quiet(self, guest: str, quiet: str, east: int | None) -> None:
        """Store a guest's quiet hours and where in the world they are. Raises Refused."""
        if quiet and not _HOURS.fullmatch(quiet):
            raise Refused("bad-hours", "Quiet hours must begin and end at different hours of the day.", 422)
        query = update(push_subscriptions).where(push_subscriptions.c.guest == guest)
        await self._store.execute(query.values(quiet=quiet, east=east))

    async def remove(self, gone: Subscription) -> None:
        """Remove a subscription. Raises Refused."""
        await self._store.execute(delete(push_subscriptions).where(push_subscriptions.c.id == gone.id))
        if not await self.of(gone.guest):
            self._guests.discard(gone.guest)
