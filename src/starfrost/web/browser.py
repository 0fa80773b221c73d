"""Open the start page in a browser on this machine, if it has one and a screen."""

import os
import sys
import webbrowser
from collections.abc import Mapping
from threading import Thread
from time import sleep
from urllib.request import urlopen


def has_screen(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Return whether a browser window could be seen here: not in automated runs, not on a machine without a display."""
    environment = os.environ if environment is None else environment
    if environment.get("CI") or environment.get("SSH_CONNECTION"):
        return False
    if platform.startswith(("win", "darwin", "cygwin")):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def open_browser(address: str) -> None:
    """Open the page in a browser as soon as the server answers."""
    if has_screen():
        Thread(target=_open_when_ready, args=(address,), daemon=True).start()


def _open_when_ready(address: str) -> None:
    for _ in range(100):
        try:
            urlopen(f"{address}healthz", timeout=2).close()
        except OSError:
            sleep(0.2)
        else:
            webbrowser.open(address)
            return
