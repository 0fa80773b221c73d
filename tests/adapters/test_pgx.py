"""Pgx's own `api_test`, as far as it supports games that are not part of Pgx."""

from typing import Any, Literal

import jax
import jax.numpy as jnp
import pgx.experimental
import pytest
from pgx._src import api_test as pgx_test

from examples.pgx_games import PgxDiceStars, PgxDicyCards


@jax.jit
def act_randomly(key: Any, mask: Any) -> Any:
    return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf), axis=-1)


@pytest.mark.parametrize(
    "env",
    [PgxDicyCards(3, goal=10), PgxDiceStars(1, solo_boxes=10), PgxDiceStars(2)],
    ids=lambda env: f"{env.id} {env.num_players}",
)
def test_pgx_accepts_it(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Pgx wants ids from a closed list of its own games: ours replace it here.
    monkeypatch.setattr(pgx_test, "EnvId", Literal["dice_stars", "dicy_cards"])
    # Its random player asks JAX for the second axis of a mask with one axis, which today's JAX refuses for every game.
    monkeypatch.setattr(pgx_test, "act_randomly", act_randomly)
    pgx_test.api_test(env, num=2, use_key=True)


def test_rewards_add_up_to_zero_and_reset_works() -> None:
    env = PgxDicyCards(2, goal=10)
    step = jax.jit(jax.vmap(pgx.experimental.auto_reset(env.step, env.init)))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 16))
    key, over = jax.random.key(1), 0
    for _ in range(60):
        key, first, second = jax.random.split(key, 3)
        action = act_randomly(first, state.legal_action_mask)
        state = step(state, action, jax.random.split(second, 16))
        over += int(state.terminated.sum())
        assert jnp.allclose(state.rewards.sum(axis=-1), 0)
    assert over > 0


def test_an_illegal_action_ends_the_game() -> None:
    env = PgxDiceStars(2)
    state = env.init(jax.random.key(0))
    assert env.num_actions == 2543
    assert env.observation_shape == (119,)
    state = jax.jit(env.step)(state, 0, jax.random.key(1))
    assert bool(state.terminated)
    assert state.rewards.tolist() == [-1.0, 1.0]
