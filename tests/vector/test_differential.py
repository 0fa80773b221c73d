"""The vector engines against the reference engines, transition by transition: masks, states, scores and rewards."""

import pytest

from tests.vector.differ import Pair, jax_pairs, numpy_pairs


@pytest.mark.parametrize("pair", jax_pairs(), ids=repr)
def test_jax_plays_as_the_reference_engine_does(pair: Pair) -> None:
    assert pair.compare(games=600, steps=60, seed=1) == 36_000


@pytest.mark.parametrize("seed", range(4))
def test_numpy_plays_any_set_up_as_the_reference_engine_does(seed: int) -> None:
    assert sum(pair.compare(games=100, steps=25, seed=seed) for pair in numpy_pairs(seed, 3)) == 15_000
