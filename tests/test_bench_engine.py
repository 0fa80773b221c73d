"""The engine bench plays whole games of ours and gives each engine's middle speed."""

from random import Random

from bench.engine import drawn, measure, ours
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards


def test_a_playout_counts_decisions_and_not_rolls() -> None:
    dicy, stars = ours(DicyCards(goal=1)), ours(DiceStars(seats=1, solo_boxes=5))
    assert 2 <= dicy(Random(1)) < 60
    assert 2 <= stars(Random(1)) < 200


def test_outcomes_are_drawn_by_their_chances() -> None:
    outcomes = [(7, 0.25), (8, 0.5), (9, 0.25)]
    assert [drawn(outcomes, left) for left in (0.0, 0.24, 0.26, 0.74, 0.76, 1.0)] == [7, 7, 8, 8, 9, 9]


def test_engines_are_measured_side_by_side() -> None:
    speeds = measure({"some": lambda rng: 10, "none": lambda rng: 0}, rounds=3, seconds=0.001)
    assert speeds["some"] > 0
    assert speeds["none"] == 0
