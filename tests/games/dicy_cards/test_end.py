"""The clauses E1 and E2, and the worked example of the rules."""

import pytest

from starfrost.games.core import OVER
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import parse_record, replay, write_record
from tests.games.table import play

GLACIAL = DicyCards(2)


def test_E1_the_round_is_finished() -> None:
    game = DicyCards(3)
    state = game.parse_position("1 act 654321 99:11111 98:11111 0:11111")
    state = play(game, state, "score odds 1")
    assert game.scores(state)[0] == 100
    assert game.winners(state) == ()
    state = play(game, state, "654321", "score straight 65")
    assert game.actor(state) != OVER
    state = play(game, state, "654321", "skip", "reset odds")
    assert game.actor(state) != OVER
    state = play(game, state, "reset straight")
    assert game.actor(state) == OVER
    assert game.turn_of(state) == 2
    assert game.legal_actions(state) == game.chance_outcomes(state) == ()


def test_E1_the_last_seat_ends_it_at_once() -> None:
    state = GLACIAL.parse_position("2 act 654321 0:11111 99:11111")
    assert GLACIAL.actor(play(GLACIAL, state, "score odds 1")) == OVER


def test_E1_but_an_effect_is_still_carried_out() -> None:
    state = GLACIAL.parse_position("2 act 654321 0:11111 99:11111")
    state = play(GLACIAL, state, "score any-two 65")
    assert GLACIAL.actor(state) == 0
    assert GLACIAL.actor(play(GLACIAL, state, "freeze odds")) == OVER


def test_E1_one_point_less_is_not_enough() -> None:
    state = GLACIAL.parse_position("2 act 654321 0:11111 98:11111")
    assert GLACIAL.actor(play(GLACIAL, state, "score odds 1")) != OVER


@pytest.mark.parametrize("goal", [1, 20, 999_999])
def test_E1_the_goal_is_a_parameter(goal: int) -> None:
    game = DicyCards(2, goal=goal)
    assert game.headers()["goal"] == str(goal)
    state = game.parse_position(f"2 act 654321 0:11111 {goal - 1}:11111")
    assert game.actor(play(game, state, "score odds 1")) == OVER


@pytest.mark.parametrize(
    ("seats", "winners"),
    [
        ("104:00000 97:11111", [1]),
        ("97:11111 104:00000", [2]),
        ("104:11000 104:10000", [1]),
        ("104:11000 104:00111", [2]),
        ("104:11000 104:00011", [1, 2]),
        ("104:11000 100:11111 104:00011", [1, 3]),
        ("104:11000 104:11100 104:00011 104:10110", [2, 4]),
        ("104:00000 104:00000 104:00000 104:00000", [1, 2, 3, 4]),
    ],
)
def test_E2_highest_score_then_more_active_cards_then_shared(seats: str, winners: list[int]) -> None:
    number = len(seats.split())
    game = DicyCards(number)
    state = game.parse_position(f"{number} over - {seats}")
    assert [seat + 1 for seat in game.winners(state)] == winners


def test_the_worked_example() -> None:
    """X and Y are odds and same-fives; the other seat's turns in between are left out."""
    game = DicyCards(2, ("double-pair", "no-sixes", "straight", "odds", "same-fives"))
    state = play(game, game.start(), "665211", "score double-pair 66")
    assert game.scores(state) == (24, 0)
    assert state.active[0] == 0b11110
    # The second turn on its own: nobody resets double-pair in between.
    state = game.parse_position("1 roll - 24:01111 0:11111")
    state = play(game, state, "554421")
    assert "score no-sixes 554421" in map(str, game.legal_actions(state))
    assert play(game, state, "score no-sixes 554421").scores == (24 + 21, 0)
    state = play(game, state, "reroll 12 freeze odds", "63")
    assert state.dice == "655443"
    state = play(game, state, "reroll 6 freeze same-fives", "4", "score no-sixes 554443")
    assert game.scores(state) == (49, 0)
    assert state.active[0] == 0b00100
    state = game.parse_position("1 roll - 49:00100 0:11111")
    state = play(game, state, "644321", "score straight 1234")
    assert game.scores(state) == (59, 0)
    assert state.active[0] == 0
    state = play(game, state, "654321", "score odds 1")
    assert [str(action) for action in game.legal_actions(state)] == ["skip"]


def test_the_worked_example_as_a_record() -> None:
    """The other seat scores with cards without an effect on others, so nothing disturbs the three turns."""
    text = """\
starfrost: 1
game: dicy-cards
players: Ada | Bo
cards: no-sixes straight double-pair distinct-fours forty-minus
goal: 100

* 665211
1 score double-pair 66
* 665211
2 score double-pair 66
* 554421
1 reroll 21 freeze distinct-fours
* 63
1 reroll 6 freeze forty-minus
* 4
1 score no-sixes 554443
* 654321
2 score straight 654321
* 644321
1 score straight 4321
* 665211
2 score distinct-fours 6521
1 skip
2 reset straight
"""
    played = replay(parse_record(text))
    assert write_record(played.record) == text
    turns = [state for state in played.states if played.record.game.starts_turn(state) and state.seat == 0]
    assert [state.scores[0] for state in turns] == [0, 24, 49, 59]
    before_the_skip = played.states[-3]
    assert before_the_skip.scores[0] == 24 + 25 + 10
    assert before_the_skip.active[0] == 0
    assert [str(action) for action in played.record.game.legal_actions(before_the_skip)] == ["skip"]
    assert played.turns == 7
    assert not played.finished
