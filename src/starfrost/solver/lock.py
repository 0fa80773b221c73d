"""Who is at a set of cards: a small file which the solving process holds, and in which it writes how far it is.

The hold is the system's lock on an open file: it is passed on to a child, and it goes when its process goes, however
that ends. Where there is no such lock a file counts as held while it is fresh.
"""

import os
import sys
import time
from pathlib import Path
from typing import Final

__all__ = ["PASSED_ON", "claim", "held", "hold", "release", "share_of", "tell"]

PASSED_ON: Final = sys.platform != "win32"
"""Whether a claim can be handed to a child process."""

_STALE: Final = 120.0
"""Seconds without news after which a process counts as gone, where there is no lock to ask."""


def hold(handle: int, *, alone: bool) -> bool:
    """Lock an open file; False if somebody else holds it."""
    if sys.platform == "win32":
        about = os.fstat(handle)
        return about.st_size == 0 or time.time() - about.st_mtime >= _STALE
    import fcntl

    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def held(path: Path) -> bool:
    """Say whether somebody holds a file. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        return not hold(handle, alone=False)
    finally:
        os.close(handle)


def claim(path: Path) -> int | None:
    """Claim a file: its handle, which holds it until it is closed; None if somebody holds it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(5):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        # The last holder may have removed the file between the two calls; then this one is nobody's.
        if hold(handle, alone=True) and os.fstat(handle).st_nlink:
            tell(handle, 0.0)
            return handle
        os.close(handle)
        # Who only looks holds it too, for a moment.
        time.sleep(0.01)
    return None


def tell(handle: int, share: float) -> None:
    """Write how far the work is; always the same number of characters, so that nobody reads half of it."""
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, f"{share:.3f}".encode())


def release(path: Path, handle: int) -> None:
    """Give a claim back."""
    path.unlink(missing_ok=True)
    os.close(handle)


def share_of(path: Path) -> float | None:
    """Read how far the holder of a file is; None if nobody holds it."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return None if hold(handle, alone=False) else float(os.read(handle, 16) or 0)
    except ValueError:
        return None
    finally:
        os.close(handle)
