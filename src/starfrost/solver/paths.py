"""The folder of the solver's files."""

import os
import tempfile
from pathlib import Path
from typing import Final

_ROOM: Final = 1 << 22
"""The bytes that must fit into a folder: more than all compiled code."""


def cache_folder() -> Path:
    """Return the folder of solved sets: `STARFROST_CACHE`, or the user's cache folder."""
    chosen = os.environ.get("STARFROST_CACHE")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

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
