"""The network of whole numbers: near the trained one, and the same for any batch, order of additions and device."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from starfrost.learning.dice_stars.choice import Values, each_word, utility
from starfrost.learning.dice_stars.features import features, numbers, size, units
from starfrost.learning.dice_stars.network import exact, forward, shares
from starfrost.players.dice_stars.strong import POINTS, weights, whole_weights
from starfrost.vector.arrays import U32
from starfrost.vector.dice_stars.engine import TAKE, StarsState, VectorStars, phase_of
from starfrost.vector.game import choose


def positions(seats: int, games: int = 200, steps: int = 60) -> StarsState:
    """Return positions of random games, all before a take."""
    game = VectorStars(seats)
    key = np.stack([np.arange(games, dtype=U32), np.zeros(games, U32)], axis=-1)
    state = game.init(key)
    for step in range(steps + games):
        key[:, 1] = step
        # Every game goes on until it is as far as its number says, and then to its next take.
        going = (np.arange(games) % steps >= step) | (phase_of(state) != TAKE)
        after = game.step_with(state, game.random_action(state, key), game.roll(state, key))
        state = choose(going & ~game.over(state), after, state)
    chosen = np.flatnonzero(phase_of(state) == TAKE)
    assert len(chosen) > games // 3
    return each_word(state, lambda word: word[chosen])


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_whole_numbers_are_near_the_network_and_exact_in_any_order(seats: int) -> None:
    state = positions(seats)
    nothing = state.meta * U32(0)
    boxes = VectorStars(seats).solo_boxes
    x, whole = features(state, nothing, boxes), numbers(state, nothing, boxes)
    assert x.shape[-1] == size(seats) == len(units(seats))
    assert np.abs(x * units(seats) - whole).max() < 1e-3
    params: dict[str, Any] = whole_weights(seats)
    found = exact(params, whole)
    plain = shares(forward(weights(seats), x)[0])
    assert np.abs(found[0] - plain).mean() < 0.0008
    order = np.random.default_rng(1).permutation(params["w0"].shape[1])
    mixed = {
        **params,
        "w0": params["w0"][::-1, order],
        "b0": params["b0"][order],
        "w1": params["w1"][order].astype(np.float64),
    }
    again = exact(mixed, whole[:, ::-1])
    singly = [exact(params, row[None]) for row in whole[:20]]
    for part in range(2):
        assert (again[part] == found[part]).all()
        assert (np.concatenate([one[part] for one in singly]) == found[part][:20]).all()
    # Sums of whole numbers are exact below 2**24, whatever their order.
    first = np.abs(whole).astype(np.float64) @ np.abs(params["w0"].astype(np.float64)) + np.abs(params["b0"])
    hidden = np.rint(np.maximum(whole @ params["w0"] + params["b0"], 0) / 1024)
    second = hidden.astype(np.float64) @ np.abs(params["w1"].astype(np.float64)) + np.abs(params["b1"])
    assert max(first.max(), second.max()) < 2**23


def test_jax_adds_up_to_the_same_numbers() -> None:
    state = positions(2, 60, 40)
    whole = numbers(state, state.meta * U32(0), 0)

    def worth(params: Any, whole: Any) -> Any:
        values = Values(*exact(params, whole))
        return values, utility(values, 1, POINTS[2])

    here = worth(whole_weights(2), whole)
    with jax.enable_x64(True):
        there = jax.jit(worth)(*jax.tree.map(jnp.asarray, (whole_weights(2), whole)))
    for one, other in zip(jax.tree.leaves(here), jax.tree.leaves(there), strict=True):
        assert one.dtype == other.dtype == np.float64
        assert one.tolist() == np.asarray(other).tolist()
