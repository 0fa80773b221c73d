"""`greedy` for Dice Stars: it takes the most points now."""

from random import Random

from starfrost.games.dice_stars import Action, DiceStars, Phase, State


class DiceStarsGreedy:
    """A player that considers only the dice on the table and its own score after this take.

    It keeps the reserve if a take from it would score, draws as many dice as possible and takes what raises its score
    most; in the solo game a ticked box costs what it counts in the end (L3).
    """

    name = "greedy"

    def choose(self, game: DiceStars, state: State, rng: Random) -> Action:
        """Choose the action with the highest immediate gain; equal gains are drawn from `rng`."""
        actions = game.legal_actions(state)
        if state.phase is Phase.REFILL:
            seen = state._replace(phase=Phase.TAKE)
            keep, give_back = actions
            return keep if max(self._gain(game, seen, take) for take in game.legal_actions(seen)) > 0 else give_back
        if state.phase is not Phase.TAKE:
            return actions[-1]
        gains = [self._gain(game, state, action) for action in actions]
        best = max(gains)
        return rng.choice([action for action, gain in zip(actions, gains, strict=True) if gain == best])

    def _gain(self, game: DiceStars, state: State, take: Action) -> int:
        after = game.apply(state, take)
        gained = game.scores(after)[state.seat] - game.scores(state)[state.seat]
        return gained - game.rules.box_points * (after.solo - state.solo)
