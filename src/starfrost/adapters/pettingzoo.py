"""PettingZoo: both games as AEC environments with action masks.

    from starfrost.adapters.pettingzoo import env
    table = env("dicy-cards", players=3)

Agents are `seat_1`, `seat_2`… An illegal action ends the game with reward -1 for its agent, as PettingZoo's wrapper
for that does. It checks this itself: three wrappers would take four times as long as the game.
"""

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from starfrost.adapters.numbered import MODES, VERSION, NumberedGame
from starfrost.vector.registry import DEFAULT


def env(game: str = DEFAULT, players: int = 2, render_mode: str | None = None, **options: Any) -> Any:
    """Return a whole table."""
    return TableEnv(game, players, render_mode, **options)


class TableEnv(AECEnv):  # type: ignore[misc, unused-ignore]
    """A whole table: the seats act in the order of the rules, affected seats in between."""

    def __init__(self, game: str, players: int, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self.table = NumberedGame(game, players, **options)
        self.metadata = {
            "render_modes": [*MODES],
            "render_fps": 1,
            "name": f"starfrost_{game.replace('-', '_')}_v{VERSION}",
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(players)]
        self.observation_spaces = dict.fromkeys(self.possible_agents, self.table.view_space)
        self.action_spaces = {agent: deepcopy(self.table.action_space) for agent in self.possible_agents}
        self.np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.table.reset(Random(int(self.np_random.integers(1 << 62))))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[self.table.actor]
        self._tell()

    def _tell(self) -> None:
        """Tell every agent the points of all seats."""
        scores = np.array(self.table.rules.scores(self.table.state), np.int32)
        self.infos: dict[str, Any] = {agent: {"scores": scores} for agent in self.agents}

    def action_masks(self) -> np.ndarray:
        """Return which actions of the acting agent are legal, as masked policies want it."""
        mask: np.ndarray = self.observe(self.agent_selection)["action_mask"].astype(bool)
        return mask

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return an agent's view; only the acting agent has legal actions."""
        return self.table.view(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = self.table.action(int(action)) if action is not None else None
        self._cumulative_rewards[agent] = 0.0
        if chosen is None:
            self.rewards[agent] = -1.0
        else:
            self.table.apply(chosen)
        if chosen is not None and not self.table.over:
            self.agent_selection = self.possible_agents[self.table.actor]
            self._tell()
            return
        if chosen is not None:
            self.rewards = dict(zip(self.possible_agents, self.table.rewards(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._tell()
        self._accumulate_rewards()

    def render(self) -> str | np.ndarray | None:
        return self.table.render(self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""
