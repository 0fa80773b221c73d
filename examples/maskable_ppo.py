"""MaskablePPO of sb3-contrib learns the solo game of Dice Stars: `python examples/maskable_ppo.py [STEPS]`.

Needs `pip install 'starfrost[vector]' sb3-contrib`. Stable-Baselines3 has its own interface for many environments;
`Tables` connects it to Starfrost's `VectorEnv`, so that a step of all tables is one call of the vector engine.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv
from torch.distributions import Distribution

from starfrost.adapters.gymnasium_vector import SeatVectorEnv


class Tables(VecEnv):
    """A `SeatVectorEnv` for Stable-Baselines3: plain arrays as observations, masks by `action_masks`."""

    def __init__(self, env: SeatVectorEnv) -> None:
        """Take an environment with autoreset_mode="SameStep", which is what Stable-Baselines3 expects."""
        self.env = env
        self.scores: list[int] = []
        """The agent's points in all finished games."""
        size = env.batch.game.observation_size
        super().__init__(env.num_envs, spaces.Box(0, 255, (size,), np.uint8), env.single_action_space)

    def reset(self) -> np.ndarray:
        view, _ = self.env.reset(seed=self._seeds[0])
        self._reset_seeds()
        return view["observation"]

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        view, rewards, done, _, infos = self.env.step(self._actions)
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for table in np.flatnonzero(done):
            told[table]["terminal_observation"] = infos["final_obs"][table]["observation"]
            self.scores.append(int(infos["final_info"]["scores"][table, self.env.seat]))
        return view["observation"], rewards.astype(np.float32), done, told

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        """Return the masks, the one thing that MaskablePPO asks every table."""
        return list(getattr(self.env, method_name)(*args, **options))

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self.env, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def close(self) -> None:
        self.env.close()


def train(steps: int, tables: int = 64) -> tuple[float, float]:
    """Learn for a number of steps; return the mean points of the first and of the last 200 games."""
    env = Tables(SeatVectorEnv(tables, "dice-stars", 1, autoreset_mode="SameStep"))
    # Checking 2,543 probabilities of every action takes longer than learning from it.
    Distribution.set_default_validate_args(False)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=512, n_epochs=4, learning_rate=1e-3, seed=1, device="cpu"
    )
    model.learn(steps)
    return float(np.mean(env.scores[:200])), float(np.mean(env.scores[-200:]))


if __name__ == "__main__":
    first, last = train(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
    print(f"points a game: {first:.1f} at first, {last:.1f} at last")
