"""The solved values against the reference engine: all positions by value iteration, some by plain expectimax."""

from pathlib import Path

import numpy as np
import pytest

from starfrost.games.dicy_cards import CARDS, DicyCards
from starfrost.games.dicy_cards.solver.sweep import solve
from tests.solver import expectimax, facts, iteration
from tests.solver.iteration import Iteration
from tests.solver.oracle import SETS, difference, plain_difference
from tests.test_house import imports

EFFECTS = {"any-two", "sixes", "three-lowest"}


@pytest.mark.parametrize("module", [expectimax, facts, iteration], ids=lambda module: module.__name__)
def test_the_oracle_knows_the_games_alone(module: object) -> None:
    allowed = ("starfrost.games.", "tests.solver.facts")
    for name in imports(Path(str(vars(module)["__file__"]))):
        assert name.split(".")[0] not in ("starfrost", "tests") or name.startswith(allowed)


def test_the_sets_hold_every_card_and_every_combination_of_effects() -> None:
    assert {card for cards in SETS.values() for card in cards} == set(CARDS)
    assert len({frozenset(EFFECTS & set(cards)) for cards in SETS.values()}) == 2 ** len(EFFECTS)


@pytest.mark.parametrize("name", SETS)
def test_every_value_is_the_reference_engines(name: str) -> None:
    cards = SETS[name]
    found = difference(Iteration(DicyCards(2, cards, 2)), solve(cards, 2))
    assert found.positions > 2 * 2 * 2 * 1024
    assert found.greatest < 1e-12


@pytest.mark.parametrize("name", ["C1+C6", "all three effects"])
def test_longer_games_too_and_the_iteration_is_what_plain_expectimax_says(name: str) -> None:
    game = DicyCards(2, SETS[name], 3)
    iterated = Iteration(game)
    assert difference(iterated, solve(game.cards, game.goal)).greatest < 1e-12
    assert plain_difference(game, iterated, 8, most_cards=2).greatest < 1e-12


@pytest.mark.parametrize("name", ["d", "C6+C8"])
def test_the_solvers_values_match_a_whole_turn_of_the_engine(name: str) -> None:
    game = DicyCards(2, SETS[name], 30)
    assert plain_difference(game, solve(game.cards, game.goal), 8, seed=30, most_cards=2).greatest < 1e-12


def test_no_first_guess_changes_a_value() -> None:
    """Nobody can skip forever: a value would then depend on the value of an endless game."""
    low, high = (Iteration(DicyCards(2, SETS["d"], 1), start=start) for start in (0.0, 1.0))
    for seat in range(2):
        assert np.abs(low.block(seat, (0, 0)) - high.block(seat, (0, 0))).max() < 1e-14
