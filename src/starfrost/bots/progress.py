"""Bots that need solved tables: the progress of the tables, and starting and stopping the work.

A bot whose entry names a module in `tables` waits for the tables of that module. The module has four functions:
`solve(game, progress)`, `in_background(game)`, `share(game)` and `stop()`.
"""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

from starfrost.bots.registry import BOTS, entries
from starfrost.games.core import Game


class SolvingProgress(NamedTuple):
    """A bot at a table of people that plays like the planner until its tables are solved (`make_bot`)."""

    bot: str
    percent: int | None
    """The solved part of its tables; None if nothing solves them here."""


def waiting(game: Game[Any, Any], bots: Iterable[str]) -> str | None:
    """Return the strongest of these bots that needs solved tables; None if there is none."""
    there = set(bots)
    needy = [name for name, entry in entries(game.name).items() if entry.tables and name in there]
    return needy[-1] if needy else None


def _tables(game: Game[Any, Any], bot: str) -> Any:
    return import_module(entries(game.name)[bot].tables)


def solving(game: Game[Any, Any], bots: Iterable[str]) -> SolvingProgress | None:
    """Return the bot that waits for its tables and their progress; None if no bot waits."""
    bot = waiting(game, bots)
    if bot is None:
        return None
    share = _tables(game, bot).share(game)
    return None if share == 1 else SolvingProgress(bot, None if share is None else min(99, round(100 * share)))


def prepare(game: Game[Any, Any], bots: Iterable[str]) -> None:
    """Start to solve the tables in the background if one of the bots needs them; repeated calls are cheap."""
    bot = waiting(game, bots)
    if bot is not None:
        _tables(game, bot).in_background(game)


def solve(game: Game[Any, Any], bots: Iterable[str], progress: Callable[[float], None]) -> None:
    """Solve the tables now if one of the bots needs them; `progress` is called with the finished share."""
    bot = waiting(game, bots)
    if bot is not None:
        _tables(game, bot).solve(game, progress)


def stop() -> None:
    """Stop the background solving of this process, if there is any."""
    modules = {entry.tables for game in BOTS for entry in BOTS[game].values()}
    for name in modules & sys.modules.keys():
        sys.modules[name].stop()
