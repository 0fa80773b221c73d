"""The coach of Dice Stars: estimates for any number of players.

The networks are imported when they are first needed: a server that only asks whether there is a coach stays light.
"""

from typing import Final

from starfrost.coach.judge import Coach, Judge, Parts
from starfrost.games.dice_stars import Action, DiceStars, State
from starfrost.words import Words


class DiceStarsCoach(Coach):
    """Estimates by the network of `strong`, confirmed by rollouts."""

    def can_judge(self, game: DiceStars) -> bool:
        """Return whether the game has the official rules: there is a network for every number of players."""
        return game.rules.variant is None

    def judge(self, game: DiceStars) -> Judge | None:
        """Return the judge of this set-up; None for a variant."""
        if not self.can_judge(game):
            return None
        from starfrost.games.dice_stars.coach.judge import StarsJudge

        return StarsJudge(game)

    def reasons(
        self, w: Words, game: DiceStars, state: State, better: Action, worse: Action, parts: Parts
    ) -> list[str]:
        """Return at most two sentences on the greatest parts."""
        from starfrost.games.dice_stars.coach.reasons import sentences

        return sentences(w, game, state, better, worse, parts)


COACH: Final = DiceStarsCoach()
