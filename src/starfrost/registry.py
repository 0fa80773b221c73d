"""The parts of every game, found by the game's id.

Each package keeps what it needs of a game in a *kit*, declared in a module named after the game, and one `Registry`
of these kits. A kit is imported when it is first used. Other distributions add games of their own by entry points
whose group is the registry's name:

    [project.entry-points."starfrost.games"]
    pig = "pig.kit:KIT"
"""

import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

from starfrost.errors import UsageError, quoted

Kit = TypeVar("Kit")
Default = TypeVar("Default")


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


class Registry(Generic[Kit]):
    """The kits of one package by game id: first our own in the order given, then those of other distributions."""

    def __init__(self, group: str, own: Mapping[str, str]) -> None:
        """Name the entry-point group and the package's own kits, as `module:attribute` by game id."""
        self.group = group
        self._own = own

    def _others(self) -> Mapping[str, str]:
        return entry_points(self.group)

    def _reference(self, game: str) -> str | None:
        # Entry points are read only for a game that is not ours: reading them takes some milliseconds.
        return self._own.get(game) or self._others().get(game)

    def __getitem__(self, game: str) -> Kit:
        """Return the kit of a game. Raises UsageError, listing the games there are."""
        reference = self._reference(game)
        if reference is None:
            raise UsageError(
                "There is no game %(game)s; expected one of %(games)s.",
                "game",
                game=quoted(game),
                games=", ".join(self),
            )
        kit: Kit = load(reference)
        return kit

    @overload
    def get(self, game: str) -> Kit | None: ...

    @overload
    def get(self, game: str, default: Default) -> Kit | Default: ...

    def get(self, game: str, default: Any = None) -> Any:
        """Return the kit of a game, or the default if this package has none."""
        return default if self._reference(game) is None else self[game]

    def __contains__(self, game: object) -> bool:
        return isinstance(game, str) and self._reference(game) is not None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the game ids in a stable order."""
        return iter({**self._own, **self._others()})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def items(self) -> Iterator[tuple[str, Kit]]:
        """Iterate over ids and kits."""
        return ((game, self[game]) for game in self)
