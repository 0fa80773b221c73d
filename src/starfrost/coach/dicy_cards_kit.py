"""The coach of Dicy Cards where the cards are solved: exact for two players, estimates for more."""

from typing import Final

from starfrost.coach.analysis import Analysis, analyse
from starfrost.coach.estimate import Judge
from starfrost.coach.judging import ExactJudge
from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.solver import on_demand
from starfrost.solver.adviser import Adviser


class DicyCardsCoach:
    """Judges games of two by the solved values of their cards, larger ones by those of `master`."""

    def is_exact(self, game: DicyCards) -> bool:
        """Return whether the cards of a game of two are solved."""
        return game.seats == 2 and on_demand.ready(game.kinds, game.goal)

    def can_judge(self, game: DicyCards) -> bool:
        """Return whether the game can be judged now; the networks for more players know only the official cards."""
        return _is_known(game) and on_demand.ready(game.kinds, game.goal)

    def judge(self, game: DicyCards) -> Judge | None:
        """Return the judge of this set-up; None if the cards are not solved."""
        values = on_demand.find(game.kinds, game.goal) if _is_known(game) else None
        if values is None:
            return None
        if game.seats == 2:
            return ExactJudge(Adviser(game, values))
        from starfrost.coach.dicy_cards import CardsJudge

        return CardsJudge(game, values)

    def analyse(self, played: Replay) -> Analysis | None:
        """Judge every event of a record; None if its cards are not solved."""
        game = played.record.game
        assert isinstance(game, DicyCards)
        values = on_demand.find(game.kinds, game.goal) if _is_known(game) else None
        if values is None:
            return None
        if game.seats > 2:
            from starfrost.coach.dicy_cards import analyse as estimated

            return estimated(played, jobs=1)
        try:
            return analyse(Adviser(game, values), played)
        except MissingExtra:
            return None

    def can_solve(self, game: DicyCards) -> bool:
        """Return whether this machine can solve the cards."""
        return (
            _is_known(game)
            and not on_demand.ready(game.kinds, game.goal)
            and on_demand.can_start(game.goal)
            and not on_demand.gave_up(game.kinds, game.goal)
        )

    def solve(self, game: DicyCards) -> int:
        """Start to solve the cards in the background; return how far that is, in per cent."""
        on_demand.wanted(game.kinds, game.goal)
        return round(100 * (on_demand.solving_share(game.kinds, game.goal) or 0.0))


def _is_known(game: DicyCards) -> bool:
    return game.seats == 2 or game.rules.variant is None


COACH: Final = DicyCardsCoach()
