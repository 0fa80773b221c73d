"""Connections to the other servers of one Postgres: plain HTTP over a unix socket or a private network.

Written by hand because every forwarded move passes here: a general client takes longer than the move itself.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httptools

from starfrost.table.leases import Owner

Header = tuple[bytes, bytes]
_CONNECT = 2.0
"""Seconds for a connection to be made."""
_IDLE = 500
"""Connections to one server that are kept for the next request."""
_HIGH = 262_144
"""Bytes of an answer that wait for a slow reader before no more are read."""


class PeerConnection(asyncio.Protocol):
    """One connection to another server, for one request at a time."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._waiter: asyncio.Future[None] | None = None
        self._ended: Callable[[], None] | None = None
        self.pass_on: Callable[[bytes], bool] | None = None
        """Takes a part of the body at once while somebody waits for the next one; returns False if it cannot."""
        self.reused = False
        self.is_open = False
        self._begin()

    def _begin(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self.headers: list[Header] = []
        self.status = 0
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._complete = False
        self._has_news = False
        """Something has arrived for who waits."""

    # Sending and reading

    def send(self, request: bytes) -> None:
        """Send a request."""
        self._begin()
        self._transport.write(request)

    def ask(self, request: bytes, ended: Callable[[], None]) -> None:
        """Send a request and call `ended` once the answer is here or the connection is lost."""
        self.send(request)
        self._ended = ended

    @property
    def answer(self) -> bytes:
        """Return the body of an answer that is here as a whole."""
        return b"".join(self._pieces)

    async def head(self) -> int:
        """Return the status of the answer once its head is here; `headers` has the headers. Raises ConnectionError."""
        while not self.status:
            await self._wait()
        return self.status

    async def body(self) -> bytes:
        """Return the whole body. Raises ConnectionError."""
        pieces = []
        while piece := await self.piece():
            pieces.append(piece)
        return b"".join(pieces)

    async def piece(self) -> bytes:
        """Return the next part of the body; nothing at its end. Raises ConnectionError."""
        while not self._pieces and not self._complete:
            await self._wait()
        found = b"".join(self._pieces)
        self._pieces.clear()
        if self._size > _HIGH and self.is_open:
            self._transport.resume_reading()
        self._size = 0
        return found

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.abort()

    @property
    def is_free(self) -> bool:
        """Return whether the connection can take another request."""
        return self.is_open and self._complete

    async def _wait(self) -> None:
        if not self.is_open:
            raise ConnectionError
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def _wake(self) -> None:
        if self._ended is not None and (self._complete or not self.is_open):
            ended, self._ended = self._ended, None
            ended()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # What the transport calls

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self.is_open = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self._wake()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.abort()
        if self._has_news:
            self._has_news = False
            self._wake()

    # What the parser calls

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        self._has_news = True

    def on_body(self, body: bytes) -> None:
        waits = self._waiter is not None and not self._waiter.done() and not self._pieces
        if waits and self.pass_on is not None and self.pass_on(body):
            return
        self._has_news = True
        self._pieces.append(body)
        self._size += len(body)
        if self._size > _HIGH and self._ended is None:
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        self._complete = self._has_news = True


class Pool:
    """The connections to all other servers."""

    def __init__(self) -> None:
        self._idle: dict[str, list[PeerConnection]] = {}

    async def take(self, owner: Owner, fresh: bool = False) -> PeerConnection:
        """Return a free connection to a server. Raises OSError if it cannot be reached."""
        found = None if fresh else self.take_now(owner)
        return await _connect(owner) if found is None else found

    def take_now(self, owner: Owner) -> PeerConnection | None:
        """Return a free connection to a server if there is one."""
        idle = self._idle.get(owner.server)
        while idle:
            found = idle.pop()
            if found.is_free:
                found.reused = True
                return found
        return None

    def put(self, owner: Owner, connection: PeerConnection) -> None:
        """Keep a connection for the next request, or close it if its answer was not read to the end."""
        if owner.server not in self._idle and len(self._idle) > 100:
            # Servers that have gone long ago.
            self.close()
        idle = self._idle.setdefault(owner.server, [])
        if connection.is_free and len(idle) < _IDLE:
            idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close all connections that are not in use."""
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()


async def _connect(owner: Owner) -> PeerConnection:
    loop = asyncio.get_running_loop()
    problem: OSError = ConnectionRefusedError(f"server {owner.server} has no address")
    for address in owner.addresses:
        try:
            async with asyncio.timeout(_CONNECT):
                if address.startswith("unix:"):
                    path = address.removeprefix("unix:")
                    # The file of another machine, or of a process that was stopped.
                    if not Path(path).exists():
                        continue
                    return (await loop.create_unix_connection(PeerConnection, path))[1]
                host, _, port = address.removeprefix("tcp:").rpartition(":")
                return (await loop.create_connection(PeerConnection, host.strip("[]"), int(port)))[1]
        except OSError as error:
            problem = error
    raise problem


def request_head(method: str, target: bytes, headers: list[Header]) -> bytes:
    """Write the head of a request up to the length of its body."""
    lines = [method.encode(), b" ", target, b" HTTP/1.1\r\n"]
    for name, value in headers:
        lines += [name, b": ", value, b"\r\n"]
    return b"".join([*lines, b"content-length: "])


async def finish(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait for it."""
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
