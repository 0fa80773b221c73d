"""The greedy player takes the most points now."""

from random import Random

import pytest

from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards.bots.greedy import DicyCardsGreedy, mean_points


@pytest.mark.parametrize(
    ("position", "chosen"),
    [
        ("1 act 555431 0:11111 0:11111", "score no-sixes 555431"),
        ("1 act 665511 0:11111 0:11111", "score two-pairs 6655"),
        ("1 act 654321 0:10000 0:11111", "score any-two 65"),
        ("1 act 642222 0:00100 0:11111", "skip"),
        ("1 act 664421 0:00001 0:11111", "score two-pairs 6644"),
        ("1 act - 9:00000 0:11111", "skip"),
        ("1 freeze - 20:01111 20:11000 >2", "freeze no-sixes"),
        ("1 reset - 20:11111 20:00111 >2", "reset any-two"),
    ],
)
def test_it_takes_the_most(position: str, chosen: str) -> None:
    game = DicyCards()
    assert str(DicyCardsGreedy().choose(game, game.parse_position(position), Random(0))) == chosen


def test_mean_points() -> None:
    assert mean_points("forty-minus") == pytest.approx(19)
    assert mean_points("sixes") == pytest.approx(6)
    assert mean_points("no-sixes") == pytest.approx(18 * (5 / 6) ** 6)
