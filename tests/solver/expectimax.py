"""One turn by plain expectimax over the reference engine: every state, every action, every roll, nothing left out.

It knows the contract of a game and no rule. Worths are the first seat's chances: its own decisions take the greatest,
the other seat's the least, chance the mean, and a position between turns is looked up.
"""

from collections.abc import Callable
from math import fsum

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import DicyCards, State

__all__ = ["expectimax"]


def expectimax(game: DicyCards, start: State, worth: Callable[[State], float]) -> float:
    """Return the first seat's chance in a position between turns, from the values of those that can follow."""
    known: dict[State, float] = {}

    def value(state: State) -> float:
        if state not in known:
            known[state] = worth(state) if game.starts_turn(state) else inside(state)
        return known[state]

    def inside(state: State) -> float:
        actor = game.actor(state)
        if actor == OVER:
            winners = game.winners(state)
            return (0 in winners) / len(winners)
        if actor == CHANCE:
            outcomes = game.chance_outcomes(state)
            total = sum(weight for _, weight in outcomes)
            return fsum(weight * value(game.apply(state, roll)) for roll, weight in outcomes) / total
        found = [value(game.apply(state, action)) for action in game.legal_actions(state)]
        return max(found) if actor == 0 else min(found)

    return inside(start)
