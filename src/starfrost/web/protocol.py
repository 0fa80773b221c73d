"""HTTP/1.1 on one connection: requests in, answers out, and a deadline for whatever the other side has to do next.

It takes the place of uvicorn's protocol, which waits for ever for a slow sender, and which spends more time on writing
the answer to a move than the move takes.
"""

import asyncio
import re
from collections import deque
from math import inf
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote

import httptools
from starlette.types import ASGIApp, Scope
from uvicorn.config import Config
from uvicorn.server import ServerState

from starfrost.errors import Refused
from starfrost.web.connections import Connections
from starfrost.web.exchange import STATUS_LINES, Exchange
from starfrost.web.guard import SECURITY_HEADERS, SERVER_PUSH, refusal_body

__all__ = ["HttpConnection"]


class Lane(Protocol):
    """Answers some requests without the app."""

    def take(self, exchange: Exchange) -> bool:
        """Begin to answer a request that is here as a whole; return False if the app must answer it."""


class _Head(NamedTuple):
    """The head of a request that took the fast lane: a request that differs only in its length is not parsed again."""

    begins: bytes
    """The bytes up to its length."""
    ends: bytes
    """The bytes after it, with the empty line."""
    scope: Scope
    known: Any
    """What the lane read from it."""


_LENGTH: Final = re.compile(rb"\r\ncontent-length: ([0-9]{1,4})\r\n", re.IGNORECASE)
_LARGEST_HEAD: Final = 65_536
"""Bytes of a request before its headers are complete; the parser itself has no limit."""
_FAREWELL: Final = 2.0
"""Seconds in which the other side may read a last answer before the connection is cut."""

_ASGI: Final = {"version": "3.0", "spec_version": "2.3"}
_SECURITY: Final = "".join(f"{name}: {value}\r\n" for name, value in SECURITY_HEADERS.items()).encode()

_TOO_SLOW: Final = Refused("too-slow", "The request did not arrive in time.", 408)
_TOO_LARGE: Final = Refused("headers-too-large", "The request's headers are too large.", 431)
_TOO_MANY: Final = Refused("slow-down", "There are too many connections from this address.", 429)
_UNREADABLE: Final = Refused("bad-request", "The request could not be read.", 400)


class HttpConnection(asyncio.Protocol):
    """One connection: a parser, the exchange under way, and those that wait behind it."""

    __slots__ = (
        "_app",
        "_app_state",
        "_client",
        "_continues",
        "_current",
        "_dismissed",
        "_fresh",
        "_head",
        "_head_size",
        "_headers",
        "_incoming",
        "_is_proxy",
        "_lane",
        "_message",
        "_parser",
        "_queue",
        "_reading",
        "_server",
        "_taken",
        "_url",
        "deadline",
        "full",
        "loop",
        "shared",
        "state",
        "tasks",
        "transport",
    )

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.loop = _loop or asyncio.get_running_loop()
        self.state = server_state
        self.tasks = server_state.tasks
        self._app: ASGIApp = config.loaded_app
        self.shared: Connections = config.loaded_app.state.connections
        self._lane: Lane | None = getattr(config.loaded_app, "lane", None)
        self._app_state = app_state
        self._parser: Any = httptools.HttpRequestParser(self)
        # A client may send more after a request that is its last.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self.transport: Any = None
        self.full: asyncio.Event | None = None
        """Set when the other side has read some of what waits to be sent; None while little waits."""
        self.deadline = inf
        """When the other side must have done what the server waits for."""
        self._message = ""
        """Which part of a request is arriving: `head`, `body` or none."""
        self._dismissed = False
        """The last answer has been written: whatever still arrives is not read."""
        self._reading = True
        self._head_size = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._continues = False
        self._fresh: Exchange | None = None
        """The exchange that is neither in the fast lane nor given to the app yet."""
        self._incoming: Exchange | None = None
        """The exchange whose request was last begun."""
        self._current: Exchange | None = None
        """The exchange that is answered now, or was last."""
        self._queue: deque[Exchange] = deque()
        self._head: _Head | None = None
        """The head of the last request that took the fast lane."""
        self._taken: Exchange | None = None
        """The exchange that took the fast lane while the last bytes were parsed."""

    # The connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.state.connections.add(self)  # type: ignore[arg-type]
        self._server, self._client = (
            # A unix socket has a path or nothing instead.
            found[:2] if isinstance(found := transport.get_extra_info(name), tuple) else ("", 0)
            for name in ("sockname", "peername")
        )
        self.deadline = self.loop.time() + self.shared.patience
        self._is_proxy = self.shared.is_proxy(self._client[0])
        may_stay = self.shared.enter(self, self._client[0])
        if may_stay is None:
            self.transport.abort()
        elif not may_stay:
            self.refuse(_TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        self.state.connections.discard(self)
        self.shared.leave(self)
        self._dismissed = True
        self._send_away()
        self._parser = None
        if self.full is not None:
            self.full.set()

    def eof_received(self) -> None:
        """Close; who has nothing more to ask does not wait for an answer."""

    def shutdown(self) -> None:
        """Close when the answer under way is complete; the server calls this when it stops."""
        if self._current is None or self._current.complete:
            self.transport.close()
        else:
            self._current.keep_alive = False

    def expire(self) -> None:
        """End a connection whose deadline has passed; who was in the middle of a request is told why."""
        arriving = self._incoming if self._message == "body" else None
        busy = self._current is not None and not self._current.complete
        if self._dismissed or self.full is not None:
            self.transport.abort()
        elif not self._message or (arriving is not None and arriving.complete):
            self.transport.close()
        elif (busy and self._current is not arriving) or (arriving is not None and arriving.started):
            self.transport.abort()
        else:
            self.refuse(_TOO_SLOW)

    def refuse(self, refusal: Refused) -> None:
        """Give a last answer that the app has no part in."""
        body = refusal_body(refusal)
        self.transport.write(
            b"%b%bcontent-type: application/json\r\ncontent-length: %d\r\n%b%b"
            b"cache-control: no-store\r\nconnection: close\r\n\r\n%b"
            % (
                STATUS_LINES[refusal.status],
                self.shared.stamp(self.state.default_headers),
                len(body),
                b"retry-after: 5\r\n" if refusal.status == 429 else b"",
                _SECURITY,
                body,
            )
        )
        self._send_away()
        self._dismiss()

    def _send_away(self) -> None:
        """Tell the app that nobody waits for its answers any more."""
        for exchange in (self._current, *self._queue):
            if exchange is not None and not exchange.complete:
                exchange.gone = True
                exchange.wake()
        self._queue.clear()

    def _dismiss(self) -> None:
        """Close once the other side has read what was written; closing at once could take the answer from it."""
        self._dismissed = True
        self.resume_reading()
        self.deadline = self.loop.time() + _FAREWELL
        if not self.transport.is_closing():
            self.transport.write_eof()

    def _set_deadline(self) -> None:
        if self._dismissed or self.full is not None:
            return
        if self._message:
            self.deadline = self.loop.time() + self.shared.patience
        elif self._current is None or self._current.complete:
            self.deadline = self.loop.time() + self.shared.idle
        else:
            self.deadline = inf

    # Reading

    def data_received(self, data: bytes) -> None:
        if self._dismissed:
            return
        between = not self._message and (self._current is None or self._current.complete)
        if between and self._head is not None and self._take_again(self._head, data):
            return
        self._head_size += len(data)
        if self._head_size > _LARGEST_HEAD + len(data):
            self.refuse(_TOO_LARGE)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # The request is answered as if it had not asked for another protocol; nothing can follow it.
            if self._incoming is not None:
                self._incoming.keep_alive = False
        except httptools.HttpParserError:
            if not self._dismissed:
                self.refuse(_UNREADABLE)
        if self._taken is not None:
            if between:
                self._remember(self._taken, data)
            self._taken = None
        if self._fresh is not None:
            fresh, self._fresh = self._fresh, None
            if not fresh.gone:
                self.start(fresh)

    def _remember(self, taken: Exchange, data: bytes) -> None:
        """Remember the head of a request that took the fast lane, if these bytes are nothing but that request."""
        end = data.find(b"\r\n\r\n") + 4
        length = _LENGTH.search(data, 0, end)
        if length and int(length[1]) == len(data) - end == len(taken.body) and taken.keep_alive and not self._continues:
            scope = {name: value for name, value in taken.scope.items() if name != "route"}
            self._head = _Head(data[: length.start(1)], data[length.end(1) : end], scope, taken.known)

    def _take_again(self, head: _Head, data: bytes) -> bool:
        """Answer a request whose head is known, without the parser; return False if it must see these bytes.

        The parser is between two requests, so it does not miss a whole one.
        """
        begins, ends, scope, known = head
        if not data.startswith(begins):
            return False
        size = data.find(b"\r\n", len(begins))
        length = data[len(begins) : size]
        end = size + len(ends)
        if len(length) > 4 or not length.isdigit() or int(length) != len(data) - end or not data.startswith(ends, size):
            return False
        exchange = Exchange(self, dict(scope), keep_alive=True, continues=False)
        exchange.known = known
        exchange.fill(data[end:])
        self._incoming = self._current = exchange
        if self._lane is None or not self._lane.take(exchange):
            headers = [
                (name, length if name == b"content-length" else value) for name, value in exchange.scope["headers"]
            ]
            exchange.scope.update(state=self._app_state.copy(), headers=headers)
            self.start(exchange)
        self._set_deadline()
        return True

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._url = b""
        self._headers = []
        self._continues = False
        self._message = "head"
        self._set_deadline()

    def on_url(self, url: bytes) -> None:
        """Add a piece of the address."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header."""
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self._continues = True
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Hand the request to the app, or put it behind those that came before it on this connection."""
        parser = self._parser
        version = parser.get_http_version()
        url = httptools.parse_url(self._url)
        path = url.path.decode("ascii")
        scope: Scope = {
            "type": "http",
            "asgi": _ASGI,
            "http_version": version,
            "server": self._server,
            "client": self._client,
            "scheme": "http",
            "root_path": "",
            "headers": self._headers,
            "state": self._app_state.copy(),
            "method": parser.get_method().decode("ascii"),
            "path": unquote(path) if "%" in path else path,
            "raw_path": url.path,
            "query_string": url.query or b"",
        }
        if self._is_proxy:
            self.shared.hear_proxy(scope)
        exchange = Exchange(self, scope, version == "1.1" and parser.should_keep_alive(), self._continues)
        self._incoming = exchange
        self._head_size = 0
        self._message = "body"
        self._set_deadline()
        if self._current is not None and not self._current.complete:
            self._queue.append(exchange)
            self.pause_reading()
        else:
            # What is left of the bytes that were just read may be the whole request: then it may take the fast lane.
            self._current = self._fresh = exchange

    def on_body(self, body: bytes) -> None:
        """Add a piece of the body; the guard limits its size."""
        self._head_size = 0
        if self._incoming is not None and not self._incoming.complete:
            self._incoming.add(body)

    def on_message_complete(self) -> None:
        """End the request."""
        self._message = ""
        if self._incoming is not None:
            self._incoming.received = True
            self._incoming.wake()
        fresh, self._fresh = self._fresh, None
        if fresh is not None and self._lane is not None and self._lane.take(fresh):
            self._taken = fresh
        elif fresh is not None:
            self.start(fresh)
        self._set_deadline()

    def pause_reading(self) -> None:
        """Read no more until the app has taken what is here."""
        if self._reading and not self._dismissed:
            self._reading = False
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        """Read on, unless another request waits already."""
        if not self._reading and not self._queue:
            self._reading = True
            self.transport.resume_reading()

    # Answering

    def start(self, exchange: Exchange) -> None:
        """Have the app answer a request."""
        self._current = exchange
        exchange.scope[SERVER_PUSH] = exchange.push
        exchange.task = self.loop.create_task(exchange.run(self._app))
        self.tasks.add(exchange.task)

    def answered(self, exchange: Exchange) -> None:
        """Go on after an answer: with the next request, with waiting for one, or not at all."""
        self.state.total_requests += 1
        if not exchange.keep_alive:
            self._send_away()
            if self._message:
                self._dismiss()
            else:
                self._dismissed = True
                self.transport.close()
        elif self._queue:
            self.start(self._queue.popleft())
        else:
            self.resume_reading()
            if not self._message:
                self._set_deadline()

    def pause_writing(self) -> None:
        """Wait for the other side to read; it has as long for this as an idle connection."""
        self.full = asyncio.Event()
        if not self._dismissed:
            self.deadline = self.loop.time() + self.shared.idle

    def resume_writing(self) -> None:
        """Write on."""
        if self.full is not None:
            self.full.set()
            self.full = None
            self._set_deadline()
