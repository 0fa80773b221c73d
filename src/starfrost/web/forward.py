"""Requests about a table go to the server that owns it (`table.leases`), whichever server they reach.

The owner's answer is passed on as it is. A stream goes on while its table moves between servers: it is resumed at the
next owner after the last version that the reader has been told.
"""

import asyncio
import re
import secrets
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table import TableService
from starfrost.table.leases import Leases, Owner
from starfrost.table.store import Conflict, Unavailable
from starfrost.web.batches import BATCH, Answered, Batches, Move
from starfrost.web.guard import SERVER_PUSH, SERVER_SEND, Push
from starfrost.web.peer_http import Header, PeerConnection, Pool, finish, request_head
from starfrost.web.peers import NOT_MINE, PEER, PeerListener

_log = get_logger("starfrost.web")
_TABLE = re.compile(r"/(?:api/tables|t)/([A-Za-z0-9_-]{1,32})(/[a-z]+)?")
_HOP_BY_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"expect", b"upgrade", b"content-length", PEER}
_OF_THE_ANSWER = {b"connection", b"keep-alive", b"transfer-encoding", b"date"}
_TRIES = 4
_MOST_OWNERS = 100_000
_IN_A_ROW = 40
"""Forwarded requests without one that came to the owner itself, after which the table moves to the other server."""
_ID = re.compile(rb"(?:^|\n)id: (\d+)\n")


class _Forwarded:
    """What the log calls requests that another server answered."""

    path = "forwarded"


class Forwarder:
    """Sends requests to the owners of their tables, and takes those of other servers for its own tables."""

    def __init__(self, service: TableService, local: ASGIApp) -> None:
        self._service = service
        self._local = local
        self._pool = Pool()
        self._owners: dict[str, Owner] = {}
        self._in_a_row: dict[str, int] = {}
        self._batches = Batches(self._pool, self._head_of_batch, service.settings.lease, self._forget)
        self._batch_head = b"", b""
        """What the head of a batch is made from, and the head."""
        self.listener = PeerListener(service.settings, local, self._may_answer)

    @property
    def _leases(self) -> Leases:
        leases = self._service.tables.leases
        if leases is None:
            raise RuntimeError("the service has not been started")
        return leases

    async def listen(self) -> None:
        """Listen for other servers; called before the service starts, which tells them where."""
        await self.listener.start()
        self._service.tables.addresses = self.listener.addresses

    async def start(self) -> None:
        """Begin to answer other servers."""
        key = await self._service.subscriptions.server_key("peers", lambda: secrets.token_bytes(32))
        self.listener.secret = key.hex().encode()

    async def stop(self) -> None:
        """Stop listening and close all connections."""
        self._pool.close()
        await self.listener.stop()

    # What comes from clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        about = _TABLE.match(scope["path"])
        if about is None or scope["method"] == "HEAD":
            await self._local(scope, receive, send)
        elif about[2] == "/stream":
            await self._stream(about[1], scope, receive, send)
        elif self._service.tables.owns(about[1]):
            self.asked_here(about[1])
            await self._local(scope, receive, send)
        else:
            await self._forward(about[1], scope, receive, send)

    def asked_here(self, table: str) -> None:
        """Note that a client asks the owner of a table itself."""
        self._in_a_row.pop(table, None)

    def forward_now(self, move: Move, scope: Scope, answered: Answered) -> bool:
        """Send a move to the owner of its table if that needs no waiting, and return whether it is on its way."""
        owner = self._owners.get(move.table)
        if owner is None:
            return False

        def ended(answer: bytes | None) -> None:
            if answer is not None:
                self._service.metrics.forwarded.inc()
            answered(answer)

        if not self._batches.add(owner, move, ended):
            return False
        scope["route"] = _Forwarded
        return True

    def _forget(self, table: str) -> None:
        """Look up the owner of a table when it is asked for again."""
        self._owners.pop(table, None)

    def _head_of_batch(self) -> bytes:
        words = self._words("http", "")
        if self._batch_head[0] != words:
            self._batch_head = words, request_head("POST", BATCH.encode(), [(PEER, words)])
        return self._batch_head[1]

    async def _forward(self, table: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a request to the owner; without one, or if it cannot be reached, answer here."""
        body: bytes | None = None
        for attempt in range(_TRIES):
            owner = await self._owner(table)
            if owner is None:
                break
            if body is None:
                body = await _whole(receive)
            connection = await self._ask(table, owner, scope, body)
            if connection is None:
                break
            if connection.status == NOT_MINE:
                self._pool.put(owner, connection)
                self._owners.pop(table, None)
                await asyncio.sleep(0.02 * attempt)
                continue
            scope["route"] = _Forwarded
            headers = [header for header in connection.headers if header[0] not in _OF_THE_ANSWER]
            try:
                async with asyncio.timeout(self._service.settings.lease):
                    answer = await connection.body()
            except (ConnectionError, TimeoutError):
                raise _unanswered() from None
            finally:
                self._pool.put(owner, connection)
            await send({"type": "http.response.start", "status": connection.status, "headers": headers})
            await send({"type": "http.response.body", "body": answer})
            return
        await self._local(scope, receive if body is None else _again(body, receive), send)

    async def _ask(self, table: str, owner: Owner, scope: Scope, body: bytes) -> PeerConnection | None:
        """Return a connection with the head of the owner's answer; None if this server must answer. Raises Refused."""
        request = self._request(scope, scope["headers"], body)
        for fresh in (False, True):
            try:
                connection = await self._pool.take(owner, fresh)
            except OSError:
                await self._cannot_reach(table, owner)
                return None
            try:
                connection.send(request)
                async with asyncio.timeout(self._service.settings.lease):
                    await connection.head()
            except (ConnectionError, TimeoutError):
                connection.close()
                self._owners.pop(table, None)
                if connection.reused and not connection.is_open and not fresh:
                    # The owner had closed it; it has not read the request.
                    continue
                if scope["method"] == "GET":
                    return None
                raise _unanswered() from None
            except BaseException:
                connection.close()
                raise
            self._service.metrics.forwarded.inc()
            return connection
        return None

    def _request(self, scope: Scope, headers: list[Header], body: bytes) -> bytes:
        client = (scope.get("client") or ("",))[0]
        query = scope["query_string"]
        target = scope["raw_path"] + (b"?" + query if query else b"")
        passed = [header for header in headers if header[0] not in _HOP_BY_HOP]
        words = self._words(scope["scheme"], client)
        return b"%b%d\r\n\r\n%b" % (request_head(scope["method"], target, [(PEER, words), *passed]), len(body), body)

    def _words(self, scheme: str, client: str) -> bytes:
        """Return what a request to another server says about where it comes from."""
        server = self._leases.server.encode()
        return b"%b %b %b %b" % (self.listener.secret, server, scheme.encode(), client.encode())

    async def _owner(self, table: str) -> Owner | None:
        """Return the other server that owns a table; None if this one does or nobody. Raises Refused."""
        known = self._owners.get(table)
        if known is not None:
            return known
        if self._service.tables.owns(table):
            return None
        # Until a table has left, the store names this server, which would take it back from the next owner.
        await self._service.tables.leavers.gone(table)
        try:
            found = await self._leases.owner(table)
        except Unavailable:
            raise Refused("storage", "This could not be stored just now; try again with the same key.", 503) from None
        if found is None or found.server == self._leases.server:
            return None
        if len(self._owners) > _MOST_OWNERS:
            self._owners.clear()
        self._owners[table] = found
        return found

    async def _cannot_reach(self, table: str, owner: Owner) -> None:
        self._owners.pop(table, None)
        self._leases.unreachable.add(owner.server)
        _log.warning("server cannot be reached", server=owner.server, addresses=" ".join(owner.addresses))
        with suppress(Unavailable, Conflict):
            await self._leases.give_up(owner.server)

    # What comes from other servers

    async def _may_answer(self, path: str, server: str) -> bool:
        """Return whether this server owns the table of a forwarded request."""
        about = _TABLE.match(path)
        if about is None:
            return False
        table = about[1]
        if not self._service.tables.owns(table):
            await self._service.tables.leavers.gone(table)
            with suppress(Unavailable):
                found = await self._leases.owner(table)
                return found is not None and found.server == self._leases.server
            return False
        if about[2] != "/stream":
            self.asked_from(table, server)
        return True

    def asked_from(self, table: str, server: str) -> None:
        """Note that a request about a table of this server came from another server."""
        count = self._in_a_row[table] = self._in_a_row.get(table, 0) + 1
        if count >= _IN_A_ROW:
            # Nobody asks here; after this request the server that is asked has the table.
            del self._in_a_row[table]
            self._service.tables.leavers.hand_over(table, server)

    # Streams

    async def _stream(self, table: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a stream to its reader, from one owner of the table after another. Raises Refused."""
        gone = asyncio.ensure_future(_gone(receive))
        reader = _Reader(send, scope.get(SERVER_SEND, send), scope.get(SERVER_PUSH))
        try:
            while not gone.done() and not reader.refused and not self._service.streams.is_closed:
                headers = reader.resuming(scope["headers"])
                resumed = {**scope, "headers": headers, SERVER_SEND: reader, SERVER_PUSH: reader.push}
                try:
                    owner = await self._owner(table)
                except Refused:
                    if not reader.started:
                        raise
                    break
                if owner is None:
                    await self._local(resumed, _until(gone), reader)
                    scope["route"] = resumed.get("route")
                else:
                    scope["route"] = _Forwarded
                    piping = asyncio.ensure_future(self._pipe(table, owner, resumed, reader))
                    await asyncio.wait([piping, gone], return_when=asyncio.FIRST_COMPLETED)
                    await finish(piping)
                if not gone.done():
                    await asyncio.sleep(0.05)
            await reader.end()
        finally:
            await finish(gone)

    async def _pipe(self, table: str, owner: Owner, scope: Scope, reader: "_Reader") -> None:
        """Pass an owner's stream on until it ends."""
        try:
            connection = await self._pool.take(owner, fresh=True)
        except OSError:
            await self._cannot_reach(table, owner)
            return
        try:
            connection.send(self._request(scope, scope["headers"], b""))
            async with asyncio.timeout(self._service.settings.lease):
                status = await connection.head()
            if status == NOT_MINE:
                return
            headers = [header for header in connection.headers if header[0] not in _OF_THE_ANSWER]
            await reader({"type": "http.response.start", "status": status, "headers": headers})
            connection.pass_on = reader.push
            while piece := await connection.piece():
                await reader({"type": "http.response.body", "body": piece, "more_body": True})
            await reader({"type": "http.response.body", "body": b"", "more_body": False})
        except (ConnectionError, TimeoutError):
            # The owner has gone: the stream goes on at the next one.
            return
        finally:
            self._owners.pop(table, None)
            connection.close()


class _Reader:
    """The reader of a stream: gets one beginning and whole messages, whoever sends them."""

    def __init__(self, send: Send, send_data: Send, push: Push | None) -> None:
        self._send, self._send_data, self._push = send, send_data, push
        self._rest = b""
        self._last = b""
        self.started = False
        self.refused = False
        """The last beginning was not that of a stream."""
        self._passing_on = True

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.refused = message["status"] != 200
            self._passing_on = not self.started
            if self._passing_on:
                self.started = True
                await self._send(message)
        elif self.refused:
            if self._passing_on:
                await self._send(message)
        elif message.get("body"):
            whole, end, self._rest = (self._rest + message["body"]).rpartition(b"\n\n")
            if end:
                for number in _ID.findall(whole + b"\n"):
                    self._last = number
                await self._send_data({"type": "http.response.body", "body": whole + end, "more_body": True})
        else:
            self._rest = b""

    def push(self, message: bytes) -> bool:
        """Pass on one whole message with its number at once, if that is possible."""
        whole = message.startswith(b"id: ") and message.find(b"\n\n") == len(message) - 2
        if not whole or self._push is None or self._rest or self.refused or not self._push(message):
            return False
        self._last = message[len(b"id: ") : message.index(b"\n")]
        return True

    async def end(self) -> None:
        """End the answer unless it was a refusal, which has ended already."""
        if self.started and not (self.refused and self._passing_on):
            await self._send_data({"type": "http.response.body", "body": b"", "more_body": False})

    def resuming(self, headers: list[Header]) -> list[Header]:
        """Return the headers of a request that goes on where the reader is."""
        if not self._last:
            return headers
        return [*(header for header in headers if header[0] != b"last-event-id"), (b"last-event-id", self._last)]


async def _whole(receive: Receive) -> bytes:
    """Read the body of a request; the guard limits its size."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _unanswered()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Give a body that has been read once more."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _until(gone: "asyncio.Future[Any]") -> Receive:
    """Tell a local answer that the reader has gone."""

    async def receive() -> Message:
        await asyncio.wait([gone])
        return {"type": "http.disconnect"}

    return receive


def _unanswered() -> Refused:
    return Refused("storage", "This could not be stored just now; try again with the same key.", 503)
