"""The recipes of docs/vector.md learn and win."""

import pytest

from examples.maskable_ppo import SEEDS, STEPS, by_chance, credits, learned
from examples.open_spiel_mcts import duel


@pytest.mark.parametrize("seed", SEEDS)
def test_maskable_ppo_learns(seed: int) -> None:
    """Whatever the seed, the learner becomes far better than the random play that it meets."""
    before, after = (won.mean() for won in learned(seed, STEPS))
    assert after - before > 0.5
    assert after > credits(by_chance, 1000, seed).mean() + 0.25


def test_open_spiels_search_beats_a_random_player() -> None:
    assert duel(10) >= 0.7
