"""Many tables at once: Gymnasium's `VectorEnv` and PettingZoo's interface in batches."""

from typing import Any

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import starfrost.adapters.gymnasium  # noqa: F401  (registers the environments)
from starfrost.adapters.gymnasium_vector import SeatVectorEnv
from starfrost.adapters.pettingzoo_vector import vector_env
from starfrost.errors import UsageError

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("starfrost/DiceStarsSolo-v0", {"solo_boxes": 12}),
    ("starfrost/DiceStars-v0", {}),
    ("starfrost/DicyCards-v0", {"players": 3, "seat": 1, "goal": 30}),
]


def legal(view: dict[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action for every row; 0 where there is none."""
    return np.argmax(view["action_mask"] * rng.random(view["action_mask"].shape), axis=1)


@pytest.mark.parametrize(("name", "options"), TABLES)
def test_views_fit_the_spaces_and_games_end_and_start_again(name: str, options: dict[str, Any]) -> None:
    env: Any = RecordEpisodeStatistics(gymnasium.make_vec(name, num_envs=16, **options))
    rng = np.random.default_rng(1)
    view, infos = env.reset(seed=3)
    seats = options.get("players", 1 if "Solo" in name else 2)
    done, ended, won = np.zeros(16, bool), 0, 0.0
    for _ in range(120):
        assert env.observation_space.contains(view)
        assert np.array_equal(view["action_mask"].any(axis=1), ~done)
        assert np.array_equal(env.unwrapped.action_masks(), view["action_mask"] == 1)
        before = done
        view, rewards, done, cut, infos = env.step(legal(view, rng))
        assert not cut.any()
        assert not (done & before).any()
        assert infos["scores"].shape == (16, seats)
        assert not rewards[~done].any()
        assert not infos["scores"][before].any() or seats > 1
        ended, won = ended + done.sum(), won + rewards.sum()
        if done.any():
            assert (infos["episode"]["l"][done] > 0).all()
            best = infos["scores"].max(axis=1)
            alone = done & (rewards == 1)
            assert (infos["scores"][alone, options.get("seat", 0)] == best[alone]).all()
    assert ended > 16
    assert won <= ended


@pytest.mark.parametrize(("name", "options"), TABLES[::2])
def test_a_table_plays_the_same_with_any_number_of_others(name: str, options: dict[str, Any]) -> None:
    many, one = gymnasium.make_vec(name, num_envs=5, **options), gymnasium.make_vec(name, num_envs=1, **options)
    view, _ = many.reset(seed=20)
    alone, _ = one.reset(seed=[23])  # type: ignore[arg-type]
    for _ in range(30):
        assert np.array_equal(view["observation"][3], alone["observation"][0])
        action = many.unwrapped.random_actions()  # type: ignore[attr-defined]
        view, rewards, *_ = many.step(action)
        alone, reward, *_ = one.step(action[3:4])
        assert rewards[3] == reward[0]
    seen = []
    for seed in (20, 20, None):
        many.reset(seed=seed)
        seen.append([many.step(many.unwrapped.random_actions())[0]["observation"] for _ in range(4)])  # type: ignore[attr-defined]
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_an_illegal_action_ends_its_game_alone() -> None:
    env = SeatVectorEnv(3, "dice-stars", 2)
    view, _ = env.reset(seed=0)
    actions = env.random_actions()
    actions[1] = np.flatnonzero(view["action_mask"][1] == 0)[0]
    view, rewards, done, _, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert done.tolist() == [False, True, False]
    assert infos["illegal"].tolist() == [False, True, False]
    actions = env.random_actions()
    actions[1] = -7
    _, rewards, done, _, infos = env.step(actions)
    assert not rewards.any()
    assert not done.any()
    assert "illegal" not in infos
    actions[0] = 99999
    assert env.step(actions)[1][0] == -1


def test_opponents_by_a_function_of_their_views() -> None:
    asked: list[np.ndarray] = []

    def highest(view: dict[str, np.ndarray]) -> np.ndarray:
        assert view["action_mask"].any(axis=1).all()
        asked.append(view["observation"][:, 4])
        return view["action_mask"].shape[1] - 1 - np.argmax(view["action_mask"][:, ::-1], axis=1)

    env = SeatVectorEnv(8, "dicy-cards", 3, seat=1, opponents=highest, goal=20)
    env.reset(seed=1)
    ended = 0
    for _ in range(60):
        *_, done, _, _ = env.step(env.random_actions())
        ended += done.sum()
    assert ended > 3
    # Somebody else was asked in every round, and always as the seat that acts.
    assert {0, 2} <= set(np.concatenate(asked))
    with pytest.raises(ValueError, match="not legal"):
        SeatVectorEnv(2, "dicy-cards", 2, seat=1, opponents=lambda view: np.array([-1, -1])).reset(seed=1)


def test_games_start_again_at_once_or_not_at_all() -> None:
    same = SeatVectorEnv(6, "dice-stars", 1, solo_boxes=10, autoreset_mode=AutoresetMode.SAME_STEP)
    view, _ = same.reset(seed=2)
    ended = 0
    for _ in range(60):
        view, rewards, done, _, infos = same.step(same.random_actions())
        assert view["action_mask"].any(axis=1).all()
        assert ("final_obs" in infos) == done.any()
        for table in np.flatnonzero(done):
            assert not infos["final_obs"][table]["action_mask"].any()
            assert infos["scores"][table] == 0
            ended += 1
    assert ended > 3
    never = SeatVectorEnv(6, "dice-stars", 1, solo_boxes=10, autoreset_mode="Disabled")
    never.reset(seed=2)
    rewards, done = np.zeros(6), np.zeros(6, bool)
    while not done.all():
        before = done
        _, rewards, done, *_ = never.step(never.random_actions())
        assert not rewards[before].any()
        assert (done | ~before).all()
    some = np.array([True] * 3 + [False] * 3)
    view, _ = never.reset(options={"reset_mask": some})
    assert view["action_mask"].any(axis=1).tolist() == some.tolist()


@pytest.mark.parametrize(("game", "players"), [("dicy-cards", 3), ("dice-stars", 2)])
def test_positions_come_back_from_the_vector_engine(game: str, players: int) -> None:
    tables = vector_env(game, players, 32)
    tables.reset(seed=2)
    kit, rules = tables.batch.kit, tables.batch.rules
    for _ in range(60):
        packed = jax.tree.map(np.asarray, tables.batch.tables.state)
        states = kit.unpack(rules, packed) if kit.unpack else []
        for one, other in zip(jax.tree.leaves(kit.pack(states)), jax.tree.leaves(packed), strict=True):
            assert one.tolist() == other.tolist()
        assert [rules.scores(state) for state in states] == [tuple(row) for row in tables.infos["scores"].tolist()]
        tables.step(tables.random_actions())


GREEDY = "starfrost.games.dicy_cards.bots.greedy:DicyCardsGreedy"
"""A bot that counts as one from outside, which decides for one table after the other."""


@pytest.mark.parametrize(
    ("game", "options", "bots"),
    [
        ("dicy-cards", {"goal": 50}, ["greedy", "random"]),
        ("dicy-cards", {"goal": 50}, [GREEDY, "random"]),
        ("dice-stars", {}, ["greedy", "random"]),
    ],
)
def test_named_bots_play_the_other_seats(game: str, options: dict[str, Any], bots: list[str]) -> None:
    """Greedy beats a random agent, and decides for all tables at once as for each of them alone."""
    env, singly = (SeatVectorEnv(40, game, 3, seat=1, opponents=bots, **options) for _ in range(2))
    assert env._bots is not None
    assert singly._bots is not None
    assert env._bots.at_once.tolist() == [True, False, bots[0] == "greedy"]
    singly._bots.at_once[:] = False
    env.reset(seed=1)
    singly.reset(seed=1)
    won, ended, steps = np.zeros(3), 0, 0
    while ended < 40:
        actions = env.random_actions()
        view, _, done, _, infos = env.step(actions)
        if steps < 12:
            other, *_ = singly.step(actions)
            assert np.array_equal(view["observation"], other["observation"])
        best = infos["scores"] == infos["scores"].max(axis=1, keepdims=True)
        won, ended, steps = won + best[done].sum(axis=0), ended + int(done.sum()), steps + 1
    assert won[2] > 0.7 * ended


def test_what_does_not_exist_is_refused() -> None:
    for options, said in (
        ({"players": 2, "seat": 2}, "no seat 2"),
        ({"players": 2, "opponents": "wizard"}, "no bot 'wizard'"),
        ({"players": 3, "opponents": ["greedy"]}, "2 other seats, found 1"),
        ({"num_envs": 0}, "number of tables must be at least 1"),
        ({"game": "chess"}, "chess"),
    ):
        with pytest.raises(UsageError, match=said):
            SeatVectorEnv(**options)  # type: ignore[arg-type]
    env = SeatVectorEnv(2)
    with pytest.raises(ValueError, match="seed for each of 2"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=1)
    with pytest.raises(ValueError, match="one action for each of 2"):
        env.step([1, 2, 3])


@pytest.mark.parametrize(("game", "players"), [("dicy-cards", 3), ("dice-stars", 1), ("dice-stars", 2)])
def test_whole_tables_share_one_victory_each(game: str, players: int) -> None:
    options = {"goal": 30} if game == "dicy-cards" else {}
    tables: Any = vector_env(game, players, 12, **options)
    tables.reset(seed=4)
    rng = np.random.default_rng(4)
    ended, acted = 0, set()
    for _ in range(150):
        view, rewards, over, _, infos = tables.last()
        assert tables.observation_space("seat_1").contains(view)
        assert np.array_equal(view["action_mask"].any(axis=1), ~over)
        assert np.array_equal(tables.action_masks(), view["action_mask"] == 1)
        assert rewards.shape == infos["scores"].shape == (12, players)
        assert not rewards[~over].any()
        if players > 1:
            assert np.allclose(rewards[over].sum(axis=1), 1)
        ended += over.sum()
        acted |= set(tables.agent_selection.tolist())
        tables.step(legal(view, rng))
    assert ended > 3
    assert acted == set(range(players))
    wrong = tables.random_actions()
    live = np.flatnonzero(~tables.terminations)[0]
    actor = tables.agent_selection[live]
    wrong[live] = -1
    tables.step(wrong)
    assert tables.rewards[live].tolist() == [-1.0 if seat == actor else 0.0 for seat in range(players)]
    assert tables.terminations[live]
