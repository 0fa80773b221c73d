"""The solved turn is the turn that a plain walk over the rules finds."""

from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random

import numpy as np
import pytest

from starfrost.games.dicy_cards import CARDS, options
from starfrost.players.dicy_cards.rolls import hands, takings
from starfrost.players.dicy_cards.turn import solve

Ending = Callable[[str, int, frozenset[str]], float]


def walked(cards: tuple[str, ...], skip: float, ending: Ending) -> Callable[[str, frozenset[str]], float]:
    """Give the best worth of dice kept (fewer than six) or lying (six), by plain recursion."""

    @cache
    def kept(dice: str, active: frozenset[str]) -> float:
        if len(dice) == 6:
            return lying(dice, active)
        return sum(kept("".join(sorted(dice + face, reverse=True)), active) for face in "123456") / 6

    @cache
    def lying(dice: str, active: frozenset[str]) -> float:
        worths = [skip]
        for card in active:
            left = active - {card}
            worths += [ending(card, points, left) for _, points in options(card, dice)]
            for keep in product((False, True), repeat=6):
                if not all(keep):
                    worths.append(kept("".join(die for die, stays in zip(dice, keep, strict=True) if stays), left))
        return max(worths)

    return kept


@pytest.mark.parametrize(
    "cards",
    [("any-two", "no-sixes", "straight"), ("sixes", "odds", "same-fives"), ("two-pairs", "forty-minus", "odds")],
)
def test_the_solved_turn_equals_a_plain_walk(cards: tuple[str, ...]) -> None:
    rng = Random(str(cards))
    invented: dict[tuple[str, int, frozenset[str]], float] = {}

    def ending(card: str, points: int, left: frozenset[str]) -> float:
        # More points need not be worth more: the end of the game turns the order round.
        return invented.setdefault((card, points, left), rng.random() * 20 + points)

    books = [takings(card) for card in cards]
    sets = [frozenset(card for bit, card in enumerate(cards) if active >> bit & 1) for active in range(8)]
    worths = [
        np.array([[ending(card, int(points), left) for left in sets] for points in book.points])
        for card, book in zip(cards, books, strict=True)
    ]
    turn = solve(12.5, books, worths)
    plain = walked(cards, 12.5, ending)
    for active, dice in [
        (7, ""),
        (7, "654321"),
        (7, "551"),
        (3, "6"),
        (5, "111111"),
        (6, "42"),
        (1, "66532"),
        (0, "21"),
    ]:
        assert turn.kept[hands().row[dice], active] == pytest.approx(plain(dice, sets[active]), abs=1e-12)


def test_hands_are_all_multisets_of_up_to_six_dice() -> None:
    book = hands()
    assert len(book.dice) == 924
    assert len(book.dice) - book.first[6] == 462
    assert sum(book.chance) == pytest.approx(1)
    assert set(book.dice) == {
        "".join(some) for size in range(7) for some in combinations_with_replacement("654321", size)
    }


@pytest.mark.parametrize("card", CARDS)
def test_takings_are_the_options_of_the_rules(card: str) -> None:
    book, taking = hands(), takings(card)
    for roll, dice in enumerate(book.dice[book.first[6] :]):
        given = {points for _, points in options(card, dice)}
        assert {int(taking.points[at]) for at in taking.choices[roll] if at >= 0} == given
        assert (int(taking.points[taking.best[roll]]) if taking.best[roll] >= 0 else None) == max(given, default=None)
