"""The coach of Dicy Cards on a device without a server: the estimates of `planner`."""

from collections.abc import Mapping
from typing import Any, Final

from starfrost.coach.judge import Parts
from starfrost.coach.planned import PlannedCoach, PlannedJudge
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State
from starfrost.games.dicy_cards.bots.answers import EndOfTurn
from starfrost.games.dicy_cards.bots.outlook import Outlook
from starfrost.games.dicy_cards.bots.planner import plan
from starfrost.games.dicy_cards.coach.reason_text import sentences
from starfrost.words import Words

ERROR: Final = 0.08
"""The 95% error of the difference of two actions, by `python -m bench.here coach`."""


class CardsPlanned(PlannedJudge):
    """Estimates for one game of Dicy Cards."""

    game: DicyCards

    def chances(self, state: State) -> Mapping[Any, float]:
        """Return the acting seat's chance to win after every legal action."""
        legal = self.game.legal_actions(state)
        if state.phase is not Phase.ACT:
            return {action: self._answered(state, action) for action in legal}
        turn = plan(self.game, state.seat, state.scores, state.active)
        return {action: turn.value(action, state.active[state.seat], state.dice) for action in legal}

    def chance(self, state: State) -> float:
        """Return the chance of the seat that is about to roll."""
        turn, active = plan(self.game, state.seat, state.scores, state.active), state.active[state.seat]
        return turn.start[active] if state.phase is Phase.ROLL else turn.kept(state.dice, active)

    def _answered(self, state: State, action: Action) -> float:
        """Return the chance of a seat after it has frozen or reset a card at the end of a turn."""
        seat, active = self.game.actor(state), list(state.active)
        active[seat] ^= 1 << self.game.cards.index(action.card)
        end = EndOfTurn(self.game, state.seat, state.scores, tuple(active))
        found = Outlook(end).value(state.scores[state.seat], active[state.seat])
        return found if seat == state.seat else 1.0 - found


class CardsPlannedCoach(PlannedCoach):
    """The coach of Dicy Cards by the estimates of `planner`."""

    def planned(self, game: DicyCards) -> CardsPlanned:
        """Return the judge of a game."""
        return CardsPlanned(game, ERROR)

    def reasons(
        self, w: Words, game: DicyCards, state: State, better: Action, worse: Action, parts: Parts
    ) -> list[str]:
        """Return at most two sentences on the greatest parts, which puzzles hold."""
        return sentences(w, game, state, better, worse, parts)


COACH: Final = CardsPlannedCoach()
