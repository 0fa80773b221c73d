"""The connections of one server process: how many each address has, and which of them have waited long enough."""

import asyncio
import re
from typing import Final, Protocol

from starlette.types import Scope

from starfrost.table import Settings
from starfrost.table.metrics import Metrics
from starfrost.web.limits import Limits, network_of

_WITH_PORT: Final = re.compile(r"\[(.+)\](?::\d+)?|([^:]+):\d+")
_OVERLOOKED: Final = 50
"""Connections beyond the limit of an address that are told so; more are cut off without a word."""
_SWEEP: Final = 1.0
"""Seconds between looks for connections that are too slow; fewer if they have little time."""


class Timed(Protocol):
    """A connection with a deadline."""

    deadline: float

    def expire(self) -> None:
        """End, because the deadline has passed."""


class Connections:
    """All connections of this process."""

    def __init__(self, settings: Settings, metrics: Metrics, limits: Limits) -> None:
        self.patience = settings.request_seconds
        self.idle = settings.idle_seconds
        self._every = min(_SWEEP, self.patience / 2, self.idle / 2)
        self._settings = settings
        self._metrics = metrics
        self._counted = limits.connections
        self._open: dict[Timed, str | None] = {}
        """Every connection, with what its address is counted as."""
        self._sweep: asyncio.TimerHandle | None = None
        self._stamped: list[tuple[bytes, bytes]] = []
        self._stamp = b""

    def enter(self, connection: Timed, address: str) -> bool | None:
        """Count a connection; return whether it may stay, or None if it should not even be told that it may not."""
        self._open[connection] = None
        self._metrics.connections.inc()
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(self._every, self._end_slow)
        # Behind a proxy everybody has its address: there the guard counts requests by the address that it tells.
        limit = self._settings.connections_per_address
        if limit <= 0 or self._settings.trusts(address):
            return True
        group = self._open[connection] = network_of(address)
        self._counted.enter(group)
        beyond = self._counted.count(group) - limit
        if beyond <= 0:
            return True
        self._metrics.refused_connections.inc()
        return False if beyond <= _OVERLOOKED else None

    def leave(self, connection: Timed) -> None:
        """Count a connection that was closed."""
        if connection not in self._open:
            return
        self._metrics.connections.dec()
        group = self._open.pop(connection)
        if group is not None:
            self._counted.leave(group)

    def stamp(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """Return the headers that every answer of this second has, as they are written."""
        if headers is not self._stamped:
            self._stamped = headers
            self._stamp = b"".join(b"%b: %b\r\n" % header for header in headers)
        return self._stamp

    def is_proxy(self, address: str) -> bool:
        """Return whether the host trusts what an address says about whom it speaks for."""
        return self._settings.trusts(address)

    def hear_proxy(self, scope: Scope) -> None:
        """Put the address and the scheme into a request that a trusted proxy has passed on, as it tells them."""
        addresses: list[str] = []
        for name, value in scope["headers"]:
            if name == b"x-forwarded-for":
                addresses += value.decode("latin-1").split(",")
            elif name == b"x-forwarded-proto" and value.strip() in (b"http", b"https"):
                scope["scheme"] = value.strip().decode()
        # Each proxy adds whom it speaks for at the end: the last that is no proxy of ours is the client.
        hosts = [_without_port(address.strip()) for address in addresses if address.strip()]
        if hosts:
            client = next((host for host in reversed(hosts) if not self.is_proxy(host)), hosts[0])
            scope["client"] = (client, 0)

    def _end_slow(self) -> None:
        """End the connections whose deadline has passed. One timer for all is cheaper than one for each request."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in [each for each in self._open if each.deadline < now]:
            connection.expire()
        self._sweep = loop.call_later(self._every, self._end_slow) if self._open else None


def _without_port(address: str) -> str:
    found = _WITH_PORT.fullmatch(address)
    return (found[1] or found[2]) if found else address
