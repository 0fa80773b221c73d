"""Rate limits for guests and addresses."""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import IPv6Address, IPv6Network, ip_address

from starlette.requests import HTTPConnection

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.words import mark

_MOST_BUCKETS = 50_000


def address_of(request: HTTPConnection) -> str:
    """Return the address that limits are counted by: one for all addresses of an IPv6 network of a household."""
    host = request.client.host if request.client else ""
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Network((int(found) >> 64 << 64, 64)))
    return str(found)


@asynccontextmanager
async def opening(request: HTTPConnection, guest: str) -> AsyncIterator[None]:
    """Open a table inside this, within the limits of the guest and of the address. Raises Refused."""
    limits: Limits = request.app.state.limits
    address = address_of(request)
    limits.opening(guest)
    limits.opening_here(address)
    async with request.app.state.service.quota.room(address):
        yield


class TooMany(Refused):
    """Too many requests; `wait` is the number of seconds to wait."""

    def __init__(self, wait: float) -> None:
        seconds = max(1, math.ceil(wait))
        super().__init__("slow-down", mark("Too many requests: wait %(seconds)s s."), 429, seconds=seconds)
        self.wait = seconds


Times = Callable[[str], float]
"""How many times the usual limits apply to a guest or an address, as the host decided."""


def _as_usual(client: str) -> float:
    return 1.0


class Rate:
    """A rate limit: a call counts one use by a client. Raises TooMany if the client's bucket is empty."""

    def __init__(self, per_second: float, burst: float, times: Times = _as_usual) -> None:
        self._per_second = per_second
        self._times = times
        self.burst = burst
        self.tell: Callable[[str, float], None] | None = None
        """Tells the other processes what a client has used, where the limit is one for all of them."""
        self.step = 1.0
        """How much a client uses before the others are told."""
        self._untold: dict[str, float] = {}
        self._levels: dict[str, tuple[float, float]] = {}

    def __call__(self, client: str) -> None:
        self.check(client, 1)
        self.pay(client, 1)

    def check(self, client: str, cost: float = 0.0) -> None:
        """Raise TooMany if a client cannot pay so much; of what is paid for later, something must be left."""
        if self._per_second > 0:
            level, _ = self._level(client)
            cost /= self._times(client)
            if level < cost or level <= 0:
                raise TooMany((cost - level) / self._per_second)

    def _level(self, client: str) -> tuple[float, float]:
        now = time.monotonic()
        level, at = self._levels.get(client, (self.burst, now))
        return min(self.burst, level + (now - at) * self._per_second), now

    def pay(self, client: str, cost: float) -> None:
        """Count what a client has used, and tell the other processes of it."""
        if self._per_second <= 0:
            return
        self.count(client, cost)
        if self.tell is not None:
            used = self._untold.pop(client, 0.0) + cost
            if used >= self.step:
                self.tell(client, used)
            else:
                if len(self._untold) >= _MOST_BUCKETS:
                    self._untold.clear()
                self._untold[client] = used

    def count(self, client: str, cost: float) -> None:
        """Count what a client has used here or elsewhere."""
        if self._per_second <= 0:
            return
        level, now = self._level(client)
        if len(self._levels) >= _MOST_BUCKETS:
            full = self.burst / self._per_second
            self._levels = {name: bucket for name, bucket in self._levels.items() if now - bucket[1] < full}
        self._levels[client] = (level - cost / self._times(client), now)


_SHARED = ("opening", "opening_here", "unknown_token", "picture", "guess", "download", "solve")
"""The limits that are one for all processes."""
_SHARED_ROUGHLY = ("request", "command")
"""Limits of which there are too many uses to tell each other of every one: a tenth of the burst at a time."""


class Limits:
    """Every limit of one server process."""

    def __init__(self, settings: Settings, times: Times = _as_usual) -> None:
        moves, opens, requests = settings.moves_per_second, settings.opens_per_minute, settings.requests_per_second
        self.request = Rate(requests, 4 * requests, times)
        """Requests of any kind, by address."""
        self.command = Rate(moves, 3 * moves, times)
        """Commands, by guest."""
        self.opening = Rate(opens / 60, opens, times)
        """New guests (by address) and new tables (by guest)."""
        self.opening_here = Rate(4 * opens / 60, 4 * opens, times)
        """New tables, by address."""
        self.unknown_token = Rate(opens / 60 * 4, opens * 4, times)
        """Tokens that no guest has, by address."""
        self.picture = Rate(opens / 60, opens, times)
        """Pictures that must be drawn, by address."""
        self.guess = Rate(1 / 30, 10, times)
        """Recovery phrases and links that are tried or made, by address."""
        self.download = Rate(1 / 60, 3, times)
        """Downloads of everything about a guest, by guest."""
        self.solve = Rate(1 / 120, 3)
        """Set-ups that are to be solved, by address."""
        self._solved: dict[tuple[str, object], None] = {}
        # Many people may share one address.
        self._most_streams = 20 * settings.streams_per_guest
        self._times = times
        self._streams: Counter[str] = Counter()

    def share(self, tell: Callable[[str, str, float], None]) -> None:
        """Tell the other processes of the uses of limits that they share."""
        for name in _SHARED + _SHARED_ROUGHLY:
            rate: Rate = getattr(self, name)
            rate.tell = partial(tell, name)
            rate.step = rate.burst / 10 if name in _SHARED_ROUGHLY else 0.0

    def used_elsewhere(self, name: str, client: str, cost: float) -> None:
        """Count what a client has used in another process."""
        if name in _SHARED + _SHARED_ROUGHLY:
            getattr(self, name).count(client, cost)

    def solving(self, address: str, what: object) -> None:
        """Count a set-up that an address wants to have solved; asking for the same again is free. Raises TooMany."""
        if (address, what) not in self._solved:
            self.solve(address)
            while len(self._solved) >= 1000:
                del self._solved[next(iter(self._solved))]
            self._solved[address, what] = None

    def stream_opened(self, address: str) -> None:
        """Count an open stream. Raises TooMany."""
        if self._streams[address] >= self._most_streams * self._times(address):
            raise TooMany(5.0)
        self._streams[address] += 1

    def stream_closed(self, address: str) -> None:
        """Count a stream that was closed."""
        self._streams[address] -= 1
        if self._streams[address] <= 0:
            del self._streams[address]
