"""How many unfinished tables there may be: from one address, and in total.

Addresses are stored only as keyed hashes, and only while a table is unfinished.
"""

import hmac
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import func, select

from starfrost.errors import Refused
from starfrost.table.new_table import origin_now
from starfrost.table.schema import tables
from starfrost.table.settings import Settings
from starfrost.table.store import Store

_DAY: Final = 86_400.0
_FRESH: Final = 5.0
"""Seconds for which the number of all tables is remembered."""
_UNFINISHED: Final = tables.c.status.in_(("waiting", "running"))


class Quota:
    """The limits of one store, the same for all processes that use it."""

    def __init__(self, store: Store, settings: Settings, times: Callable[[str], float] = lambda address: 1.0) -> None:
        self._store = store
        self._settings = settings
        self._times = times
        self._key: bytes | None = None
        self._opening: Counter[str] = Counter()
        self._total = 0
        self._counted = -_FRESH

    @asynccontextmanager
    async def room(self, address: str) -> AsyncIterator[None]:
        """Check that an address may open one more table; tables that are opened inside carry its origin.

        Raises Refused if there are too many tables already.
        """
        origin = await self._origin_of(address)
        # Those that are being opened count, so that a hundred requests at once do not all find room.
        self._opening[origin] += 1
        token = origin_now.set(origin)
        try:
            await self._check(origin, self._times(address))
            yield
            self._total += 1
        finally:
            origin_now.reset(token)
            self._opening[origin] -= 1
            if not self._opening[origin]:
                del self._opening[origin]

    async def _origin_of(self, address: str) -> str:
        if self._key is None:
            self._key = await self._store.server_key("origins", lambda: secrets.token_bytes(32))
        return hmac.digest(self._key, address.encode(), "sha256").hex()[:32]

    async def _check(self, origin: str, times: float) -> None:
        most, most_of_one = self._settings.tables_in_total, self._settings.tables_per_address * times
        if most and time.monotonic() - self._counted >= _FRESH:
            self._total = await self._count(_UNFINISHED)
            self._counted = time.monotonic()
        if most and self._total + self._opening.total() > most:
            raise Refused("full", "Too many games are under way on this server. Try again later.", 503)
        if most_of_one:
            found = await self._count(_UNFINISHED, tables.c.origin == origin, tables.c.created > time.time() - _DAY)
            if found + self._opening[origin] > most_of_one:
                raise Refused(
                    "many-tables",
                    "%(tables)s unfinished games were opened from here today. Finish or close one of them first.",
                    409,
                    tables=found,
                )

    async def _count(self, *conditions: Any) -> int:
        return int(await self._store.scalar(select(func.count()).select_from(tables).where(*conditions)))
