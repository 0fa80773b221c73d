"""The reference engine with the numbered actions and array observations of the vector engines."""

from random import Random
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from starfrost.games.core import CHANCE, OVER
from starfrost.games.setup import Setup
from starfrost.vector.registry import DEFAULT, ENGINES

MODES: Final = ("ansi", "rgb_array")
"""The modes that positions are rendered in."""
VERSION: Final = 0
"""The number at the end of the environments' ids; docs/vector.md lists what changed with it."""


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
        self.actor: int = OVER
        """The seat that acts; `OVER` when the game has ended."""
        self._mask: Any = None

    def reset(self, rng: Random) -> None:
        """Start a new game."""
        self.rng = rng
        self._settle(self.rules.start())

    def _settle(self, state: Any) -> None:
        """Continue from a state after the rolls that follow."""
        rules = self.rules
        while (actor := rules.actor(state)) == CHANCE:
            state = rules.apply(state, rules.sample(state, self.rng))
        self.state, self.actor, self._mask = state, actor, None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor == OVER

    @property
    def mask(self) -> Any:
        """The legal actions of the acting seat, made when they are first asked for."""
        if self._mask is None:
            self._mask = self.engine.mask(self.rules, self.state)
        return self._mask

    def action(self, number: int) -> Any:
        """Return the action of the reference engine with this number; None if it is not legal."""
        mask = self.mask
        if not 0 <= number < len(mask) or not mask[number]:
            return None
        return self.engine.action(self.rules, self.state, number)

    def view(self, seat: int) -> dict[str, np.ndarray]:
        """Return a seat's observation as in the vector engines, and a mask of its legal actions."""
        mask = self.mask.copy() if seat == self.actor else np.zeros(self.packed.actions, np.int8)
        return {"observation": self.engine.observe(self.rules, self.state, seat), "action_mask": mask}

    def apply(self, action: Any) -> None:
        """Apply an action of the reference engine and the rolls that follow."""
        self._settle(self.rules.apply(self.state, action))

    def rewards(self) -> list[float]:
        """Return every seat's share of victory; all 0 while the game runs."""
        if not self.over:
            return [0.0] * self.rules.seats
        winners = self.rules.winners(self.state)
        return [float(seat in winners) / max(len(winners), 1) for seat in range(self.rules.seats)]

    def render(self, mode: str | None) -> str | np.ndarray | None:
        """Return the position as one line of text (`ansi`) or as a picture (`rgb_array`), None in other modes."""
        if mode == "rgb_array":
            from starfrost.adapters.pictures import rgb_array

            return rgb_array(self.rules, self.state)
        return self.rules.position_text(self.state) if mode == "ansi" else None
