"""`planner` for Dicy Cards: the exact best sequence of rerolls within the turn, for an estimated chance to win.

Every way to end the turn (each card with each number of points, or a skip, with each set of cards left active) gets a
value from the `Outlook`: the chance to win after it, if affected seats choose their best card. The turn itself is then
solved exactly (`bots.turn`). The other players' turns are not searched; they count by their expected points.
"""

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, Final

from starfrost.games.core import Game
from starfrost.games.dicy_cards import ALL_ACTIVE, Action, DicyCards, State
from starfrost.games.dicy_cards.bots.answers import EndOfTurn, after_score, after_skip, best_answer
from starfrost.games.dicy_cards.bots.outlook import Outlook
from starfrost.games.dicy_cards.bots.prospects import prospects
from starfrost.games.dicy_cards.bots.turn import PlannedTurn

NEAR: Final = 1e-9
"""Chances closer than this count as equal: another machine or another order of sums may change their last digits."""


@lru_cache(maxsize=32)
def plan(game: DicyCards, seat: int, scores: tuple[int, ...], active: tuple[int, ...]) -> PlannedTurn:
    """Solve the turn of the seat to move for its estimated chance to win."""
    now = EndOfTurn(game, seat, scores, active)
    own, held = scores[seat], [kind for at, kind in enumerate(game.kinds) if active[seat] >> at & 1]
    outlooks = {kind: Outlook(now._replace(active=after_score(now, kind))) for kind in held}
    skipped = Outlook(now._replace(active=after_skip(now))).value(own, ALL_ACTIVE)
    return PlannedTurn(
        game.kinds, active[seat], lambda kind, points, left: outlooks[kind].value(own + points, left), skipped
    )


class DicyCardsPlanner:
    """A player that plans the whole turn."""

    name = "planner"

    def prepare(self, game: DicyCards) -> Iterator[None]:
        """Work out what the first decision needs to know of the cards, a part at a time."""
        yield from prospects(game.kinds, game.seats).prepare()

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Return the action with the best chance to win; of those that are `NEAR`, the first in the rules' order."""
        assert isinstance(game, DicyCards)
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        if legal[0].verb in ("freeze", "reset"):
            return self._answer(game, state, legal)
        turn = plan(game, state.seat, state.scores, state.active)
        active = state.active[state.seat]
        values = [turn.value(action, active, state.dice) for action in legal]
        enough = max(values) - NEAR
        return next(action for action, value in zip(legal, values, strict=True) if value >= enough)

    def _answer(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        seat = game.actor(state)
        now = EndOfTurn(game, state.seat, state.scores, state.active)
        turned = {state.active[seat] ^ 1 << game.cards.index(action.card): action for action in legal}
        return turned[best_answer(now, seat, list(turned))]
