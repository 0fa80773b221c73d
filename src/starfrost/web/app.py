"""The web app: the JSON interface, the pages around it, and the guard around both."""

import asyncio
import gc
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from secrets import compare_digest
from types import FrameType
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from starfrost import __version__
from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table import Settings, TableService
from starfrost.web import pages
from starfrost.web.api import router
from starfrost.web.coaching import CoachWorkers
from starfrost.web.guard import Guard, Proxied
from starfrost.web.guests import COOKIE
from starfrost.web.limits import Limits
from starfrost.web.logs import configure_logs
from starfrost.web.notifier import Notifier
from starfrost.web.page_thread import PageThread
from starfrost.web.pages.problems import page_error
from starfrost.web.render import refusal_response


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the app: the JSON interface and the pages."""
    settings = settings or Settings()
    # The solver, which runs in processes of its own, reads these two from the environment.
    os.environ["STARFROST_SOLVE_CACHE_MB"] = str(settings.solve_cache_mb)
    if settings.solve == "never":
        os.environ["STARFROST_SOLVE"] = "never"
    service = TableService(settings)
    notifier = Notifier(service)
    coaching = CoachWorkers()
    service.historian.judge = coaching.review
    moderation = service.upkeep.moderation
    limits = Limits(settings, moderation.times)

    @asynccontextmanager
    async def life(app: App) -> AsyncIterator[None]:
        await service.start()
        await notifier.start()
        if gc.get_freeze_count():
            calm_collector()
        _end_streams_on_signal(service)
        try:
            yield
        finally:
            await notifier.stop()
            await coaching.stop()
            await service.stop()

    app = App(
        title="Starfrost",
        version=__version__,
        description=f"Tables for {' and '.join(kit.title for _, kit in GAMES.items())}: for clients and bot authors.",
        openapi_url="/api/openapi.json",
        # The viewers load scripts from elsewhere, which our own headers forbid: `pages.interface` is ours.
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        redirect_slashes=False,
        # A body without a content type is JSON too.
        strict_content_type=False,
    )
    app.state.service = service
    # What draws the pages without a server sets this: see `here.app`.
    app.state.alone = ""
    app.state.settings = settings
    app.state.notifier = notifier
    app.state.coaching = coaching
    app.state.limits = limits
    app.state.page_thread = PageThread()
    app.guard = lambda inner: Proxied(Guard(inner, settings, service.metrics, limits, moderation), settings)
    app.include_router(router, prefix="/api")
    _add_health(app, service, settings)
    _add_errors(app)
    pages.install(app)
    return app


class App(FastAPI):
    """The app with the guard in front of everything, the framework's own layers included."""

    guard: Callable[[ASGIApp], ASGIApp]

    def build_middleware_stack(self) -> ASGIApp:
        return self.guard(super().build_middleware_stack())

    def openapi(self) -> dict[str, Any]:
        """Return the description of the JSON interface, with how programs say who they are."""
        if self.openapi_schema is None:
            described = super().openapi()
            described["servers"] = [{"url": "/"}]
            described["components"]["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer", "description": "The token of POST /api/guests"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "The same for browsers"},
            }
            for path, operations in described["paths"].items():
                for method, operation in operations.items():
                    known: list[dict[str, list[str]]] = [{"token": []}, {"cookie": []}]
                    free = (method == "get" and not path.startswith("/api/me")) or path == "/api/guests"
                    operation["security"] = [{}, *known] if free else known
        return self.openapi_schema or {}


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
    not notice. Called again when the service has started, because that makes many objects that stay. What a start
    leaves behind is not worth the time to look for it.
    """
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
        return await page_error(request, refusal)

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
