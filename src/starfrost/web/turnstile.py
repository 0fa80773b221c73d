"""The turnstile of reading requests, so that a crowd of readers does not keep the moves of others waiting.

In one turn of the event loop everything runs that is ready: with forty pages ready, a move waits for all of them. So
only a few pages are made at a time, the address that has used the least time goes next, and moves pass by.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.types import Scope

from starfrost.table.sharing import FairQueue, Owner
from starfrost.web.guard import HEALTH
from starfrost.web.limits import TooMany

PLACES: Final = 3
"""Requests that are answered at a time."""
LONGEST: Final = 0.05
"""Seconds after which a request that is still under way, because it waits for something, gives its place away."""
MOST_WAITING: Final = 200
"""Requests of one address that may wait."""
_NEVER_LAST: Final = ("/stream", *HEALTH)


def waits(scope: Scope) -> bool:
    """Return whether a request waits for its turn: whatever only reads, but no stream, which stays, and no file."""
    path: str = scope["path"]
    return scope["method"] in ("GET", "HEAD") and not path.endswith(_NEVER_LAST) and not path.startswith("/static/")


class Turnstile:
    """The requests that are answered now, and those that wait."""

    def __init__(self) -> None:
        self._inside: dict[int, tuple[Owner, float]] = {}
        """Those inside by number, with who asks and since when."""
        self._waiting: FairQueue[asyncio.Future[int]] = FairQueue()
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None

    async def passed(self, address: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work for an address when it is its turn. Raises TooMany."""
        owner = (address, "")
        if len(self._inside) < PLACES and not self._waiting:
            number = self._enter(owner)
        else:
            number = await self._turn(owner)
        try:
            await work()
        finally:
            # In the next turn of the loop: of pages that need not wait for anything, all would be made in this one.
            asyncio.get_running_loop().call_soon(self._leave, number)

    async def _turn(self, owner: Owner) -> int:
        if self._waiting.waiting(owner[0]) >= MOST_WAITING:
            raise TooMany(1.0)
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.put(owner, turn)
        self._watch()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(turn.result())
            raise

    def _enter(self, owner: Owner) -> int:
        self._number += 1
        self._inside[self._number] = owner, time.monotonic()
        return self._number

    def _leave(self, number: int) -> None:
        """Give a place back, unless it was given away before."""
        if number in self._inside:
            owner, since = self._inside.pop(number)
            self._waiting.charge(owner, time.monotonic() - since)
            self._let_in()

    def _let_in(self) -> None:
        while self._waiting and len(self._inside) < PLACES:
            owner, turn = self._waiting.take()
            if not turn.done():
                turn.set_result(self._enter(owner))

    def _watch(self) -> None:
        """While somebody waits, look for requests that keep their place although they only wait themselves."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LONGEST, self._give_away)

    def _give_away(self) -> None:
        self._timer = None
        late = time.monotonic() - LONGEST
        for number in [number for number, (_, since) in self._inside.items() if since <= late]:
            self._leave(number)
        if self._waiting:
            self._watch()
