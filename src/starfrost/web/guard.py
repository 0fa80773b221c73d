"""The guard of every request: size limits, refusal of cross-site writes, security headers, log lines, counters.

It is one plain ASGI layer because a move must pass through it in microseconds.
"""

import json
import re
import time
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.table.exceptions import Exceptions
from starfrost.table.metrics import Metrics
from starfrost.web.limits import Limits, network_of

_log = get_logger("starfrost.web")
SERVER_SEND: Final = "starfrost.send"
"""Where a request's scope holds the server's own `send`, without the layers around it."""
SERVER_PUSH: Final = "starfrost.push"
"""Where the scope holds a function that sends a part of a long answer at once, if the server has one (`Push`)."""
Push = Callable[[bytes], bool]
"""Sends some bytes and returns True, or returns False if they must wait until `send` can send them."""
_SAFE = {"GET", "HEAD", "OPTIONS"}
_MOST_HEADERS = 100
_GONE = 499
"""The status, as nginx counts it, of a request whose sender has left before it was complete."""
_PAUSE = 1.0
"""Seconds between two lines in the log about requests that came too fast."""
# The log names the route, never the path: an invitation in a path gives access to a seat.
HEALTH = {"/healthz", "/readyz", "/metrics"}
_QUIET = {"forwarded", "/tables/{table}/act", "/tables/{table}/events", *HEALTH}

SECURITY_HEADERS: dict[str, str] = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; object-src 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_RAW_NAMES = {name for name, _ in _RAW_HEADERS}
_NO_STORE = (b"cache-control", b"no-store")


def _written(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join(b"%b: %b\r\n" % header for header in headers)


_JSON_LINES = _written([*_RAW_HEADERS, _NO_STORE])


def address_in(scope: Scope) -> str:
    """Return the address that the limits of a request are counted by; empty if it is not known."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def crosses_sites(method: str, headers: dict[bytes, bytes]) -> bool:
    """Return whether a request that changes something comes from another site's page.

    Browsers send Sec-Fetch-Site and Origin; programs send neither and authenticate with their own token.
    """
    if method in _SAFE:
        return False
    site = headers.get(b"sec-fetch-site")
    if site is not None and site not in (b"same-origin", b"none"):
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin.decode("latin-1")).netloc.lower() != headers.get(b"host", b"").decode("latin-1").lower()
    except ValueError:
        return True


def answers_for(host: str, names: tuple[str, ...]) -> bool:
    """Return whether a Host header, with or without a port, is one of these names; `*.` stands for any subdomain."""
    name = re.sub(r":\d*$", "", host.lower()).strip("[]").removesuffix(".")
    return any(name == each or (each.startswith("*.") and name.endswith(each[1:])) for each in names)


class Guard:
    """The ASGI layer in front of the app."""

    def __init__(
        self, app: ASGIApp, settings: Settings, metrics: Metrics, limits: Limits, exceptions: Exceptions
    ) -> None:
        self.app = app
        self._limits = limits
        self._exceptions = exceptions
        self._settings = settings
        self.largest_body = settings.max_body
        self._metrics = metrics
        self._counters: dict[tuple[str, int], Any] = {}
        self._unlogged = 0
        """Refused requests since the last one in the log."""
        self._quiet_until = 0.0
        self._hosts = settings.hosts
        seconds = round(settings.hsts_days * 86_400)
        self._https_headers = [(b"strict-transport-security", b"max-age=%d" % seconds)] if seconds else []
        self._https_lines = _written([*_RAW_HEADERS, *self._https_headers, _NO_STORE])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        status = 500
        api = scope["path"].startswith("/api/")
        streaming = False
        body_left = self.largest_body

        async def guarded_send(message: Message) -> None:
            nonlocal status, streaming
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                present = {name for name, _ in headers}
                if present.isdisjoint(_RAW_NAMES):
                    headers.extend(_RAW_HEADERS)
                else:
                    headers.extend(header for header in _RAW_HEADERS if header[0] not in present)
                if scope["scheme"] == "https":
                    headers.extend(header for header in self._https_headers if header[0] not in present)
                if b"cache-control" not in present and (api or status >= 400):
                    headers.append(_NO_STORE)
                streaming = (b"content-type", b"text/event-stream; charset=utf-8") in headers
            await send(message)

        async def limited_receive() -> Message:
            nonlocal body_left
            message = await receive()
            if message["type"] == "http.request":
                body_left -= len(message.get("body", b""))
                if body_left < 0:
                    raise _too_large(self.largest_body)
            return message

        scope[SERVER_SEND] = send
        address = address_in(scope)
        refusal = self.refusal(scope, address)
        self.begin(address, pays=refusal is None or refusal.status != 429)
        try:
            if refusal is not None:
                await refuse(refusal, scope, receive, guarded_send)
            else:
                await self.app(scope, limited_receive, guarded_send)
        except ClientDisconnect:
            # Who leaves before the request is complete is no failure of the server.
            status = _GONE
            raise
        finally:
            # They refer to this scope: a cycle of a dozen objects for each request, left to the collector.
            scope.pop(SERVER_SEND, None)
            scope.pop(SERVER_PUSH, None)
            self.end(address, scope, status, time.perf_counter() - began, streaming)

    def begin(self, address: str, pays: bool = True) -> None:
        """Count a request of an address that is under way."""
        self._limits.under_way.enter(address)
        if pays:
            self._limits.request.pay(address, 1)

    def end(self, address: str, scope: Scope, status: int, seconds: float, streaming: bool = False) -> None:
        """Count a request of an address that was answered, and log it."""
        self.forget(address)
        self._count(scope, status, seconds, streaming)

    def forget(self, address: str) -> None:
        """Take back that a request of an address is under way."""
        self._limits.under_way.leave(address)

    def lines(self, scope: Scope) -> bytes:
        """Return the headers that every answer of the JSON interface has, as they are written."""
        return self._https_lines if scope["scheme"] == "https" else _JSON_LINES

    def refusal(self, scope: Scope, address: str) -> Refused | None:
        """Return why a request of an address is refused; None if it is not."""
        return self.refusal_now(scope, address) or self.refusal_of_head(scope)

    def refusal_now(self, scope: Scope, address: str) -> Refused | None:
        """Return why a request is refused for what its address did so far or for what the host decided about it."""
        if self._limits.under_way.count(address) >= self._settings.connections_per_address > 0:
            return Refused("slow-down", "There are too many connections from this address.", 429)
        try:
            self._limits.request.check(address, 1)
            if scope["path"] not in HEALTH:
                # One address may be banned, though limits are counted by its network.
                self._exceptions.check(scope["client"][0] if scope.get("client") else "")
        except Refused as refusal:
            return refusal
        return None

    def refusal_of_head(self, scope: Scope) -> Refused | None:
        """Return why a request is refused for its head, which would be refused at any time."""
        headers = scope["headers"]
        size = 0
        for name, value in headers:
            size += len(name) + len(value)
        if len(headers) > _MOST_HEADERS or size > self._settings.max_headers:
            return Refused("headers-too-large", "The request's headers are too large.", 431)
        if len(scope["path"]) + len(scope["query_string"]) > 4096:
            return Refused("address-too-long", "The request's address is too long.", 414)
        if self._hosts and scope["path"] not in HEALTH:
            host = dict(headers).get(b"host", b"").decode("latin-1")
            if not answers_for(host, self._hosts):
                _log.warning("host refused; does the proxy pass on Host?", host=host[:100])
                return Refused("bad-host", "This server does not answer for %(host)s.", 421, host=host[:100] or "—")
        if scope["method"] in _SAFE:
            return None
        named = dict(headers)
        if crosses_sites(scope["method"], named):
            # A host whose proxy does not pass on Host sees here what is wrong.
            _log.warning("cross-site", **{name: str(named.get(name.encode()))[:100] for name in ("origin", "host")})
            return Refused("cross-site", "This request came from another site and was refused.", 403)
        length = named.get(b"content-length")
        if length is not None and (not length.isdigit() or int(length) > self.largest_body):
            return _too_large(self.largest_body)
        return None

    def _count(self, scope: Scope, status: int, seconds: float, streaming: bool) -> None:
        method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD", "PATCH", "PUT", "DELETE") else "OTHER"
        counter = self._counters.get((method, status))
        if counter is None:
            counter = self._counters[method, status] = self._metrics.requests.labels(method, str(status))
        counter.inc()
        if not streaming:
            self._metrics.seconds.observe(seconds)
        path = getattr(scope.get("route"), "path", None) or "unrouted"
        if status < 400 and path in _QUIET:
            return
        line = {"method": method, "route": path, "status": status, "ms": round(1000 * seconds, 1)}
        if status == 429:
            # Writing a line for each request of a flood takes longer than refusing it.
            now = time.monotonic()
            if now < self._quiet_until:
                self._unlogged += 1
                return
            line["unlogged"], self._unlogged, self._quiet_until = self._unlogged, 0, now + _PAUSE
        getattr(_log, "error" if status >= 500 else "info")("request", **line)


def _too_large(limit: int) -> Refused:
    return Refused("too-large", "A request has at most %(limit)s bytes.", 413, limit=limit)


def refusal_body(refusal: Refused, reason: str = "") -> bytes:
    """Write a refusal as JSON."""
    detail = {name: value for name, value in refusal.detail.items() if value is not None}
    return json.dumps({"code": refusal.code, "reason": reason or str(refusal), **detail}).encode()


def refusal_response(refusal: Refused, reason: str = "") -> Response:
    """Return a refusal as JSON: in English unless the reason is given in the reader's language."""
    headers = {}
    if refusal.status in (429, 503):
        headers["retry-after"] = str(getattr(refusal, "wait", 1))
    elif refusal.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(refusal_body(refusal, reason), refusal.status, headers=headers, media_type="application/json")


async def refuse(refusal: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer before any route is reached: a browser with a page, a program with JSON."""
    browser = b"text/html" in dict(scope["headers"]).get(b"accept", b"") and not scope["path"].startswith("/api/")
    response: Response
    if not browser:
        response = refusal_response(refusal)
    elif refusal.code == "slow-down":
        response = scope["app"].state.too_fast(Request(scope), refusal)
    else:
        response = await scope["app"].state.page_error(Request(scope), refusal)
    response.headers["connection"] = "close"
    await response(scope, receive, send)
