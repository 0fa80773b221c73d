"""Gymnasium: one seat of a game, solo or against bots in the other seats.

    env = gymnasium.make("starfrost.adapters.gymnasium:starfrost/DiceStarsSolo-v0")
    env = gymnasium.make("starfrost/DicyCards-v0", players=3, seat=1, opponents="planner")
    envs = gymnasium.make_vec("starfrost/DicyCards-v0", num_envs=4096)

Gymnasium imports the module before the colon, which registers the environments; after that the id is enough. An
observation is a dictionary: `observation` (uint8) and `action_mask` (int8), which fits `action_space.sample(mask)`. The
reward at the end is the seat's share of victory. An illegal action ends the game with reward -1. `info["scores"]` has
the points of every seat.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import gymnasium
import numpy as np

from starfrost.adapters.numbered import MODES, VERSION, NumberedGame
from starfrost.bots.core import Bot
from starfrost.bots.registry import make_bot
from starfrost.errors import UsageError
from starfrost.games.core import OVER
from starfrost.games.registry import GAMES
from starfrost.vector.registry import DEFAULT, ENGINES

View = dict[str, np.ndarray]
Opponent = Callable[[View], int]
"""Choose an action, by its number, from the view of the acting seat."""


class SeatEnv(gymnasium.Env[View, np.int64]):
    """One seat of a game; the others play by a bot, given by name or itself, or by a function of their views."""

    metadata = {"render_modes": [*MODES], "render_fps": 1}  # noqa: RUF012  (Gymnasium's own attribute)

    def __init__(
        self,
        game: str = DEFAULT,
        players: int = 1,
        seat: int = 0,
        opponents: str | Bot | Opponent = "random",
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
        self.opponents = make_bot(opponents, self.table.rules) if isinstance(opponents, str) else opponents
        self.action_space, self.observation_space = self.table.action_space, self.table.view_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[View, dict[str, Any]]:
        """Start a game and let the bots play until the agent's seat acts."""
        super().reset(seed=seed)
        self.table.reset(Random(int(self.np_random.integers(1 << 62))))
        self._others()
        return self.table.view(self.seat), self._info()

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, as masked policies want it."""
        mask: np.ndarray = self.table.view(self.seat)["action_mask"].astype(bool)
        return mask

    def _info(self) -> dict[str, Any]:
        return {"scores": np.array(self.table.rules.scores(self.table.state), np.int32)}

    def _others(self) -> None:
        table = self.table
        while table.actor not in (self.seat, OVER):
            if not callable(self.opponents):
                table.apply(self.opponents.choose(table.rules, table.state, table.rng))
                continue
            chosen = table.action(int(self.opponents(table.view(table.actor))))
            if chosen is None:
                raise ValueError("An opponent chose an action that is not legal; the mask says which are.")
            table.apply(chosen)

    def step(self, action: Any) -> tuple[View, float, bool, bool, dict[str, Any]]:
        """Act, let the bots act, and return the agent's view; an illegal action ends the game with reward -1."""
        chosen = self.table.action(int(action))
        if chosen is None:
            return self.table.view(self.seat), -1.0, True, False, {**self._info(), "illegal": True}
        self.table.apply(chosen)
        self._others()
        return self.table.view(self.seat), self.table.rewards()[self.seat], self.table.over, False, self._info()

    def render(self) -> str | np.ndarray | None:
        return self.table.render(self.render_mode)


def register() -> None:
    """Add the environments to Gymnasium's registry; importing this module does it."""
    for game in ENGINES:
        kit = GAMES[game]
        for players in {1, 2}.intersection(kit.seats):
            name = f"starfrost/{kit.title.replace(' ', '')}{'Solo' if players == 1 else ''}-v{VERSION}"
            if name not in gymnasium.registry:
                options = {"game": game, "players": players}
                gymnasium.register(
                    id=name,
                    entry_point="starfrost.adapters.gymnasium:SeatEnv",
                    vector_entry_point="starfrost.adapters.gymnasium_vector:SeatVectorEnv",
                    kwargs=options,
                )


register()
