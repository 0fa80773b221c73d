"""Child processes that react to Ctrl-C, wherever the tests run."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Start child processes here with the default handling of SIGINT.

    A shell lets its background jobs ignore SIGINT, and children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
