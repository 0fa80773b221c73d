"""The clauses C1 to C12: the selections and points of each card, checked roll by roll."""

import csv
from pathlib import Path

import pytest

from starfrost.games.dice import rolls
from starfrost.games.dicy_cards import CARDS, DicyCards, Effect, options
from tests.games.dicy_cards import naive
from tests.games.table import play

POINTS = Path(__file__).parents[2] / "vectors" / "dicy-points.csv"


def given(card: str, dice: str) -> dict[str, int]:
    return dict(options(card, "".join(sorted(dice, reverse=True))))


def test_C1_any_two() -> None:
    assert given("any-two", "665211") == {"66": 12, "65": 11, "62": 8, "61": 7, "52": 7, "51": 6, "21": 3, "11": 2}
    assert CARDS["any-two"].effect is Effect.NEIGHBOURS_FREEZE


def test_C2_no_sixes() -> None:
    assert given("no-sixes", "555431") == {"555431": 23}
    assert given("no-sixes", "655431") == {}
    assert given("no-sixes", "111111") == {"111111": 6}


def test_C3_odds() -> None:
    assert given("odds", "653214") == {"531": 9, "53": 8, "51": 6, "5": 5, "31": 4, "3": 3, "1": 1}
    assert given("odds", "642642") == {}
    assert given("odds", "555533")["555533"] == 26


def test_C4_straight() -> None:
    assert given("straight", "665431") == {"6543": 18, "654": 15, "65": 11, "543": 12, "54": 9, "43": 7}
    assert given("straight", "664422") == {}
    assert given("straight", "654321")["654321"] == 21


def test_C5_two_pairs() -> None:
    assert given("two-pairs", "663311") == {"6633": 18, "6611": 14, "3311": 8}
    assert given("two-pairs", "555533") == {"5533": 16}
    assert given("two-pairs", "555555") == {}
    assert given("two-pairs", "665431") == {}


def test_C6_sixes() -> None:
    assert given("sixes", "666521") == {"666": 18, "66": 12, "6": 6}
    assert given("sixes", "555555") == {}
    assert given("sixes", "666666")["666666"] == 36
    assert CARDS["sixes"].effect is Effect.NEIGHBOURS_RESET


def test_C7_double_pair() -> None:
    assert given("double-pair", "664441") == {"66": 24, "44": 16}
    assert given("double-pair", "654321") == {}


def test_C8_three_lowest() -> None:
    assert given("three-lowest", "643331") == {"331": 7}
    assert given("three-lowest", "666666") == {"666": 18}
    assert given("three-lowest", "654321") == {"321": 6}
    assert CARDS["three-lowest"].effect is Effect.OTHERS_FREEZE


def test_C9_distinct_fours() -> None:
    assert given("distinct-fours", "665555") == {"65": 8, "6": 4, "5": 4}
    assert given("distinct-fours", "654321")["654321"] == 24


def test_C10_distinct_sum() -> None:
    assert given("distinct-sum", "665555") == {"65": 11, "6": 6, "5": 5}
    six_different = given("distinct-sum", "654321")
    assert max(map(len, six_different)) == 5
    assert six_different["65432"] == 20


def test_C11_forty_minus() -> None:
    assert given("forty-minus", "643321") == {"643321": 21}
    assert given("forty-minus", "666666") == {"666666": 4}
    assert given("forty-minus", "111111") == {"111111": 34}


def test_C12_same_fives() -> None:
    assert given("same-fives", "222661") == {"222": 15, "22": 10, "2": 5, "66": 10, "6": 5, "1": 5}
    assert given("same-fives", "444444")["444444"] == 30


def test_only_three_cards_touch_others() -> None:
    assert [card.id for card in CARDS.values() if card.effect is not Effect.NONE] == [
        "any-two",
        "sixes",
        "three-lowest",
    ]


@pytest.mark.parametrize(
    ("card", "selection", "table", "points"),
    [
        ("any-two", "45", "451236", 9),
        ("no-sixes", "235514", "235514", 20),
        ("odds", "11553", "115536", 15),
        ("straight", "234", "234666", 9),
        ("two-pairs", "6633", "663312", 18),
        ("sixes", "666", "666123", 18),
        ("double-pair", "44", "441236", 16),
        ("three-lowest", "133", "133456", 7),
        ("distinct-fours", "1526", "152622", 16),
        ("distinct-sum", "524", "524555", 11),
        ("forty-minus", "236413", "236413", 21),
        ("same-fives", "111", "111456", 15),
    ],
)
def test_the_examples_of_the_rules(card: str, selection: str, table: str, points: int) -> None:
    others = [other for other in CARDS if other != card][:4]
    game = DicyCards(2, (card, *others))
    state = play(game, game.start(), table, f"score {card} {selection}")
    assert game.scores(state) == (points, 0)


def test_all_points_of_all_rolls_are_those_of_the_vectors() -> None:
    with POINTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 462
    assert {given_dice(row) for row in rows} == {dice for dice, _ in rolls(6)}
    for row in rows:
        for card in CARDS:
            points = sorted({points for _, points in options(card, given_dice(row))})
            assert points == [int(number) for number in row[card].split()], (card, row["dice"])


def given_dice(row: dict[str, str]) -> str:
    return "".join(sorted(row["dice"], reverse=True))


@pytest.mark.parametrize("card", CARDS)
def test_all_selections_are_those_of_brute_force(card: str) -> None:
    for dice, _ in rolls(6):
        assert given(card, dice) == naive.selections(card, tuple(sorted(map(int, dice)))), (card, dice)


@pytest.mark.parametrize("card", CARDS)
def test_the_best_selection_comes_first(card: str) -> None:
    for dice, _ in rolls(6):
        points = [points for _, points in options(card, dice)]
        assert points == sorted(points, reverse=True)
