"""The coach of Dice Stars: the values of `strong`'s network, confirmed by rollouts of a round."""

from math import sqrt
from random import Random
from typing import Any, Final

import numpy as np

from starfrost.coach.judge import SUSPECTED, Difference, Option, Parts, Shares
from starfrost.games.core import OVER
from starfrost.games.dice_stars import SOLO_BOXES, Action, DiceStars, Phase, State
from starfrost.games.dice_stars.bots.choice import Policy, each_word, value
from starfrost.games.dice_stars.bots.search import play_on
from starfrost.games.dice_stars.bots.strong import POINTS, valued, weights
from starfrost.games.dice_stars.coach.reasons import split
from starfrost.games.dice_stars.vector.engine import OVER as PACKED_OVER
from starfrost.games.dice_stars.vector.engine import VectorStars, phase_of, seat_of
from starfrost.games.dice_stars.vector.reference import pack, reference_action
from starfrost.vector.arrays import U32

STAGES: Final = (48, 96, 192)
"""Rolls of each stage of a comparison."""
SURE: Final = 2.6
"""Standard errors that decide: more than 1.96, because a comparison is looked at several times."""
EQUAL: Final = 0.004
"""Two actions are equal if their difference is surely below this."""
SOLO_TURNS: Final = 3


class StarsJudge:
    """Estimates for one game of Dice Stars."""

    error = SUSPECTED

    def __init__(self, game: DiceStars) -> None:
        self.game = game
        self._rules = VectorStars(game.seats, game.solo_boxes or SOLO_BOXES)
        self._policy = Policy(weights(game.seats), 0, POINTS[game.seats])
        self._turns = game.seats if game.seats > 1 else SOLO_TURNS

    def value(self, state: State) -> Shares:
        """Return the value of a position before a roll, or of an end."""
        if self.game.actor(state) == OVER:
            winners = self.game.winners(state)
            return tuple((seat in winners) / len(winners) if winners else 0.0 for seat in range(self.game.seats))
        before = pack([state._replace(phase=Phase.DRAW, draw=0)])
        found = value(self._rules, self._policy.params, before, np.array([state.draw], U32)).shares
        return self._by_seat(found, seat_of(before))[0]

    def _by_seat(self, shares: Any, first: Any) -> list[Shares]:
        """Return shares in seat order, given the seat of the first."""
        ordered = self._rules.in_seat_order([shares[..., seat] for seat in range(self.game.seats)], first)
        return [tuple(map(float, row)) for row in np.stack(ordered, axis=-1).reshape(-1, self.game.seats)]

    def options(self, state: State) -> list[Option]:
        """Return every action with its value, the best for the acting seat first."""
        choices, numbers = valued(self._rules, self._policy, state)
        first = np.broadcast_to(seat_of(choices.state), choices.allowed.shape)[0]
        shares = self._by_seat(choices.values.shares[0], first)
        found: dict[Action, Shares] = {}
        for index in np.flatnonzero(choices.allowed[0]):
            action = reference_action(numbers[index])
            if action not in found or shares[index][state.seat] > found[action][state.seat]:
                found[action] = shares[index]
        ranked = sorted(found.items(), key=lambda pair: -pair[1][state.seat])
        return [Option(action, shares) for action, shares in ranked]

    def compare(self, state: State, one: Action, other: Action) -> Difference:
        """Play two actions on for a round with the same dice and compare everybody's shares then."""
        seat, seats = state.seat, self.game.seats
        rng = Random(f"{self.game.position_text(state)} {one} {other}")
        found = np.zeros((0, seats))
        mean = error = 0.0
        for rolls in STAGES:
            key = np.array([rng.getrandbits(32) for _ in range(rolls)], U32), np.zeros(rolls, U32)
            sides = [self._played_on(state, action, key) for action in (one, other)]
            found = np.concatenate([found, sides[0] - sides[1]])
            mean, error = float(found[:, seat].mean()), float(found[:, seat].std(ddof=1)) / sqrt(len(found))
            if abs(mean) > SURE * error or abs(mean) + SURE * error < EQUAL:
                break
        return Difference(tuple(map(float, found.mean(axis=0))), 1.96 * error, mean > max(SURE * error, EQUAL))

    def parts(self, state: State, better: Action, worse: Action, difference: float) -> Parts:
        """Split the estimated difference of two actions; what the network does not know of it is the part `later`."""

        def chance(after: State) -> float:
            packed = pack([after])
            found = value(self._rules, self._policy.params, packed, np.array([0], U32)).shares
            over = int(phase_of(packed)[0]) == PACKED_OVER
            return self._by_seat(found, np.zeros(1, int) if over else seat_of(packed))[0][state.seat]

        return split(self.game, chance, state, better, worse, difference)

    def _played_on(self, state: State, action: Action, key: tuple[Any, Any]) -> Any:
        after = self.game.apply(state, action)
        announced = after.phase is Phase.ROLL
        rolls = len(key[0])
        start = each_word(pack([state if announced else after]), lambda word: np.repeat(word, rolls))
        if not announced and int(phase_of(start)[0]) == PACKED_OVER:
            return np.repeat(np.array([self.value(after)]), rolls, axis=0)
        draw = np.full(rolls, after.draw if announced else 0, U32)
        return play_on(self._rules, self._policy, start, draw, key, self._turns).shares.astype(np.float64)
