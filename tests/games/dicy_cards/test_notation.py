"""The text of actions and positions, and what a watcher sees."""

import json
from random import Random
from types import ModuleType

import pytest

from starfrost.errors import IllegalAction, NotationError, UsageError
from starfrost.games import dicy_cards
from starfrost.games.dicy_cards import CARDS, MODES, Action, DicyCards
from tests.games.table import play

TWO = DicyCards(2)
FOUR = DicyCards(4, MODES["d"].cards, goal=50)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("112566", "665211"),
        ("6", "6"),
        ("reroll 12 freeze odds", "reroll 21 freeze odds"),
        ("score no-sixes 345454", "score no-sixes 554443"),
        ("  score  odds   531 ", "score odds 531"),
        ("skip", "skip"),
        ("freeze straight", "freeze straight"),
        ("reset odds", "reset odds"),
    ],
)
def test_actions_read_in_any_order_and_write_highest_first(text: str, written: str) -> None:
    assert str(TWO.parse_action(text)) == written
    assert TWO.parse_action(written) == TWO.parse_action(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "roll",
        "roll 665211",
        "665217",
        "66521x",
        "0",
        "６６５２１１",
        "²",
        "-6",
        "skip it",
        "Skip",
        "score",
        "score odds",
        "score 531",
        "score evens 2",
        "score odds 5 3",
        "score odds 531 freeze odds",
        "reroll 21",
        "reroll 21 freeze",
        "reroll 21 freeze evens",
        "reroll freeze odds",
        "reroll 07 freeze odds",
        "freeze",
        "freeze 5",
        "reset evens",
        "take blue",
    ],
)
def test_what_is_no_action_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(NotationError, match="expected") as refused:
        TWO.parse_action(text)
    assert "\n" not in str(refused.value)


def test_a_long_text_is_not_repeated_whole() -> None:
    for text in ("6" * 100_000 + "7", "score " + "x" * 100_000 + " 6", "x" * 100_000, "score odds " + "9" * 5000):
        with pytest.raises(NotationError) as refused:
            TWO.parse_action(text)
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (TWO, "1 roll - 0:11111 0:11111"),
        (TWO, "1 act 665211 24:01111 0:11111"),
        (TWO, "2 act - 24:01111 0:00000"),
        (TWO, "1 act 665211 24:00000 0:11111"),
        (TWO, "1 reroll 6655 24:01111 0:11111"),
        (TWO, "1 reroll - 24:01111 0:11111"),
        (TWO, "1 freeze - 24:01111 0:11111 >2"),
        (TWO, "1 freeze - 124:01111 0:11111 >2"),
        (TWO, "2 act 665211 124:01111 0:11111"),
        (TWO, "2 over - 100:01111 0:11111"),
        (FOUR, "3 reset - 49:01111 50:11111 3:11111 4:00000 >4,1"),
    ],
)
def test_a_position_on_one_line(game: DicyCards, text: str) -> None:
    assert game.position_text(game.parse_position(text)) == text
    loose = f"  {text.replace(' ', '   ')} "
    assert game.parse_position(loose) == game.parse_position(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "act",
        "1 act",
        "1 think 665211 24:01111 0:11111",
        "0 act 665211 24:01111 0:11111",
        "3 act 665211 24:01111 0:11111",
        "3 act - 24:01111 0:11111",
        "9 act - 24:01111 0:11111",
        "１ act 665211 24:01111 0:11111",
        "1 act 66521 24:01111 0:11111",
        "1 act 6652111 24:01111 0:11111",
        "1 act 665217 24:01111 0:11111",
        "1 act - 24:01111 0:11111",
        "1 act 665211 24:01111",
        "1 act 665211 24:01111 0:11111 0:11111",
        "1 act 665211 24:0111 0:11111",
        "1 act 665211 24:011111 0:11111",
        "1 act 665211 24:01112 0:11111",
        "1 act 665211 -24:01111 0:11111",
        "1 act 665211 +24:01111 0:11111",
        "1 act 665211 2_4:01111 0:11111",
        "1 act 665211 :01111 0:11111",
        f"1 act 665211 {'9' * 5000}:01111 0:11111",
        "1 act 665211 24:01111 0:11111 >2",
        "1 roll 665211 24:01111 0:11111",
        "1 roll - 24:00000 0:11111",
        "1 reroll 665211 24:01111 0:11111",
        "1 reroll 6652 24:11111 0:11111",
        "1 freeze - 24:01111 0:11111",
        "1 freeze - 24:01111 0:11111 >",
        "1 freeze - 24:01111 0:11111 >1",
        "1 freeze - 24:01111 0:11111 >3",
        "1 freeze - 24:01111 0:11111 >2,2",
        "1 freeze - 24:01111 0:00000 >2",
        "1 freeze - 24:11111 0:11111 >2",
        "1 reset - 24:01111 0:11111 >2",
        "1 freeze 665211 24:01111 0:11111 >2",
        "1 over - 100:01111 0:11111",
        "2 over - 99:01111 0:11111",
        "2 over 665211 100:01111 0:11111",
        "1 roll - 100:01111 0:11111",
        "1 act 665211 0:01111 100:11111",
        "2 act 665211 0:01111 100:11111",
    ],
)
def test_a_position_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected one such as") as refused:
        TWO.parse_position(text)
    assert len(str(refused.value)) < 300


def test_affected_seats_stand_in_their_order() -> None:
    FOUR.parse_position("3 freeze - 0:11111 0:11111 0:01111 0:11111 >4,1,2")
    for order in ("1,4,2", "2,1,4", "3,4", "4,4"):
        with pytest.raises(NotationError):
            FOUR.parse_position(f"3 freeze - 0:11111 0:11111 0:01111 0:11111 >{order}")


def test_the_view_is_ready_for_json_and_open_to_all() -> None:
    state = TWO.parse_position("1 act 665211 24:01111 0:11111")
    view = json.loads(json.dumps(TWO.view(state, 1)))
    assert view.pop("you") == 2
    assert view == {
        "game": "dicy-cards",
        "phase": "act",
        "actor": 1,
        "turn": 1,
        "dice": "665211",
        "goal": 100,
        "cards": list(TWO.cards),
        "seats": [{"score": 24, "active": list(TWO.cards[1:])}, {"score": 0, "active": list(TWO.cards)}],
        "affected": [],
        "winners": [],
    }
    assert TWO.view(TWO.start(), None)["actor"] == "chance"
    over = TWO.view(TWO.parse_position("2 over - 100:01111 0:11111"), None)
    assert (over["actor"], over["winners"]) == (None, [1])


def test_a_refusal_names_the_action_and_what_was_expected() -> None:
    state = TWO.parse_position("1 act 665211 24:01111 0:11111")
    with pytest.raises(IllegalAction) as refused:
        play(TWO, state, "score any-two 66")
    assert str(refused.value) == (
        "'score any-two 66' is not allowed here; expected seat 1 to score or freeze one of no-sixes, odds, straight, "
        "two-pairs with dice among 665211, or to skip (position: 1 act 665211 24:01111 0:11111)."
    )


def test_what_is_expected_next() -> None:
    assert str(TWO.expected(TWO.start())) == "a roll of six dice"
    assert str(TWO.expected(TWO.parse_position("1 reroll 6655 24:01111 0:11111"))) == "a roll of 2 dice"
    assert str(TWO.expected(TWO.parse_position("1 freeze - 24:01111 0:11000 >2"))) == (
        "seat 2 to freeze one of any-two, no-sixes"
    )
    assert str(TWO.expected(TWO.parse_position("1 reset - 24:11111 0:11110 >2"))) == "seat 2 to reset one of two-pairs"
    assert (
        str(TWO.expected(TWO.parse_position("2 act - 24:11111 0:00000"))) == "seat 2 to skip, since no card is active"
    )
    over = TWO.parse_position("2 over - 100:01111 0:11111")
    assert str(TWO.expected(over)) == "no further event, since the game is over"


def test_nothing_is_sampled_where_chance_does_not_act() -> None:
    for text in ("1 act 665211 24:01111 0:11111", "2 over - 100:01111 0:11111"):
        with pytest.raises(UsageError, match="nothing to roll"):
            TWO.sample(TWO.parse_position(text), Random(0))


def test_the_public_names() -> None:
    assert all(hasattr(dicy_cards, name) for name in dicy_cards.__all__)
    # What is a module is there once somebody has imported it.
    public = {name for name, value in vars(dicy_cards).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert public == set(dicy_cards.__all__)
    assert str(Action("score", "odds", "531")) == "score odds 531"
    assert all(str(Action("freeze", card)) == f"freeze {card}" for card in CARDS)
