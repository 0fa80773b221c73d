"""PettingZoo's own conformance and seed tests, and whole games by the masks."""

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from starfrost.adapters.pettingzoo import TableEnv, env

TABLES = [("dicy-cards", 2), ("dicy-cards", 4), ("dice-stars", 1), ("dice-stars", 2), ("dice-stars", 3)]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_pettingzoo_accepts_it(game: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # It would rather have plain arrays; PettingZoo's own games with action masks use dictionaries all the same.
        warnings.filterwarnings("ignore", message="Observation")
        api_test(env(game, players), num_cycles=150)
        seed_test(lambda: env(game, players), num_cycles=40)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_whole_games_share_one_victory(game: str, players: int) -> None:
    table: Any = env(game, players)
    table.reset(seed=3)
    rng = np.random.default_rng(3)
    total = dict.fromkeys(table.agents, 0.0)
    for agent in table.agent_iter():
        view, reward, over, cut, info = table.last()
        assert info["scores"].shape == (players,)
        assert over or np.array_equal(table.unwrapped.action_masks(), view["action_mask"] == 1)
        total[agent] += reward
        legal = np.flatnonzero(view["action_mask"])
        assert bool(legal.size) != (over or cut)
        table.step(None if over or cut else int(rng.choice(legal)))
    assert sum(total.values()) == (pytest.approx(1) if players > 1 else total["seat_1"])


def test_an_illegal_action_is_refused_or_ends_the_game() -> None:
    plain = TableEnv("dice-stars", 2)
    plain.reset(seed=1)
    with pytest.raises(ValueError, match="not legal"):
        plain.step(0)
    wrapped: Any = env("dice-stars", 2)
    wrapped.reset(seed=1)
    wrapped.step(0)
    assert wrapped.rewards["seat_1"] == -1
    assert all(wrapped.terminations.values())
