"""The coach of Dice Stars: estimates for any number of players.

The networks are imported when they are first needed: a server that only asks whether there is a coach stays light.
"""

from typing import Final

from starfrost.coach.analysis import Analysis
from starfrost.coach.estimate import Judge
from starfrost.games.dice_stars import DiceStars
from starfrost.games.record import Replay


class DiceStarsCoach:
    """Estimates by the network of `strong`, confirmed by rollouts."""

    def is_exact(self, game: DiceStars) -> bool:
        """Return that nothing is solved."""
        return False

    def can_judge(self, game: DiceStars) -> bool:
        """Return whether the game has the official rules: there is a network for every number of players."""
        return game.rules.variant is None

    def judge(self, game: DiceStars) -> Judge | None:
        """Return the judge of this set-up; None for a variant."""
        if not self.can_judge(game):
            return None
        from starfrost.coach.dice_stars import StarsJudge

        return StarsJudge(game)

    def analyse(self, played: Replay) -> Analysis | None:
        """Judge every event of a record, in this process; None for a variant."""
        game = played.record.game
        assert isinstance(game, DiceStars)
        if not self.can_judge(game):
            return None
        from starfrost.coach.dice_stars import analyse

        return analyse(played, jobs=1)

    def can_solve(self, game: DiceStars) -> bool:
        """Return that nothing can be solved."""
        return False

    def solve(self, game: DiceStars) -> int:
        """Solve nothing."""
        return 0


COACH: Final = DiceStarsCoach()
