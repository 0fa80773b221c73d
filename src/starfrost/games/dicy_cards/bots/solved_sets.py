"""The solved tables of Dicy Cards, for `players.progress`."""

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from starfrost.games.dicy_cards import DicyCards

if TYPE_CHECKING:
    from starfrost.games.dicy_cards.solver.values import Values

# The solver is imported where it is used, because `stop` must not load it.


def solve(game: DicyCards, progress: Callable[[float], None]) -> None:
    """Solve the cards of a game now, unless they are solved; `progress` is called with the finished share."""
    from starfrost.games.dicy_cards.solver.on_demand import ensure_solved

    ensure_solved(game.kinds, game.goal, progress)


def solved(game: DicyCards) -> "Values":
    """Return the values of the cards of a game; if they are not there, say so on standard error and solve them now."""
    from starfrost.games.dicy_cards.solver.on_demand import ensure_solved, find

    found = find(game.kinds, game.goal)
    if found is None:
        print(f"Solving these five cards to {game.goal} points, once; the result is kept.", file=sys.stderr, flush=True)
        found = ensure_solved(game.kinds, game.goal)
    return found


def in_background(game: DicyCards) -> None:
    """Start to solve the cards of a game in the background; repeated calls are cheap."""
    from starfrost.games.dicy_cards.solver import on_demand

    with contextlib.suppress(OSError):
        on_demand.find_or_start(game.kinds, game.goal)


def share(game: DicyCards) -> float | None:
    """Return the solved share of the cards: 1 if complete, None if nothing solves them here."""
    from starfrost.games.dicy_cards.solver import on_demand

    if on_demand.ready(game.kinds, game.goal):
        return 1.0
    done = on_demand.solving_share(game.kinds, game.goal)
    if done is not None:
        return min(0.99, done)
    # A process saves its file before it ends, so check once more before reporting that there is none.
    if on_demand.ready(game.kinds, game.goal):
        return 1.0
    return 0.0 if on_demand.can_start(game.goal) and not on_demand.gave_up(game.kinds, game.goal) else None


def stop() -> None:
    """Stop the background solving of this process, if there is any."""
    if "starfrost.games.dicy_cards.solver.on_demand" in sys.modules:
        from starfrost.games.dicy_cards.solver import on_demand

        on_demand.stop()
