"""Tasks in the background: jobs that are done again and again, and ending them for certain."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from structlog import get_logger

from starfrost.errors import Refused

_log = get_logger("starfrost.table")


def regularly(job: Callable[[], Awaitable[Any]], every: float, first: float = 0.0) -> asyncio.Task[None]:
    """Start a task that does a job every so many seconds, after a first pause, whatever happens in it."""

    async def run() -> None:
        await asyncio.sleep(first)
        while True:
            await guarded(job)
            await asyncio.sleep(every)

    return asyncio.create_task(run(), name=job.__qualname__)


async def guarded(job: Callable[[], Awaitable[Any]]) -> None:
    """Do a job; what goes wrong is logged, and the next time may be better."""
    name = getattr(job, "__qualname__", "job")
    try:
        await job()
    except Refused as refusal:
        _log.warning("a job waits", job=name, error=getattr(refusal, "cause", str(refusal)))
    except Exception:
        _log.exception("a job failed", job=name)


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they are done: one whose wait is over at the very moment of its cancelling may not notice."""
    left = [task for task in tasks if not task.done()]
    while left:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=0.2)
        left = [task for task in left if not task.done()]
