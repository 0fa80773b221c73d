"""The clauses F1 to F6."""

import pytest

from starfrost.errors import IllegalAction
from starfrost.games.dice_stars import Phase, preview
from starfrost.games.dice_stars.sheet import ROWS
from tests.games.dice_stars.table import TWO, X, at, sheet, written
from tests.games.table import options, play


def test_F1_a_colour_fills_its_column_from_the_top_and_sums_in_the_last_space() -> None:
    state = play(TWO, at(Phase.TAKE, "blue4 blue5 blue* orange6"), "take blue")
    assert written(state.sheets[0]) == {(2, 2): X, (3, 2): X, (4, 2): 9}
    assert written(state.sheets[1]) == {}


def test_F1_a_star_counts_nothing_and_a_written_0_is_a_number() -> None:
    state = play(TWO, at(Phase.TAKE, "orange* orange*"), "take orange")
    assert written(state.sheets[0]) == {(2, 3): X, (3, 3): 0}
    assert ".,.,.,x" in TWO.position_text(state)
    assert "/.,.,.,0" in TWO.position_text(state)


def test_F1_one_die_of_a_colour() -> None:
    state = play(TWO, at(Phase.TAKE, "black6 orange6", sheet({(2, 0): X})), "take black")
    assert written(state.sheets[0]) == {(2, 0): X, (3, 0): 6}


def test_F2_a_number_fills_its_row_from_the_left_white_and_green_alike() -> None:
    state = play(TWO, at(Phase.TAKE, "blue5 black5 orange5 orange*"), "take 5")
    assert written(state.sheets[0]) == {(5, 0): X, (5, 1): X, (5, 2): 15}
    begun = sheet({(5, 0): 5, (5, 1): 5, (5, 2): 5})
    state = play(TWO, at(Phase.TAKE, "blue5 black5", begun), "take 5")
    assert written(state.sheets[0])[5, 4] == 10
    assert written(state.sheets[0])[5, 3] == X


def test_F3_stars_tick_boxes_in_any_rows_and_all_are_used() -> None:
    state = play(TWO, at(Phase.TAKE, "blue* black* orange* orange4"), "take stars 6 2 6")
    assert state.sheets[0].ticked == (1, 0, 0, 0, 2)
    assert written(state.sheets[0]) == {}
    for wrong in ["take stars 6 2", "take stars 6 2 6 6"]:
        with pytest.raises(IllegalAction):
            play(TWO, at(Phase.TAKE, "blue* black* orange* orange4"), wrong)


def test_F4_filled_spaces_are_passed_over() -> None:
    begun = sheet({(3, 2): 7, (4, 0): 4, (4, 2): 4})
    state = at(Phase.TAKE, "blue4 blue5 blue6 black4", begun)
    assert written(play(TWO, state, "take blue").sheets[0]) == written(begun) | {(2, 2): X, (5, 2): X, (6, 2): 15}
    assert written(play(TWO, state, "take 4").sheets[0]) == written(begun) | {(4, 1): X, (4, 3): 8}


def test_F5_a_take_needs_room_for_all_its_dice() -> None:
    begun = sheet({(row, 2): X for row in (2, 3, 4)} | {(6, place): 6 for place in (0, 1, 3)})
    room = at(Phase.TAKE, "blue6 blue5 orange3", begun)
    assert options(TWO, room) == ["take blue", "take orange", "take 3", "take 5", "take 6"]
    tight = at(Phase.TAKE, "blue6 blue5 blue4 black6 orange3", begun)
    assert options(TWO, tight) == ["take black", "take orange", "take 3", "take 4", "take 5"]
    for action in ["take blue", "take 6"]:
        with pytest.raises(IllegalAction, match="expected one of: take black"):
            play(TWO, tight, action)


def test_F5_stars_need_boxes() -> None:
    state = at(Phase.TAKE, "blue* black*", sheet(stars="23455"))
    assert options(TWO, state) == ["take black", "take blue"]
    state = at(Phase.TAKE, "blue* black*", sheet(stars="23355"))
    assert options(TWO, state) == ["take black", "take blue", "take stars 4 6"]
    with pytest.raises(IllegalAction):
        play(TWO, state, "take stars 6 6")


NO_ROOM = sheet(
    {(row, 2): 0 for row in ROWS}
    | {(row, 3): 0 for row in ROWS}
    | {(4, place): 0 for place in range(6)}
    | {(3, place): 0 for place in range(7)}
)
"""No empty blue or orange space, nor one in the rows 3 and 4."""


def test_F6_a_penalty_when_no_take_is_allowed() -> None:
    state = at(Phase.TAKE, "blue4 blue3 orange4", NO_ROOM)
    assert options(TWO, state) == ["penalty blue", "penalty orange", "penalty 3", "penalty 4"]
    after = play(TWO, state, "penalty 4")
    assert after.sheets[0] == NO_ROOM.punish(8)
    assert after.reserve == at(Phase.TAKE, "blue3").reserve
    assert play(TWO, state, "penalty blue").sheets[0].penalty == 7
    assert TWO.scores(after)[0] == -8


def test_F6_stars_are_no_choice_but_their_colour_is() -> None:
    stuck = sheet({(row, 2): 0 for row in ROWS}, stars="23456")
    state = at(Phase.TAKE, "blue*", stuck)
    assert options(TWO, state) == ["penalty blue"]
    after = play(TWO, state, "penalty blue")
    assert after.sheets[0].penalty == 0
    assert TWO.scores(after)[0] == 0


def test_F6_never_while_a_take_is_allowed() -> None:
    state = at(Phase.TAKE, "blue4 blue3 black4 orange4", NO_ROOM)
    assert options(TWO, state) == ["take black"]
    for refused in ["penalty blue", "penalty black", "penalty 4", "take blue", "take 4"]:
        with pytest.raises(IllegalAction):
            play(TWO, state, refused)


def test_F6_only_what_lies_in_the_reserve() -> None:
    for refused in ["penalty black", "penalty 5", "penalty 2"]:
        with pytest.raises(IllegalAction):
            play(TWO, at(Phase.TAKE, "blue4 blue3 orange4", NO_ROOM), refused)


def test_a_preview_says_what_a_take_would_write() -> None:
    begun = sheet({(3, 2): 7}, stars="00300")
    state = at(Phase.TAKE, "blue4 blue5 orange*", begun)
    colour = preview(TWO, state, TWO.parse_action("take blue"))
    assert colour["spaces"] == [{"row": 2, "place": 2, "value": "X"}, {"row": 4, "place": 2, "value": 9}]
    assert colour["rows"] == [0, 7, 0, 0, 0]
    assert (colour["total"], colour["gain"], colour["penalty"]) == (7, 0, None)
    star = preview(TWO, state, TWO.parse_action("take stars 4"))
    assert star["spaces"] == []
    assert star["stars"] == {"2": 0, "3": 0, "4": 1, "5": 0, "6": 0}
    with pytest.raises(IllegalAction):
        preview(TWO, state, TWO.parse_action("take 6"))
