"""Knows what every position and every action of a solved two-player game is worth.

Worths are winning probabilities of the seat that is asked about, a shared victory counting one half. Positions are
the reference engine's, with the cards in the game's own order.
"""

from functools import lru_cache
from typing import NamedTuple

from starfrost.dice.lattice import KEPT, lattice
from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.solver.turn import Turn
from starfrost.solver.values import Values

__all__ = ["Adviser", "Worth"]

_VERBS = ("score", "skip", "freeze", "reset", "reroll")


class Worth(NamedTuple):
    """An action and the winning probability of the seat that takes it, under perfect play from then on."""

    action: Action
    worth: float


class Adviser:
    """The worths of a game's positions and actions, from the solved values of its cards."""

    def __init__(self, game: DicyCards, values: Values) -> None:
        if game.seats != 2:
            raise UsageError("Exact worths exist for two players, not for %(seats)s.", seats=game.seats)
        if set(game.cards) != set(values.cards) or game.goal != values.goal:
            raise UsageError("These solved worths are of other cards or another goal.")
        self.game, self.values = game, values
        places = [values.cards.index(card) for card in game.cards]
        self._mask = [sum(1 << places[bit] for bit in range(5) if mask >> bit & 1) for mask in range(32)]
        self._place = dict(zip(game.cards, places, strict=True))
        self._turn = lru_cache(maxsize=64)(self._open_turn)

    def _open_turn(self, seat: int, scores: tuple[int, ...], other_mask: int) -> Turn:
        return Turn(self.values, seat, scores, other_mask, 31)

    def turn(self, state: State) -> Turn:
        """Open up the turn that a position belongs to."""
        return self._turn(state.seat, state.scores, self._mask[state.active[1 - state.seat]])

    def worth(self, state: State, seat: int = 0) -> float:
        """Give a seat's winning probability in any position."""
        worth = self._mover_worth(state)
        return worth if seat == state.seat else 1.0 - worth

    def _mover_worth(self, state: State) -> float:
        """Give the winning probability of the seat whose turn it is."""
        if state.phase is Phase.OVER:
            winners = self.game.winners(state)
            return 0.0 if state.seat not in winners else 1 / len(winners)
        if state.phase in (Phase.FREEZE, Phase.RESET):
            return 1.0 - max(choice.worth for choice in self.worths(state))
        own = self._mask[state.active[state.seat]]
        if self.game.starts_turn(state):
            active = [self._mask[mask] for mask in state.active]
            return self.values.worth(state.seat, state.scores, active)
        number = lattice().number[state.dice]
        turn = self.turn(state)
        return float(turn.kept[own, number] if state.phase is Phase.REROLL else turn.rolls[own, number - KEPT])

    def worths(self, state: State) -> list[Worth]:
        """Give the worth of every legal action for the seat that acts, in the engine's order; empty if none acts."""
        actor = self.game.actor(state)
        if actor in (CHANCE, OVER):
            return []
        legal = self.game.legal_actions(state)
        if state.phase is not Phase.ACT:
            return [Worth(action, self.worth(self.game.apply(state, action), actor)) for action in legal]
        if not state.dice:
            return [Worth(legal[0], self._mover_worth(state))]
        return self._act_worths(state, legal)

    def _act_worths(self, state: State, legal: tuple[Action, ...]) -> list[Worth]:
        turn, number = self.turn(state), lattice().number
        own = self._mask[state.active[state.seat]]
        by_score: dict[tuple[str, int], float] = {}
        points = {card: dict(options(card, state.dice)) for card in self.game.cards}
        found = []
        for action in legal:
            if action.verb == "skip":
                worth = turn.skip
            else:
                place = self._place[action.card]
                rest = own ^ (1 << place)
                if action.verb == "reroll":
                    worth = float(turn.kept[rest, number[remove(state.dice, action.dice)]])
                else:
                    key = (action.card, points[action.card][action.dice])
                    if key not in by_score:
                        by_score[key] = turn.score_worth(place, key[1], rest)
                    worth = by_score[key]
            found.append(Worth(action, worth))
        return found

    def best(self, state: State) -> Worth:
        """Give the best action; of worths closer than 1e-12 a score, then a skip, then a reroll, the engine's first."""
        worths = self.worths(state)
        enough = max(choice.worth for choice in worths) - 1e-12
        good = [choice for choice in worths if choice.worth >= enough]
        return min(good, key=lambda choice: _VERBS.index(choice.action.verb))
