"""PettingZoo's AEC interface for many tables at once, on the vector engine.

    from starfrost.adapters.pettingzoo_vector import vector_env
    tables = vector_env("dicy-cards", players=3, num_envs=4096)
    tables.reset(seed=1)
    while training:
        view, rewards, terminations, truncations, infos = tables.last()
        tables.step(policy(view["observation"], view["action_mask"], tables.agent_selection))

PettingZoo has no interface of its own for batches. This one keeps its names, with an array over the tables where the
AEC interface has one value: every step acts for the seat whose turn it is at each table.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from starfrost.adapters.tables import TableBatch, View
from starfrost.vector.registry import DEFAULT


def vector_env(game: str = DEFAULT, players: int = 2, num_envs: int = 1, **options: Any) -> "TablesEnv":
    """Return many whole tables. Raises UsageError."""
    return TablesEnv(game, players, num_envs, **options)


class TablesEnv:
    """Many whole tables: the seats of each act in the order of the rules, affected seats in between."""

    def __init__(self, game: str, players: int, num_envs: int, **options: Any) -> None:
        self.batch = TableBatch(game, players, num_envs, **options)
        self.num_envs = num_envs
        self.metadata = {"name": f"starfrost_{game}", "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(players)]
        self.agents = list(self.possible_agents)
        self.np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> Any:
        """Return the space of one agent's views at all tables."""
        return self.batch.view_spaces

    def action_space(self, agent: str) -> Any:
        """Return the space of one action at every table."""
        return self.batch.action_spaces

    def reset(self, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game at every table; table i gets the seed plus i, or its own of a list."""
        if isinstance(seed, int):
            self.np_random, _ = seeding.np_random(seed)
        if seed is None:
            seed = int(self.np_random.integers(1 << 62))
        self.batch.begin([seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed)
        self.rewards = np.zeros((self.num_envs, len(self.agents)))
        self._look()

    def _look(self) -> None:
        self.batch.look()
        seen = self.batch.seen
        self.agent_selection: np.ndarray = np.array(seen.actor).astype(np.int64)
        """The acting seat (from 0) of every table, also where the game is over."""
        self.terminations = np.array(self.batch.tables.over)
        self.truncations = np.zeros(self.num_envs, bool)
        self.infos = {"scores": np.array(seen.scores)}

    def observe(self) -> View:
        """Return the views of the acting seats; only they have legal actions."""
        return self.batch.view()

    def last(self) -> tuple[View, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Return the views of the acting seats, and rewards (table, seat), terminations, truncations and infos."""
        return self.observe(), self.rewards, self.terminations, self.truncations, self.infos

    def step(self, actions: Any) -> None:
        """Act for the acting seat of every table.

        A table whose game is over ignores its action and starts a new game. An illegal action ends the game with reward
        -1 for its seat.
        """
        over, actor = self.terminations, self.agent_selection
        illegal = self.batch.play(actions, ~over)
        self.batch.restart(over)
        self._look()
        self.rewards = np.array(self.batch.seen.rewards, np.float64)
        self.rewards[illegal] = 0.0
        self.rewards[illegal, actor[illegal]] = -1.0

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal at every table."""
        return self.batch.mask.astype(bool)

    def random_actions(self) -> np.ndarray:
        """Return a random legal action for every table; every one is possible, but not equally likely."""
        return self.batch.random_actions()

    def close(self) -> None:
        """Do nothing: there are no resources to release."""
