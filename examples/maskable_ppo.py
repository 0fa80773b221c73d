"""MaskablePPO of sb3-contrib learns Dicy Cards against random play: `python examples/maskable_ppo.py [STEPS]`.

Needs `pip install 'starfrost[vector]' sb3-contrib`. Stable-Baselines3 has its own interface for many environments;
`Tables` connects it to Starfrost's `VectorEnv`, so that a step of all tables is one call of the vector engine.

The reward is the share of the victory at the end of a game. A learner needs games that it sometimes wins: random
play does not beat the official solo grid of Dice Stars, so there it would see no reward at all.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv
from torch.distributions import Distribution

from starfrost.adapters.gymnasium_vector import SeatVectorEnv

STEPS = 60_000
SEEDS = range(1, 6)
STUDENT = 2.776
"""The half-width of the 95% interval of a mean of five, in standard errors."""


def seat(tables: int, autoreset_mode: str) -> SeatVectorEnv:
    """Return the learner's seat at many tables, the first one, against random play."""
    return SeatVectorEnv(tables, "dicy-cards", 2, opponents="random", goal=30, autoreset_mode=autoreset_mode)


class Tables(VecEnv):
    """A `SeatVectorEnv` for Stable-Baselines3: plain arrays as observations, masks by `action_masks`."""

    def __init__(self, env: SeatVectorEnv) -> None:
        """Take an environment with autoreset_mode="SameStep", which is what Stable-Baselines3 expects."""
        self.env = env
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


def learner(seed: int, env: SeatVectorEnv | None = None) -> MaskablePPO:
    """Return a learner that has learned nothing yet, at the tables of `seat` or at others with `SameStep`."""
    # Checking the probabilities of every action takes longer than learning from it.
    Distribution.set_default_validate_args(False)
    tables = Tables(env or seat(64, "SameStep"))
    return MaskablePPO(
        "MlpPolicy", tables, n_steps=32, batch_size=512, n_epochs=4, learning_rate=1e-3, seed=seed, device="cpu"
    )


def credits(
    choose: Callable[[SeatVectorEnv, Any], np.ndarray], games: int, seed: int, env: SeatVectorEnv | None = None
) -> np.ndarray:
    """Play one game at every table, those of `seat` or others with `Disabled`; return the shares of the victory."""
    env = env or seat(games, "Disabled")
    view, _ = env.reset(seed=seed)
    won, over = np.zeros(games), np.zeros(games, bool)
    while not over.all():
        view, rewards, over, _, _ = env.step(choose(env, view))
        won += rewards
    return won


def by_policy(model: MaskablePPO) -> Callable[[SeatVectorEnv, Any], np.ndarray]:
    """Return what the learner chooses at every table; where a game is over any action will do."""

    def choose(env: SeatVectorEnv, view: Any) -> np.ndarray:
        masks = env.action_masks()
        masks[~masks.any(axis=1)] = True
        return model.predict(view["observation"], action_masks=masks)[0]

    return choose


def by_chance(env: SeatVectorEnv, view: Any) -> np.ndarray:
    """Choose a random action at every table."""
    return env.random_actions()


def learned(seed: int, steps: int, games: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Let a learner learn; return its shares of the victory in as many games before and after."""
    model = learner(seed)
    before = credits(by_policy(model), games, 1000 + seed)
    model.learn(steps)
    return before, credits(by_policy(model), games, 2000 + seed)


def main(steps: int) -> None:
    """Print the learner's share of the victory against random play for five seeds, with its 95% interval."""
    print(f"random play: {credits(by_chance, 1000, 0).mean():.1%}")
    after = []
    for seed in SEEDS:
        before, now = (won.mean() for won in learned(seed, steps))
        after.append(now)
        print(f"seed {seed}: {before:.1%} at first, {now:.1%} after {steps:,} steps", flush=True)
    # Every seed is one observation: the games of one learner say nothing about another.
    mean, reach = np.mean(after), STUDENT * np.std(after, ddof=1) / len(after) ** 0.5
    print(f"{len(after)} seeds: {mean:.1%} ({mean - reach:.1%} to {mean + reach:.1%})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
