"""`strong` for Dice Stars: a network that learned position values by self-play (`starfrost train dice-stars`).

It evaluates every position that its choice can lead to and chooses the one that wins most often; in the solo game it
plays to win, and points only break ties. It needs only NumPy.
"""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from starfrost.games.core import Game
from starfrost.games.dice_stars import SOLO_BOXES, Action, DiceStars, Phase, State
from starfrost.games.dice_stars.actions import KEEP, RETURN
from starfrost.learning.dice_stars.choice import (
    DRAWS,
    TAKES,
    Policy,
    draw_options,
    every_star_take,
    take_options,
    taker_utility,
    utility,
    value_where,
)
from starfrost.learning.dice_stars.network import Params, read
from starfrost.learning.dice_stars.search import Luck, Search, near, search_draws, search_takes
from starfrost.vector.arrays import U32
from starfrost.vector.dice_stars.engine import STARS, VectorStars, code_of, options
from starfrost.vector.dice_stars.reference import pack, reference_action

POINTS = {1: np.float32(0.0003), 2: np.float32(0.01), 3: np.float32(0.01), 4: np.float32(0.01)}
"""The weight of points against the share of victory, by number of seats: it decides when the result is certain.

Alone, more points do not win more often, so they only break ties.
"""


SEARCH = {
    1: Search(rolls=48, options=4, margin=0.07, mix=0.6),
    2: Search(rolls=24, mix=0.5),
    3: Search(rolls=24, mix=0.5),
    4: Search(rolls=24, mix=0.5),
}
"""The look-ahead by number of seats, for a decision within 50 ms on one core."""


@cache
def weights(seats: int) -> Params:
    """Load the network for a number of seats."""
    return read(Path(__file__).parent / "weights" / f"dice-stars-{seats}.npz")


class DiceStarsStrong:
    """A player that follows the values of a trained network and looks ahead where they are close."""

    name = "strong"

    def __init__(self, own: dict[int, Params] | None = None, search: Search | None = None) -> None:
        self._own = own or {}
        self._search = search

    def _policy(self, seats: int) -> Policy:
        return Policy(self._own[seats] if seats in self._own else weights(seats), 0, POINTS[seats])

    def choose(self, game: Game[Any, Any], state: State, rng: Random) -> Action:
        """Return the action with the highest value."""
        assert isinstance(game, DiceStars)
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        packed = pack([state])
        rules = VectorStars(game.seats, game.solo_boxes or SOLO_BOXES)
        policy, search = self._policy(game.seats), self._search or SEARCH[game.seats]
        luck = Luck(np.array([rng.getrandbits(32)], U32), np.array([rng.getrandbits(32)], U32))
        if state.phase is not Phase.TAKE:
            positions, draws, allowed = draw_options(packed)
            values, _ = value_where(rules, policy.params, positions, draws, allowed, DRAWS)
            utilities = utility(values, 0, policy.weight)
            if search.rolls and near(search, utilities, allowed) > 1:
                utilities, allowed = search_draws(rules, policy, search, positions, draws, utilities, allowed, luck)
            best = int(np.where(allowed, utilities, -np.inf).argmax())
            if state.phase is Phase.REFILL:
                return RETURN if best == 3 else KEEP
            return reference_action(2 + best)
        can = options(packed)
        ways = every_star_take(tuple(int(free[0]) for free in can.boxes), int(can.faces[0][0]))
        after, numbers, allowed = take_options(rules, packed, tuple(ways[None, :, row] for row in range(5)))
        values, _ = value_where(rules, policy.params, after, after.meta & U32(0), allowed, TAKES)
        utilities = taker_utility(after, values, policy.weight)
        if search.rolls and near(search, utilities, allowed) > 1:
            utilities, allowed = search_takes(rules, policy, search, after, values, utilities, allowed, luck)
        best = int(np.where(allowed, utilities, -np.inf).argmax())
        if best >= 9:
            return reference_action(STARS + int(code_of(tuple(ways[best - 9]))))
        return reference_action(int(numbers[0, best]))
