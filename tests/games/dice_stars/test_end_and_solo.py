"""The clauses G1 to G3 and L1 to L5."""

import pytest

from starfrost.errors import IllegalAction, UsageError
from starfrost.games.core import OVER
from starfrost.games.dice_stars import DiceStars, Phase
from starfrost.games.dice_stars.sheet import BLANK, ROWS, multiplier, row_score
from tests.games.dice_stars.table import SOLO, TWO, WHITE_FULL, X, at, sheet
from tests.games.table import options, play

ALL_BUT_ONE = {place: value for place, value in WHITE_FULL.items() if place != (6, 3)}


def test_G1_twenty_white_spaces_end_the_game_after_the_round() -> None:
    begun = sheet(ALL_BUT_ONE)
    state = play(TWO, at(Phase.TAKE, "orange6 blue3", begun), "take 6")
    assert TWO.actor(state) == 1
    assert TWO.winners(state) == ()
    state = play(TWO, state, "draw 1", "blue4", "take 4")
    assert TWO.actor(state) == OVER
    assert state.phase is Phase.OVER
    assert TWO.turn_of(state) == 1
    assert options(TWO, state) == []
    with pytest.raises(IllegalAction, match="the game is over"):
        play(TWO, state, "draw 1")


def test_G1_the_last_seat_ends_it_at_once() -> None:
    state = at(Phase.TAKE, "orange6 blue3", BLANK, sheet(ALL_BUT_ONE), seat=1)
    assert TWO.actor(play(TWO, state, "take 6")) == OVER


def test_G1_the_whole_round_is_played() -> None:
    game = DiceStars(4)
    state = play(game, at(Phase.TAKE, "orange6 blue3", BLANK, sheet(ALL_BUT_ONE), seat=1, seats=4), "take 6")
    state = play(game, state, "draw 1", "blue4", "take 4")
    assert game.actor(state) == 3
    state = play(game, state, "draw 1", "blue4", "take 4")
    assert game.actor(state) == OVER


def test_G1_green_spaces_do_not_count() -> None:
    green = {(row, place): X for row, end in [(2, 8), (3, 7), (4, 6)] for place in range(4, end)}
    state = at(Phase.TAKE, "orange5 blue3", BLANK, sheet({**ALL_BUT_ONE, **green}), seat=1)
    assert TWO.actor(play(TWO, state, "take 5")) == 0


@pytest.mark.parametrize("penalty", [0, 7])
def test_G1_a_penalty_ends_it_too_even_one_of_0(penalty: int) -> None:
    reserve = "blue4 blue3" if penalty else "blue*"
    stuck = sheet(
        {(row, 2): 0 for row in ROWS} | {(4, p): 0 for p in range(6)} | {(3, p): 0 for p in range(7)}, "23456"
    )
    state = play(TWO, at(Phase.TAKE, reserve, BLANK, stuck, seat=1), "penalty blue")
    assert state.sheets[1].penalty == penalty
    assert TWO.actor(state) == OVER
    assert TWO.scores(state) == (0, -penalty)
    assert TWO.winners(state) == ((0,) if penalty else (0, 1))


@pytest.mark.parametrize(("stars", "times"), [(0, 1), (1, 0), (2, 0), (3, 2)])
def test_G2_a_row_times_1_times_2_or_times_0(stars: int, times: int) -> None:
    row_3 = sheet({(3, 0): 6, (3, 1): X, (3, 2): 11, (3, 6): 3, (4, 0): 4}, f"0{stars}000")
    assert multiplier(row_3, 1) == times
    assert row_score(row_3, 1) == 20 * times
    assert TWO.scores(at(Phase.TAKE, "blue3", row_3)) == (20 * times + 4, 0)


def test_G2_every_row_has_its_own_boxes_and_columns_score_nothing() -> None:
    full = {(row, 0): row for row in ROWS}
    for index, boxes in enumerate((2, 3, 4, 5, 6)):
        stars = "".join(str(boxes) if row == index else "0" for row in range(5))
        assert TWO.scores(at(Phase.TAKE, "blue3", sheet(full, stars)))[0] == 20 + ROWS[index]


def test_G3_the_highest_total_wins_and_the_penalty_is_subtracted() -> None:
    ended = at(Phase.OVER, "", sheet({(6, 0): 30}, penalty=6), sheet({(5, 0): 25}), seat=1)
    assert TWO.scores(ended) == (24, 25)
    assert TWO.winners(ended) == (1,)


def test_G3_ties_share_the_victory() -> None:
    game = DiceStars(3)
    ended = at(Phase.OVER, "", sheet({(6, 0): 12}), sheet({(5, 0): 3}), sheet({(4, 0): 12}), seat=2, seats=3)
    assert game.winners(ended) == (0, 2)


def test_L1_the_solo_player_is_the_next_player() -> None:
    state = play(SOLO, at(Phase.TAKE, "blue* blue4", bag=(2, 1, 1, 2), seats=1), "take stars 6")
    assert SOLO.actor(state) == 0
    assert options(SOLO, state) == ["keep", "return"]


@pytest.mark.parametrize(
    ("left", "boxes"),
    [
        ("", 0),
        ("blue*", 1),
        ("blue* orange* black*", 1),
        ("blue2", 1),
        ("blue5", 1),
        ("blue6", 2),
        ("blue4 orange6", 2),
        ("blue5 orange6", 3),
        ("blue2 orange*", 1),
        ("blue3 orange*", 2),
        ("blue4 orange6 orange*", 4),
        ("blue5 orange6 orange* blue*", 5),
    ],
)
def test_L2_boxes_for_what_is_left(left: str, boxes: int) -> None:
    state = at(Phase.TAKE, f"purple3 {left}", seats=1, solo=2)
    assert SOLO.extra_results(play(SOLO, state, "take purple")) == {"solo": 2 + boxes}


def test_L2_counts_what_is_left_after_the_take() -> None:
    state = at(Phase.TAKE, "purple3 blue* blue6 orange6", seats=1)
    assert [play(SOLO, state, f"take {what}").solo for what in ["purple", "6", "stars 6"]] == [5, 2, 3]


def test_L2_only_in_the_solo_game() -> None:
    state = play(TWO, at(Phase.TAKE, "purple3 blue6"), "take purple")
    assert state.solo == 0
    assert TWO.extra_results(state) == {}


def test_L3_the_last_box_loses_at_once() -> None:
    game = DiceStars(1, solo_boxes=10)
    rich = sheet({(6, 0): 30, (6, 1): 30}, "00006")
    state = at(Phase.TAKE, "purple3 blue6 orange6", rich, seats=1, solo=7)
    lost = play(game, state, "take purple")
    assert game.actor(lost) == OVER
    assert game.extra_results(lost) == {"solo": 10}
    assert game.winners(lost) == ()
    assert game.actor(play(game, state, "take 6")) == 0


def test_L3_the_grid_never_has_more_boxes_ticked_than_it_has() -> None:
    game = DiceStars(1, solo_boxes=10)
    lost = play(game, at(Phase.TAKE, "purple3 blue6 orange*", seats=1, solo=8), "take purple")
    assert game.extra_results(lost) == {"solo": 10}


def test_L3_goes_before_G1() -> None:
    game = DiceStars(1, solo_boxes=1)
    lost = play(game, at(Phase.TAKE, "orange6 blue3", sheet({**ALL_BUT_ONE, (6, 0): 30}), seats=1), "take 6")
    assert game.winners(lost) == ()
    assert game.scores(lost) == (36,)


@pytest.mark.parametrize(("ticked", "wins"), [(5, True), (6, False), (7, False)])
def test_L4_a_win_needs_more_than_5_points_a_box(ticked: int, wins: bool) -> None:
    begun = sheet({**ALL_BUT_ONE, (6, 0): 24})
    ended = play(SOLO, at(Phase.TAKE, "orange6", begun, seats=1, solo=ticked), "take 6")
    assert SOLO.actor(ended) == OVER
    assert SOLO.scores(ended) == (30,)
    assert SOLO.winners(ended) == ((0,) if wins else ())


def test_L5_the_grid_has_thirty_boxes_unless_said_otherwise() -> None:
    assert SOLO.headers() == {"solo-boxes": "30"}
    assert DiceStars(1, solo_boxes=80).headers() == {"solo-boxes": "80"}
    assert TWO.headers() == {}
    state = at(Phase.TAKE, "purple3 blue5", seats=1, solo=29)
    assert SOLO.actor(play(SOLO, state, "take purple")) == OVER
    assert DiceStars(1, solo_boxes=31).actor(play(DiceStars(1, solo_boxes=31), state, "take purple")) == 0
    with pytest.raises(UsageError):
        DiceStars(1, solo_boxes=0)
