"""The value of every position and every action of a solved two-player game.

Values are winning probabilities of one seat, a shared victory counting one half. Positions are those of the reference
engine, with the cards in the game's own order.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MASKS, Action, DicyCards, Phase, State
from starfrost.games.dicy_cards.solver.shared import NEAR
from starfrost.games.dicy_cards.solver.turn import SolvedTurn
from starfrost.games.dicy_cards.solver.values import Values

_VERBS = ("score", "skip", "freeze", "reset", "reroll")


class ActionValue(NamedTuple):
    """An action and the winning probability of the seat that takes it, with perfect play after it."""

    action: Action
    value: float


def translated(cards: tuple[str, ...], solved: tuple[str, ...]) -> list[int]:
    """Return for each mask of a game's cards the mask of the same cards in the order in which they are solved."""
    places = [solved.index(card) for card in cards]
    return [sum(1 << place for bit, place in enumerate(places) if mask >> bit & 1) for mask in range(MASKS)]


class Adviser:
    """The values of a game's positions and actions, from the solved values of its cards."""

    def __init__(self, game: DicyCards, values: Values) -> None:
        if game.seats != 2:
            raise UsageError("Exact values exist only for two players, not for %(seats)s.", seats=game.seats)
        if set(game.kinds) != set(values.cards) or game.goal != values.goal:
            raise UsageError("These solved values belong to other cards or another goal.")
        self.game, self.values = game, values
        self._mask = translated(game.kinds, values.cards)
        self._turn = lru_cache(maxsize=64)(values.turn)

    def turn(self, state: State) -> SolvedTurn:
        """Return the solved turn that a position belongs to."""
        return self._turn(state.seat, state.scores, self.other_mask(state))

    def own_mask(self, state: State) -> int:
        """Return the active cards of the seat whose turn it is, in the order in which the cards are solved."""
        return self._mask[state.active[state.seat]]

    def other_mask(self, state: State) -> int:
        """Return the active cards of the other seat, in the order in which the cards are solved."""
        return self._mask[state.active[1 - state.seat]]

    def value(self, state: State, seat: int = 0) -> float:
        """Return a seat's winning probability in any position."""
        value = self._mover_value(state)
        return value if seat == state.seat else 1.0 - value

    def _mover_value(self, state: State) -> float:
        """Return the winning probability of the seat whose turn it is."""
        if state.phase is Phase.OVER:
            winners = self.game.winners(state)
            return 0.0 if state.seat not in winners else 1 / len(winners)
        if state.phase in (Phase.FREEZE, Phase.RESET):
            return 1.0 - max(choice.value for choice in self.action_values(state))
        active = [self._mask[mask] for mask in state.active]
        if self.game.starts_turn(state):
            return self.values.value(state.seat, state.scores, active)
        turn = self.turn(state)
        return (turn.kept if state.phase is Phase.REROLL else turn.roll)(state.dice, active[state.seat])

    def action_values(self, state: State) -> list[ActionValue]:
        """Return the value of every legal action for the seat that acts, in the engine's order; empty if none acts."""
        actor = self.game.actor(state)
        if actor in (CHANCE, OVER):
            return []
        legal = self.game.legal_actions(state)
        if state.phase is not Phase.ACT:
            return [ActionValue(action, self.value(self.game.apply(state, action), actor)) for action in legal]
        if not state.dice:
            return [ActionValue(legal[0], self._mover_value(state))]
        turn, active = self.turn(state), self.own_mask(state)
        return [ActionValue(action, turn.value(action, active, state.dice)) for action in legal]

    def best(self, state: State) -> ActionValue:
        """Return the best action; of values that are `NEAR`, a score comes first, then a skip, then a reroll."""
        return self.best_of(self.action_values(state))

    def best_of(self, choices: Sequence[ActionValue]) -> ActionValue:
        """Return the best of the actions of a position."""
        enough = max(choice.value for choice in choices) - NEAR
        good = [choice for choice in choices if choice.value >= enough]
        return min(good, key=lambda choice: _VERBS.index(choice.action.verb))
