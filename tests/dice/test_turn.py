"""The solved turn is the turn that a plain walk over the rules finds."""

from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

from starfrost.games.dicy_cards import Action, options
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, lattice
from starfrost.games.dicy_cards.solver.turn import SolvedTurn, offers_of, solve_turn

Ending = Callable[[str, int, frozenset[str]], float]


def walked(cards: tuple[str, ...], skip: float, ending: Ending) -> Callable[[str, frozenset[str]], float]:
    """Return the best value of dice kept (fewer than six) or lying (six), by plain recursion."""

    @cache
    def kept(dice: str, active: frozenset[str]) -> float:
        if len(dice) == 6:
            return lying(dice, active)
        return sum(kept("".join(sorted(dice + face, reverse=True)), active) for face in "123456") / 6

    @cache
    def lying(dice: str, active: frozenset[str]) -> float:
        values = [skip]
        for card in active:
            left = active - {card}
            values += [ending(card, points, left) for _, points in options(card, dice)]
            for keep in product((False, True), repeat=6):
                if not all(keep):
                    values.append(kept("".join(die for die, stays in zip(dice, keep, strict=True) if stays), left))
        return max(values)

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

    chosen = card_set(cards)
    sets = [frozenset(card for bit, card in enumerate(cards) if active >> bit & 1) for active in range(8)]
    ends = np.array(
        [
            [ending(card, int(points), left) for left in sets]
            for place, card in enumerate(cards)
            for points in chosen.points[chosen.points_first[place] : chosen.points_first[place + 1]]
        ]
    )
    turn = SolvedTurn(cards, 7, chosen.by_card(ends), 12.5)
    plain = walked(cards, 12.5, ending)
    for active, dice in [(7, ""), (7, "551"), (3, "6"), (6, "42"), (1, "66532"), (0, "21")]:
        assert turn.kept(dice, active) == pytest.approx(plain(dice, sets[active]), abs=1e-12)
    for active, dice in [(7, "654321"), (5, "111111"), (2, "664422"), (0, "654321")]:
        assert turn.roll(dice, active) == pytest.approx(plain(dice, sets[active]), abs=1e-12)
    assert turn.value(Action("skip"), 7, "654321") == 12.5
    assert turn.value(Action("reroll", cards[1], "63"), 7, "654321") == turn.kept("5421", 5)
    dice = "555533"
    for place, card in enumerate(cards):
        for selected, points in options(card, dice):
            left = 7 ^ 1 << place
            assert turn.value(Action("score", card, selected), 7, dice) == ending(card, points, sets[left])


@pytest.mark.parametrize("cards", [("any-two", "no-sixes", "straight", "sixes"), ("odds",)])
def test_turns_side_by_side_are_the_single_turns(cards: tuple[str, ...]) -> None:
    rng = np.random.default_rng(4)
    ends = rng.random((len(card_set(cards).points), 1 << len(cards), 3, 2))
    skip = rng.random((3, 2))
    together = solve_turn(offers_of(cards), ends, skip)
    for place in np.ndindex(3, 2):
        alone = solve_turn(offers_of(cards), ends[:, :, *place], skip[place])
        for name in ("kept", "rolls", "again", "offers", "start"):
            assert np.array_equal(getattr(together, name)[..., *place], getattr(alone, name))


def test_the_best_entry_alone_is_enough_where_more_points_are_never_worth_less() -> None:
    cards = ("any-two", "odds", "same-fives")
    chosen = card_set(cards)
    ends = chosen.points[:, None] + np.random.default_rng(1).random(8)
    full, best = (solve_turn(offers_of(cards, best_only), ends, 3.0) for best_only in (False, True))
    assert np.array_equal(full.kept, best.kept)
    falling = -ends
    full, best = (solve_turn(offers_of(cards, best_only), falling, -99.0) for best_only in (False, True))
    assert not np.array_equal(full.kept, best.kept)


def test_a_roll_is_worth_its_best_action_and_kept_dice_the_mean_of_their_rolls() -> None:
    cards = ("any-two", "no-sixes", "odds", "straight", "two-pairs")
    rng = np.random.default_rng(2)
    turn = solve_turn(offers_of(cards), rng.random((len(card_set(cards).points), 32)), 0.4)
    assert (lattice().chance @ turn.rolls) == pytest.approx(turn.start, abs=1e-14)
    for roll in rng.integers(0, KEPT, 40):
        text = lattice().dice[KEPT + roll]
        parts = {"".join(d for bit, d in enumerate(text) if keep >> bit & 1) for keep in range(63)}
        numbers = [lattice().number[part] for part in parts]
        assert np.array_equal(turn.again[roll], turn.kept[numbers][:, :31].max(axis=0))
