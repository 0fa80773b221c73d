"""The clauses P1 to P4 and S1 to S6."""

from random import Random

import pytest

from starfrost.errors import IllegalAction, UsageError
from starfrost.games.core import CHANCE
from starfrost.games.dice_stars import DiceStars, Phase
from starfrost.games.dice_stars.components import ALL_DICE, colours_in, die_text
from starfrost.games.dice_stars.sheet import BLANK, LINE_MASK, ROW_SPACES, ROWS, STAR_BOXES, WHITE
from tests.games.dice_stars.table import SOLO, TWO, at, sheet
from tests.games.table import options, play


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_P1_one_to_four_players_clockwise(seats: int) -> None:
    game, rng = DiceStars(seats), Random(1)
    state = game.start()
    for turn in range(2 * seats):
        assert game.starts_turn(state)
        assert game.turn_of(state) == turn % seats
        while True:
            if game.actor(state) == CHANCE:
                assert game.turn_of(state) == turn % seats
                state = game.apply(state, game.sample(state, rng))
            else:
                assert game.actor(state) == turn % seats
                last = state.phase is Phase.TAKE
                state = game.apply(state, game.legal_actions(state)[0])
                if last:
                    break


@pytest.mark.parametrize("seats", [0, 5, 6, -1])
def test_P1_no_other_number_of_players(seats: int) -> None:
    with pytest.raises(UsageError, match="1 to 4"):
        DiceStars(seats)


def test_P2_fourteen_dice_and_their_faces() -> None:
    assert ALL_DICE == (2, 3, 4, 5)
    one = at(Phase.ROLL, draw=1)
    weights = {str(roll): weight for roll, weight in TWO.chance_outcomes(one)}
    ordinary = {
        f"{colour}{face}": number for colour, number in [("black", 2), ("purple", 3), ("blue", 4)] for face in "*23456"
    }
    assert weights == ordinary | {"orange*": 10, "orange3": 5, "orange4": 5, "orange5": 5, "orange6": 5}


def test_P2_dice_are_drawn_without_putting_back() -> None:
    two = at(Phase.ROLL, draw=2, bag=(1, 0, 0, 1))
    weights = {str(roll): weight for roll, weight in TWO.chance_outcomes(two)}
    assert weights == {f"black{b} orange{o}": 2 if o == "*" else 1 for b in "*23456" for o in "*3456"}
    with pytest.raises(IllegalAction):
        play(TWO, two, "black3 black4")
    three = at(Phase.ROLL, draw=3)
    assert sum(weight for _, weight in TWO.chance_outcomes(three)) == 364 * 6**3


def test_P2_a_roll_is_possible_or_refused() -> None:
    two = at(Phase.ROLL, draw=2, bag=(1, 0, 0, 1))
    for impossible in ["black3", "black3 blue4", "orange3 orange4", "black2 orange3 orange3"]:
        with pytest.raises(IllegalAction, match="a roll of 2 dice from a bag with 1 black, 1 orange"):
            play(TWO, two, impossible)


def test_P3_the_sheet() -> None:
    assert [len(spaces) for spaces in ROW_SPACES] == [8, 7, 6, 5, 4]
    assert STAR_BOXES == (2, 3, 4, 5, 6)
    assert list(LINE_MASK) == ["black", "purple", "blue", "orange", "2", "3", "4", "5", "6"]
    assert WHITE.bit_count() == 20
    assert (sum(LINE_MASK[row] for row in "23456") & ~WHITE).bit_count() == 10
    for column, colour in enumerate(["black", "purple", "blue", "orange"]):
        assert LINE_MASK[colour] == sum(1 << spaces[column] for spaces in ROW_SPACES)


def test_P4_all_dice_start_in_the_bag() -> None:
    state = TWO.start()
    assert (state.bag, state.reserve, state.discard) == (ALL_DICE, (), (0, 0, 0, 0))
    assert state.sheets == (BLANK, BLANK)


def test_S1_after_stars_the_discard_pile_goes_back_and_the_reserve_may() -> None:
    before = at(Phase.TAKE, "blue* blue4 orange3", bag=(2, 1, 1, 2))
    state = play(TWO, before, "take stars 6")
    assert TWO.actor(state) == 1
    assert state.discard == (0, 0, 0, 0)
    assert options(TWO, state) == ["keep", "return"]
    kept = play(TWO, state, "keep")
    assert [die_text(shown) for shown in kept.reserve] == ["blue4", "orange3"]
    assert kept.bag == (2, 3, 3, 4)
    returned = play(TWO, state, "return")
    assert (returned.bag, returned.reserve) == (ALL_DICE, ())
    assert options(TWO, kept) == ["draw 1", "draw 2", "draw 3"]
    assert options(TWO, returned) == ["draw 3"]


def test_S1_after_the_bags_last_die_too() -> None:
    before = at(Phase.ROLL, "blue4 orange3", bag=(0, 0, 1, 0), draw=1)
    state = play(TWO, before, "blue5", "take 3")
    assert state.phase is Phase.REFILL
    assert state.bag == (2, 3, 2, 5)
    assert play(TWO, state, "keep").reserve == state.reserve


def test_S1_after_a_penalty_with_the_bags_last_die_too() -> None:
    full = sheet(
        {(row, place): 0 for row in ROWS for place in (2, 3)} | {(row, p): 0 for row in (3, 4) for p in range(6)}
    )
    full = full.fill((14,), 0)  # the last green space of row 3
    before = at(Phase.ROLL, "blue4", full, bag=(0, 0, 0, 1), draw=1)
    state = play(TWO, before, "orange3")
    assert options(TWO, state) == ["penalty blue", "penalty orange", "penalty 3", "penalty 4"]
    state = play(TWO, state, "penalty blue")
    assert state.phase is Phase.REFILL
    assert state.bag == (2, 3, 4, 4)


def test_S1_without_a_reserve_there_is_nothing_to_choose() -> None:
    state = play(TWO, at(Phase.TAKE, "blue* orange*", bag=(2, 1, 1, 2)), "take stars 2 6")
    assert state.phase is Phase.DRAW
    assert state.bag == ALL_DICE
    assert TWO.starts_turn(state)


def test_S1_not_after_any_other_turn() -> None:
    state = play(TWO, at(Phase.TAKE, "blue* blue4 orange3", bag=(2, 1, 1, 2)), "take blue")
    assert state.phase is Phase.DRAW
    assert state.bag == (2, 1, 1, 2)
    assert state.discard == (0, 2, 3, 2)


def test_S1_the_last_draw_counts_only_for_the_next_turn() -> None:
    state = play(TWO, at(Phase.TAKE, "blue5 orange3", bag=(0, 0, 0, 0)), "take 3", "keep", "draw 1", "black2", "take 2")
    assert state.phase is Phase.DRAW


@pytest.mark.parametrize("number", [1, 2, 3])
def test_S2_announce_one_two_or_three(number: int) -> None:
    before = at(Phase.DRAW, "blue4")
    assert options(TWO, before) == ["draw 1", "draw 2", "draw 3"]
    state = play(TWO, before, f"draw {number}")
    assert TWO.actor(state) == CHANCE
    rolled = " ".join(["black3", "purple*", "orange6"][:number])
    after = play(TWO, state, rolled)
    assert [die_text(shown) for shown in after.reserve] == sorted(
        ["blue4", *rolled.split()], key=["black3", "purple*", "blue4", "orange6"].index
    )
    assert sum(after.bag) == 13 - number


def test_S3_an_empty_reserve_forces_three() -> None:
    assert options(TWO, TWO.start()) == ["draw 3"]
    assert options(TWO, at(Phase.DRAW, bag=(1, 1, 1, 1))) == ["draw 3"]
    with pytest.raises(IllegalAction, match="'draw 1' is not allowed here; expected draw 3"):
        play(TWO, TWO.start(), "draw 1")


def test_S3_only_stars_force_three() -> None:
    assert options(TWO, at(Phase.DRAW, "blue* orange*")) == ["draw 3"]
    assert options(TWO, at(Phase.DRAW, "blue* orange3")) == ["draw 1", "draw 2", "draw 3"]


def test_S3_looks_at_the_reserve_after_the_refill() -> None:
    refill = at(Phase.REFILL, "blue4 orange*")
    assert options(TWO, play(TWO, refill, "keep")) == ["draw 1", "draw 2", "draw 3"]
    assert options(TWO, play(TWO, refill, "return")) == ["draw 3"]


def test_S4_nobody_draws_more_than_the_bag_holds() -> None:
    assert options(TWO, at(Phase.DRAW, "blue4", bag=(1, 0, 0, 1))) == ["draw 1", "draw 2"]
    assert options(TWO, at(Phase.DRAW, "blue4", bag=(0, 0, 0, 1))) == ["draw 1"]


def test_S4_a_forced_draw_takes_what_there_is() -> None:
    assert options(TWO, at(Phase.DRAW, "blue*", bag=(1, 0, 0, 1))) == ["draw 2"]
    assert options(TWO, at(Phase.DRAW, "", bag=(1, 0, 0, 0))) == ["draw 1"]


def test_S5_all_of_a_colour_or_all_of_a_number_or_all_stars() -> None:
    state = at(Phase.TAKE, "black4 blue4 blue5 orange* purple*")
    assert options(TWO, state) == [
        "take black",
        "take purple",
        "take blue",
        "take orange",
        "take 4",
        "take 5",
        *[f"take stars {a} {b}" for a in range(2, 7) for b in range(a, 7)],
    ]
    for other in ["take 6", "take stars 2", "take stars 2 2 3", "penalty blue", "draw 1", "keep"]:
        with pytest.raises(IllegalAction):
            play(TWO, state, other)


def test_S5_one_die_goes_by_its_colour_or_by_its_number() -> None:
    assert options(TWO, at(Phase.TAKE, "blue4")) == ["take blue", "take 4"]


def test_S6_taken_dice_are_discarded_and_the_others_stay() -> None:
    before = at(Phase.TAKE, "black4 blue4 blue5 orange*", bag=(1, 3, 2, 4))
    state = play(TWO, before, "take 4")
    assert [die_text(shown) for shown in state.reserve] == ["blue5", "orange*"]
    assert state.discard == (1, 0, 1, 0)
    assert TWO.turn_of(state) == 1
    assert colours_in(play(TWO, before, "take blue").reserve) == (1, 0, 0, 1)


def test_S6_after_the_last_seat_the_first_is_next() -> None:
    assert TWO.turn_of(play(TWO, at(Phase.TAKE, "blue4", seat=1), "take 4")) == 0
    assert SOLO.turn_of(play(SOLO, at(Phase.TAKE, "blue4", seats=1), "take 4")) == 0
