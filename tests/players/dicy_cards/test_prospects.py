"""The expected value of active cards."""

from bisect import bisect
from itertools import pairwise, product

import numpy as np
import pytest

from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.bots.prospects import TURNS, prospects
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.turn import offers_of, solve_turn

D = MODES["d"].cards
FORTY = ("forty-minus", "any-two", "odds", "straight", "two-pairs")


def test_one_card_and_one_turn_can_be_counted_by_hand() -> None:
    """With only forty-minus and one turn, a reroll would freeze the card, so the mean is 40 minus six dice: 19."""
    book = prospects(FORTY, 2)
    assert book.points[1][1] == pytest.approx(19)
    assert book.points[2][0] == pytest.approx(book.points[1][31])
    assert book.gains[1][1] == pytest.approx(19)


def test_the_chance_of_a_great_turn_falls_with_what_it_needs() -> None:
    book = prospects(FORTY, 2)
    assert book.reach(1, 34) == pytest.approx(1 / 6**6)
    for active in (1, 3, 24, 31):
        assert [book.reach(active, need) for need in (-5, 0, 999)] == [1, 1, 0]
        chances = [book.reach(active, need) for need in range(40)]
        assert all(more >= less - 1e-12 for more, less in pairwise(chances))


def test_the_points_are_those_of_the_turns_solved_with_arrays() -> None:
    """`solver.turn` is the other way to solve a turn: it finds the same values."""
    chosen = card_set(D)
    points = np.zeros(32)
    for turn in range(1, 4):
        points = solve_turn(offers_of(D), chosen.points[:, None] + points, points[-1]).start
        assert prospects(D, 2).points[turn] == pytest.approx(points)


def test_a_card_more_is_never_worth_less_alone_and_hardly_ever_in_a_duel() -> None:
    book = prospects(D, 2)
    for active, bit in product(range(32), range(5)):
        assert all(row[active | 1 << bit] >= row[active] - 1e-9 for row in book.points)
    assert all(row[31] > row[0] for row in book.gains[1:])


def test_without_effects_the_last_turn_brings_its_points() -> None:
    book = prospects(MODES["c"].cards, 2)
    assert book.lead(0, 1, 31, 31) == pytest.approx(-book.points[1][31])
    assert book.lead(3, 0, 31, 31) == 0


def test_leads_between_whole_rounds_are_interpolated() -> None:
    book = prospects(D, 2)
    assert book.lead(1.5, 1, 7, 9) == pytest.approx((book.lead(1, 1, 7, 9) + book.lead(2, 1, 7, 9)) / 2)
    assert book.lead(50, 1, 7, 9) == book.lead(TURNS - 1, 1, 7, 9)


def test_turns_to_the_goal_follow_the_cards() -> None:
    book = prospects(D, 2)
    assert {book.turns(points, active) for points in (-3, 0) for active in range(1, 32)} == {0}
    column = [row[31] for row in book.points]
    turn = bisect(column, 25)
    part = (25 - column[turn - 1]) / (column[turn] - column[turn - 1])
    assert book.turns(25, 31) == pytest.approx(turn - 1 + part)
    assert book.turns(25, 0) > book.turns(25, 31) + 0.9
    assert book.turns(1000, 31) > 900 / book.points[1][31]


def test_other_seats_change_what_comes_after_their_turns_alone() -> None:
    two, four = (prospects(MODES["c"].cards, seats).gains for seats in (2, 4))
    assert four[1] == pytest.approx(two[1])
    assert max(abs(a - b) for a, b in zip(four[6], two[6], strict=True)) > 0.5
