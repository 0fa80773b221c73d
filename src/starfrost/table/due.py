"""When a table needs a server although nobody asks for it: a bot is to move, a clock runs out, patience ends.

A table in memory is watched by the scheduler of its process, and `tables.owner` names that process. A table that leaves
memory says in `tables.due` when it must be looked at. Finding those of a process that was killed, and those that are
due, takes an index each, however many tables and events are stored.
"""

import time
from collections.abc import Iterable

from sqlalchemy import Connection, case, select, update

from starfrost.table.schema import tables
from starfrost.table.store import HERE, Leaving, Store
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
        connection.execute(update(tables).where(tables.c.id == table_id).values(owner=None, due=due))


def free_held(connection: Connection) -> None:
    """Have the tables looked at that a process had in memory when it ended; the others say when they are due."""
    unfinished = tables.c.status.in_(("waiting", "running"))
    held = update(tables).where(tables.c.owner.is_not(None))
    connection.execute(held.values(owner=None, due=case((unfinished, 0.0), else_=None)))


async def take_due(store: Store, limit: int, owner: str | None) -> list[str]:
    """Return tables that must be looked at and that nobody has, and give them to an owner. Raises Unavailable.

    Without an owner this process is the only one, and tables that it has in memory are looked at as well.
    """
    waiting = select(tables.c.id).where(tables.c.due <= time.time())
    if owner is not None:
        waiting = waiting.where(tables.c.owner.is_(None))
    waiting = waiting.order_by(tables.c.due).limit(limit)
    async with store.read() as connection:
        if (await connection.execute(waiting)).first() is None:
            return []
    chosen = waiting.with_for_update(skip_locked=True)
    taken = update(tables).where(tables.c.id.in_(chosen)).values(owner=owner or HERE, due=None).returning(tables.c.id)

    def work(connection: Connection) -> list[str]:
        if store.fence is not None:
            store.fence(connection)
        return list(connection.execute(taken).scalars())

    return await store.write(work)
