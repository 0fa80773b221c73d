"""Pages about whole games, which take many milliseconds to make: off the event loop, and within a budget.

They are made in one thread, one after the other, because several threads would take the interpreter from the moves of
others. Addresses share the thread fairly, and each pays with the time that its pages took.
"""

import asyncio
import contextvars
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from starlette.requests import HTTPConnection

from starfrost.table import Settings
from starfrost.table.sharing import FairQueue
from starfrost.web.limits import Rate, TooMany, address_of

_T = TypeVar("_T")

MOST_WAITING: Final = 200
"""Pages that may wait at once, and a tenth of that from one address."""

_Job = tuple[asyncio.Future[Any], Callable[[], Any]]


class Heavy:
    """The thread that makes the heavy pages of one server process."""

    def __init__(self, settings: Settings) -> None:
        seconds = settings.page_seconds
        self._budget = Rate(seconds / 60, seconds)
        self._queue: FairQueue[_Job] = FairQueue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pages")
        self._working: asyncio.Task[None] | None = None

    async def run(self, request: HTTPConnection, work: Callable[[], _T]) -> _T:
        """Return what some work returns, done in the thread when it is the reader's turn. Raises TooMany."""
        address = address_of(request)
        self._budget.check(address)
        if len(self._queue) >= MOST_WAITING or self._queue.waiting(address) >= MOST_WAITING // 10:
            raise TooMany(1.0)
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        # Sentences are said in the reader's language, which the context may hold.
        context = contextvars.copy_context()
        self._queue.put((address, ""), (answer, lambda: context.run(work)))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work(), name="pages")
        return await answer

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._queue:
            owner, (answer, work) = self._queue.take()
            if answer.done():
                # The reader has gone.
                continue
            found, fault, seconds = await loop.run_in_executor(self._thread, _timed, work)
            self._queue.charge(owner, seconds)
            self._budget.pay(owner[0], seconds)
            if answer.done():
                continue
            if fault is None:
                answer.set_result(found)
            else:
                answer.set_exception(fault)

    def close(self) -> None:
        """End the thread when its page is made; those that wait are not made any more."""
        if self._working is not None:
            self._working.cancel()
        while self._queue:
            self._queue.take()[1][0].cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _timed(work: Callable[[], Any]) -> tuple[Any, Exception | None, float]:
    """Return what some work returned, what it raised, and the seconds of computing that it took."""
    began = time.thread_time()
    try:
        return work(), None, time.thread_time() - began
    except Exception as error:
        return None, error, time.thread_time() - began


async def made(request: HTTPConnection, work: Callable[[], _T]) -> _T:
    """Do some work for a page about a whole game. Raises TooMany, and whatever the work raises."""
    heavy: Heavy = request.app.state.heavy
    return await heavy.run(request, work)
