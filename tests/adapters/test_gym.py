"""Gymnasium's own conformance test, seeds, masks and opponents."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import starfrost.adapters.gymnasium
from starfrost.errors import UsageError

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("starfrost/DiceStarsSolo-v0", {}),
    ("starfrost/DiceStarsSolo-v0", {"solo_boxes": 12}),
    ("starfrost/DiceStars-v0", {"players": 4, "seat": 3, "opponents": "greedy"}),
    ("starfrost/DicyCards-v0", {"players": 2, "seat": 1}),
    ("starfrost/DicyCards-v0", {"players": 3, "seat": 1, "opponents": "greedy", "goal": 30}),
]


def game(env: Any, seed: int) -> tuple[list[Any], float]:
    """Play one game at random by the masks; return all views and the reward."""
    view, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    views, reward, over = [view], 0.0, False
    while not over:
        assert view["action_mask"].any()
        view, reward, over, cut, info = env.step(env.action_space.sample(view["action_mask"]))
        assert not cut
        assert list(info) == ["scores"]
        assert np.array_equal(env.unwrapped.action_masks(), view["action_mask"] == 1)
        views.append(view)
    assert not view["action_mask"].any()
    return views, reward


@pytest.mark.parametrize(("name", "options"), TABLES)
def test_gymnasium_accepts_it(name: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, render_mode="ansi", **options).unwrapped)


@pytest.mark.parametrize(("name", "options"), TABLES)
def test_masks_lead_through_a_game_and_seeds_repeat_it(name: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(name, **options)
    first, again, other = game(env, 1), game(env, 1), game(env, 2)
    assert first[1] == again[1]
    assert 0 <= first[1] <= 1
    assert all(np.array_equal(a["observation"], b["observation"]) for a, b in zip(first[0], again[0], strict=True))
    assert len(first[0]) != len(other[0]) or any(
        not np.array_equal(a["observation"], b["observation"]) for a, b in zip(first[0], other[0], strict=True)
    )


def test_an_illegal_action_ends_the_game() -> None:
    env = starfrost.adapters.gymnasium.SeatEnv("dice-stars", 1)
    view, _ = env.reset(seed=0)
    wrong = int(np.flatnonzero(view["action_mask"] == 0)[0])
    _, reward, over, _, info = env.step(wrong)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)


def test_the_first_make_needs_no_import() -> None:
    code = "import gymnasium; gymnasium.make('starfrost.adapters.gymnasium:starfrost/DicyCards-v0').reset(seed=1)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_opponents_by_a_function_or_a_bot_of_ones_own() -> None:
    def last(view: dict[str, np.ndarray]) -> int:
        return int(np.flatnonzero(view["action_mask"])[-1])

    class Last:
        name = "last"

        def choose(self, game: Any, state: Any, rng: Any) -> Any:
            numbered = {
                starfrost.adapters.gymnasium.ENGINES[game.name].number(game, state, action): action
                for action in game.legal_actions(state)
            }
            return numbered[max(numbered)]

    views = []
    for opponents in (last, Last()):
        env = starfrost.adapters.gymnasium.SeatEnv("dicy-cards", 3, seat=2, opponents=opponents, goal=20)
        views.append(game(env, 5)[0])
    assert all(np.array_equal(a["observation"], b["observation"]) for a, b in zip(*views, strict=True))
    with pytest.raises(ValueError, match="not legal"):
        starfrost.adapters.gymnasium.SeatEnv("dicy-cards", 2, seat=1, opponents=lambda view: 650).reset(seed=1)


def test_seats_and_games_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError):
        starfrost.adapters.gymnasium.SeatEnv("dice-stars", 2, seat=2)
    with pytest.raises(UsageError):
        starfrost.adapters.gymnasium.SeatEnv("chess", 2)
