"""`master` for Dicy Cards with three and four players: solved two-player games, combined by a trained network.

Exact play is infeasible with more than two players, but the game between any two of them, with their scores and cards,
is solved. A small network that learned from self-play (`bots.network`) combines the chances of all pairs
into the chance of every player to win, for each way to end the turn. The turn itself is then solved exactly, as in
`perfect`. Affected players choose by the same chances.

A set of cards that is not solved is solved first; where a person waits (`meanwhile`), it is solved in the background
and the bot plays like the planner until then.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starfrost.bots.core import Bot
from starfrost.games.core import Game
from starfrost.games.dicy_cards import ALL_ACTIVE, Action, DicyCards, Phase, State
from starfrost.games.dicy_cards.bots.network import Standing, logits, pairs_of, read, shares
from starfrost.games.dicy_cards.bots.planner import NEAR, DicyCardsPlanner
from starfrost.games.dicy_cards.bots.solved_sets import solved
from starfrost.games.dicy_cards.bots.turn_ends import entries, possible_ends
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import translated
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.turn import SolvedTurn
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.vector.arrays import Array

Floats = NDArray[np.float64]
Params = Mapping[str, Array]


@cache
def weights(seats: int) -> Params:
    """Load the network for a number of seats, in double precision, in which the order of sums hardly matters."""
    found = read(Path(__file__).parent / "weights" / f"dicy-cards-{seats}.npz")
    return {name: value.astype(np.float64) for name, value in found.items()}


class SeveralTurn(SolvedTurn):
    """A turn with three or four players, solved by the chances of the player whose turn it is at its ends."""

    def __init__(
        self, values: Values, params: Params | None, seat: int, scores: tuple[int, ...], masks: tuple[int, ...]
    ) -> None:
        seats = len(scores)
        self._order = [(seat + 1 + place) % seats for place in range(seats)]
        found = possible_ends(
            pairs_of(values),
            params,
            entries(values.cards, seats),
            np.array([scores[one] for one in self._order], np.int32),
            np.array([masks[one] for one in self._order], np.int32),
            np.int32(seat),
        ).shares
        own = masks[seat]
        ends_by_card = card_set(values.cards).by_card(found[:-1, :, -1])
        held = [card_ends for card, card_ends in enumerate(ends_by_card) if own >> card & 1]
        super().__init__(values.cards, own, held, float(found[-1, ALL_ACTIVE, -1]))
        # The others' shares of the remaining chance are those after a skip, which changes no points.
        left = found[-1, ALL_ACTIVE, :-1]
        self._parts: Floats = left / max(left.sum(), 1e-12)

    def kept(self, dice: str, active: int) -> float:
        """Return the value of keeping fewer than six dice and rolling the others."""
        # Without an active card it is exactly the value of the skip, while a mean of equal numbers can be rounded.
        return super().kept(dice, active) if active else self.skip

    def part_of(self, seat: int) -> float:
        """Return another seat's share of the chances that the player whose turn it is leaves."""
        return float(self._parts[self._order.index(seat)])


class DicyCardsMaster:
    """A player of Dicy Cards with three or four seats."""

    name = "master"

    def __init__(self, params: Mapping[int, Params | None] | None = None, meanwhile: bool = False) -> None:
        self._own = params or {}
        self._meanwhile: Bot | None = DicyCardsPlanner() if meanwhile else None
        self._turn = lru_cache(maxsize=64)(self._open_turn)

    def _params(self, seats: int) -> Params | None:
        return self._own[seats] if seats in self._own else weights(seats)

    def _open_turn(
        self, cards: tuple[str, ...], goal: int, seat: int, scores: tuple[int, ...], masks: tuple[int, ...]
    ) -> SeveralTurn:
        values = on_demand.find(cards, goal)
        assert values is not None
        return SeveralTurn(values, self._params(len(scores)), seat, scores, masks)

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Return the action with the best chance to win; of those that are `NEAR`, the first in the rules' order."""
        assert isinstance(game, DicyCards)
        if self._meanwhile is None:
            solved(game)
        elif on_demand.find_or_start(game.cards, game.goal) is None:
            action: Action = self._meanwhile.choose(game, state, rng)
            return action
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        return self._act(game, state, legal) if state.phase is Phase.ACT else self._answer(game, state, legal)

    def _turn_of(self, game: DicyCards, state: State) -> tuple[SeveralTurn, int]:
        """Return the turn of a position, and the active cards of the player whose turn it is."""
        mask = translated(game.cards, on_demand.in_order(game.cards))
        masks = tuple(mask[active] for active in state.active)
        return self._turn(game.cards, game.goal, state.seat, state.scores, masks), masks[state.seat]

    def luck(self, game: DicyCards, before: State, after: State, seat: int) -> float:
        """Return a seat's gain by a roll compared with the mean of all rolls, by these values; 0 on average."""
        if not before.active[before.seat]:
            return 0.0
        turn, own = self._turn_of(game, before)
        gained = turn.roll(after.dice, own) - turn.kept(before.dice, own)
        return gained if seat == before.seat else -gained * turn.part_of(seat)

    def _act(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        turn, own = self._turn_of(game, state)
        values = [turn.value(action, own, state.dice) for action in legal]
        enough = max(values) - NEAR
        return next(action for action, value in zip(legal, values, strict=True) if value >= enough)

    def _answer(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        """Freeze or reset the card that leaves the acting seat the best chance to win."""
        values = on_demand.find(game.cards, game.goal)
        assert values is not None
        mask = translated(game.cards, values.cards)
        order = [(state.seat + 1 + place) % game.seats for place in range(game.seats)]
        after = [game.apply(state, action).active for action in legal]
        standing = Standing(
            tuple(np.full(len(legal), state.scores[seat], np.int32) for seat in order),
            tuple(np.array([mask[active[seat]] for active in after], np.int32) for seat in order),
            np.int32(state.seat),
        )
        found = shares(logits(pairs_of(values), standing, self._params(game.seats)))
        own = found[:, order.index(state.affected[0])]
        return legal[int((own >= own.max() - NEAR).argmax())]
