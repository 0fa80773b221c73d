"""Group commit: while one transaction reaches the disk, the commands of all tables gather for the next one."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from prometheus_client import Histogram
from structlog import get_logger

from starfrost.table.store import Conflict, Store, Unavailable, Write
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")


Done = Callable[[Exception | None], None]
"""Called once a write is stored, or with the reason why it is not."""


class _Item(NamedTuple):
    write: Write
    adopt: Callable[[], None]
    done: Done


class Writer:
    """The one task of a process that appends to the log."""

    def __init__(self, store: Store, batch_size: Histogram) -> None:
        self._store = store
        self._batch_size = batch_size
        self._waiting: list[_Item] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the task that writes."""
        self._task = asyncio.create_task(self._run(), name="writer")

    async def stop(self) -> None:
        """Write what is waiting, then stop."""
        task, self._task = self._task, None
        if task is not None:
            self._wake.set()
            # Everything sent so far is stored, unless the store no longer answers.
            for _ in range(200):
                if not self._waiting or task.done():
                    break
                await asyncio.sleep(0.005)
            await end([task])
        for item in self._waiting:
            item.done(Unavailable("shutdown"))
        self._waiting.clear()

    async def write(self, write: Write, adopt: Callable[[], None]) -> None:
        """Store a write; `adopt` is called between the commit and the return, even if the caller was cancelled.

        Raises Conflict or Unavailable.
        """
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.put(write, adopt, partial(_settle, answer))
        await answer

    def put(self, write: Write, adopt: Callable[[], None], done: Done) -> None:
        """Store a write and then call `adopt` and `done`; if it cannot be stored, only `done`."""
        self._waiting.append(_Item(write, adopt, done))
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._commit(batch)

    async def _commit(self, batch: list[_Item]) -> None:
        try:
            await self._store.append([item.write for item in batch])
        except Conflict as conflict:
            if len(batch) == 1:
                batch[0].done(conflict)
                return
            # Another process was first at one of these tables: write each alone, so that the others succeed.
            for item in batch:
                await self._commit([item])
            return
        except asyncio.CancelledError:
            for item in batch:
                item.done(Unavailable("shutdown"))
            raise
        except Exception as error:
            _log.error("write failed", error=str(error) or type(error).__name__, commands=len(batch))
            for item in batch:
                item.done(error if isinstance(error, Unavailable) else Unavailable(type(error).__name__))
            return
        self._batch_size.observe(len(batch))
        for item in batch:
            item.adopt()
            item.done(None)


def _settle(answer: "asyncio.Future[None]", error: Exception | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(None)
    else:
        answer.set_exception(error)
