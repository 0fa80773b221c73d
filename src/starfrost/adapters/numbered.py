"""The reference engine with the numbered actions and array observations of the vector engines."""

from random import Random
from typing import Any

import numpy as np

from starfrost.games.core import CHANCE, OVER
from starfrost.games.setup import Setup
from starfrost.vector.arrays import U32
from starfrost.vector.registry import DEFAULT, ENGINES


class NumberedGame:
    """One running game with actions by number, observations as arrays, and dice from a seeded source."""

    def __init__(self, game: str = DEFAULT, players: int = 2, **options: Any) -> None:
        """Set up a game; the options are those of its kit, with an underscore for a dash. Raises UsageError."""
        self.engine = ENGINES[game]
        self.rules = Setup.of(game, players, **options).make(Random(0))
        self.packed = self.engine.make(self.rules)
        self.actions = self.packed.actions
        self.observation_size = self.packed.observation_size
        self.players = players
        self.state: Any = None

    def reset(self, rng: Random) -> None:
        """Start a new game."""
        self.rng = rng
        self.state = self.rules.start()
        self._roll()

    def _roll(self) -> None:
        while self.rules.actor(self.state) == CHANCE:
            self.state = self.rules.apply(self.state, self.rules.sample(self.state, self.rng))

    @property
    def actor(self) -> int:
        """The seat that acts; `OVER` when the game has ended."""
        return self.rules.actor(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor == OVER

    def number(self, action: Any) -> int:
        """Return the number of an action of the reference engine in this state."""
        return self.engine.number(self.rules, self.state, action)

    def action(self, number: int) -> Any:
        """Return the action of the reference engine for a number in this state; None if it is not legal."""
        for action in self.rules.legal_actions(self.state):
            if self.number(action) == number:
                return action
        return None

    def mask(self) -> np.ndarray:
        """Return the legal actions as an int8 mask; all 0 when the game has ended."""
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[[self.number(action) for action in self.rules.legal_actions(self.state)]] = 1
        return mask

    def observe(self, seat: int) -> np.ndarray:
        """Return a seat's view in the format of the vector engines."""
        view: np.ndarray = self.packed.observe(self.engine.pack([self.state]), np.array([seat], dtype=U32))[0]
        return view

    def apply(self, action: Any) -> None:
        """Apply an action of the reference engine and the rolls that follow."""
        self.state = self.rules.apply(self.state, action)
        self._roll()

    def rewards(self) -> list[float]:
        """Return every seat's share of victory; all 0 while the game runs."""
        winners = self.rules.winners(self.state)
        return [float(seat in winners) / max(len(winners), 1) for seat in range(self.players)]
