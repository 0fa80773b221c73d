"""The worker processes of a server: tasks outside the event loop, each with a limit of its time.

A task fails alone: every worker is one spawned process, and one that dies or hangs is replaced by a new one.
"""

import asyncio
import multiprocessing
import threading
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from starfrost.errors import MissingExtra
from starfrost.workers import prepare_worker
from starfrost.workers.fair_queue import FairQueue, Owner

try:
    from pebble import ProcessExpired, ProcessPool
    from structlog import get_logger
except ModuleNotFoundError as missing:
    raise MissingExtra("The server needs more parts: pip install 'starfrost[serve]'.") from missing


_log = get_logger("starfrost.workers")

_LONGEST_START: Final = 30.0
"""Seconds that a worker may take to start."""
_GRACE: Final = 1.0
"""Seconds beyond the limit of a task after which a worker that says nothing is replaced."""
_TRIES: Final = 2
"""Workers that may die of a task, or before it."""


class _Worker:
    """One process, started when it is needed and replaced when it dies or hangs."""

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._pool: ProcessPool | None = None
        self._started = False
        self._ending: list[threading.Thread] = []

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float) -> Any:
        """Return the result. Raises TimeoutError if it takes too long, BrokenProcessPool if the process never began."""
        if not self._started:
            # Any function will do: the process answers as soon as it has started.
            await self._ask(int, (), _LONGEST_START)
        return await self._ask(function, arguments, timeout)

    async def _ask(self, function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float) -> Any:
        task = self._running().schedule(function, args=arguments, timeout=timeout)
        result = asyncio.wrap_future(task)
        begun = False
        try:
            await asyncio.wait({result}, timeout=timeout + _GRACE)
        finally:
            if not result.done():
                begun = task.running()
                result.cancel()
                self.end()
        if result.cancelled() or not result.done():
            raise TimeoutError if begun else BrokenProcessPool("the worker was stopped")
        # After an error the process may have to start again.
        self._started = result.exception() is None
        return result.result()

    def _running(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self.end()
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPool(1, initializer=prepare_worker, initargs=(self._niceness,), context=context)
        return self._pool

    def end(self) -> None:
        """Leave the process to a thread that ends it: that takes seconds if the process hangs."""
        pool, self._pool, self._started = self._pool, None, False
        if pool is not None:
            self._ending = [thread for thread in self._ending if thread.is_alive()]
            self._ending.append(threading.Thread(target=_end, args=(pool,), daemon=True, name="end-worker"))
            self._ending[-1].start()

    def join(self) -> None:
        """Wait until every process has ended."""
        for thread in self._ending:
            thread.join()


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


class WorkerPool:
    """Some worker processes, and the tasks that wait for one: all owners of tasks get equal shares of the time."""

    def __init__(self, size: int = 1, *, niceness: int = 5, idle: float | None = None) -> None:
        """`idle` is the number of seconds without a task after which the processes end until the next one."""
        self._workers = [_Worker(niceness) for _ in range(size)]
        self._free = list(self._workers)
        self._queue: FairQueue[asyncio.Future[_Worker]] = FairQueue()
        self._idle = idle
        self._ending: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """Return how many tasks wait for a worker."""
        return len(self._queue)

    async def run(self, function: Callable[..., Any], *arguments: Any, timeout: float, owner: Owner = ("", "")) -> Any:
        """Return what a function returns in a worker; time counts from when the worker takes it.

        Whoever cancels this stops the work. Raises TimeoutError if it takes too long, BrokenProcessPool if one worker
        after another dies, and what the function raises.
        """
        worker = await self._next_worker(owner)
        began = time.monotonic()
        try:
            for _ in range(_TRIES):
                if self._closed:
                    break
                try:
                    return await worker.run(function, arguments, timeout)
                except (ProcessExpired, BrokenProcessPool):
                    _log.warning("worker died", task=function.__name__)
            raise BrokenProcessPool("the workers died")
        finally:
            self._queue.charge(owner, time.monotonic() - began)
            self._release(worker)

    async def _next_worker(self, owner: Owner) -> _Worker:
        turn: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._queue.put(owner, turn)
        self._assign()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release(turn.result())
            raise

    def _assign(self) -> None:
        """Give the free workers to the tasks whose turn it is."""
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None
        while self._free and self._queue:
            _, turn = self._queue.take()
            if not turn.done():
                turn.set_result(self._free.pop())

    def _release(self, worker: _Worker) -> None:
        self._free.append(worker)
        self._assign()
        if self._idle is not None and len(self._free) == len(self._workers) and not self._closed:
            self._ending = asyncio.get_running_loop().call_later(self._idle, self._end_all)

    def _end_all(self) -> None:
        for worker in self._workers:
            worker.end()

    def close(self) -> None:
        """Stop the workers without waiting for a task."""
        self._closed = True
        if self._ending is not None:
            self._ending.cancel()
        self._end_all()
        for worker in self._workers:
            worker.join()
