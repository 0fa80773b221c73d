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
        self.action_space, self.observation_space = self.table.action_space, self.table.view_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Start a game and let the bots play until the agent's seat acts."""
        super().reset(seed=seed)
        self.table.reset(Random(int(self.np_random.integers(1 << 62))))
        self._others()
        return self.table.view(self.seat), {}

    def _others(self) -> None:
        table = self.table
        while not table.over and table.actor != self.seat:
            assert self.bot is not None
            table.apply(self.bot.choose(table.rules, table.state, table.rng))

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Act, let the bots act, and return the agent's view; an illegal action ends the game with reward -1."""
        chosen = self.table.legal().get(int(action))
        if chosen is None:
            return self.table.view(self.seat), -1.0, True, False, {"illegal": True}
        self.table.apply(chosen)
        self._others()
        return self.table.view(self.seat), self.table.rewards()[self.seat], self.table.over, False, {}

    def render(self) -> str | None:
        return self.table.render(self.render_mode)


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
