"""Where this server listens for the other servers of one Postgres, which forward requests to the owner of a table.

Servers on one machine use unix sockets; those on other machines an address in a private network. A request that comes
here carries a secret that is stored in the database, is answered only by the owner of its table and never forwarded
again.
"""

import asyncio
import ipaddress
import os
import socket
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from secrets import compare_digest, token_hex
from types import SimpleNamespace
from typing import Any, NamedTuple

import uvicorn
from sqlalchemy import make_url
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog import get_logger
from uvicorn.server import ServerState

from starfrost.table import Settings
from starfrost.web.protocol import HttpConnection, Lane

_log = get_logger("starfrost.web")
PEER = b"x-starfrost-peer"
"""The header of forwarded requests: the secret, the server that forwards, the scheme and the client's address."""
NOT_MINE = 421


class Sender(NamedTuple):
    """A server that forwards a request, and from whom."""

    server: str
    scheme: str
    client: str


class _Unlimited:
    """What connections of other servers share: they have no deadlines, and nobody counts them."""

    patience = idle = inf

    def enter(self, connection: object, address: str) -> bool:
        return True

    def leave(self, connection: object) -> None:
        pass

    def stamp(self, headers: object) -> bytes:
        return b""

    def is_proxy(self, address: str) -> bool:
        return False


class PeerListener:
    """The sockets for other servers, and the app behind them."""

    def __init__(self, settings: Settings, app: ASGIApp, may_answer: Callable[[str, str], Awaitable[bool]]) -> None:
        self._settings = settings
        self._app = app
        self._may_answer = may_answer
        self.secret = b""
        """Requests are refused until it is known."""
        self.addresses: tuple[str, ...] = ()
        self._path: Path | None = None
        self._servers: list[Any] = []
        self._state = ServerState()
        self.state = SimpleNamespace(connections=_Unlimited())
        self.lane: Lane | None = None
        """Answers forwarded moves without the app."""

    async def start(self) -> None:
        """Listen; `addresses` says where."""
        config = uvicorn.Config(
            self,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
        )
        config.load()

        def protocol() -> HttpConnection:
            return HttpConnection(config, self._state, {})

        loop = asyncio.get_running_loop()
        found = []
        if hasattr(socket, "AF_UNIX"):
            self._path = _folder() / f"{token_hex(8)}.sock"
            self._servers.append(await loop.create_unix_server(protocol, str(self._path), backlog=2048))
            found.append(f"unix:{self._path}")
        sock = _network_socket(self._settings)
        if sock is not None:
            self._servers.append(await loop.create_server(protocol, sock=sock, backlog=2048))
            host, port = sock.getsockname()[:2]
            named = self._settings.peer_address.rpartition(":")[0] or self._settings.peer_address or host
            found.append(f"tcp:{named}:{port}")
        self.addresses = tuple(found)

    async def stop(self) -> None:
        """Stop listening."""
        for server in self._servers:
            server.close()
        for connection in list(self._state.connections):
            connection.transport.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def sender(self, scope: Scope) -> Sender | None:
        """Return who sends a request; None if it is no server of this database."""
        words = next((value for name, value in scope["headers"] if name == PEER), b"").split(b" ", 3)
        if len(words) != 4 or not self.secret or not compare_digest(words[0], self.secret):
            return None
        return Sender(*(word.decode() for word in words[1:]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sender = self.sender(scope)
        if sender is None:
            await PlainTextResponse("Only servers of this database may ask here.\n", 403)(scope, receive, send)
            return
        scope["headers"] = [header for header in scope["headers"] if header[0] != PEER]
        scope["scheme"] = sender.scheme
        scope["client"] = (sender.client, 0)
        if not await self._may_answer(scope["path"], sender.server):
            await PlainTextResponse("Another server has this table.\n", NOT_MINE)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _folder() -> Path:
    """Return a folder that only this user may enter; sockets of processes that were killed are removed."""
    folder = Path(tempfile.gettempdir()) / f"starfrost-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or folder.is_symlink():
        return Path(tempfile.mkdtemp(prefix="starfrost-"))
    for path in folder.glob("*.sock"):
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
    return folder


def _network_socket(settings: Settings) -> socket.socket | None:
    """Return a socket that other machines can reach; None if the database is on this machine and nothing is set."""
    named, _, port = settings.peer_address.partition(":")
    host = named or _own_address(make_url(settings.url))
    if host is None:
        return None
    for bind_to in (host, "0.0.0.0"):
        sock = socket.socket(socket.AF_INET6 if ":" in bind_to else socket.AF_INET)
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((bind_to, int(port or 0)))
            return sock
        sock.close()
    _log.warning("no address for other servers; tables move instead of requests", address=host)
    return None


def _own_address(database: Any) -> str | None:
    """Return the address of this machine in the network of the database; None if that is this machine."""
    if not database.host or database.host.startswith("/"):
        return None
    with suppress(OSError):
        family, _, _, _, address = socket.getaddrinfo(database.host, database.port or 5432, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
            own: str = probe.getsockname()[0]
            return None if ipaddress.ip_address(own).is_loopback else own
    return None
