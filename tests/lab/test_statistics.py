"""Intervals have their stated coverage, and ratings agree with the rates."""

from random import Random

import pytest

from starfrost.lab.statistics import Rate, rate, ratings


def test_a_rate_is_the_mean_of_the_credits() -> None:
    found = rate([[1.0], [0.5], [0.0], [1.0]])
    assert found.mean == 0.625
    assert 0 < found.low < 0.625 < found.high < 1


@pytest.mark.parametrize("credit", [0.0, 1.0])
def test_a_rate_of_none_or_all_keeps_an_interval(credit: float) -> None:
    found = rate([[credit]] * 20)
    assert found.mean == credit
    assert found.low == (0 if credit == 0 else pytest.approx(0.839, abs=1e-3))
    assert found.high == (1 if credit == 1 else pytest.approx(0.161, abs=1e-3))


def test_one_game_says_next_to_nothing() -> None:
    found = rate([[1.0]])
    assert found.low < 0.5


def test_equal_groups_make_a_narrow_interval_but_not_at_once() -> None:
    few, many = rate([[1.0, 0.0]] * 2), rate([[1.0, 0.0]] * 500)
    assert few.high - few.low > 0.4
    assert many.high - many.low < 0.01


@pytest.mark.parametrize("chance", [0.5, 0.9])
@pytest.mark.parametrize("size", [1, 2])
def test_intervals_cover_the_truth_19_times_in_20(chance: float, size: int) -> None:
    rng = Random(5)
    covered = 0
    for _ in range(1000):
        # Both games of a group share half of their luck.
        groups = []
        for _ in range(60):
            shared = rng.random()
            groups.append([float((shared if rng.random() < 0.5 else rng.random()) < chance) for _ in range(size)])
        found = rate(groups)
        covered += found.low <= chance <= found.high
    assert 0.925 <= covered / 1000 <= 0.985


def test_ratings_give_back_the_odds() -> None:
    sure = [Rate(p, 0, 1, 1e6) for p in (10 / 11, 10 / 11, 100 / 101)]
    fitted = ratings({("b", "a"): sure[0], ("c", "b"): sure[1], ("c", "a"): sure[2]}, anchor="a")
    assert fitted["a"].points == 0
    assert fitted["b"].points == pytest.approx(400, abs=0.5)
    assert fitted["c"].points == pytest.approx(800, abs=0.5)


def test_a_player_who_never_lost_has_a_finite_rating_with_a_wide_interval() -> None:
    fitted = ratings({("b", "a"): rate([[1.0]] * 100)}, anchor="a")
    assert 600 < fitted["b"].points < 1200
    assert fitted["b"].high - fitted["b"].low > 300


def test_more_games_make_narrower_ratings() -> None:
    few = ratings({("b", "a"): Rate(0.6, 0, 1, 100.0)}, anchor="b")["a"]
    many = ratings({("b", "a"): Rate(0.6, 0, 1, 10000.0)}, anchor="b")["a"]
    assert many.high - many.low == pytest.approx((few.high - few.low) / 10, rel=0.05)
