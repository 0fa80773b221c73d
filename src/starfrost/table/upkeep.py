"""What a host asks of a server that runs: `starfrost admin` leaves a chore in the database, and one server does it.

Deleting a person or archiving tables changes what servers have in memory, so that a server must do it. If none runs,
`starfrost admin` does it itself.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sqlalchemy import delete, insert, select, update
from structlog import get_logger

from starfrost.table.moderation import Moderation
from starfrost.table.own_data import OwnData
from starfrost.table.retention import Retention
from starfrost.table.schema import chores, guests
from starfrost.table.store import Store
from starfrost.table.tasks import end, regularly
from starfrost.table.view import Guest

_log = get_logger("starfrost.table")
_ABANDONED: Final = 600.0
"""Seconds after which a chore that somebody took is taken again: that process has died."""


class Upkeep:
    """Reads the host's decisions and does the host's chores."""

    def __init__(self, store: Store, own_data: OwnData, retention: Retention) -> None:
        self.store = store
        self._own_data = own_data
        self._retention = retention
        self.moderation = Moderation(store)
        self._do: dict[str, Callable[[Any], Awaitable[Any]]] = {"delete": self._delete, "prune": self._prune}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Read the decisions, and look for changes and chores from now on. Raises Unavailable."""
        await self.moderation.refresh()
        beat = self.store.settings.beat
        self._tasks = [regularly(self.moderation.refresh, beat, beat), regularly(self.do_chores, beat, beat)]

    async def stop(self) -> None:
        """Stop; a chore that is not done is done after the next start."""
        await end(self._tasks)

    async def do_chores(self) -> None:
        """Do every chore that nobody does yet. Raises Unavailable or Refused."""
        open_ones = chores.c.answer.is_(None) & (chores.c.taken.is_(None) | (chores.c.taken < time.time() - _ABANDONED))
        query = select(chores.c.id, chores.c.kind, chores.c.argument).where(open_ones).order_by(chores.c.asked)
        for chore_id, kind, argument in await self.store.rows(query):
            # A newer version may know more kinds.
            if kind in self._do:
                take = update(chores).where(chores.c.id == chore_id, open_ones).values(taken=time.time())
                if await self.store.execute(take):
                    answer = json.dumps(await self.do(kind, json.loads(argument)))
                    await self.store.execute(update(chores).where(chores.c.id == chore_id).values(answer=answer))

    async def do(self, kind: str, argument: Any) -> Any:
        """Do a chore now and return its answer. Raises Unavailable or Refused."""
        _log.info("chore", kind=kind)
        return await self._do[kind](argument)

    async def _delete(self, guest_id: str) -> bool:
        """Delete a person; return whether there was one."""
        name = await self.store.scalar(select(guests.c.name).where(guests.c.id == guest_id))
        if name is not None:
            await self._own_data.delete(Guest(guest_id, name))
        return name is not None

    async def _prune(self, days: dict[str, float | None]) -> dict[str, int]:
        return (await self._retention.prune(days["finished"], days["abandoned"]))._asdict()


async def leave_chore(store: Store, kind: str, argument: Any) -> str:
    """Leave a chore for a server that runs; return its id. Raises Unavailable."""
    row = {"id": secrets.token_hex(8), "kind": kind, "argument": json.dumps(argument), "asked": time.time()}
    await store.execute(insert(chores).values(row))
    return str(row["id"])


async def answer_of(store: Store, chore_id: str) -> str | None:
    """Return the answer to a chore as JSON, which is then forgotten; None if it is not done yet."""
    answer: str | None = await store.scalar(select(chores.c.answer).where(chores.c.id == chore_id))
    if answer is not None:
        await store.execute(delete(chores).where(chores.c.id == chore_id))
    return answer
