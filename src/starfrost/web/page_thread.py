"""Pages about whole games, which take many milliseconds to make: in a thread, one after the other.

Several at once would take the interpreter from the moves of others.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from starfrost.web.limits import TooMany

_T = TypeVar("_T")

MOST_WAITING: Final = 200
"""Pages that may wait at once."""


class PageThread:
    """The thread that makes the heavy pages of one server process."""

    def __init__(self) -> None:
        self._one = CapacityLimiter(1)
        self._under_way = 0

    async def run(self, work: Callable[[], _T]) -> _T:
        """Return what some work returns, done in the thread. Raises TooMany."""
        if self._under_way > MOST_WAITING:
            raise TooMany(1.0)
        self._under_way += 1
        try:
            return await run_sync(work, limiter=self._one)
        finally:
            self._under_way -= 1
