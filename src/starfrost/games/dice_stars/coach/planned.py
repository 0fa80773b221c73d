"""The coach of Dice Stars on a device without a server: the estimates of `planner`."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from starfrost.coach.judge import Parts
from starfrost.coach.planned import PlannedCoach, PlannedJudge
from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.games.dice_stars.actions import KEEP, RETURN
from starfrost.games.dice_stars.bots.planner import THREE, DiceStarsPlanner
from starfrost.games.dice_stars.bots.weighing import Weighing
from starfrost.games.dice_stars.coach.reasons import sentences
from starfrost.words import Words

ERROR: Final = 0.15
"""The 95% error of the difference of two actions, by `python -m bench.here coach`."""


class StarsPlanned(PlannedJudge):
    """Estimates for one game of Dice Stars."""

    game: DiceStars

    def __init__(self, game: DiceStars, error: float) -> None:
        super().__init__(game, error)
        self._planner = DiceStarsPlanner()

    def chances(self, state: State) -> Mapping[Any, float]:
        """Return the acting seat's chance to win after every legal action."""
        weighing = self._weighing(state)
        if state.phase is Phase.TAKE:
            return {action: self._taken(weighing, state, action) for action in self.game.legal_actions(state)}
        rng = Random(self.game.position_text(state))
        if state.phase is Phase.REFILL:
            returned = self._planner.draw(weighing, self.game, self.game.rules.dice, (), THREE.number, rng)
            return {KEEP: max(self.chances(state._replace(phase=Phase.REFILLED)).values()), RETURN: returned}
        return {
            action: self._planner.draw(weighing, self.game, state.bag, state.reserve, action.number, rng)
            for action in self.game.legal_actions(state)
        }

    def chance(self, state: State) -> float:
        """Return the chance of the seat that is about to roll."""
        rng = Random(self.game.position_text(state))
        return self._planner.draw(self._weighing(state), self.game, state.bag, state.reserve, state.draw, rng)

    def _weighing(self, state: State) -> Weighing:
        return Weighing(self._planner.evaluation_of(self.game), state, self.game.solo_boxes)

    def _taken(self, weighing: Weighing, state: State, action: Any) -> float:
        sheet = self.game.apply(state, action).sheets[state.seat]
        return weighing.chance(state.reserve, action, weighing.reach.evaluation.outlook(sheet, weighing.reach.limit))


class StarsPlannedCoach(PlannedCoach):
    """The coach of Dice Stars by the estimates of `planner`."""

    def planned(self, game: DiceStars) -> StarsPlanned:
        """Return the judge of a game."""
        return StarsPlanned(game, ERROR)

    def reasons(
        self, w: Words, game: DiceStars, state: State, better: Action, worse: Action, parts: Parts
    ) -> list[str]:
        """Return at most two sentences on the greatest parts, which puzzles hold."""
        return sentences(w, game, state, better, worse, parts)


COACH: Final = StarsPlannedCoach()
