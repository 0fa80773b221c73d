"""`planner` for Dicy Cards: the exact best sequence of rerolls within the turn, for an estimated chance to win.

Every way to end the turn (each card with each number of points, or a skip, with each set of cards left active) gets a
worth from the `Outlook`: the chance to win from there, with the effects on the others' cards as they would best
answer them. The turn that leads there, 462 rolls by up to 32 sets of active cards, is then solved exactly. The other
players' coming turns are not searched; they count through their points to come.
"""

from functools import lru_cache
from random import Random
from typing import Any

import numpy as np

from starfrost.games.core import Game
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, State, options
from starfrost.players.dicy_cards.answers import Table, after_score, after_skip, best_answer
from starfrost.players.dicy_cards.outlook import Outlook
from starfrost.players.dicy_cards.prospects import prospects
from starfrost.players.dicy_cards.rolls import hands
from starfrost.players.dicy_cards.turn import solve

__all__ = ["DicyCardsPlanner", "Plan"]


class Plan:
    """A turn worked out: what every way to end it is worth, and the best worth of every position on the way."""

    def __init__(self, table: Table) -> None:
        game, seat, scores, active = table
        places = [at for at in range(len(game.cards)) if active[seat] >> at & 1]
        # Columns stand for the sets of these cards only: frozen ones stay frozen until a skip.
        sets = [
            sum(1 << at for bit, at in enumerate(places) if column >> bit & 1) for column in range(1 << len(places))
        ]
        self.column = {cards: column for column, cards in enumerate(sets)}
        self.bit = {game.cards[at]: 1 << at for at in places}
        takings = [prospects(game.cards, game.seats).takings[at] for at in places]
        worths = [
            Outlook(table._replace(active=after_score(table, card))).worth(scores[seat] + taking.points)[:, sets]
            for card, taking in zip(self.bit, takings, strict=True)
        ]
        skipped = Outlook(table._replace(active=after_skip(table))).worth(np.array([scores[seat]]))
        self.skip = float(skipped[0, -1])
        self.kept = solve(self.skip, takings, worths).kept
        self.scored = {
            card: dict(zip(taking.points.tolist(), worth, strict=True))
            for card, taking, worth in zip(self.bit, takings, worths, strict=True)
        }

    def worth(self, action: Action, active: int, dice: str) -> float:
        """Give the worth of an action with these cards active and these dice on the table."""
        if action.verb == "skip":
            return self.skip
        column = self.column[active ^ self.bit[action.card]]
        if action.verb == "score":
            return float(self.scored[action.card][dict(options(action.card, dice))[action.dice]][column])
        return float(self.kept[hands().row[remove(dice, action.dice)], column])


@lru_cache(maxsize=32)
def _plan(cards: tuple[str, ...], goal: int, seat: int, scores: tuple[int, ...], active: tuple[int, ...]) -> Plan:
    return Plan(Table(DicyCards(len(scores), cards, goal), seat, scores, active))


class DicyCardsPlanner:
    """A player who plans the whole turn."""

    name = "planner"

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Choose the action with the best chance to win; of equal ones the first in the rules' order."""
        assert isinstance(game, DicyCards)
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        if legal[0].verb in ("freeze", "reset"):
            return self._answer(game, state, legal)
        plan = _plan(game.cards, game.goal, state.seat, state.scores, state.active)
        active = state.active[state.seat]
        return max(legal, key=lambda action: plan.worth(action, active, state.dice))

    def _answer(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        seat = game.actor(state)
        table = Table(game, state.seat, state.scores, state.active)
        turned = {state.active[seat] ^ 1 << game.cards.index(action.card): action for action in legal}
        return turned[best_answer(table, seat, list(turned))]
