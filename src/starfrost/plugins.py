"""What other installed distributions add, by entry points, and code that is named in a text."""

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any


@lru_cache(maxsize=256)
def load(reference: str) -> Any:
    """Import what `module:attribute` names."""
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


@lru_cache(maxsize=8)
def _installed(path: tuple[str, ...]) -> Mapping[str, Mapping[str, str]]:
    """Return what other distributions declare, by group; `path` is the `sys.path` on which they are found."""
    # Imported here: our own games do not need it, and it takes longer to import than they do.
    from importlib.metadata import distributions

    groups: dict[str, dict[str, str]] = {}
    for distribution in distributions():
        # `importlib.metadata.entry_points` parses the file of every distribution, which takes five times as long.
        if "[starfrost." in (distribution.read_text("entry_points.txt") or ""):
            for point in distribution.entry_points:
                groups.setdefault(point.group, {}).setdefault(point.name, point.value)
    return {group: dict(sorted(points.items())) for group, points in groups.items()}


def entry_points(group: str) -> Mapping[str, str]:
    """Return what other distributions declare in a group, as `module:attribute` by name."""
    return _installed(tuple(sys.path)).get(group, {})
