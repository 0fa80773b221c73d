"""Waiting for what another process does."""

import time
from collections.abc import Callable

PATIENCE = 120.0


def eventually(happened: Callable[[], bool]) -> None:
    """Wait until something has happened; fail if it does not, however slow the machine is."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)
