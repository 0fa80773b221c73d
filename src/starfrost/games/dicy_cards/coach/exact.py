"""The exact judge of Dicy Cards for two players, by the solved values of its cards."""

from functools import partial

import numpy as np

from starfrost.coach.judge import Difference, Option, Part, Parts, Shares
from starfrost.games.dicy_cards import Action, Change, Phase, State, card_of
from starfrost.games.dicy_cards.coach.reason_text import CARD
from starfrost.games.dicy_cards.coach.reasons import Turn, split
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.shared import NEAR


class ExactJudge:
    """Judges by the solved values of a game of two."""

    error = 0.0

    def __init__(self, adviser: Adviser) -> None:
        self.adviser, self.game = adviser, adviser.game

    def value(self, state: State) -> Shares:
        """Return both seats' winning probabilities."""
        first = self.adviser.value(state)
        return first, 1.0 - first

    def options(self, state: State) -> list[Option]:
        """Return every action with its value, the best for the acting seat first."""
        seat, values = self.game.actor(state), self.adviser.action_values(state)
        best = self.adviser.best_of(values).action
        ranked = sorted(values, key=lambda one: (one.action != best, -one.value))
        return [Option(one.action, (one.value, 1.0 - one.value)[:: 1 if seat == 0 else -1]) for one in ranked]

    def compare(self, state: State, one: Action, other: Action) -> Difference:
        """Return the exact difference of two actions."""
        values = {choice.action: choice.value for choice in self.adviser.action_values(state)}
        mean = values[one] - values[other]
        seat = self.game.actor(state)
        return Difference((mean, -mean) if seat == 0 else (-mean, mean), 0.0, mean > NEAR)

    def parts(self, state: State, better: Action, worse: Action, difference: float) -> Parts:
        """Split the exact difference of two actions."""
        if state.phase is not Phase.ACT:
            return (Part(CARD, difference, thing=better.card),)
        adviser, values = self.adviser, self.adviser.values
        solved, change = adviser.turn(state), np.append(card_set(values.cards).change, Change.RESET)
        ends = partial(values.ends, state.seat, state.scores, adviser.other_mask(state))
        return split(
            Turn(
                state,
                tuple(card_of(kind).id for kind in values.cards),
                self.game.goal,
                adviser.own_mask(state),
                solved,
                solved.kept,
                # The last change is that of a skip, which is the card -1.
                lambda points, card: ends(points, change[card]),
            ),
            better,
            worse,
        )
