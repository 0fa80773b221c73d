"""Bots that play from solved tables: whether the tables are there, how far they are, and who has them made.

A bot whose entry names a module in `tables` waits for what that module solves. The module has four functions:
`solve(game, progress)`, `in_background(game)`, `share(game)` and `stop()`.
"""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

from starfrost.games.core import Game
from starfrost.players.registry import BOTS, entries

__all__ = ["News", "prepare", "solve", "solving", "stop", "waiting"]


class News(NamedTuple):
    """A bot that plays as the planner for now."""

    bot: str
    percent: int | None
    """How far its tables are solved; None if nobody will solve them here."""


def waiting(game: Game[Any, Any], bots: Iterable[str]) -> str | None:
    """Return the strongest of these bots that needs solved tables; None if there is none."""
    there = set(bots)
    needy = [name for name, entry in entries(game.name).items() if entry.tables and name in there]
    return needy[-1] if needy else None


def _tables(game: Game[Any, Any], bot: str) -> Any:
    return import_module(entries(game.name)[bot].tables)


def solving(game: Game[Any, Any], bots: Iterable[str]) -> News | None:
    """Return which of a table's bots waits for its tables and how far they are; None once nobody waits."""
    bot = waiting(game, bots)
    if bot is None:
        return None
    share = _tables(game, bot).share(game)
    return None if share == 1 else News(bot, None if share is None else min(99, round(100 * share)))


def prepare(game: Game[Any, Any], bots: Iterable[str]) -> None:
    """Have the tables solved in the background if one of the bots needs them; cheap to ask again."""
    bot = waiting(game, bots)
    if bot is not None:
        _tables(game, bot).in_background(game)


def solve(game: Game[Any, Any], bots: Iterable[str], progress: Callable[[float], None]) -> None:
    """Solve the tables now if one of the bots needs them; `progress` is called with the share that is done."""
    bot = waiting(game, bots)
    if bot is not None:
        _tables(game, bot).solve(game, progress)


def stop() -> None:
    """End what this process solves in the background, if anything."""
    modules = {entry.tables for game in BOTS for entry in BOTS[game].values()}
    for name in modules & sys.modules.keys():
        sys.modules[name].stop()
