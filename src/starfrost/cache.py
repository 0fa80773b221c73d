"""The cache folder: solved sets and compiled code."""

import os
import tempfile
from pathlib import Path
from typing import Final

from starfrost import __version__

_ROOM: Final = 1 << 22
"""The bytes that must fit into a folder: more than all compiled code."""


def cache_folder() -> Path:
    """Return the cache folder: `STARFROST_CACHE`, or the user's cache folder."""
    chosen = os.environ.get("STARFROST_CACHE")
    if chosen:
        return Path(chosen)
    try:
        from platformdirs import user_cache_path
    except ModuleNotFoundError:
        # In a browser there is no user's folder.
        return Path(tempfile.gettempdir()) / "starfrost"
    return user_cache_path("starfrost")


def has_room(folder: str | Path) -> bool:
    """Return whether some megabytes can be written into a folder, by writing and removing them."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_ROOM))
    except OSError:
        return False
    return True


def compiled_folder() -> Path:
    """Return where compiled functions are kept.

    Each version has its own folder: Numba fails on an index that names a class which is gone.
    """
    return Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder() / f"numba-{__version__}")
