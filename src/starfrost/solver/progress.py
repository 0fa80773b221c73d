"""What a table may tell its players about cards that are still being solved, and who sees to that."""

import contextlib
import sys
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from starfrost.games.dicy_cards import DicyCards

__all__ = ["WAITING", "News", "prepare", "solving", "stop"]

WAITING: Final = ("perfect", "master")
"""The bots that play by solved cards."""


class News(NamedTuple):
    """A bot that plays as the planner for now."""

    bot: str
    percent: int | None
    """How far its cards are solved; None if nobody will solve them here."""


def _waiting(game: Any, bots: Iterable[str]) -> str:
    """Name the bot at a table that needs its cards solved; empty if there is none."""
    there = set(bots) if isinstance(game, DicyCards) else set()
    return next((bot for bot in WAITING if bot in there), "")


def solving(game: Any, bots: Iterable[str]) -> News | None:
    """Say which of a table's bots waits for its cards and how far they are; None once nobody waits."""
    bot = _waiting(game, bots)
    if not bot:
        return None
    from starfrost.solver import on_demand as service

    if service.ready(game.cards, game.goal):
        return None
    share = service.solving_share(game.cards, game.goal)
    if share is None:
        # A process that ends has saved its file first: look again before saying that there is none.
        if service.ready(game.cards, game.goal):
            return None
        hopeful = service.can_start(game.goal) and not service.gave_up(game.cards, game.goal)
        share = 0.0 if hopeful else None
    return News(bot, None if share is None else min(99, round(100 * share)))


def prepare(game: Any, bots: Iterable[str]) -> None:
    """Have a table's cards solved in the background if one of its bots needs that; cheap to ask again."""
    if not _waiting(game, bots):
        return
    from starfrost.solver import on_demand as service

    with contextlib.suppress(OSError):
        service.wanted(game.cards, game.goal)


def stop() -> None:
    """End what this process has solved in the background, if anything."""
    if "starfrost.solver.on_demand" in sys.modules:
        from starfrost.solver import on_demand as service

        service.stop()
