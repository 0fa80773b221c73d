"""An event loop that accepts connections in batches.

uvloop accepts one connection in each turn of the loop. When thousands of pages reconnect after a restart, each of them
would wait until everything that the ones before asked for has been done.
"""

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Any, Final

import uvloop
from structlog import get_logger

__all__ = ["Door", "Loop"]

_BATCH: Final = 100
"""Connections accepted in one turn of the loop; those who are connected already wait this long at most."""
_PAUSE: Final = 0.5
"""Seconds without a look at the door when the process has no more files."""
_EXHAUSTED: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

_log = get_logger("starfrost.web")


class Door:
    """A listening socket: it accepts what has come and hands each connection to a protocol of its own."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, protocol: Callable[[], asyncio.BaseProtocol], sock: socket.socket
    ) -> None:
        self._loop = loop
        self._protocol = protocol
        self._sock = sock
        self._arriving: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None

    def open(self, backlog: int) -> None:
        """Begin to accept."""
        self._sock.setblocking(False)
        self._sock.listen(backlog)
        self._look()

    def _look(self) -> None:
        self._pause = None
        self._loop.add_reader(self._sock, self._accept)

    def _accept(self) -> None:
        for _ in range(_BATCH):
            try:
                connection, _address = self._sock.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    _log.error("no connection can be accepted", reason=error.strerror)
                    self._loop.remove_reader(self._sock)
                    self._pause = self._loop.call_later(_PAUSE, self._look)
                    return
                # This connection is gone already.
                continue
            connection.setblocking(False)
            task = self._loop.create_task(self._admit(connection))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)

    async def _admit(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()

    def close(self) -> None:
        """Accept nobody any more; open connections stay."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        if self._sock.fileno() >= 0:
            self._loop.remove_reader(self._sock)

    async def wait_closed(self) -> None:
        """Wait until those who were let in are connected."""
        if self._arriving:
            await asyncio.wait(self._arriving)


class Loop(uvloop.Loop):
    """uvloop with a door of our own."""

    async def create_server(self, protocol_factory: Any, *args: Any, **options: Any) -> Any:
        """Listen on a socket that is bound already; anything else is left to uvloop."""
        sock, backlog = options.get("sock"), options.get("backlog", 100)
        if sock is None or options.get("ssl") is not None:
            return await super().create_server(protocol_factory, *args, **options)
        door = Door(self, protocol_factory, sock)
        door.open(backlog)
        return door
