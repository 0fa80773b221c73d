"""The solved values against themselves; `test_oracle` puts them next to the reference engine."""

import numpy as np
import pytest

from starfrost.errors import UsageError
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.solver.sweep import solve


@pytest.mark.parametrize("mode", MODES)
def test_one_turn_opened_up_agrees_with_the_sweep(mode: str) -> None:
    values = solve(MODES[mode].cards, 12)
    rng = np.random.default_rng(12)
    for seat in (0, 1):
        for _ in range(10):
            scores = [int(score) for score in rng.integers(0, 12, 2)]
            if seat == 1 and rng.random() < 0.3:
                scores[0] = 12 + int(rng.integers(20))
            other = int(rng.integers(32))
            turn = values.turn(seat, scores, other)
            row = values.block(seat, scores)[other]
            assert max(abs(turn.kept("", mask) - row[mask]) for mask in range(32)) < 1e-13


def test_threads_do_not_change_a_single_bit() -> None:
    one, two = (solve(MODES["d"].cards, 6, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.between, two.between)
    assert np.array_equal(one.last, two.last)


def test_progress_rises_to_one() -> None:
    heard: list[float] = []
    solve(MODES["glacial"].cards, 3, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError):
        solve(("odds", "odds", "straight", "sixes", "any-two"), 5)
    with pytest.raises(UsageError):
        solve(MODES["glacial"].cards, 0)
