"""Gymnasium's own conformance test, seeds, masks and opponents."""

import subprocess
import sys
import warnings
import zlib
from hashlib import sha256
from struct import pack
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import starfrost.adapters.gymnasium
from starfrost.adapters.pictures import pixels
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


@pytest.mark.parametrize(
    ("name", "views"),
    [
        ("starfrost/DiceStarsSolo-v0", "bb3b7fab"),
        ("starfrost/DiceStars-v0", "3a93ae44"),
        ("starfrost/DicyCards-v0", "78b9b535"),
    ],
)
def test_the_views_of_a_version_stay_the_same(name: str, views: str) -> None:
    # Where this changes, the environments get the next version, and docs/vector.md says what changed.
    env = gymnasium.make(name)
    view, _ = env.reset(seed=1)
    digest, over = sha256(), False
    while not over:
        digest.update(view["observation"].tobytes() + view["action_mask"].tobytes())
        view, reward, over, *_ = env.step(int(np.flatnonzero(view["action_mask"])[0]))
    digest.update(str(reward).encode())
    assert digest.hexdigest()[:8] == views


@pytest.mark.parametrize("name", ["starfrost/DiceStarsSolo-v0", "starfrost/DicyCards-v0"])
def test_positions_are_drawn_as_pixels(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array")
    view, _ = env.reset(seed=1)
    before: Any = env.render()
    assert before.shape == (336, 640, 3)
    assert before.dtype == np.uint8
    env.step(env.action_space.sample(view["action_mask"]))
    assert (env.render() != before).any()


def test_every_filter_of_a_picture_is_undone() -> None:
    drawn = np.random.default_rng(1).integers(0, 256, (10, 7, 4))
    framed = np.zeros((11, 8, 4), int)
    framed[1:, 1:] = drawn
    left, up, corner = framed[1:, :-1], framed[:-1, 1:], framed[:-1, :-1]
    near = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    guesses = [0 * up, left, up, (left + up) // 2, np.choose(np.argmin(near, axis=0), [left, up, corner])]
    rows = [bytes([row % 5, *((drawn - guesses[row % 5])[row] % 256).ravel().tolist()]) for row in range(10)]
    body = zlib.compress(b"".join(rows))
    parts = b"".join(
        pack(">I4s", len(part), kind) + part + bytes(4) for kind, part in [(b"IDAT", body), (b"IEND", b"")]
    )
    assert (pixels(bytes(8) + pack(">I4s2I5s4x", 13, b"IHDR", 7, 10, b"") + parts) == drawn).all()


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
