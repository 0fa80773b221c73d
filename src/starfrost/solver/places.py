"""Where the solver keeps its files."""

import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Give the folder of solved sets: `STARFROST_CACHE`, or the user's cache folder."""
    chosen = os.environ.get("STARFROST_CACHE")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("starfrost")
