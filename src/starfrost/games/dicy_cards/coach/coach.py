"""The coach of Dicy Cards where the cards are solved: exact for two players, estimates for more."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from starfrost.coach.judge import Coach, Judge, Parts
from starfrost.games.dicy_cards import Action, DicyCards, State
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.games.dicy_cards.words import cards_sentence
from starfrost.words import Words


class DicyCardsCoach(Coach):
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
        return None if values is None else _judge(game, values)

    def prepare(self, game: DicyCards, progress: Callable[[float], None] | None = None) -> Judge:
        """Return the judge of this set-up, after solving its cards. Raises UsageError for an unknown variant."""
        if not _is_known(game):
            return super().prepare(game)
        return _judge(game, on_demand.ensure_solved(game.kinds, game.goal, progress))

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
        on_demand.find_or_start(game.kinds, game.goal)
        return round(100 * (on_demand.solving_share(game.kinds, game.goal) or 0.0))

    def facts(self, game: DicyCards) -> Mapping[str, Any]:
        """Return the cards and the goal."""
        return {"cards": list(game.cards), "goal": game.goal}

    def about(self, w: Words, game: DicyCards) -> str:
        """Name the goal and the cards of a game of two."""
        return cards_sentence(w, game.cards, game.goal) if game.seats == 2 else ""

    def reasons(
        self, w: Words, game: DicyCards, state: State, better: Action, worse: Action, parts: Parts
    ) -> list[str]:
        """Return at most two sentences on the greatest parts."""
        from starfrost.games.dicy_cards.coach.reason_text import sentences

        return sentences(w, game, state, better, worse, parts)

    def dice(self, state: State) -> str:
        """Return the dice, apart."""
        return " ".join(state.dice)


def _judge(game: DicyCards, values: Values) -> Judge:
    if game.seats == 2:
        return ExactJudge(Adviser(game, values))
    from starfrost.games.dicy_cards.coach.judge import CardsJudge

    return CardsJudge(game, values)


def _is_known(game: DicyCards) -> bool:
    return game.seats == 2 or game.rules.variant is None


COACH: Final = DicyCardsCoach()
