"""Run the app in one process or several, and stop it in under two seconds."""

import asyncio
import os
import signal
import socket
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait
from tempfile import TemporaryDirectory
from types import FrameType

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from starfrost.errors import UsageError
from starfrost.table import Settings
from starfrost.table.metrics import SHARED_FOLDER
from starfrost.table.store import Store, Unavailable
from starfrost.web.app import calm_collector, create_app
from starfrost.web.browser import open_browser
from starfrost.web.logs import configure_logs
from starfrost.words import Words, language_from_environment

_GRACE = 1
"""Seconds that requests under way have to finish."""
_KEEP_ALIVE = 30
"""Seconds after which an idle connection is closed; proxies close theirs before that."""
_BACKLOG = 4096
"""Connections that wait to be accepted; the system may allow fewer."""
_MOST_FILES = 100_000


class _Protocol(HttpToolsProtocol):
    """HTTP without trailers: uvicorn takes them for headers, which the app has judged by then."""

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self.headers = []


class _Config(uvicorn.Config):
    """The settings of a server whose processes exit normally on SIGTERM.

    After its shutdown uvicorn raises the signal again. By default that would kill the process, and Python would warn
    about semaphores that the bots' workers left behind.
    """

    def configure_logging(self) -> None:
        # uvicorn calls this in every process before it serves.
        super().configure_logging()
        signal.signal(signal.SIGTERM, _leave)
        _end_with_parent()


class _Supervisor(Multiprocess):
    """The parent of several workers; it removes the metrics of workers that died."""

    def init_processes(self) -> None:
        super().init_processes()
        self._let_go()

    def keep_subprocess_alive(self) -> None:
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        self._let_go()
        for pid in before - {process.pid for process in self.processes}:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]

    def _let_go(self) -> None:
        """Close the workers' ends of their pipes, which they alone have then: one that dies ends the wait for it."""
        for process in self.processes:
            process.child_conn.close()


def _end_with_parent() -> None:
    """Have a worker stop as on SIGTERM when its supervisor is gone, even if that was killed: it holds the port."""
    parent = parent_process()
    if parent is None:
        return

    def follow() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True, name="end-with-parent").start()


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def run(settings: Settings, host: str, port: int, workers: int = 1, *, show: bool = False) -> None:
    """Serve until interrupted; `show` opens a browser. Raises UsageError if the address or database cannot be used."""
    sock = _bind(host, port, or_any=show)
    _allow_many_files()
    configure_logs(settings.log_level)
    asyncio.run(_try_database(settings))
    several = workers > 1
    if several:
        settings.to_environment()
    config = _Config(
        "starfrost.web.app:app_from_environment" if several else create_app(settings),
        factory=several,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop" if os.name != "nt" else "asyncio",
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        # The app does that, and knows then which requests come from a proxy.
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        server_header=False,
        # On a busy machine a worker takes longer than the usual five seconds to start; it would be killed for ever.
        timeout_worker_healthcheck=60,
        date_header=True,
        timeout_graceful_shutdown=_GRACE,
        backlog=_BACKLOG,
    )
    address = f"http://{host}:{sock.getsockname()[1]}/"
    w = Words(language_from_environment())
    print(w("Starfrost is open at %(address)s (Ctrl+C closes it).", address=address), flush=True)
    if show:
        open_browser(address)
    if several:
        with TemporaryDirectory(prefix="starfrost-metrics-") as folder:
            os.environ[SHARED_FOLDER] = folder
            _Supervisor(config, sockets=[sock]).run()
    else:
        calm_collector()
        server = uvicorn.Server(config)
        server.run(sockets=[sock])
        if not server.started:
            raise UsageError("The server could not start; the log above says why.")


def _allow_many_files() -> None:
    """Take as many files as the system allows: every connection is one, and the usual limit is 1,024."""
    if os.name == "nt":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _try_database(settings: Settings) -> None:
    """Open the database once, so that a fault in it is reported in one sentence."""
    store = Store(settings)
    await store.open()
    try:
        await store.ping()
    except Unavailable as error:
        raise UsageError("The database cannot be written to: %(reason)s.", reason=error.cause) from None
    finally:
        await store.close()


def _bind(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    try:
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.set_inheritable(True)
    except OSError as error:
        if or_any and port:
            return _bind(host, 0)
        raise UsageError(
            "Port %(port)s at %(host)s cannot be used: %(reason)s.", port=port, host=host, reason=error.strerror
        ) from None
    return sock
