"""`master` for Dicy Cards with three and four players: exact two-player worths, put together.

Exact play is out of reach with more than two. But the game between any two of the players, on their scores and their
cards, is solved; so for every pair the chance that one beats the other is known as if they were alone. A player's
weight is the product of these chances over all rivals, to the power `SHARPNESS`, and the chance to win is the
weight's share of all. That is the worth of every way to end the turn; the turn that leads there is then solved
exactly, as `perfect` does it. Affected players choose by the same worths. The power was found by simulation
(docs/perfect-play.md).

While a set of cards is not solved yet it is being solved in the background, and the bot plays as the planner does.
"""

from functools import lru_cache
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from starfrost.games.core import Game
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.players.core import Bot
from starfrost.players.dicy_cards.planner import DicyCardsPlanner
from starfrost.solver import service
from starfrost.solver.lattice import lattice
from starfrost.solver.setup import RESET
from starfrost.solver.turn import Turn, affected_masks
from starfrost.solver.values import Values

__all__ = ["SHARPNESS", "DicyCardsMaster", "Table"]

Floats = NDArray[np.float64]
SHARPNESS: Final = 1.0
_BITS: Final = np.array([mask.bit_count() for mask in range(32)])


class Table:
    """Who beats whom after a seat's turn: scores and masks of all, by the solved game of each pair."""

    def __init__(self, values: Values, seat: int, scores: tuple[int, ...], masks: tuple[int, ...]) -> None:
        self.values, self.seat, self.scores, self.masks = values, seat, scores, masks
        self.seats = len(scores)
        self.ending = max(scores) >= values.goal

    def _to_come(self, one: int) -> int:
        """Say in how many turns a seat moves, from 0; a seat with no turn left in the last round is told by 9."""
        if self.ending and one <= self.seat:
            return 9
        return (one - self.seat - 1) % self.seats

    def beats(self, one: int, two: int) -> Floats:
        """Give the chance that `one` comes before `two`, by the two seats' masks."""
        return self._earlier(one, two) if self._to_come(one) < self._to_come(two) else self._later(one, two)

    def _later(self, one: int, two: int) -> Floats:
        if self._to_come(two) == 9:
            return self._done(one, two)
        return 1.0 - self._earlier(two, one).T

    def _done(self, one: int, two: int) -> Floats:
        """E2 for two seats that have had their last turns."""
        ahead = self.scores[one] - self.scores[two]
        if ahead:
            return np.full((32, 32), float(ahead > 0))
        active = _BITS[:, None] - _BITS[None, :]
        return np.where(active > 0, 1.0, np.where(active == 0, 0.5, 0.0))

    def _earlier(self, mover: int, other: int) -> Floats:
        """The solved game of two, the mover to move: by the mover's mask and the other's."""
        goal, own, rival = self.values.goal, self.scores[mover], self.scores[other]
        if own >= goal or (self._to_come(other) == 9 and rival <= own):
            return np.full((32, 32), 1.0)
        if rival >= goal or self._to_come(other) == 9:
            gap = min(rival - own, len(self.values.last) - 1)
            return np.asarray(self.values.last[gap]).T
        return np.asarray(self.values.between[int(mover > other), own, rival]).T

    def shares(self, mover_masks: list[int] | None = None) -> Floats:
        """Give the seat's own chance to win, for each of these masks of its own (all 32 if none are named)."""
        own = list(range(32)) if mover_masks is None else mover_masks
        weights: list[Floats] = []
        for one in range(self.seats):
            weight = np.ones(len(own))
            for two in range(self.seats):
                if one == two:
                    continue
                chance = self.beats(one, two)
                if one == self.seat:
                    weight = weight * chance[own, self.masks[two]]
                elif two == self.seat:
                    weight = weight * chance[self.masks[one], own]
                else:
                    weight = weight * chance[self.masks[one], self.masks[two]]
            weights.append(weight**SHARPNESS)
        total: Floats = np.sum(weights, axis=0)
        return np.divide(weights[self.seat], total, out=np.zeros(len(own)), where=total > 0)


class _Turn(Turn):
    """A turn at a table of several, worked out on the shares of the pairs."""

    def __init__(self, values: Values, seat: int, scores: tuple[int, ...], masks: tuple[int, ...]) -> None:
        self._mover, self._all_scores, self._masks = seat, scores, masks
        self._open(values, masks[seat])

    def _after(self, points: int, effect: int, touched: list[int], own: int | None = None) -> Table:
        seat, masks = self._mover, list(self._masks)
        if own is not None:
            masks[seat] = own
        scores = tuple(score + points * (one == seat) for one, score in enumerate(self._all_scores))
        table = Table(self._values, seat, scores, tuple(masks))
        for one in touched:
            choices = affected_masks(effect, masks[one])
            chances = table.beats(one, seat)
            # What is best against the mover is taken for best against all; the mover's own mask hardly matters here.
            masks[one] = max(choices, key=lambda mask: float(chances[mask, masks[seat]]))
        return Table(self._values, seat, scores, tuple(masks))

    def _skip_worth(self) -> float:
        others = [one for one in range(len(self._masks)) if one != self._mover]
        return float(self._after(0, RESET, others, 31).shares([31])[0])

    def _block_worths(self, card: int, points: int) -> Floats:
        effect = int(self._plan.chosen.effect[card])
        seats, seat = len(self._masks), self._mover
        touched = [one for one in range(seats) if one != seat] if effect else []
        if self._values.cards[card] != "three-lowest" and seats > 3:
            # Neighbours only (T9): across the table nobody is touched.
            touched = [one for one in touched if (one - seat) % seats in (1, seats - 1)]
        return self._after(points, effect, touched).shares()


class DicyCardsMaster:
    """Plays Dicy Cards with three or four players on the solved games of two."""

    name = "master"

    def __init__(self) -> None:
        self._meanwhile: Bot = DicyCardsPlanner()
        self._turn = lru_cache(maxsize=64)(self._open_turn)

    def _open_turn(
        self, cards: tuple[str, ...], goal: int, seat: int, scores: tuple[int, ...], masks: tuple[int, ...]
    ) -> _Turn:
        values = service.find(cards, goal)
        assert values is not None
        return _Turn(values, seat, scores, masks)

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Action:
        """Choose the action with the best share; the first of equals."""
        if not isinstance(game, DicyCards) or service.wanted(game.cards, game.goal) is None:
            action: Action = self._meanwhile.choose(game, state, rng)
            return action
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        return self._act(game, state, legal) if state.phase is Phase.ACT else self._answer(game, state, legal)

    def _order(self, game: DicyCards) -> tuple[list[int], dict[str, int]]:
        """Translate the game's masks and cards into the order in which sets are solved."""
        solved = service.in_order(game.cards)
        places = [solved.index(card) for card in game.cards]
        return [sum(1 << places[bit] for bit in range(5) if mask >> bit & 1) for mask in range(32)], dict(
            zip(game.cards, places, strict=True)
        )

    def _act(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        mask, place = self._order(game)
        masks = tuple(mask[active] for active in state.active)
        turn = self._turn(game.cards, game.goal, state.seat, state.scores, masks)
        own, number = masks[state.seat], lattice().number

        def worth(action: Action) -> float:
            if action.verb == "skip":
                return turn.skip
            rest = own ^ (1 << place[action.card])
            if action.verb == "reroll":
                return float(turn.kept[rest, number[remove(state.dice, action.dice)]])
            return turn.score_worth(place[action.card], dict(options(action.card, state.dice))[action.dice], rest)

        return max(legal, key=worth)

    def _answer(self, game: DicyCards, state: State, legal: tuple[Action, ...]) -> Action:
        """Freeze or reset what leaves the best share, from the chooser's own side of the table."""
        values = service.find(game.cards, game.goal)
        assert values is not None
        mask, _ = self._order(game)
        chooser = state.affected[0]

        def worth(action: Action) -> float:
            masks = tuple(mask[active] for active in game.apply(state, action).active)
            table = Table(values, state.seat, state.scores, masks)
            weights = [
                np.prod([table.beats(one, two)[masks[one], masks[two]] for two in range(game.seats) if two != one])
                for one in range(game.seats)
            ]
            return float(weights[chooser] / sum(weights)) if sum(weights) else 0.0

        return max(legal, key=worth)
