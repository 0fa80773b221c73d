"""Tables that leave this process: unused ones, and those that another process is to own."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from starfrost.table.due import due_at
from starfrost.table.store import Conflict, Leaving, Unavailable, Write
from starfrost.table.table import Table

if TYPE_CHECKING:
    from starfrost.table.tables import Tables

_LATER = 5.0
"""Seconds until a table that could not be read just now is looked at again."""


class Leavers:
    """The tables that are leaving just now; whoever wants to load one waits until it is gone."""

    def __init__(self, tables: "Tables") -> None:
        self._tables = tables
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def gone(self, table_id: str) -> None:
        """Wait until a table is not leaving any more."""
        while table_id in self._tasks:
            await asyncio.wait([self._tasks[table_id]])

    def unload(self, unused: Iterable[Table]) -> None:
        """Remove tables from memory and let others have them; each says when it must be looked at."""
        leaving = []
        for table in unused:
            self._tables.drop(table)
            leaving.append(self._leaving(table.id, table))
        if leaving:
            self._send(leaving)

    def put_off(self, table_ids: list[str]) -> None:
        """Have tables looked at later that could not be looked at now."""
        self._send([Leaving(table_id, time.time() + _LATER) for table_id in table_ids])

    def hand_over(self, table_id: str, heir: str) -> None:
        """Give a table to another process as soon as no command is under way."""
        if table_id not in self._tasks:
            self._note([table_id], self._tables.spawn(self._hand_over(table_id, heir), "hand over"))

    async def _hand_over(self, table_id: str, heir: str) -> None:
        table = await self._tables.loaded(table_id)
        if table is not None:
            async with table.lock:
                self._tables.drop(table)
        self._tables.left(table_id)
        self._tables.streams.end(table_id)
        await self._store([self._leaving(table_id, table)._replace(heir=heir)])

    def _leaving(self, table_id: str, table: Table | None) -> Leaving:
        idle = self._tables.settings.idle_days * 86_400
        return Leaving(table_id, 0.0 if table is None else due_at(table, self._tables.downtimes(), idle))

    def _send(self, leaving: list[Leaving]) -> None:
        self._note([one.table_id for one in leaving], self._tables.spawn(self._store(leaving), "unload"))

    def _note(self, table_ids: list[str], task: asyncio.Task[None]) -> None:
        self._tasks |= dict.fromkeys(table_ids, task)
        task.add_done_callback(lambda _: [self._tasks.pop(table_id, None) for table_id in table_ids])

    async def _store(self, leaving: list[Leaving]) -> None:
        # The writer stores in order: what was sent before is stored while this process still owns the tables.
        with suppress(Unavailable, Conflict):
            await self._tables.writer.write(Write((), leaving=tuple(leaving)), lambda: None)
