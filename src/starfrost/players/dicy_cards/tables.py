"""The solved tables of Dicy Cards, as `players.progress` asks for them."""

import contextlib
import sys
from collections.abc import Callable

from starfrost.games.dicy_cards import DicyCards

__all__ = ["in_background", "share", "solve", "stop"]

# The solver is imported where it is used: asking whether there is anything to stop must not load it.


def solve(game: DicyCards, progress: Callable[[float], None]) -> None:
    """Solve the cards of a game now, unless they are solved; `progress` is called with the share that is done."""
    from starfrost.solver.on_demand import ensure_solved

    ensure_solved(game.cards, game.goal, progress)


def in_background(game: DicyCards) -> None:
    """Have the cards of a game solved in the background; cheap to ask again."""
    from starfrost.solver import on_demand

    with contextlib.suppress(OSError):
        on_demand.wanted(game.cards, game.goal)


def share(game: DicyCards) -> float | None:
    """Return how much of the cards is solved: 1 if all, None if nobody will solve them here."""
    from starfrost.solver import on_demand

    if on_demand.ready(game.cards, game.goal):
        return 1.0
    done = on_demand.solving_share(game.cards, game.goal)
    if done is not None:
        return min(0.99, done)
    # A process that ends has saved its file first: look again before saying that there is none.
    if on_demand.ready(game.cards, game.goal):
        return 1.0
    return 0.0 if on_demand.can_start(game.goal) and not on_demand.gave_up(game.cards, game.goal) else None


def stop() -> None:
    """End what this process solves in the background, if anything."""
    if "starfrost.solver.on_demand" in sys.modules:
        from starfrost.solver import on_demand

        on_demand.stop()
