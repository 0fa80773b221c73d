"""Running the app: one process or several, and an end in under two seconds."""

import asyncio
import os
import signal
import socket
import sys
from tempfile import TemporaryDirectory
from types import FrameType

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

from starfrost.errors import UsageError
from starfrost.table import Settings
from starfrost.table.metrics import SHARED_FOLDER
from starfrost.table.store import Store
from starfrost.web.app import calm_collector, create_app
from starfrost.web.browser import open_browser
from starfrost.web.logs import configure_logs
from starfrost.web.protocol import BoundedProtocol
from starfrost.words import Words, language_from_environment

__all__ = ["run"]

_GRACE = 1
"""Seconds that requests under way have to finish."""


class _Config(uvicorn.Config):
    """Settings of a server whose processes end as Python ends, not as the signal would end them.

    Once all is closed, uvicorn raises the signal again. Left to itself SIGTERM then stops the process where it stands,
    and Python complains at the terminal of semaphores that the bots' workers left behind.
    """

    def configure_logging(self) -> None:
        """Prepare a process, the first and the workers alike: uvicorn calls this in each before it serves."""
        super().configure_logging()
        signal.signal(signal.SIGTERM, _leave)


class _Supervisor(Multiprocess):
    """The parent of several workers; what a dead worker measured last no longer counts."""

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died."""
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        for pid in before - {process.pid for process in self.processes}:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def run(settings: Settings, host: str, port: int, workers: int = 1, *, show: bool = False) -> None:
    """Serve until interrupted; `show` opens a browser. Raises UsageError if the address or database cannot be used."""
    sock = _bind(host, port, or_any=show)
    asyncio.run(_try_database(settings))
    configure_logs(settings.log_level)
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
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=30,
        backlog=2048,
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


async def _try_database(settings: Settings) -> None:
    """Open the database once, so that a fault in it is reported in one sentence."""
    store = Store(settings)
    await store.open()
    await store.close()


def _bind(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        sock = socket.socket(family)
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
