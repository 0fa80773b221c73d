"""The expected value of active cards."""

from itertools import product

import numpy as np
import pytest

from starfrost.games.dicy_cards import MODES
from starfrost.players.dicy_cards.prospects import prospects

D = MODES["d"].cards


def test_one_card_and_one_turn_can_be_counted_by_hand() -> None:
    """With only forty-minus and one turn, a reroll would freeze the card, so the mean is 40 minus six dice: 19."""
    book = prospects(("forty-minus", "any-two", "odds", "straight", "two-pairs"), 2)
    assert book.points[1, 1] == pytest.approx(19)
    assert book.points[2, 0] == pytest.approx(book.points[1, 31])
    assert book.lead[1, 1].tolist() == pytest.approx([19] * 32)


def test_the_chance_of_a_great_turn_falls_with_what_it_needs() -> None:
    book = prospects(("forty-minus", "any-two", "odds", "straight", "two-pairs"), 2)
    assert book.reach[1, 34] == pytest.approx(1 / 6**6)
    assert (np.diff(book.reach, axis=1) <= 1e-12).all()
    assert book.reach[:, 0].tolist() == [1] * 32
    assert book.reach[:, -1].tolist() == [0] * 32
    assert book.reaches(31, np.array([-5, 0, 999])).tolist() == [1, 1, 0]


def test_a_card_more_is_never_worth_less_alone_and_hardly_ever_in_a_duel() -> None:
    book = prospects(D, 2)
    for active, bit in product(range(32), range(5)):
        assert (book.points[:, active | 1 << bit] >= book.points[:, active] - 1e-9).all()
    assert (book.lead[1:, 31, 0] > book.lead[1:, 31, 31] - 1e-9).all()


def test_the_last_two_turns_of_a_duel_are_a_turn_each() -> None:
    """Without effects and without later turns, both seats play for the most points."""
    book = prospects(MODES["c"].cards, 2)
    assert book.lead[2, 31, 31] == pytest.approx(0, abs=1e-4)
    assert book.lead[1, 31, 31] == pytest.approx(book.points[1, 31], abs=1e-4)


def test_leads_between_whole_rounds_are_interpolated() -> None:
    book = prospects(D, 2)
    half = book.leads(np.full((1, 32), 1.5), 1, 7)[0]
    assert half == pytest.approx((book.lead[3, 7] + book.lead[5, 7]) / 2)
    assert book.leads(np.full((1, 32), 50.0), 0, 7)[0] == pytest.approx(book.lead[12, 7], abs=0.1)


def test_turns_to_the_goal_follow_the_cards() -> None:
    book = prospects(D, 2)
    turns = book.turns(np.array([-3, 0, 25, 1000]))
    assert turns[0, 1:].tolist() == turns[1, 1:].tolist() == [0] * 31
    assert turns[2, 31] == pytest.approx(np.interp(25, book.points[:, 31], np.arange(len(book.points))))
    assert turns[2, 0] > turns[2, 31] + 0.9
    assert turns[3, 31] > 900 / book.points[1, 31]


def test_third_seats_change_what_comes_after_their_turns_alone() -> None:
    two, four = (prospects(MODES["c"].cards, seats).lead for seats in (2, 4))
    assert four[1] == pytest.approx(two[1])
    assert abs(four[12] - two[12]).max() > 0.5
