"""Gymnasium: one seat of a game, solo or against bots in the other seats.

    import gymnasium, starfrost.adapters.gymnasium
    env = gymnasium.make("starfrost/DiceStarsSolo-v0")
    env = gymnasium.make("starfrost/DicyCards-v0", players=3, seat=1, opponents="planner")

An observation is a dictionary: `observation` (uint8) and `action_mask` (int8), which fits `action_space.sample(mask)`.
The reward at the end is the seat's share of victory. An illegal action ends the game with reward -1.
"""

from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from starfrost.adapters.numbered import NumberedGame
from starfrost.errors import UsageError
from starfrost.games.registry import GAMES
from starfrost.players.core import Bot
from starfrost.players.registry import make_bot
from starfrost.vector.registry import DEFAULT, ENGINES


class SeatEnv(gymnasium.Env[dict[str, np.ndarray], np.int64]):
    """One seat of a game; bots of the given name play the others."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (Gymnasium's own attribute)

    def __init__(
        self,
        game: str = DEFAULT,
        players: int = 1,
        seat: int = 0,
        opponents: str = "random",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not 0 <= seat < players:
            raise UsageError(
                "There is no seat %(seat)s (from 0) at a table of %(players)s.", seat=seat, players=players
            )
        self.table = NumberedGame(game, players, **options)
        self.seat = seat
        self.render_mode = render_mode
        self.bot: Bot | None = make_bot(opponents, self.table.rules) if players > 1 else None
        self.action_space = spaces.Discrete(self.table.actions)
        view: Any = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (self.table.observation_size,), np.uint8),
                "action_mask": spaces.Box(0, 1, (self.table.actions,), np.int8),
            }
        )
        self.observation_space = view

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Start a game and let the bots play until the agent's seat acts."""
        super().reset(seed=seed)
        rng = Random(int(self.np_random.integers(1 << 62)))
        self.table.reset(rng)
        self._others()
        return self._view(), {}

    def _others(self) -> None:
        table = self.table
        while not table.over and table.actor != self.seat:
            assert self.bot is not None
            table.apply(self.bot.choose(table.rules, table.state, table.rng))

    def _view(self) -> dict[str, np.ndarray]:
        return {"observation": self.table.observe(self.seat), "action_mask": self.table.mask()}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Act, let the bots act, and return the agent's view; an illegal action ends the game with reward -1."""
        chosen = None if self.table.over else self.table.action(int(action))
        if chosen is None:
            return self._view(), -1.0, True, False, {"illegal": True}
        self.table.apply(chosen)
        self._others()
        return self._view(), self.table.rewards()[self.seat], self.table.over, False, {}

    def render(self) -> str | None:
        """Return the position as one line of text."""
        return self.table.rules.position_text(self.table.state) if self.render_mode == "ansi" else None


def register() -> None:
    """Add the environments to Gymnasium's registry; importing this module does it."""
    for game in ENGINES:
        kit = GAMES[game]
        for players in {1, 2}.intersection(kit.seats):
            name = f"starfrost/{kit.title.replace(' ', '')}{'Solo' if players == 1 else ''}-v0"
            if name not in gymnasium.registry:
                options = {"game": game, "players": players}
                gymnasium.register(id=name, entry_point="starfrost.adapters.gymnasium:SeatEnv", kwargs=options)


register()
