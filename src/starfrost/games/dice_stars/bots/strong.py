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
from starfrost.games.dice_stars.bots.choice import Choices, Policy, every_star_take, value_draws, value_takes
from starfrost.games.dice_stars.bots.network import Params, read
from starfrost.games.dice_stars.bots.search import NO_SEARCH, Luck, Search, near, search_draws, search_takes
from starfrost.games.dice_stars.vector.engine import KEEP, RETURN, STARS, VectorStars, code_of, options
from starfrost.games.dice_stars.vector.reference import pack, reference_action
from starfrost.vector.arrays import U32

POINTS = {1: np.float32(0.0003), 2: np.float32(0.01), 3: np.float32(0.01), 4: np.float32(0.01)}
"""The weight of points against the share of victory, by number of seats: it decides when the result is certain.

Alone, more points do not win more often, so they only break ties.
"""


SEARCH = {
    1: Search(rolls=84, margin=0.07, mix=0.7),
    2: Search(rolls=24, mix=0.5),
    3: Search(rolls=24, mix=0.5),
    4: Search(rolls=24, mix=0.5),
}
"""The look-ahead by number of seats, for a decision within 50 ms on one core."""


@cache
def weights(seats: int) -> Params:
    """Load the network for a number of seats."""
    return read(Path(__file__).parent / "weights" / f"dice-stars-{seats}.npz")


def valued(rules: VectorStars, policy: Policy, state: State) -> tuple[Choices, list[int]]:
    """Return the options of a decision with their values, and the numbers of their actions.

    With the reserve to keep or return, the three options that keep it are the same action with different draws to come.
    """
    packed = pack([state])
    if state.phase is not Phase.TAKE:
        found = value_draws(rules, policy, packed)
        return found, [KEEP, KEEP, KEEP, RETURN] if state.phase is Phase.REFILL else found.action[0].tolist()
    can = options(packed)
    ways = every_star_take(tuple(int(free[0]) for free in can.boxes), int(can.faces[0][0]))
    found = value_takes(rules, policy, packed, tuple(ways[None, :, row] for row in range(5)))
    return found, [*found.action[0, :9].tolist(), *(STARS + code_of(tuple(ways.T))).tolist()]


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
        rules = VectorStars(game.seats, game.solo_boxes or SOLO_BOXES)
        policy, search = self._policy(game.seats), self._search or SEARCH[game.seats]
        luck = Luck(np.array([rng.getrandbits(32)], U32), np.array([rng.getrandbits(32)], U32))
        found, numbers = valued(rules, policy, state)
        utilities, allowed = found.utilities, found.allowed
        if search.rolls and near(search, found) > 1:
            look = search_takes if state.phase is Phase.TAKE else search_draws
            utilities, allowed = look(rules, policy, search, found, luck)
        return reference_action(numbers[int(np.where(allowed, utilities, -np.inf).argmax())])


class DiceStarsNetwork(DiceStarsStrong):
    """`strong` without its look-ahead: the network alone."""

    name = "network"

    def __init__(self) -> None:
        super().__init__(search=NO_SEARCH)
