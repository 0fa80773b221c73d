"""The coach of Dicy Cards: exact where the cards of a game of two are solved."""

from typing import Final

from starfrost.coach.analysis import Analysis, analyse
from starfrost.coach.estimate import Judge
from starfrost.coach.judging import ExactJudge
from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Replay
from starfrost.solver import on_demand
from starfrost.solver.adviser import Adviser


def _adviser(game: DicyCards) -> Adviser | None:
    values = on_demand.find(game.cards, game.goal) if game.seats == 2 else None
    return None if values is None else Adviser(game, values)


class DicyCardsCoach:
    """Judges games of two by the solved values of their cards."""

    def is_exact(self, game: DicyCards) -> bool:
        """Return whether the cards of a game of two are solved."""
        return game.seats == 2 and on_demand.ready(game.cards, game.goal)

    def can_judge(self, game: DicyCards) -> bool:
        """Return whether the game can be judged now."""
        return self.is_exact(game)

    def judge(self, game: DicyCards) -> Judge | None:
        """Return the exact judge; None if the cards are not solved."""
        adviser = _adviser(game)
        return None if adviser is None else ExactJudge(adviser)

    def analyse(self, played: Replay) -> Analysis | None:
        """Judge every event of a record; None if its cards are not solved."""
        game = played.record.game
        assert isinstance(game, DicyCards)
        adviser = _adviser(game)
        if adviser is None:
            return None
        try:
            return analyse(adviser, played)
        except MissingExtra:
            return None

    def can_solve(self, game: DicyCards) -> bool:
        """Return whether this machine can solve the cards."""
        return (
            game.seats == 2
            and not self.is_exact(game)
            and on_demand.can_start(game.goal)
            and not on_demand.gave_up(game.cards, game.goal)
        )

    def solve(self, game: DicyCards) -> int:
        """Start to solve the cards in the background; return how far that is, in per cent."""
        on_demand.wanted(game.cards, game.goal)
        return round(100 * (on_demand.solving_share(game.cards, game.goal) or 0.0))


COACH: Final = DicyCardsCoach()
