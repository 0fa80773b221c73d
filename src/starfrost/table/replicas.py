"""Tables of other processes, to be read only: each is brought up to date from the store before it is shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from starfrost.table.table import Table
from starfrost.table.view import TableView

if TYPE_CHECKING:
    from starfrost.table.tables import Tables

_MOST = 300


class Replicas:
    """Copies of tables that this process does not own; the latest used ones are kept."""

    def __init__(self, tables: "Tables") -> None:
        self._tables = tables
        self._kept: dict[str, Table] = {}

    async def look(self, table_id: str, reached: int | None = None) -> Table:
        """Return a table to be read, without taking it from its owner: never older than what is stored. Raises Refused.

        `reached` is the version that the table has in the store, if the caller knows.
        """
        if self._tables.leases is None or self._tables.owns(table_id):
            return await self._tables.load(table_id)
        table = self._kept.pop(table_id, None)
        if table is None:
            table = await self._tables.read(table_id, whole=False)
        elif reached is None or table.version < reached:
            await self._tables.catch_up(table)
        table.open_envelope()
        self._kept[table_id] = table
        if len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        return table

    async def reached(self, table_ids: Sequence[str]) -> dict[str, int]:
        """Return the stored versions of those tables of a list that are kept here. Raises Unavailable."""
        return await self._tables.store.versions(table_id for table_id in table_ids if table_id in self._kept)

    def marked(self, view: TableView) -> TableView:
        """Return a view of a table; where a newer version has gone on, it says so."""
        table = self._tables.peek(view.id) or self._kept.get(view.id)
        return replace(view, upgrading=True) if table is not None and table.newer else view

    def forget(self, table_id: str | None = None) -> None:
        """Read a table, or all of them, anew: the log may have been rewritten."""
        if table_id is None:
            self._kept.clear()
        else:
            self._kept.pop(table_id, None)
