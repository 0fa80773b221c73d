"""Opening the page where a person sits: in a browser on this machine, if it has one and a screen."""

import os
import sys
import webbrowser
from collections.abc import Mapping
from threading import Thread

__all__ = ["has_screen", "open_browser"]


def has_screen(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Say whether a browser window could be seen here: not in automated runs, not on a machine without a display."""
    environment = os.environ if environment is None else environment
    if environment.get("CI") or environment.get("SSH_CONNECTION"):
        return False
    if platform.startswith(("win", "darwin", "cygwin")):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def open_browser(address: str) -> None:
    """Open the page in a browser where there is one; the socket already listens, so the page waits for the server."""
    if has_screen():
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
