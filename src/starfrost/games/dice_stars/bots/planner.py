"""`planner` for Dice Stars: it rates a take by the chance to win after it, and a draw by the takes that follow.

*Take*: the outlook of its own sheet after the take (see `evaluation`) compared with the outlooks of the other sheets
and with what the next seat could do with the dice left over; in the solo game, with the boxes ticked for them.
*Draw*: the mean of the best take over possible rolls: all of them for one die, a sample for two and three.
*Refill*: the better of the best draw with the reserve and a draw of three without it.
"""

from random import Random
from typing import Final

from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.games.dice_stars.actions import DRAWS, KEEP, RETURN
from starfrost.games.dice_stars.bots.evaluation import SOLO_WEIGHTS, WEIGHTS, Evaluation, Weights
from starfrost.games.dice_stars.bots.weighing import Weighing
from starfrost.games.dice_stars.components import Bag, Dice

SAMPLES: Final = 50
"""The number of sampled rolls for two and for three dice."""


class DiceStarsPlanner:
    """A player that plans which rows to double with stars."""

    name = "planner"

    def __init__(self, weights: Weights = WEIGHTS, solo: Weights = SOLO_WEIGHTS, samples: int = SAMPLES) -> None:
        self.evaluation = Evaluation(weights)
        self.solo_evaluation = Evaluation(solo)
        self.samples = samples

    def choose(self, game: DiceStars, state: State, rng: Random) -> Action:
        """Return the action with the best chance to win; the sampled rolls use `rng`."""
        actions = game.legal_actions(state)
        if len(actions) == 1:
            return actions[0]
        weighing = Weighing(self.evaluation_of(game), state, game.solo_boxes)
        if state.phase is Phase.TAKE:
            return weighing.best_take(state.reserve)[1]
        if state.phase is Phase.REFILL:
            kept = state._replace(phase=Phase.REFILLED)
            draws = [
                self.draw(weighing, game, state.bag, state.reserve, draw.number, rng)
                for draw in game.legal_actions(kept)
            ]
            returned = self.draw(weighing, game, game.rules.dice, (), THREE.number, rng)
            return KEEP if max(draws) >= returned else RETURN
        values = [self.draw(weighing, game, state.bag, state.reserve, draw.number, rng) for draw in actions]
        return actions[values.index(max(values))]

    def evaluation_of(self, game: DiceStars) -> Evaluation:
        """Return the evaluation for a game's number of seats."""
        return self.solo_evaluation if game.seats == 1 else self.evaluation

    def draw(self, weighing: Weighing, game: DiceStars, bag: Bag, reserve: Dice, number: int, rng: Random) -> float:
        """Return the mean chance to win after a draw of this number and the best take that follows."""
        draw_die = game.layouts[0].draw
        if number == 1:
            faces, _ = draw_die(bag)
            found = {shown: weighing.best_take(tuple(sorted((*reserve, shown))))[0] for shown in set(faces)}
            return sum(found[shown] for shown in faces) / len(faces)
        value = 0.0
        for _ in range(self.samples):
            dice, rest = list(reserve), bag
            for _ in range(number):
                faces, after = draw_die(rest)
                shown = faces[int(rng.random() * len(faces))]
                dice.append(shown)
                rest = after[shown]
            dice.sort()
            value += weighing.best_take(tuple(dice))[0]
        return value / self.samples


*_, THREE = DRAWS
