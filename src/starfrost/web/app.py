"""The web app: the JSON interface, the pages around it, and the guard around both."""

import asyncio
import gc
import os
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from secrets import compare_digest
from types import FrameType
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starfrost import __version__
from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table import Settings, TableService
from starfrost.table.tasks import end
from starfrost.web import pages
from starfrost.web.api import router
from starfrost.web.api.tables import act, act_route
from starfrost.web.coaching import Coaching
from starfrost.web.connections import Connections
from starfrost.web.forward import Forwarder
from starfrost.web.guard import Guard, refusal_response, refuse
from starfrost.web.heavy import Heavy
from starfrost.web.judging import Reviewer
from starfrost.web.lane import Lane, Moves, PeerLane
from starfrost.web.limits import Limits, TooMany, address_of
from starfrost.web.logs import configure_logs
from starfrost.web.notifier import Notifier
from starfrost.web.pages import playing
from starfrost.web.turnstile import Turnstile, waits

_MOVE_PATH = re.compile(r"(/api/tables|/t)/([A-Za-z0-9_-]{1,32})/act")
_MOVE_ROUTES: dict[str, tuple[Callable[[Request], Awaitable[ASGIApp]], BaseRoute]] = {
    "/api/tables": (act, act_route),
    "/t": (playing.direct_act, playing.act_route),
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the app: the JSON interface and the pages."""
    settings = settings or Settings()
    # The solver, which runs in processes of its own, reads these two from the environment.
    os.environ["STARFROST_SOLVE_CACHE_MB"] = str(settings.solve_cache_mb)
    if settings.solve == "never":
        os.environ["STARFROST_SOLVE"] = "never"
    service = TableService(settings)
    notifier = Notifier(service)
    reviewer = Reviewer()
    service.historian.judge = reviewer
    coaching = Coaching()
    heavy = Heavy(settings)

    @asynccontextmanager
    async def life(app: App) -> AsyncIterator[None]:
        if app.forwarder is not None:
            await app.forwarder.listen()
        await service.start()
        if app.forwarder is not None:
            await app.forwarder.start()
            telling = asyncio.create_task(app.state.limits.keep_telling(), name="limits")
        await notifier.start()
        await app.rehearse()
        if gc.get_freeze_count():
            calm_collector()
        _end_streams_on_signal(service)
        try:
            yield
        finally:
            await notifier.stop()
            await coaching.stop()
            if app.forwarder is not None:
                await app.forwarder.stop()
                await end([telling])
            await service.stop()
            reviewer.close()
            heavy.close()

    app = App(
        title="Starfrost",
        version=__version__,
        description=f"Tables for {' and '.join(kit.title for _, kit in GAMES.items())}: for clients and bot authors.",
        openapi_url="/api/openapi.json",
        # The viewers load scripts from elsewhere, which our own headers forbid; the schema itself is enough.
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        redirect_slashes=False,
    )
    app.state.service = service
    app.state.settings = settings
    app.state.notifier = notifier
    app.state.coaching = coaching
    exceptions = service.upkeep.exceptions
    app.state.limits = Limits(settings, exceptions.times)
    app.state.heavy = heavy
    app.state.connections = Connections(settings, service.metrics, app.state.limits)
    if not settings.is_sqlite:
        app.forwarder = Forwarder(service, app.answer)
        app.state.limits.share(service.tables.tell_use, service.tables.tell_open)
        service.tables.used = app.state.limits.used_elsewhere
        service.tables.opened = app.state.limits.open_elsewhere
    app.turnstile = Turnstile()
    app.guard = Guard(app.route_request, settings, service.metrics, app.state.limits, exceptions)
    app.lane = Lane(Moves(service, app.state.limits), app.guard, app.forwarder)
    if app.forwarder is not None:
        app.forwarder.listener.lane = PeerLane(app.lane.moves, app.forwarder)
    app.include_router(router, prefix="/api")
    _add_health(app, service, settings)
    _add_errors(app)
    pages.install(app)
    return app


class App(FastAPI):
    """The app with the guard in front of everything, the framework's own layers included."""

    guard: Guard
    lane: Lane
    forwarder: Forwarder | None = None
    """Sends requests to the servers that own their tables; None with SQLite."""
    turnstile: Turnstile

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        if scope["type"] == "http":
            await self.guard(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def route_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered by the server that owns its table."""
        if self.forwarder is None:
            await self.answer(scope, receive, send)
            return
        try:
            await self.forwarder(scope, receive, send)
        except Refused as refusal:
            handlers: dict[Any, Any] = self.exception_handlers
            response = await handlers[Refused](Request(scope, receive), refusal)
            await response(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a move straight to its route, because trying all other routes takes longer than the move itself."""
        scope["app"] = self
        move = _MOVE_PATH.fullmatch(scope["path"]) if scope["method"] == "POST" else None
        if move is None:
            await self._answer_in_turn(scope, receive, send)
            return
        endpoint, scope["route"] = _MOVE_ROUTES[move[1]]
        scope["path_params"] = {"table": move[2]}
        request = Request(scope, receive)
        try:
            response = await endpoint(request)
        except (Refused, HTTPException) as error:
            handlers: dict[Any, Any] = self.exception_handlers
            response = await handlers[Refused if isinstance(error, Refused) else HTTPException](request, error)
        await response(scope, receive, send)

    async def rehearse(self) -> None:
        """Answer a request that nobody sent: the first one builds all routes and reads texts, and holds up others."""
        scope: Scope = {
            "type": "http",
            "scheme": "http",
            "method": "GET",
            "path": "/offline",
            "query_string": b"",
            "headers": [],
            "server": ("", 0),
        }

        async def receive() -> Message:
            return {"type": "http.request"}

        async def send(message: Message) -> None:
            pass

        await self.answer(scope, receive, send)

    async def _answer_in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = partial(super().__call__, scope, receive, send)
        if not waits(scope):
            await answer()
            return
        try:
            await self.turnstile.passed(address_of(Request(scope)), answer)
        except TooMany as refusal:
            await refuse(refusal, scope, receive, send)


def app_from_environment() -> FastAPI:
    """Make the app of a worker process, whose settings the first process left in the environment."""
    settings = Settings()
    configure_logs(settings.log_level)
    app = create_app(settings)
    calm_collector()
    return app


def calm_collector() -> None:
    """Keep the garbage collector from walking through long-lived objects again and again.

    Games, caches and logs are large and stay; a move leaves almost no cycles. With the usual thresholds the collector
    takes over a third of the server's time and stops everything for a quarter of a second. The youngest generation is
    small enough to be walked through while it is still in the processor's cache, the middle one so small that moves do
    not notice. Called again when the service has started, because that makes many objects that stay.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 5_000)


def _end_streams_on_signal(service: TableService) -> None:
    """Close the streams as soon as the process is asked to stop: the server waits for open responses."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        if not callable(before) or before is signal.default_int_handler:
            continue

        def stop(number: int, frame: FrameType | None, before: Callable[..., Any] = before) -> None:
            loop.call_soon_threadsafe(service.streams.close)
            before(number, frame)

        signal.signal(number, stop)


def _add_health(app: FastAPI, service: TableService, settings: Settings) -> None:
    checks: dict[str, Any] = {"methods": ["GET", "HEAD"], "include_in_schema": False}

    @app.api_route("/healthz", **checks)
    async def healthz() -> Response:
        return PlainTextResponse("ok\n")

    @app.api_route("/readyz", **checks)
    async def readyz() -> Response:
        ready = await service.ready()
        return PlainTextResponse("ready\n" if ready else "the store does not answer\n", 200 if ready else 503)

    @app.api_route("/metrics", **checks)
    async def metrics(request: Request) -> Response:
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        known = settings.metrics_token and compare_digest(sent.encode(), settings.metrics_token.encode())
        if not known and not _is_here(request):
            raise Refused("metrics", "Metrics are for this machine and for whoever has the host's token.", 403)
        return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)


def _is_here(request: Request) -> bool:
    """Return whether a request comes from this machine, and not through a proxy on it."""
    try:
        return ip_address(request.client.host if request.client else "").is_loopback
    except ValueError:
        return False


def _add_errors(app: FastAPI) -> None:
    async def respond(request: Request, refusal: Refused) -> Response:
        if request.url.path.startswith("/api/"):
            return refusal_response(refusal)
        return await pages.page_error(request, refusal)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Any) -> Response:
        app.state.service.metrics.refusals.labels(error.code).inc()
        return await respond(request, error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: Any) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")[:80] or "body"
        where = "".join(sign for sign in where if sign.isprintable())
        return await respond(
            request, Refused("bad-request", "%(where)s: %(what)s.", 422, where=where, what=first["msg"])
        )

    @app.exception_handler(HTTPException)
    async def failed(request: Request, error: Any) -> Response:
        if isinstance(error.__cause__, Refused):
            # A body that was cut off because it is too large.
            return await respond(request, error.__cause__)
        if error.status_code == 404:
            refusal = Refused("not-found", "There is nothing here.", 404)
        elif error.status_code == 405:
            refusal = Refused("bad-method", "This cannot be done here.", 405)
        else:
            refusal = Refused("bad-request", "The request could not be read.", error.status_code)
        response = await respond(request, refusal)
        response.headers.update(error.headers or {})
        return response
