"""The recipe for MaskablePPO has rewards to learn from; `make test-long` lets it learn, with the packages it needs."""

import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest


class VecEnv:
    """What the recipe uses of Stable-Baselines3's class."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space

    def _reset_seeds(self) -> None:
        self._seeds = [None] * self.num_envs


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, parts in {
        "sb3_contrib": {"MaskablePPO": None},
        "stable_baselines3": {},
        "stable_baselines3.common": {},
        "stable_baselines3.common.vec_env": {"VecEnv": VecEnv},
        "torch": {},
        "torch.distributions": {"Distribution": None},
    }.items():
        module = ModuleType(name)
        vars(module).update(parts)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "examples.maskable_ppo", raising=False)
    yield import_module("examples.maskable_ppo")
    del sys.modules["examples.maskable_ppo"]


def test_a_learner_that_knows_nothing_gets_rewards(recipe: Any) -> None:
    for seed in recipe.SEEDS:
        tables = recipe.Tables(recipe.seat(64, "SameStep"))
        tables.seed(seed)
        tables.reset()
        won = lost = 0
        for _ in range(80):
            tables.step_async(tables.env.random_actions())
            _, rewards, done, told = tables.step_wait()
            assert not rewards[~done].any()
            assert ["terminal_observation" in one for one in told] == done.tolist()
            won, lost = won + int((rewards[done] > 0).sum()), lost + int((rewards[done] == 0).sum())
        # Random play on both sides wins about half of the games.
        assert 0.3 < won / (won + lost) < 0.7


def test_games_are_measured_to_their_end(recipe: Any) -> None:
    """Where a game is over nothing is legal, and a masked policy needs something to choose from."""
    rng = np.random.default_rng(1)

    def predict(seen: np.ndarray, action_masks: np.ndarray) -> tuple[np.ndarray, None]:
        assert action_masks.any(axis=1).all()
        return (rng.random(action_masks.shape) * action_masks).argmax(axis=1), None

    for choose in (recipe.by_chance, recipe.by_policy(SimpleNamespace(predict=predict))):
        shares = recipe.credits(choose, 200, 1)
        assert set(shares.tolist()) <= {0.0, 0.5, 1.0}
        assert 0 < shares.mean() < 1
