"""The reference engine with the numbered actions and array observations of the vector engines."""

from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces

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
        self.action_space = spaces.Discrete(self.packed.actions)
        self.view_space: Any = spaces.Dict(
            observation=spaces.Box(0, 255, (self.packed.observation_size,), np.uint8),
            action_mask=spaces.Box(0, 1, (self.packed.actions,), np.int8),
        )
        self.state: Any = None

    def reset(self, rng: Random) -> None:
        """Start a new game."""
        self.rng = rng
        self._settle(self.rules.start())

    def _settle(self, state: Any) -> None:
        """Continue from a state after the rolls that follow."""
        while self.rules.actor(state) == CHANCE:
            state = self.rules.apply(state, self.rules.sample(state, self.rng))
        self.state = state

    @property
    def actor(self) -> int:
        """The seat that acts; `OVER` when the game has ended."""
        return self.rules.actor(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor == OVER

    def legal(self) -> dict[int, Any]:
        """Return the legal actions of the reference engine by number; empty when the game has ended."""
        actions = self.rules.legal_actions(self.state)
        return {self.engine.number(self.rules, self.state, action): action for action in actions}

    def view(self, seat: int) -> dict[str, np.ndarray]:
        """Return a seat's observation as in the vector engines, and a mask of its legal actions."""
        mask = np.zeros(self.packed.actions, dtype=np.int8)
        mask[list(self.legal()) if seat == self.actor else []] = 1
        observed = self.packed.observe(self.engine.pack([self.state]), np.array([seat], dtype=U32))[0]
        return {"observation": observed, "action_mask": mask}

    def apply(self, action: Any) -> None:
        """Apply an action of the reference engine and the rolls that follow."""
        self._settle(self.rules.apply(self.state, action))

    def rewards(self) -> list[float]:
        """Return every seat's share of victory; all 0 while the game runs."""
        winners = self.rules.winners(self.state)
        return [float(seat in winners) / max(len(winners), 1) for seat in range(self.rules.seats)]

    def render(self, mode: str | None) -> str | None:
        """Return the position as one line of text in the mode `ansi`, None in others."""
        return self.rules.position_text(self.state) if mode == "ansi" else None
