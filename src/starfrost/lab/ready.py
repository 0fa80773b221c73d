"""Bots that play from solved tables get them before the first game, so that the same seed gives the same games."""

from collections.abc import Callable, Sequence

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import DicyCards
from starfrost.lab.deals import Setup
from starfrost.players.registry import BOTS

__all__ = ["make_ready"]


def make_ready(setup: Setup, bots: Sequence[str], progress: Callable[[float], None]) -> None:
    """Solve the cards of a set-up if a bot needs that and nobody has; `progress` hears the share that is done.

    Raises UsageError where cards are drawn anew for every deal: solving takes minutes a set.
    """
    needy = next((name for name in bots if name in BOTS and BOTS[name].tables), None)
    if needy is None:
        return
    if setup.drawn:
        raise UsageError(
            "%(bot)s must have the cards solved first; choose five cards instead of interglacial.", bot=needy
        )
    game = setup.deal(0, 0)
    if isinstance(game, DicyCards):
        from starfrost.solver.on_demand import ensure_solved

        ensure_solved(game.cards, game.goal, progress)
