"""Limits for guests and addresses: how fast they use something, and how much of it they have open.

Where several processes share a Postgres, they tell each other (`Limits.share`).
"""

import asyncio
import math
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from ipaddress import IPv6Address, IPv6Network

from starlette.requests import HTTPConnection

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.words import mark

_MOST_BUCKETS = 50_000
_TELL_AGAIN = 10.0
"""Seconds after which other processes are told again what clients have open."""
_BELIEVED = 3 * _TELL_AGAIN
"""Seconds after which what a process told is not believed any more: it has died."""
_IN_ONE = 80
"""Clients in one message; one of Postgres holds 8,000 bytes."""


def address_of(request: HTTPConnection) -> str:
    """Return the address that the limits of a request are counted by."""
    return network_of(request.client.host if request.client else "")


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return what counts as one address: with IPv6 a network of 64 bits, because a household has that many."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((int(found) >> 64 << 64, 64)))


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


class Gauge:
    """How many of something each client has open, here and in other processes.

    The others are told when a client has a tenth of the limit more or less than they know, and again from time to time:
    what nobody repeats is forgotten, because its process has died.
    """

    def __init__(self, most: int) -> None:
        # Without a limit nobody needs to know.
        self.step = max(1, most // 10) if most > 0 else sys.maxsize
        self.tell: Callable[[Mapping[str, int]], None] | None = None
        """Tells the other processes how many some clients have open here."""
        self._here: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self._elsewhere: dict[str, dict[str, tuple[int, float]]] = {}
        """By client and process: how many, and when that was told."""

    def count(self, client: str) -> int:
        """Return how many a client has open."""
        here = self._here.get(client, 0)
        if client not in self._elsewhere:
            return here
        since = time.monotonic() - _BELIEVED
        return here + sum(count for count, at in self._elsewhere[client].values() if at > since)

    def enter(self, client: str) -> None:
        """Count one more."""
        here = self._here[client] = self._here.get(client, 0) + 1
        if self.tell is not None and here - self._told.get(client, 0) >= self.step:
            self._say([client])

    def leave(self, client: str) -> None:
        """Count one less."""
        here = self._here[client] - 1
        if here:
            self._here[client] = here
        else:
            del self._here[client]
        if client in self._told and (not here or self._told[client] - here >= self.step):
            self._say([client])

    def _say(self, clients: list[str]) -> None:
        counts = {client: self._here.get(client, 0) for client in clients}
        self._told = {client: count for client, count in (self._told | counts).items() if count}
        if self.tell is not None:
            self.tell(counts)

    def say_again(self) -> None:
        """Tell the other processes everything again, and forget those that have not done so."""
        known = list(self._told)
        for first in range(0, len(known), _IN_ONE):
            self._say(known[first : first + _IN_ONE])
        since = time.monotonic() - _BELIEVED
        for client, told in list(self._elsewhere.items()):
            told = {process: each for process, each in told.items() if each[1] > since}
            self._elsewhere[client] = told
            if not told:
                del self._elsewhere[client]

    def heard(self, process: str, counts: Mapping[str, int]) -> None:
        """Note what clients have open in another process."""
        for client, count in counts.items():
            told = self._elsewhere.setdefault(client, {})
            told.pop(process, None)
            if count:
                told[process] = (count, time.monotonic())
            if not told:
                del self._elsewhere[client]


_SHARED = ("opening", "opening_here", "unknown_token", "picture", "guess", "download", "solve")
"""The limits that are one for all processes."""
_SHARED_ROUGHLY = ("request", "command")
"""Limits of which there are too many uses to tell each other of every one: a tenth of the burst at a time."""
_GAUGES = ("connections", "under_way", "streams", "streams_of")
_HOUSEHOLD = 20
"""How many times the open streams of a guest an address may have, because many people may share it."""


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
        self._most_streams = settings.streams_per_guest
        self._times = times
        self.connections = Gauge(settings.connections_per_address)
        """Connections, by address, unless it is a proxy's."""
        self.under_way = Gauge(settings.connections_per_address)
        """Requests under way, by the address that they come from, also behind a proxy."""
        self.streams = Gauge(_HOUSEHOLD * settings.streams_per_guest)
        """Open streams, by address."""
        self.streams_of = Gauge(settings.streams_per_guest)
        """Open streams, by guest."""

    def share(
        self, tell: Callable[[str, str, float], None], tell_open: Callable[[str, Mapping[str, int]], None]
    ) -> None:
        """Tell the other processes what is used of limits that they share, and what clients have open."""
        for name in _SHARED + _SHARED_ROUGHLY:
            rate: Rate = getattr(self, name)
            rate.tell = partial(tell, name)
            rate.step = rate.burst / 10 if name in _SHARED_ROUGHLY else 0.0
        for name in _GAUGES:
            getattr(self, name).tell = partial(tell_open, name)

    async def keep_telling(self) -> None:
        """Tell the other processes from time to time what clients have open, for ever."""
        while True:
            await asyncio.sleep(_TELL_AGAIN)
            for name in _GAUGES:
                getattr(self, name).say_again()

    def open_elsewhere(self, name: str, process: str, counts: Mapping[str, int]) -> None:
        """Note what clients have open in another process."""
        if name in _GAUGES:
            getattr(self, name).heard(process, counts)

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

    @asynccontextmanager
    async def stream(self, address: str, guest: str | None) -> AsyncIterator[None]:
        """Keep a stream open inside this, within the limits of the address and of the guest. Raises Refused."""
        if self.streams.count(address) >= _HOUSEHOLD * self._most_streams * self._times(address):
            raise TooMany(5.0)
        if guest is not None and self.streams_of.count(guest) >= self._most_streams:
            raise Refused("slow-down", "You have too many streams open.", 429)
        self.streams.enter(address)
        if guest is not None:
            self.streams_of.enter(guest)
        try:
            yield
        finally:
            self.streams.leave(address)
            if guest is not None:
                self.streams_of.leave(guest)
