"""A claim on work: a lock file that the working process holds, and a file beside it with the finished share.

The operating system releases the lock when its process ends, even if it is killed. `filelock` is imported on use,
because it belongs to the extra `solver`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


class Claim:
    """A claim that this process holds."""

    def __init__(self, path: Path, lock: "BaseFileLock") -> None:
        self._path = path
        self._lock = lock
        self._file = path.open("wb", buffering=0)
        self.write(0.0)

    def write(self, share: float) -> None:
        """Write the finished share, always with the same number of bytes, so that nobody reads half of it."""
        self._file.seek(0)
        self._file.write(f"{share:.3f}".encode())

    def release(self) -> None:
        """Release the claim."""
        self._file.close()
        self._path.unlink(missing_ok=True)
        self._lock.release()


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


def claim(path: Path) -> Claim | None:
    """Claim the work whose progress is in a file; None if another process has it. Raises OSError."""
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(_lock_path(path), thread_local=False)
    try:
        # A process that reads the share also holds the lock for a moment.
        lock.acquire(timeout=0.05, poll_interval=0.01)
    except Timeout:
        return None
    try:
        return Claim(path, lock)
    except OSError:
        lock.release()
        raise


def share_of(path: Path) -> float | None:
    """Return the finished share of claimed work; None if nobody has claimed it."""
    # The file exists while the work is claimed. Without it, trying the lock could disturb a process that claims it now.
    if not path.exists():
        return None
    try:
        from filelock import FileLock, Timeout

        with FileLock(_lock_path(path), blocking=False):
            return None
    except Timeout:
        try:
            return float(path.read_bytes() or 0)
        except (OSError, ValueError):
            return 0.0
    except (ImportError, OSError):
        return None
