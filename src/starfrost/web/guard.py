"""The guard of every request: size limits, refusal of cross-site writes, security headers, log lines, counters."""

import re
import time
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog import get_logger
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.table.metrics import Metrics
from starfrost.table.moderation import Moderation
from starfrost.web.asking import network_of
from starfrost.web.below import HEADER, below
from starfrost.web.guests import check_entry
from starfrost.web.limits import Limits
from starfrost.web.render import refusal_response
from starfrost.web.routing import guarded

_log = get_logger("starfrost.web")
_SAFE = {"GET", "HEAD", "OPTIONS"}
LARGEST_BODY: Final = 16_384
"""Bytes of a request's body."""
_LARGEST_HEAD: Final = 16_384
"""Bytes of a request's headers."""
_GONE = 499
"""The status, as nginx counts it, of a request whose sender has left before it was complete."""
_PAUSE = 1.0
"""Seconds between two lines in the log about requests that came too fast."""
# The log names the route, never the path: an invitation in a path gives access to a seat.
HEALTH = {"/healthz", "/readyz", "/metrics"}
_QUIET = {"/tables/{table}/act", "/tables/{table}/events", *HEALTH}

LASTING: Final = "starfrost.lasting"
"""In a request's scope: what answers once all layers have returned, because it lasts for hours."""
_KEPT: Final = ("type", "method", "path", "scheme", "client", "app", "route")
"""What the rest of such an answer needs of the scope."""

SECURITY_HEADERS: dict[str, str] = {
    "content-security-policy": guarded(),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_HTTPS_HEADERS = [(b"strict-transport-security", b"max-age=%d" % (180 * 86_400))]
"""Browsers that came by https use nothing else for half a year."""
_NO_STORE = (b"cache-control", b"no-store")


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


class Proxied:
    """The app behind the proxies that it trusts: they say for whom they speak, and nobody else can."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = ProxyHeadersMiddleware(app, settings.trusted_proxies)  # type: ignore[arg-type]
        self._settings = settings
        self._told = {settings.user_header.lower().encode(), HEADER} - {b""}
        """Headers that only a trusted proxy may set."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name in self._told for name, _ in scope["headers"]):
            peer = scope["client"][0] if scope.get("client") else ""
            if self._settings.trusts(peer):
                scope, send = below(scope, send)
            else:
                scope["headers"] = [pair for pair in scope["headers"] if pair[0] not in self._told]
        await self._app(scope, receive, send)  # type: ignore[arg-type]


class Guard:
    """The ASGI layer in front of the app."""

    def __init__(
        self, app: ASGIApp, settings: Settings, metrics: Metrics, limits: Limits, moderation: Moderation
    ) -> None:
        self.app = app
        self._limits = limits
        self._moderation = moderation
        self._metrics = metrics
        self._unlogged = 0
        """Refused requests since the last one in the log."""
        self._quiet_until = 0.0
        self._hosts = settings.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500
        streaming = False
        body_left = LARGEST_BODY

        async def guarded_send(message: Message) -> None:
            nonlocal status, streaming
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                present = {name for name, _ in headers}
                ours = _RAW_HEADERS + _HTTPS_HEADERS if scope["scheme"] == "https" else _RAW_HEADERS
                headers.extend(header for header in ours if header[0] not in present)
                if b"cache-control" not in present and (scope["path"].startswith("/api/") or status >= 400):
                    headers.append(_NO_STORE)
                streaming = (b"content-type", b"text/event-stream; charset=utf-8") in headers
            await send(message)

        async def limited_receive() -> Message:
            nonlocal body_left
            message = await receive()
            if message["type"] == "http.request":
                body_left -= len(message.get("body", b""))
                if body_left < 0:
                    raise _too_large()
            return message

        try:
            try:
                self._check(scope)
            except Refused as refusal:
                await refuse(refusal, scope, receive, guarded_send)
            else:
                lasting: list[ASGIApp] = scope.setdefault(LASTING, [])
                await self.app(scope, limited_receive, guarded_send)
                for stream in lasting:
                    kept = {name: scope[name] for name in _KEPT if name in scope}
                    scope.clear()
                    scope.update(kept)
                    await stream(scope, limited_receive, guarded_send)
        except ClientDisconnect:
            # Who leaves before the request is complete is no failure of the server.
            status = _GONE
        finally:
            self._count(scope, status, time.perf_counter() - began, streaming)

    def _check(self, scope: Scope) -> None:
        """Raise Refused for a request that no route should see."""
        self._limits.request(address_in(scope))
        headers = scope["headers"]
        if sum(len(name) + len(value) for name, value in headers) > _LARGEST_HEAD:
            raise Refused("headers-too-large", "The request's headers are too large.", 431)
        if sum(name == b"host" for name, _ in headers) > 1:
            raise Refused("bad-request", "The request could not be read.", 400)
        if len(scope["path"]) + len(scope["query_string"]) > 4096:
            raise Refused("address-too-long", "The request's address is too long.", 414)
        named = dict(headers)
        if scope["path"] not in HEALTH:
            # One address may be banned, though limits are counted by its network.
            self._moderation.check(scope["client"][0] if scope.get("client") else "")
            host = named.get(b"host", b"").decode("latin-1")
            if self._hosts and not answers_for(host, self._hosts):
                _log.warning("host refused; does the proxy pass on Host?", host=host[:100])
                raise Refused("bad-host", "This server does not answer for %(host)s.", 421, host=host[:100] or "—")
            check_entry(HTTPConnection(scope))
        if crosses_sites(scope["method"], named):
            # A host whose proxy does not pass on Host sees here what is wrong.
            _log.warning("cross-site", **{name: str(named.get(name.encode()))[:100] for name in ("origin", "host")})
            raise Refused("cross-site", "This request came from another site and was refused.", 403)
        length = named.get(b"content-length", b"0")
        if scope["method"] not in _SAFE and (not length.isdigit() or int(length) > LARGEST_BODY):
            raise _too_large()

    def _count(self, scope: Scope, status: int, seconds: float, streaming: bool) -> None:
        method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD", "PATCH", "PUT", "DELETE") else "OTHER"
        self._metrics.requests.labels(method, str(status)).inc()
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


def _too_large() -> Refused:
    return Refused("too-large", "A request has at most %(limit)s bytes.", 413, limit=LARGEST_BODY)


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
