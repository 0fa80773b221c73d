"""The queue of push messages: bounded in every direction, because strangers choose whom they are sent to.

Few requests are under way at a time, fewer to one origin or guest and one to an endpoint; of the messages about one
table that wait for a browser only the newest is sent. Every request counts in the budgets of its guest, of its origin
and of the server; an origin that does not answer is left alone for a while.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table.metrics import Metrics
from starfrost.table.subscriptions import Subscription
from starfrost.table.tasks import end
from starfrost.web.limits import Rate, TooMany

_log = get_logger("starfrost.web")
IN_FLIGHT: Final = 20
"""Requests that are under way at a time."""
_TO_ONE_ORIGIN: Final = 10
_OF_ONE_GUEST: Final = 2
_WAITING: Final = 1000
"""Messages that wait."""
_WAITING_OF_ONE: Final = 20
"""Messages to one guest that wait."""
_PAUSES: Final = (1.0, 5.0, 30.0)
"""Seconds before the next attempts, if a push service does not take a message."""
_FAILURES: Final = 5
"""Requests in a row without an answer after which an origin is left alone."""
_BREAK: Final = 60.0
"""Seconds until one request tries such an origin again."""
_MOST_ORIGINS: Final = 1000


class Letter(NamedTuple):
    """A message to a browser or an address; `until` is when nobody needs it any more."""

    to: Subscription
    origin: str
    table: str
    text: str
    until: float


class Outbox:
    """Messages on their way to push services."""

    def __init__(self, metrics: Metrics, send: Callable[[Letter], Awaitable[tuple[int, str]]]) -> None:
        self._metrics = metrics
        self._send = send
        self._waiting: dict[tuple[str, str], Letter] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._of_guest = Rate(60, 120)
        self._to_origin = Rate(250, 10)
        self._in_total = Rate(500, 10)
        self._to_address = Rate(30, 60)
        """Messages that are sent as they are, by origin: strangers choose it."""
        self._silent: dict[str, tuple[int, float]] = {}
        """By origin: how many requests in a row had no answer, and until when none is sent."""

    async def stop(self) -> None:
        """Give up what is not sent yet."""
        await end(list(self._tasks.values()))

    def count(self, result: str) -> None:
        """Count what happened to a message."""
        self._metrics.pushes.labels(result).inc()

    def put(self, letter: Letter) -> None:
        """Queue a message in the place of an older one about the same table, or drop it if too many wait."""
        self.count("queued")
        key = (letter.to.id, letter.table)
        if key in self._waiting:
            self.count("dropped")
        elif len(self._waiting) >= _WAITING or self._waiting_for(letter.to.guest) >= _WAITING_OF_ONE:
            self.count("dropped")
            return
        self._waiting[key] = letter
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._work(key), name="push")

    def _waiting_for(self, guest: str) -> int:
        return sum(letter.to.guest == guest for letter in self._waiting.values())

    async def _work(self, key: tuple[str, str]) -> None:
        """Send what waits under a key, until nothing does."""
        tries = 0
        while key in self._waiting:
            async with self._place(self._waiting[key]):
                letter = self._waiting.pop(key)
                result, wait = await self._attempt(letter)
            if result == "again" and tries < len(_PAUSES):
                # If a newer message has come meanwhile, it is what is sent next.
                if self._waiting.setdefault(key, letter) is not letter:
                    self.count("dropped")
                await asyncio.sleep(max(_PAUSES[tries], wait))
                tries += 1
            else:
                self.count("failed" if result == "again" else result)
                tries = 0
        del self._tasks[key]

    @asynccontextmanager
    async def _place(self, letter: Letter) -> AsyncIterator[None]:
        """Wait for a place among the requests that are under way."""
        places = {letter.to.id: 1, letter.to.guest: _OF_ONE_GUEST, letter.origin: _TO_ONE_ORIGIN, "": IN_FLIGHT}
        async with AsyncExitStack() as held:
            # Always in this order, so that no two wait for each other.
            for name, most in places.items():
                place = self._places.get(name)
                if place is None:
                    place = self._places[name] = asyncio.Semaphore(most)
                await held.enter_async_context(place)
            yield

    async def _attempt(self, letter: Letter) -> tuple[str, float]:
        """Send a message once; return what became of it, or "again", and how long the push service wants to wait."""
        if letter.until < time.time() or self._is_left_alone(letter.origin):
            return "dropped", 0.0
        try:
            for rate, client in (
                (self._of_guest, letter.to.guest),
                (self._to_origin, letter.origin),
                (self._in_total, ""),
            ):
                rate(client)
            if letter.to.is_plain:
                self._to_address(letter.origin)
            status, after = await self._send(letter)
        except TooMany:
            return "dropped", 0.0
        except Refused:
            return "refused", 0.0
        except OSError as error:
            _log.info("push service does not answer", error=type(error).__name__)
            self._had_no_answer(letter.origin)
            return "again", 0.0
        self._silent.pop(letter.origin, None)
        if status < 300:
            return "sent", 0.0
        if status in (404, 410):
            return "gone", 0.0
        if status >= 500 or status == 429:
            return "again", min(60.0, float(after)) if after.isdecimal() else 0.0
        _log.warning("push failed", status=status)
        return "failed", 0.0

    def _had_no_answer(self, origin: str) -> None:
        """Note a request without an answer. A status of 500 is one: a stranger's bad path must not stop all others."""
        failures, _ = self._silent.pop(origin, (0, 0.0))
        while len(self._silent) >= _MOST_ORIGINS:
            del self._silent[next(iter(self._silent))]
        self._silent[origin] = (failures + 1, time.monotonic() + _BREAK)

    def _is_left_alone(self, origin: str) -> bool:
        """Return whether an origin is not asked now; one request a while finds out whether it answers again."""
        failures, until = self._silent.get(origin, (0, 0.0))
        if failures < _FAILURES:
            return False
        if time.monotonic() < until:
            return True
        # This request tries; others wait for what becomes of it.
        self._silent[origin] = (failures, time.monotonic() + _BREAK)
        return False
