"""When a table needs a server although nobody asks for it: a bot is to move, a clock runs out, patience ends.

A table in memory is watched by the scheduler of its process. A table that leaves memory says in `tables.due` when it
must be looked at; finding those takes one index, however many tables and events are stored.
"""

import time
from collections.abc import Iterable

from sqlalchemy import Connection, select, update

from starfrost.table.schema import tables
from starfrost.table.store import Leaving, Store
from starfrost.table.table import Table


def due_at(loaded: Table, downtimes: list[tuple[float, float]], idle: float) -> float | None:
    """Return when a table must be looked at; None if it has ended. `idle` is the patience with unfinished tables."""
    table = loaded.snapshot
    if table.ended:
        return None
    acting = table.acting
    if acting is not None and table.seats[acting].kind == "bot" and not table.paused:
        return 0.0
    deadline = table.deadline(downtimes)
    return loaded.at + idle if deadline is None else deadline


def note_due(connection: Connection, leaving: Iterable[Leaving]) -> None:
    """Store when tables that leave memory must be looked at."""
    for table_id, due, _ in leaving:
        connection.execute(update(tables).where(tables.c.id == table_id).values(due=due))


async def expect_everything(store: Store) -> None:
    """Have every unfinished table looked at, because the process that had them in memory may have been killed."""
    unknown = tables.c.status.in_(("waiting", "running"))
    await store.write(lambda connection: connection.execute(update(tables).where(unknown).values(due=0)))


async def take_due(store: Store, limit: int, owner: str | None) -> list[str]:
    """Return tables that must be looked at and that nobody has, and give them to an owner. Raises Unavailable."""
    waiting = select(tables.c.id).where(tables.c.due <= time.time(), tables.c.owner.is_(None))
    waiting = waiting.order_by(tables.c.due).limit(limit)
    async with store.read() as connection:
        if (await connection.execute(waiting)).first() is None:
            return []
    chosen = waiting.with_for_update(skip_locked=True)
    taken = update(tables).where(tables.c.id.in_(chosen)).values(owner=owner, due=None).returning(tables.c.id)

    def work(connection: Connection) -> list[str]:
        if store.fence is not None:
            store.fence(connection)
        return list(connection.execute(taken).scalars())

    return await store.write(work)
