"""Numbered multisets of dice, and what rolls offer on cards."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from starfrost.games.dicy_cards import CARDS, Change, options
from starfrost.games.dicy_cards.solver.card_set import ANSWERS, TIES, card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice, steps
from starfrost.games.dicy_cards.solver.turn import offers_of


def test_the_lattice_holds_all_multisets_of_up_to_six_dice() -> None:
    dice = lattice()
    assert (KEPT, ROLLS, MULTISETS) == (462, 462, 924)
    assert dice.first[6] == KEPT
    assert dice.chance.sum() == pytest.approx(1)
    assert sorted(dice.dice) == sorted(
        "".join(some) for size in range(7) for some in combinations_with_replacement("654321", size)
    )


def test_steps_add_and_take_away_one_die() -> None:
    dice, (up, down) = lattice(), steps()
    for size in range(6):
        for place, text in enumerate(dice.dice[dice.first[size] : dice.first[size + 1]]):
            for face, row in zip("123456", up[size], strict=True):
                assert sorted(dice.dice[dice.first[size + 1] + row[place]]) == sorted(text + face)
    for size in range(1, 7):
        for place, text in enumerate(dice.dice[dice.first[size] : dice.first[size + 1]]):
            fewer = {dice.dice[dice.first[size - 1] + row[place]] for row in down[size]}
            assert fewer == {text[:at] + text[at + 1 :] for at in range(size)}


@pytest.mark.parametrize("card", CARDS)
def test_offers_are_the_options_of_the_rules(card: str) -> None:
    chosen, offers, best = card_set((card,)), offers_of((card,)), offers_of((card,), best_only=True)
    for roll, text in enumerate(lattice().dice[KEPT:]):
        offer = chosen.offer[0, roll]
        given = {points for _, points in options(card, text)}
        entries = chosen.offer_points[chosen.offer_start[offer] : chosen.offer_start[offer + 1]]
        assert set(chosen.points[entries].tolist()) == given
        assert {chosen.points[entry] for entry in offers.rows[:, offer] if entry < len(chosen.points)} == given
        (top,) = best.rows[:, offer]
        assert (int(chosen.points[top]) if given else None) == max(given, default=None)
        for points in given:
            assert chosen.points[chosen.entry(0, points)] == points


def test_answers_turn_one_card_over() -> None:
    for mask in range(32):
        frozen, reset = (set(ANSWERS[change, mask].tolist()) for change in (Change.FREEZE, Change.RESET))
        assert set(ANSWERS[Change.NONE, mask].tolist()) == {mask}
        assert frozen == ({mask ^ 1 << card for card in range(5) if mask >> card & 1} or {mask})
        assert reset == ({mask | 1 << card for card in range(5) if not mask >> card & 1} or {mask})
        assert ANSWERS[1, mask].tolist()[: len(frozen)] == sorted(frozen, reverse=True)


def test_equal_points_go_to_more_active_cards_after_the_effect() -> None:
    assert TIES.shape == (3, 32, 32)
    assert TIES[Change.NONE, 0b111, 0b011] == 1
    assert TIES[Change.NONE, 0b111, 0b11001] == 0.5
    assert TIES[Change.FREEZE, 0b011, 0b111] == 0.5
    assert TIES[Change.FREEZE, 0, 0] == 0.5
    assert TIES[Change.RESET, 0b111, 0b011] == 0.5
    assert TIES[Change.RESET, 31, 31] == 0.5
    assert np.array_equal(TIES[Change.NONE], 1 - TIES[Change.NONE].T)
