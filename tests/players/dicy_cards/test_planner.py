"""The planner plays last turns exactly, and estimates the earlier ones sensibly."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, Action, DicyCards, State
from starfrost.games.dicy_cards.bots.answers import EndOfTurn, after_score, after_skip, best_answer
from starfrost.games.dicy_cards.bots.outlook import Outlook
from starfrost.games.dicy_cards.bots.planner import DicyCardsPlanner

GLACIAL = MODES["glacial"].cards


def exact(game: DicyCards, seat: int) -> Callable[[State], float]:
    """Return a seat's chance to win under its own best play, computed from the rules."""

    @cache
    def chance(state: State) -> float:
        actor = game.actor(state)
        if actor == OVER:
            winners = game.winners(state)
            return (seat in winners) / len(winners)
        if actor == CHANCE and not state.active[state.seat]:
            # Nothing but a skip can follow, whatever the dice show.
            return chance(game.apply(game.apply(state, game.chance_outcomes(state)[0][0]), Action("skip")))
        if actor == CHANCE:
            outcomes = game.chance_outcomes(state)
            total = sum(weight for _, weight in outcomes)
            return sum(weight * chance(game.apply(state, roll)) for roll, weight in outcomes) / total
        pick = max if actor == seat else min
        return pick(chance(game.apply(state, action)) for action in game.legal_actions(state))

    return chance


@pytest.mark.parametrize(
    "position",
    [
        "2 act 654321 104:11111 88:00110",
        "2 act 553311 104:00000 90:00110",
        "2 act 664421 101:10000 95:10010",
        "2 act 666542 119:11000 96:01001",
    ],
)
def test_the_last_turn_is_played_exactly(position: str) -> None:
    game = DicyCards()
    chance = exact(game, 1)
    state = game.parse_position(position)
    chosen = DicyCardsPlanner().choose(game, state, Random(0))
    best = max(chance(game.apply(state, action)) for action in game.legal_actions(state))
    assert chance(game.apply(state, chosen)) == pytest.approx(best, abs=1e-9)


def test_a_sure_win_is_taken() -> None:
    game = DicyCards()
    state = game.parse_position("2 act 553111 80:11111 90:11111")
    chosen = DicyCardsPlanner().choose(game, state, Random(0))
    assert game.scores(game.apply(state, chosen))[1] >= 100


def test_without_a_card_it_skips() -> None:
    game = DicyCards()
    assert DicyCardsPlanner().choose(game, game.parse_position("1 act - 20:00000 0:11111"), Random(0)) == Action("skip")


def test_an_early_worthless_roll_with_one_card_left_is_skipped() -> None:
    """Two points are too few to give up a turn with five active cards."""
    game = DicyCards()
    state = game.parse_position("1 act 665542 30:00010 30:11111")
    assert DicyCardsPlanner().choose(game, state, Random(0)).verb != "score"


def test_more_points_and_more_cards_look_better() -> None:
    outlook = Outlook(EndOfTurn(DicyCards(), 0, (40, 45), (31, 31)))
    worth = [[outlook.value(total, cards) for cards in (1, 15, 31)] for total in range(40, 75)]
    assert all(0 < few < more < every < 1 for few, more, every in worth)
    assert all(low < high for row, following in pairwise(worth) for low, high in zip(row, following, strict=True))


def test_final_totals_count_exactly() -> None:
    """E2: the last seat of the last round wins with more points, then with more active cards, and shares a tie."""
    outlook = Outlook(EndOfTurn(DicyCards(3), 2, (104, 99, 80), (0b00111, 31, 31)))
    assert {outlook.value(103, cards) for cards in range(32)} == {0}
    assert {outlook.value(105, cards) for cards in range(32)} == {1}
    assert [outlook.value(104, cards) for cards in (0b11, 0b11100, 0b1111)] == [0, 0.5, 1]


def test_a_seat_still_to_play_counts_with_its_chance() -> None:
    sure, hopeless = (
        Outlook(EndOfTurn(DicyCards(), 0, (90, score), (31, active))).value(110, 31)
        for score, active in ((104, 31), (30, 31))
    )
    assert sure < 0.05
    assert hopeless == 1


def test_effects_reach_neighbours_or_all_others() -> None:
    game = DicyCards(4, MODES["d"].cards)
    table = EndOfTurn(game, 1, (10, 10, 10, 10), (31, 31, 31, 31))
    assert [active.bit_count() for active in after_score(table, "any-two")] == [4, 5, 4, 5]
    assert [active.bit_count() for active in after_score(table, "three-lowest")] == [4, 5, 4, 4]
    assert after_score(table, "straight") == table.active
    frozen = table._replace(active=(0, 1, 3, 31))
    assert [active.bit_count() for active in after_score(frozen, "sixes")] == [1, 1, 3, 5]
    assert [active.bit_count() for active in after_skip(frozen)] == [1, 5, 3, 5]


def test_an_affected_seat_keeps_its_better_cards() -> None:
    game = DicyCards()
    table = EndOfTurn(game, 0, (20, 20), (31, 0b00011))
    any_two, no_sixes = 0b00001, 0b00010
    assert best_answer(table, 1, [any_two, no_sixes]) == no_sixes
    state = game.parse_position("1 freeze - 20:01111 20:11000 >2")
    assert DicyCardsPlanner().choose(game, state, Random(0)) == Action("freeze", "any-two")


def test_in_the_last_round_it_keeps_the_card_that_can_still_win() -> None:
    """With 12 points behind, any-two can at best tie, and no-sixes nearly always passes."""
    game = DicyCards()
    state = game.parse_position("1 freeze - 100:01111 88:11000 >2")
    assert DicyCardsPlanner().choose(game, state, Random(0)) == Action("freeze", "any-two")


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("goal", [1, 400])
def test_it_leads_at_any_table_whatever_the_goal(seats: int, goal: int) -> None:
    """At a goal of one point the first turns decide, at 400 none of the first does; random players trail in both."""
    game = DicyCards(seats, GLACIAL, goal)
    planner = DicyCardsPlanner()
    leads = 0
    for number in range(8):
        rng = Random(number)
        state = game.start()
        while (actor := game.actor(state)) != OVER and max(game.scores(state)) < 60:
            if actor == CHANCE:
                state = game.apply(state, game.sample(state, rng))
            else:
                legal = game.legal_actions(state)
                state = game.apply(state, planner.choose(game, state, rng) if actor == 0 else rng.choice(legal))
        leads += game.scores(state)[0] == max(game.scores(state))
    assert leads >= 6
