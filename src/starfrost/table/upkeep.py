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

from sqlalchemy import Executable, delete, insert, select, update
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table.moderation import Moderation
from starfrost.table.own_data import OwnData
from starfrost.table.retention import Retention
from starfrost.table.schema import chores, guests
from starfrost.table.store import Store, Unavailable
from starfrost.table.tasks import end
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
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the decisions, and look for changes and chores from now on. Raises Unavailable."""
        await self.moderation.refresh()
        self._task = asyncio.create_task(self._run(), name="upkeep")

    async def stop(self) -> None:
        """Stop; a chore that is not done is done after the next start."""
        if self._task is not None:
            await end([self._task])

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self.store.settings.beat)
            try:
                await self.moderation.refresh()
                await self.do_chores()
            except (Unavailable, Refused) as error:
                _log.warning("upkeep waits", error=str(error))
            except Exception:
                _log.exception("upkeep failed")

    async def do_chores(self) -> None:
        """Do every chore that nobody does yet. Raises Unavailable or Refused."""
        open_ones = chores.c.answer.is_(None) & (chores.c.taken.is_(None) | (chores.c.taken < time.time() - _ABANDONED))
        query = select(chores.c.id, chores.c.kind, chores.c.argument).where(open_ones).order_by(chores.c.asked)
        async with self.store.read() as connection:
            found = (await connection.execute(query)).all()
        for chore_id, kind, argument in found:
            # A newer version may know more kinds.
            if kind in self._do:
                take = update(chores).where(chores.c.id == chore_id, open_ones).values(taken=time.time())
                if await _execute(self.store, take):
                    answer = json.dumps(await self.do(kind, json.loads(argument)))
                    done = update(chores).where(chores.c.id == chore_id).values(answer=answer)
                    await _execute(self.store, done)

    async def do(self, kind: str, argument: Any) -> Any:
        """Do a chore now and return its answer. Raises Unavailable or Refused."""
        _log.info("chore", kind=kind)
        return await self._do[kind](argument)

    async def _delete(self, guest_id: str) -> bool:
        """Delete a person; return whether there was one."""
        async with self.store.read() as connection:
            name = (await connection.execute(select(guests.c.name).where(guests.c.id == guest_id))).scalar()
        if name is not None:
            await self._own_data.delete(Guest(guest_id, name))
        return name is not None

    async def _prune(self, days: dict[str, float | None]) -> dict[str, int]:
        return (await self._retention.prune(days["finished"], days["abandoned"]))._asdict()


async def leave_chore(store: Store, kind: str, argument: Any) -> str:
    """Leave a chore for a server that runs; return its id. Raises Unavailable."""
    row = {"id": secrets.token_hex(8), "kind": kind, "argument": json.dumps(argument), "asked": time.time()}
    await _execute(store, insert(chores).values(row))
    return str(row["id"])


async def answer_of(store: Store, chore_id: str) -> str | None:
    """Return the answer to a chore as JSON, which is then forgotten; None if it is not done yet."""
    async with store.read() as connection:
        answer: str | None = (await connection.execute(select(chores.c.answer).where(chores.c.id == chore_id))).scalar()
    if answer is not None:
        await _execute(store, delete(chores).where(chores.c.id == chore_id))
    return answer


async def _execute(store: Store, query: Executable) -> int:
    """Run a statement in a transaction of its own; return how many rows it changed."""
    return await store.write(lambda connection: int(connection.execute(query).rowcount))
