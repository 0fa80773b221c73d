"""Limits for guests and addresses: how fast they use something, and how many streams they have open."""

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.words import mark

_MOST_WINDOWS: Final = 50_000
_STREAMS: Final = 20
"""Event streams that one guest may keep open."""
_HOUSEHOLD: Final = 20
"""How many times the open streams of a guest an address may have, because many people may share it."""


class TooMany(Refused):
    """Too many requests; `wait` is the number of seconds to wait."""

    def __init__(self, wait: float) -> None:
        seconds = max(1, math.ceil(wait))
        super().__init__("slow-down", mark("Too many requests: wait %(seconds)s s."), 429, seconds=seconds)
        self.wait = seconds


class Windows(Storage):
    """The counters behind the limits, in this process; those that were used longest ago make room for new ones.

    The library's own storage looks through all of them in a thread, again and again.
    """

    STORAGE_SCHEME = None
    base_exceptions = ()

    def __init__(self) -> None:
        super().__init__()
        self._windows: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """What was used and when that is forgotten."""

    def __len__(self) -> int:
        return len(self._windows)

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        now = time.time()
        used, ends = self._windows.pop(key, (0, 0.0))
        if ends <= now:
            used, ends = 0, now + expiry
        self._windows[key] = used + amount, ends
        if len(self._windows) > _MOST_WINDOWS:
            self._windows.popitem(last=False)
        return used + amount

    def get(self, key: str) -> int:
        used, ends = self._windows.get(key, (0, 0.0))
        return used if ends > time.time() else 0

    def get_expiry(self, key: str) -> float:
        return self._windows.get(key, (0, 0.0))[1]

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        count = len(self._windows)
        self._windows.clear()
        return count

    def clear(self, key: str) -> None:
        self._windows.pop(key, None)


Times = Callable[[str], float]
"""How many times the usual limits apply to a guest or an address, as the host decided."""


def _as_usual(client: str) -> float:
    return 1.0


class Rate:
    """A rate limit: a call counts one use by a client. Raises TooMany if the client has used it up; 0 is no limit."""

    def __init__(self, amount: float, seconds: int, times: Times = _as_usual) -> None:
        self._limiter = FixedWindowRateLimiter(Windows())
        self._times = times
        self._amount, self._seconds = amount, seconds
        self._items: dict[float, RateLimitItem] = {}

    def __call__(self, client: str) -> None:
        if self._amount <= 0:
            return
        times = self._times(client)
        item = self._items.get(times)
        if item is None:
            amount = max(1, math.ceil(self._amount * times))
            item = self._items[times] = RateLimitItemPerSecond(amount, self._seconds)
        if not self._limiter.hit(item, client):
            raise TooMany(self._limiter.get_window_stats(item, client).reset_time - time.time())


class Limits:
    """Every limit of one server process."""

    def __init__(self, settings: Settings, times: Times = _as_usual) -> None:
        moves, opens, requests = settings.moves_per_second, settings.opens_per_minute, settings.requests_per_second
        self.request = Rate(4 * requests, 4, times)
        """Requests of any kind, by address."""
        self.page = Rate(2.4 * requests, 60, times)
        """Work for pages about whole games, by address; many of them ask for two pieces."""
        self.command = Rate(3 * moves, 3, times)
        """Commands, by guest."""
        self.opening = Rate(opens, 60, times)
        """New guests (by address) and new tables (by guest)."""
        self.opening_here = Rate(4 * opens, 60, times)
        """New tables, by address."""
        self.unknown_token = Rate(4 * opens, 60, times)
        """Tokens that no guest has, by address."""
        self.picture = Rate(opens, 60, times)
        """Pictures that must be drawn, by address."""
        self.guess = Rate(10, 300, times)
        """Recovery phrases and links that are tried or made, by address."""
        self.code = Rate(40, 300, times)
        """Codes of rooms that are tried by people who do not belong to them, by address."""
        self.download = Rate(3, 180, times)
        """Downloads of everything about a guest, by guest."""
        self.solve = Rate(3, 360)
        """Set-ups that are to be solved, by address."""
        self._solved: dict[tuple[str, object], None] = {}
        self._times = times
        self._most_streams = _HOUSEHOLD * _STREAMS if requests > 0 else math.inf
        self.streams: Counter[str] = Counter()
        """Open streams, by address and by guest."""

    def solving(self, address: str, what: object) -> None:
        """Count a set-up that an address wants to have solved; asking for the same again is free. Raises TooMany."""
        if (address, what) not in self._solved:
            self.solve(address)
            while len(self._solved) >= 1000:
                del self._solved[next(iter(self._solved))]
            self._solved[address, what] = None

    def check_stream(self, address: str, guest: str | None) -> None:
        """Raise Refused if an address or a guest may not open another stream."""
        if self.streams[address] >= self._most_streams * self._times(address):
            raise TooMany(5.0)
        if guest is not None and self.streams[guest] >= _STREAMS:
            raise Refused("slow-down", "You have too many streams open.", 429)

    @contextmanager
    def stream(self, address: str, guest: str | None) -> Iterator[None]:
        """Count a stream that is open inside this. Raises Refused."""
        self.check_stream(address, guest)
        clients = [address] if guest is None else [address, guest]
        self.streams.update(clients)
        try:
            yield
        finally:
            self.streams.subtract(clients)
            for client in clients:
                if not self.streams[client]:
                    del self.streams[client]
