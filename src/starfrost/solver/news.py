"""What a table may tell its players about cards that are still being solved."""

from collections.abc import Iterable
from typing import Any

from starfrost.games.dicy_cards import DicyCards
from starfrost.words import Words

__all__ = ["solving"]


def solving(w: Words, game: Any, bots: Iterable[str]) -> str:
    """Say how far the solving of a table's cards is, if one of its bots waits for it; nothing otherwise."""
    if not isinstance(game, DicyCards) or not {"perfect", "master"} & set(bots):
        return ""
    from starfrost.solver.service import solving_share

    share = solving_share(game.cards, game.goal)
    if share is None:
        return ""
    return w(
        "These cards are being solved: %(percent)s %%. Until then the bot plays as planner.", percent=int(100 * share)
    )
