"""The clauses D1 to D8: seats, dice, cards, and the ways to choose five of them."""

import dataclasses
import tomllib
from itertools import product
from random import Random

import pytest

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import (
    ALL_ACTIVE,
    CARDS,
    MODES,
    DicyCards,
    interglacial,
    mode_cards,
    mode_of,
    modes,
    read_cards,
)
from tests.games.table import options, play

TWELVE = [
    "any-two",
    "no-sixes",
    "odds",
    "straight",
    "two-pairs",
    "sixes",
    "double-pair",
    "three-lowest",
    "distinct-fours",
    "distinct-sum",
    "forty-minus",
    "same-fives",
]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_D1_two_to_four_seats_in_clockwise_order(seats: int) -> None:
    game = DicyCards(seats, goal=1000)
    state = game.start()
    for turn in range(2 * seats):
        assert game.turn_of(state) == turn % seats
        assert game.actor(state) == CHANCE
        state = play(game, state, "654321", "score odds 531" if turn < seats else "skip")
        while game.actor(state) != CHANCE:
            assert game.turn_of(state) == turn % seats
            state = game.apply(state, game.legal_actions(state)[0])


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 6])
def test_D1_no_other_number_of_seats(seats: int) -> None:
    with pytest.raises(UsageError, match="2 to 4 players") as refused:
        DicyCards(seats)
    assert refused.value.about == "players"


def test_D2_six_ordinary_dice() -> None:
    game = DicyCards()
    weights = {str(roll): weight for roll, weight in game.chance_outcomes(game.start())}
    counted: dict[str, int] = {}
    for dice in product("123456", repeat=6):
        shown = "".join(sorted(dice, reverse=True))
        counted[shown] = counted.get(shown, 0) + 1
    assert weights == counted
    assert len(weights) == 462


def test_D3_twelve_kinds_of_card_and_five_in_a_game() -> None:
    assert list(CARDS) == TWELVE
    for wrong in [TWELVE[:4], TWELVE[:6], ["odds"] * 5, [*TWELVE[:4], "evens"], []]:
        with pytest.raises(UsageError) as refused:
            DicyCards(2, tuple(wrong))
        assert refused.value.about == "cards"
    game = DicyCards(3, tuple(TWELVE[7:]))
    assert game.headers()["cards"].split() == TWELVE[7:]
    state = play(game, game.start(), "654321")
    assert {action.card for action in game.legal_actions(state) if action.verb == "reroll"} == set(TWELVE[7:])


def test_D4_every_card_starts_active() -> None:
    for seats in (2, 3, 4):
        game = DicyCards(seats)
        assert game.start().active == (ALL_ACTIVE,) * seats
        assert game.start().scores == (0,) * seats


def test_D5_glacial() -> None:
    assert mode_cards("glacial", Random(0)) == ("any-two", "no-sixes", "odds", "straight", "two-pairs")
    assert DicyCards().cards == MODES["glacial"].cards
    assert not MODES["glacial"].ruling


def test_D6_interglacial_is_a_random_five_of_the_twelve() -> None:
    drawn = [interglacial(Random(seed)) for seed in range(600)]
    assert all(len(set(cards)) == 5 and set(cards) <= set(TWELVE) for cards in drawn)
    assert interglacial(Random(3)) == interglacial(Random(3)) == mode_cards("interglacial", Random(3))
    # Every card is in 5 of 12 draws: 250 of 600, and seven standard deviations are 85.
    for card in TWELVE:
        assert abs(sum(card in cards for cards in drawn) - 250) < 85
    assert len(set(drawn)) > 300


def test_D6_the_same_five_for_every_seat() -> None:
    game = DicyCards(4, interglacial(Random(1)), goal=1000)
    state = game.start()
    for _ in range(4):
        state = play(game, state, "654321")
        assert {action.card for action in game.legal_actions(state)} - {""} == set(game.cards)
        state = play(game, state, "skip")


@pytest.mark.parametrize(
    ("mode", "cards"),
    [
        ("b", "any-two odds two-pairs distinct-sum same-fives"),
        ("c", "no-sixes straight double-pair distinct-fours forty-minus"),
        ("d", "any-two sixes three-lowest straight double-pair"),
    ],
)
def test_D7_the_named_sets_are_a_ruling(mode: str, cards: str) -> None:
    assert MODES[mode].cards == tuple(cards.split())
    assert MODES[mode].ruling
    assert mode_of(tuple(reversed(cards.split()))) == mode


def test_D7_the_sets_live_in_one_data_table() -> None:
    from importlib.resources import files

    table = tomllib.loads(files("starfrost.games.dicy_cards").joinpath("modes.toml").read_text())
    assert {name: (tuple(row["cards"]), row["ruling"]) for name, row in table.items()} == {
        mode.id: (mode.cards, mode.ruling) for mode in MODES.values()
    }
    assert list(MODES) == ["glacial", "b", "c", "d"]


def test_D8_any_five_of_the_twelve() -> None:
    text = "same-fives, sixes odds,straight any-two"
    cards = read_cards(text, Random(0))
    assert cards == ("same-fives", "sixes", "odds", "straight", "any-two")
    assert mode_of(cards) is None
    assert DicyCards(2, cards).cards == cards
    assert read_cards("D", Random(0)) == MODES["d"].cards
    for wrong in ["", "odds", "a", "odds odds odds odds odds", "glacial b", "odds straight sixes any-two"]:
        with pytest.raises(UsageError):
            read_cards(wrong, Random(0))


def test_a_changed_set_up_has_its_own_actions() -> None:
    glacial = DicyCards(2, MODES["glacial"].cards)
    position = "1 act 654321 0:11111 0:11111"
    before = options(glacial, glacial.parse_position(position))
    other = dataclasses.replace(glacial, cards=MODES["d"].cards)
    assert options(other, other.parse_position(position)) == options(
        DicyCards(2, MODES["d"].cards), other.parse_position(position)
    )
    assert options(glacial, glacial.parse_position(position)) == before


@pytest.mark.parametrize("goal", [0, -1, 1_000_000])
def test_a_goal_that_no_record_could_hold_is_refused(goal: int) -> None:
    with pytest.raises(UsageError, match="1 to 999999") as refused:
        DicyCards(2, goal=goal)
    assert refused.value.about == "goal"


def test_a_mode_that_does_not_exist_is_named() -> None:
    with pytest.raises(UsageError, match=r"no mode 'e'.*glacial, b, c, d, interglacial"):
        modes.mode_cards("e", Random(0))
