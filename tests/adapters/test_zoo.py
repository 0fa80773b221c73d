"""PettingZoo's own conformance and seed tests, and whole games by the masks."""

import pickle
import warnings
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from starfrost.adapters.numbered import NumberedGame
from starfrost.adapters.pettingzoo import env
from starfrost.vector.arrays import U32

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


def test_an_illegal_action_ends_the_game_as_pettingzoos_wrapper_ends_it() -> None:
    own: Any = env("dice-stars", 2)
    wrapped: Any = TerminateIllegalWrapper(env("dice-stars", 2), illegal_reward=-1)
    for table in (own, wrapped):
        table.reset(seed=1)
        assert table.last()[0]["action_mask"][0] == 0
        table.step(0)
        assert table.rewards == {"seat_1": -1, "seat_2": 0}
        assert all(table.terminations.values())
        last = {}
        for agent in table.agent_iter():
            last[agent] = table.last()[1]
            table.step(None)
        assert last == {"seat_1": -1, "seat_2": 0}


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_views_and_masks_are_those_of_the_vector_engine(game: str, players: int) -> None:
    table, rng = NumberedGame(game, players), Random(players)
    for _ in range(4):
        table.reset(rng)
        while not table.over:
            packed = table.engine.pack([table.state])
            for seat in range(players):
                seen = table.view(seat)
                assert np.array_equal(seen["observation"], table.packed.observe(packed, np.array([seat], U32))[0])
                legal = table.packed.legal(packed)[0] & (seat == table.actor)
                assert np.array_equal(seen["action_mask"], legal)
            number = rng.choice(np.flatnonzero(table.mask).tolist())
            action = table.action(number)
            assert table.engine.number(table.rules, table.state, action) == number
            table.apply(action)
        assert not table.mask.any()
        assert table.action(0) is None


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_table_is_pickled_in_the_middle_of_a_game(game: str) -> None:
    table: Any = env(game, 2)
    table.reset(seed=2)
    for _ in range(5):
        table.step(int(np.flatnonzero(table.last()[0]["action_mask"])[-1]))
    again = pickle.loads(pickle.dumps(table))
    for each in (table, again):
        for _ in range(9):
            each.step(int(np.flatnonzero(each.last()[0]["action_mask"])[-1]))
    assert table.unwrapped.table.state == again.unwrapped.table.state


def test_a_position_is_numbered_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbering the legal actions takes longer than playing one of them."""
    table: Any = env("dice-stars", 2)
    numbered: list[Any] = []
    kit = table.table.engine
    counting = replace(kit, mask=lambda game, state: numbered.append(state) or kit.mask(game, state))
    monkeypatch.setattr(table.table, "engine", counting)
    table.reset(seed=1)
    for _ in range(20):
        mask = table.last()[0]["action_mask"]
        assert np.array_equal(table.action_masks(), mask == 1)
        table.step(int(np.flatnonzero(mask)[0]))
    assert len(numbered) == len(set(numbered)) <= 20
