"""The recipes of docs/vector.md learn and win."""

from examples.maskable_ppo import train
from examples.open_spiel_mcts import duel


def test_maskable_ppo_learns() -> None:
    first, last = train(60_000)
    assert last > first


def test_open_spiels_search_beats_a_random_player() -> None:
    assert duel(10) >= 0.7
