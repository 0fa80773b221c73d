"""The vector engines as pure functions: jit, vmap, scan, automatic reset, observations, random play."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bench.rollout import begin, play
from starfrost.errors import UsageError
from starfrost.games.dice_stars.vector.engine import VectorStars
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.vector.engine import VectorDicy
from starfrost.vector.arrays import U32

GAMES: list[Any] = [
    *(VectorStars(seats) for seats in (1, 2, 3, 4)),
    VectorDicy(2),
    VectorDicy(3, MODES["d"].cards, 40),
    VectorDicy(4, MODES["c"].cards, 20),
]


def key(games: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(games, dtype=U32), np.full(games, step, dtype=U32)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_random_play_is_legal_and_ends(game: Any) -> None:
    games = 64
    state = game.init(key(games, 0))
    assert not game.over(state).any()
    for step in range(1, 3000):
        over, mask = game.over(state), game.legal(state)
        assert mask.shape == (games, game.actions)
        assert np.array_equal(mask.any(axis=1), ~over)
        assert not game.rewards(state)[~over].any()
        if over.all():
            break
        action = game.random_action(state, key(games, step))
        assert mask[~over, action[~over]].all()
        after = game.step(state, action, key(games, step))
        for old, new in zip(jax.tree.leaves(state), jax.tree.leaves(after), strict=True):
            assert np.array_equal(old[over], new[over]), "a finished game stays as it is"
        state = after
    assert game.over(state).all()
    rewards = game.rewards(state)
    assert rewards.dtype == np.float32
    if game.seats > 1:
        assert np.allclose(rewards.sum(axis=1), 1)


@pytest.mark.parametrize("game", [VectorStars(2), VectorDicy(2)], ids=repr)
def test_vmap_scan_and_batches_agree(game: Any) -> None:
    games, steps = 16, 120
    keys = jax.random.split(jax.random.key(7), games)

    @jax.vmap
    def one(key: Any) -> Any:
        def body(state: Any, number: Any) -> Any:
            now = jax.random.fold_in(key, number)
            state, outcome = game.step_auto(state, game.random_action(state, now), now)
            return state, outcome

        return jax.lax.scan(body, game.init(key), jnp.arange(steps))

    state, outcomes = jax.jit(one)(keys)
    batch = game.init(keys)
    over = 0
    for number in range(steps):
        now = jax.vmap(jax.random.fold_in, (0, None))(keys, number)
        now = np.asarray(jax.random.key_data(now))
        batch = jax.tree.map(np.asarray, batch)
        batch, outcome = game.step_auto(batch, game.random_action(batch, now), now)
        assert np.array_equal(outcome.over, outcomes.over[:, number])
        assert np.allclose(outcome.rewards, outcomes.rewards[:, number])
        over += int(outcome.over.sum())
        assert not game.over(batch).any(), "a game that ends starts again"
    assert over > 0
    for ours, theirs in zip(jax.tree.leaves(batch), jax.tree.leaves(state), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_seat_sees_itself_first(game: Any) -> None:
    games, part = 32, 41 if game.name == "dice-stars" else 7
    state = game.init(key(games, 0))
    for step in range(1, 14):
        state = game.step(state, game.random_action(state, key(games, step)), key(games, step))
    seen = [game.observe(state, np.full(games, seat, dtype=U32)) for seat in range(game.seats)]
    assert seen[0].dtype == np.uint8
    assert seen[0].shape == (games, game.observation_size)
    sheets = [view[:, -part * game.seats :].reshape(games, game.seats, part) for view in seen]
    for seat in range(game.seats):
        for other in range(game.seats):
            assert np.array_equal(sheets[seat][:, (other - seat) % game.seats], sheets[other][:, 0])
    own = game.observe(state)
    actor = game.actor(state)
    assert np.array_equal(own, np.stack(seen)[actor, np.arange(games)])


def test_random_play_in_one_compiled_loop_is_fair() -> None:
    game = VectorDicy(2)
    state, tally = play(game, begin(game, 4096, jnp.uint32(3)), jnp.uint32(0), jnp.uint32(3), 300)
    over = int(tally.over.sum())
    assert over > 10_000
    assert abs(float(tally.first.sum()) / over - 0.5) < 0.03
    assert not game.over(state).any()


def test_set_ups_that_do_not_exist_are_refused() -> None:
    for wrong in (
        lambda: VectorStars(5),
        lambda: VectorStars(1, 0),
        lambda: VectorDicy(1),
        lambda: VectorDicy(2, goal=0),
    ):
        with pytest.raises(UsageError):
            wrong()
    assert VectorStars(2) == VectorStars(2)
    assert hash(VectorStars(2)) != hash(VectorStars(3))
