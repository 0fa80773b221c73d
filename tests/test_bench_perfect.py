"""The books of `bench.perfect` add up in every game, and nobody plays better than perfect."""

import pytest

from bench.perfect import Result, Row, over_both
from starfrost.bots.registry import bots_for
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards.solver import on_demand as service

# Cards with effects, and not in the order of their clauses.
GAME = DicyCards(2, ("three-lowest", "sixes", "odds", "any-two", "same-fives"), 30)
GAMES = 12


@pytest.fixture(scope="module")
def first() -> float:
    return service.ensure_solved(GAME.cards, GAME.goal).first_player_wins


def result(bot: str, seat: int, first: float) -> Result:
    row = Row(GAME, "small", bot, seat, first if seat == 0 else 1 - first, 3)
    return Result(row, [row.play(number) for number in range(GAMES)])


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("bot", bots_for(GAME))
def test_credit_less_luck_is_bound_less_losses(first: float, bot: str, seat: int) -> None:
    found = result(bot, seat, first)
    for game in found.games:
        luck = game.luck[seat] - game.luck[1 - seat]
        assert game.credits[seat] - luck == pytest.approx(found.row.bound - sum(game.losses[seat]), abs=1e-9)
        assert min(game.losses[0] + game.losses[1]) > -1e-12
        assert max(game.losses[1 - seat]) < 1e-11
        assert sum(game.credits) == 1
    assert found.gap < 1e-9
    assert found.verdict == "agrees" if bot == "perfect" else found.loss.mean > 0


def test_a_losing_bot_is_seen_from_both_seats(first: float) -> None:
    both = [result("random", seat, first) for seat in (0, 1)]
    assert [one.verdict for one in both] == ["below by both"] * 2
    assert over_both(*both).endswith("ahead by both")


def test_perfect_against_itself_is_even_over_both_seats(first: float) -> None:
    assert over_both(*(result("perfect", seat, first) for seat in (0, 1))).endswith("even")
