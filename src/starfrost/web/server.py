"""Running the app: one process or several, and an end in under two seconds."""

import os
import socket

import uvicorn
from uvicorn.supervisors import Multiprocess

from starfrost.errors import UsageError
from starfrost.table import Settings
from starfrost.web.app import create_app
from starfrost.web.browser import open_browser
from starfrost.web.logs import configure_logs

__all__ = ["run"]

_GRACE = 1
"""Seconds that requests under way have to finish."""


def run(settings: Settings, host: str, port: int, workers: int = 1, *, show: bool = False) -> None:
    """Serve until interrupted; `show` opens a browser. Raises UsageError if the address or database cannot be used."""
    configure_logs(settings.log_level)
    several = workers > 1
    if several:
        settings.to_environment()
    config = uvicorn.Config(
        "starfrost.web.app:app_from_environment" if several else create_app(settings),
        factory=several,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop" if os.name != "nt" else "asyncio",
        http="httptools",
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
    sock = _bind(host, port, or_any=show)
    address = f"http://{host}:{sock.getsockname()[1]}/"
    print(f"Starfrost is open at {address} (Ctrl+C closes it).", flush=True)
    if show:
        open_browser(address)
    if several:
        Multiprocess(config, sockets=[sock]).run()
    else:
        server = uvicorn.Server(config)
        server.run(sockets=[sock])
        if not server.started:
            raise UsageError("The server could not start; the log above says why.")


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
        raise UsageError(f"Port {port} at {host} cannot be used: {error.strerror}.") from None
    return sock
