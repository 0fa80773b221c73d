"""Retention: how long the events of finished and abandoned tables stay.

What is older goes to the archive as a record (`table.archive`). Results, levels and histories stay as they are.
"""

import asyncio
import time
from typing import Final, NamedTuple

from sqlalchemy import select
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table.archive import Archive
from starfrost.table.host import TableHost
from starfrost.table.schema import events, tables
from starfrost.table.store import Conflict
from starfrost.table.tasks import end, regularly

_log = get_logger("starfrost.table")
_FIRST: Final = 60.0
"""Seconds after the start of a server until it looks for old tables."""
_EVERY: Final = 3600.0
_SOME: Final = 200
"""Tables that are looked for at once."""
_SHARE: Final = 4
"""Moves get this many times the time that archiving takes."""
_DAY: Final = 86_400.0
_LONGEST: Final = 365.0
"""Days after its opening after which an unfinished table is closed."""
_ABANDONED: Final = 30.0
"""Days after which a table that was closed unfinished is archived."""


class Pruned(NamedTuple):
    """How many tables were archived, and how many could not be read and stay."""

    finished: int = 0
    abandoned: int = 0
    unreadable: int = 0


class Retention:
    """Archives old tables of one store, every hour while the service runs or when it is asked to."""

    def __init__(self, all_tables: TableHost) -> None:
        self._tables = all_tables
        self._store = all_tables.store
        self._archive = Archive(all_tables.store)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the hourly work."""
        self._tasks = [regularly(self._tidy, _EVERY, _FIRST)]

    async def stop(self) -> None:
        """Stop; the next start goes on."""
        await end(self._tasks)

    async def _tidy(self) -> None:
        await self.close_old()
        done = await self.prune()
        if any(done):
            _log.info("old tables archived", **done._asdict())

    async def close_old(self, now: float | None = None) -> int:
        """Close unfinished tables that were opened too long ago; return how many."""
        now = time.time() if now is None else now
        unfinished = tables.c.status.in_(("waiting", "running"))
        query = select(tables.c.id).where(unfinished, tables.c.created < now - _LONGEST * _DAY)
        found = await self._store.column(query)
        return sum([await self._tables.close_unfinished(table_id, "length") for table_id in found])

    async def close(self, table_id: str) -> bool:
        """Close an unfinished table because the host wants it; return whether that was done."""
        return await self._tables.close_unfinished(table_id, "host")

    async def prune(
        self, finished_days: float | None = None, abandoned_days: float | None = None, now: float | None = None
    ) -> Pruned:
        """Archive tables that ended so many days ago: by default `keep_finished_days` (0 is never), or 30 if closed.

        Only the store has to be open. A server may run meanwhile, also several. Raises Unavailable.
        """
        settings, now = self._tables.settings, time.time() if now is None else now
        days = {
            "over": settings.keep_finished_days or None if finished_days is None else finished_days,
            "closed": _ABANDONED if abandoned_days is None else abandoned_days,
        }
        done = {"over": 0, "closed": 0}
        unreadable = 0
        for status, limit in days.items():
            after = (0.0, "")
            while limit is not None and (found := await self._older(status, now - limit * _DAY, after)):
                for table_id, created, at in found:
                    began, after = time.monotonic(), (created, table_id)
                    archived = await self._put(table_id, at)
                    done[status] += archived is True
                    unreadable += archived is None
                    await asyncio.sleep(_SHARE * (time.monotonic() - began))
        return Pruned(done["over"], done["closed"], unreadable)

    async def _older(self, status: str, before: float, after: tuple[float, str]) -> list[tuple[str, float, float]]:
        """Return tables of a status without an event since a time: id, time of opening and time of the last event."""
        # The primary key of the events finds the last one of a table without looking at the others.
        last = (
            select(events.c.at)
            .where(events.c.table_id == tables.c.id)
            .order_by(events.c.seq.desc())
            .limit(1)
            .scalar_subquery()
        )
        later = (tables.c.created > after[0]) | ((tables.c.created == after[0]) & (tables.c.id > after[1]))
        query = (
            select(tables.c.id, tables.c.created, last)
            .where(tables.c.status == status, tables.c.created < before, later, last < before)
            .order_by(tables.c.created, tables.c.id)
            .limit(_SOME)
        )
        return [(row[0], row[1], row[2]) for row in await self._store.rows(query)]

    async def _put(self, table_id: str, at: float) -> bool | None:
        """Archive a table; return whether that was done, None if it cannot be read."""
        try:
            table = (await self._tables.read(table_id)).snapshot
            # The seed of a daily game stays sealed until the day is over.
            if table.seed is None or not await self._archive.put(table, at):
                return False
        except Conflict:
            # Another process was first.
            return False
        except Refused as refusal:
            if refusal.code == "storage":
                raise
            return None if refusal.code == "unreadable" else False
        await self._tables.rewritten(table_id)
        return True
