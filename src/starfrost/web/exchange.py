"""One request and its answer, between a connection and the app."""

import asyncio
import http
from typing import Any, Final, Protocol

from starlette.types import ASGIApp, Message, Scope
from structlog import get_logger
from uvicorn.server import ServerState

from starfrost.errors import Refused
from starfrost.web.connections import Connections

__all__ = ["STATUS_LINES", "Exchange"]

_log = get_logger("starfrost.web")

_MUCH_UNREAD: Final = 65_536
"""Bytes of a body that wait for the app before no more are read from the connection."""
_WITHOUT_BODY: Final = {204, 304}
_BROKEN: Final = Refused("error", "Something went wrong on the server.", 500)

STATUS_LINES: Final = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in http.HTTPStatus}


class Wire(Protocol):
    """The connection that an exchange belongs to."""

    loop: asyncio.AbstractEventLoop
    transport: Any
    shared: Connections
    state: ServerState
    full: asyncio.Event | None
    """Set when the other side has read some of what waits to be sent; None while little waits."""

    def pause_reading(self) -> None:
        """Read no more until the app has taken what is here."""

    def resume_reading(self) -> None:
        """Read on."""

    def refuse(self, refusal: Refused) -> None:
        """Give a last answer that the app has no part in."""

    def start(self, exchange: "Exchange") -> None:
        """Have the app answer."""

    def answered(self, exchange: "Exchange") -> None:
        """Go on after an answer."""


class Exchange:
    """One request and its answer: what the app is called with."""

    __slots__ = (
        "_body",
        "_chunked",
        "_connection",
        "_continues",
        "_given",
        "_head",
        "_left",
        "_silent",
        "_waiter",
        "complete",
        "gone",
        "keep_alive",
        "known",
        "received",
        "scope",
        "started",
        "task",
    )

    def __init__(self, connection: Wire, scope: Scope, keep_alive: bool, continues: bool) -> None:
        self._connection = connection
        self.scope = scope
        self.keep_alive = keep_alive
        self._continues = continues
        self.task: asyncio.Task[None] | None = None
        self._body = b""
        self._given = False
        self._waiter: asyncio.Future[None] | None = None
        self._head: Message | None = None
        self._chunked = False
        self._silent = False
        self._left: int | None = None
        self.received = False
        """The whole request is here."""
        self.started = False
        """A part of the answer has been written."""
        self.complete = False
        """The whole answer has been written."""
        self.gone = False
        """The other side has left or was sent away."""
        self.known: Any = None
        """What the fast lane read from the head of the request."""

    def start(self) -> None:
        """Have the app answer."""
        self._connection.start(self)

    async def run(self, app: ASGIApp) -> None:
        """Let the app answer."""
        try:
            await app(self.scope, self.receive, self.send)
        except Exception as error:
            # Who leaves before the request is complete makes the app fail, and nobody wants to know.
            if not self.gone:
                _log.error("request failed", exc_info=error)
                self._break_off()
        except BaseException:
            self._connection.transport.abort()
            raise
        else:
            if not self.complete and not self.gone:
                _log.error("request without an answer")
                self._break_off()
        finally:
            self._connection.state.tasks.discard(self.task)

    def _break_off(self) -> None:
        if self.started:
            self._connection.transport.abort()
        else:
            self._connection.refuse(_BROKEN)

    # The request

    def add(self, body: bytes) -> None:
        """Add a piece of the request's body."""
        self._body += body
        if len(self._body) > _MUCH_UNREAD:
            self._connection.pause_reading()
        self.wake()

    def fill(self, body: bytes) -> None:
        """Add the whole body of a request that nobody reads yet."""
        self._body = body
        self.received = True

    @property
    def body(self) -> bytes:
        """Return what has arrived of the body and has not been given to the app."""
        return self._body

    def wake(self) -> None:
        """Let the app look at the request again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def receive(self) -> Message:
        """Return the next part of the request, or that there will be none."""
        if self._continues:
            self._continues = False
            if not self.started and not self.gone:
                self._connection.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        while not (self.gone or self.complete) and (self._given or not (self._body or self.received)):
            self._connection.resume_reading()
            self._waiter = self._connection.loop.create_future()
            await self._waiter
        if self.gone or self.complete:
            return {"type": "http.disconnect"}
        body, self._body = self._body, b""
        self._given = self.received
        return {"type": "http.request", "body": body, "more_body": not self.received}

    # The answer

    async def send(self, message: Message) -> None:
        """Write a part of the answer; its head goes out with the first part of its body."""
        connection = self._connection
        if connection.full is not None and not self.gone:
            await connection.full.wait()
        if self.gone:
            return
        if message["type"] == "http.response.start":
            if self._head is not None or self.started:
                raise RuntimeError("An answer has one head.")
            self._head = message
            return
        if self.complete or (self._head is None and not self.started):
            raise RuntimeError("A body follows a head and ends once.")
        body: bytes = message.get("body", b"")
        more: bool = message.get("more_body", False)
        head = b""
        if self._head is not None:
            head = self._write_head(self._head)
            self._head = None
            self.started = True
        if self._silent:
            data = head
        elif self._chunked:
            data = b"%b%x\r\n%b\r\n" % (head, len(body), body) if body else head
            if not more:
                data += b"0\r\n\r\n"
        else:
            data = head + body
            if self._left is not None:
                self._left -= len(body)
                if self._left < 0 or (self._left > 0 and not more):
                    raise RuntimeError("The body has not the length that the head declares.")
        if data:
            connection.transport.write(data)
        if not more:
            self.complete = True
            self.wake()
            connection.answered(self)

    def write_json(self, body: bytes, lines: bytes) -> None:
        """Write a whole answer with status 200 and these further header lines."""
        if self.gone:
            return
        connection = self._connection
        connection.transport.write(
            b"%b%bcontent-length: %d\r\ncontent-type: application/json\r\n%b%b\r\n%b"
            % (
                STATUS_LINES[200],
                connection.shared.stamp(connection.state.default_headers),
                len(body),
                lines,
                b"" if self.keep_alive else b"connection: close\r\n",
                body,
            )
        )
        self.started = self.complete = True
        connection.answered(self)

    def push(self, body: bytes) -> bool:
        """Write a part of an answer that goes on at once; return False if it cannot be written now."""
        if not self._chunked or not self.started or self.complete or self.gone or self._connection.full is not None:
            return False
        self._connection.transport.write(b"%x\r\n%b\r\n" % (len(body), body))
        return True

    def _write_head(self, message: Message) -> bytes:
        status, headers = message["status"], message.get("headers", ())
        parts = [STATUS_LINES[status], self._connection.shared.stamp(self._connection.state.default_headers)]
        closes = False
        for name, value in headers:
            parts += (name, b": ", value, b"\r\n")
            if name == b"content-length":
                self._left = int(value)
            elif name == b"connection" and value.lower() == b"close":
                closes, self.keep_alive = True, False
        lines = parts[1].count(b"\n") + 2 + len(headers)
        if self.scope["method"] == "HEAD" or status in _WITHOUT_BODY:
            self._silent = True
        elif self._left is None:
            if self.scope["http_version"] == "1.1":
                self._chunked = True
                parts.append(b"transfer-encoding: chunked\r\n")
                lines += 1
            else:
                self.keep_alive = False
        if not self.keep_alive and not closes:
            parts.append(b"connection: close\r\n")
            lines += 1
        parts.append(b"\r\n")
        head = b"".join(parts)
        if head.count(b"\n") != lines or head.count(b"\r") != lines:
            raise RuntimeError("A header holds the end of a line.")
        return head
