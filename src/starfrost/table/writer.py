"""Group commit: while one transaction reaches the disk, the commands of all tables gather for the next one."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from prometheus_client import Histogram
from structlog import get_logger

from starfrost.table.store import Conflict, Store, Unavailable, Write
from starfrost.table.tasks import end

_log = get_logger("starfrost.table")


class _Item(NamedTuple):
    write: Write
    adopt: Callable[[], None]
    answer: "asyncio.Future[None]"

    def settle(self, error: Exception | None = None) -> None:
        """Tell whoever waits what became of the write; one that is stored is adopted even if nobody waits."""
        if error is None:
            self.adopt()
        if self.answer.done():
            return
        if error is None:
            self.answer.set_result(None)
        else:
            self.answer.set_exception(error)


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
            item.settle(Unavailable("shutdown"))
        self._waiting.clear()

    async def write(self, write: Write, adopt: Callable[[], None]) -> None:
        """Store a write; `adopt` is called between the commit and the return, even if the caller was cancelled.

        Raises Conflict if another command was first, or Unavailable if nobody knows whether it was stored.
        """
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Item(write, adopt, answer))
        self._wake.set()
        await answer

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._commit(batch)

    async def _commit(self, batch: list[_Item]) -> None:
        try:
            stored = await self._store.append([item.write for item in batch])
        except Conflict as conflict:
            if len(batch) == 1:
                batch[0].settle(conflict)
                return
            # One of them repeats a key: write each alone, so that the others succeed.
            for item in batch:
                await self._commit([item])
            return
        except asyncio.CancelledError:
            for item in batch:
                item.settle(Unavailable("shutdown"))
            raise
        except Exception as error:
            _log.error("write failed", error=str(error) or type(error).__name__, commands=len(batch))
            for item in batch:
                item.settle(error if isinstance(error, Unavailable) else Unavailable(type(error).__name__))
            return
        self._batch_size.observe(len(batch))
        for item, done in zip(batch, stored, strict=True):
            item.settle(None if done else Conflict())
