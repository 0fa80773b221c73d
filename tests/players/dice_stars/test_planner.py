"""`planner`: one example for each part of its evaluation, and a match against `greedy`."""

from random import Random
from typing import Any

import pytest

from starfrost.games.dice_stars import ROWS, DiceStars, Phase
from starfrost.games.dice_stars.bots.evaluation import WEIGHTS, Evaluation
from starfrost.games.dice_stars.bots.greedy import DiceStarsGreedy
from starfrost.games.dice_stars.bots.planner import DiceStarsPlanner
from starfrost.games.dice_stars.sheet import BLANK
from tests.games.dice_stars.table import SOLO, TWO, WHITE_FULL, X, at, sheet
from tests.players.dice_stars.arena import play_out, share_of_wins

PLANNER = DiceStarsPlanner()
MANY = 30.0


def chosen(game: DiceStars, *table: Any, **more: Any) -> str:
    return str(PLANNER.choose(game, at(*table, **more), Random(1)))


def points(of: Any, limit: float = MANY) -> float:
    return Evaluation(WEIGHTS).outlook(of, limit).points


def white_but(*open_spaces: tuple[int, int]) -> dict[tuple[int, int], int]:
    return {place: X for place in WHITE_FULL if place not in open_spaces}


def test_a_doubled_row_is_worth_more_and_a_half_starred_one_less_when_time_is_short() -> None:
    rich = {(3, 0): 12, (3, 1): 11}
    assert points(sheet(rich, "03000"), 1.0) > points(sheet(rich, "00000"), 1.0) > points(sheet(rich, "01000"), 1.0)


def test_with_time_a_star_is_a_promise() -> None:
    assert points(sheet(stars="10000")) > points(BLANK)


def test_a_sum_is_better_off_in_a_row_that_is_doubled() -> None:
    assert points(sheet({(2, 0): 9}, "20000")) > points(sheet({(3, 0): 9}, "20000"))


def test_crossing_out_spaces_costs() -> None:
    assert points(sheet({(2, 0): X, (3, 0): 9})) < points(sheet({(3, 0): 9}))


def test_the_outlook_of_a_finished_sheet_is_its_total() -> None:
    assert points(sheet({**WHITE_FULL, (6, 0): 12, (5, 0): 9}, "00010")) == 12
    assert points(sheet({(6, 0): 12}, penalty=5)) == 7
    assert points(sheet({(6, 0): 12}, "00001"), 0.0) == 0


def test_it_completes_its_stars_at_the_end_rather_than_filling() -> None:
    mine = sheet({**white_but((6, 2), (6, 3)), (3, 0): 20, (6, 0): 12}, "02000")
    theirs = sheet({**white_but((6, 3)), (6, 0): 20})
    assert chosen(TWO, Phase.TAKE, "blue5 orange* orange4", mine, theirs) == "take stars 3"


def test_it_starts_no_stars_on_points_when_the_game_is_ending() -> None:
    mine = sheet({**white_but((4, 2), (6, 3)), (2, 0): 9, (3, 0): 20, (4, 0): 15, (5, 0): 11, (6, 0): 12})
    assert chosen(TWO, Phase.TAKE, "blue4 orange*", mine, sheet(WHITE_FULL), seat=0) in ("take blue", "take 4")


def test_it_ends_the_game_when_ahead_and_not_when_behind() -> None:
    open_end = {**white_but((6, 3)), (6, 0): 60}
    ahead = at(Phase.TAKE, "orange6 black2", sheet({**white_but((6, 3)), (5, 0): 20}), sheet(open_end), seat=1)
    assert str(PLANNER.choose(TWO, ahead, Random(1))) in ("take orange", "take 6")
    behind = at(
        Phase.TAKE, "orange6 black2", sheet({(5, 0): 30, (4, 0): 24, (6, 0): 30}, "00050"), sheet(open_end), seat=1
    )
    assert str(PLANNER.choose(TWO, behind, Random(1))) == "take 2"


@pytest.mark.parametrize(("useless", "denied"), [("purple", "black"), ("black", "purple")])
def test_it_leaves_the_next_seat_the_die_that_seat_cannot_use(useless: str, denied: str) -> None:
    row_5 = {(5, place): X for place in range(5)}
    column = ["black", "purple"].index(useless)
    theirs = sheet(row_5 | {(row, column): X for row in ROWS})
    assert chosen(TWO, Phase.TAKE, "black5 purple5", sheet(row_5), theirs) == f"take {denied}"


def test_solo_it_does_not_tick_the_last_box_if_it_can_help_it() -> None:
    state = at(Phase.TAKE, "black2 purple2 orange6", sheet({(6, 0): 12}), solo=28, seats=1)
    assert str(PLANNER.choose(SOLO, state, Random(1))) in ("take orange", "take 6")


def test_it_returns_a_poor_reserve_and_keeps_a_rich_one() -> None:
    assert chosen(TWO, Phase.REFILL, "blue6 orange6 black6") == "keep"
    hopeless = sheet({(2, place): X for place in range(8)} | {(row, 0): X for row in range(2, 7)}, "00000")
    assert chosen(TWO, Phase.REFILL, "black2 black2", hopeless) == "return"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_greedy(seats: int) -> None:
    share = share_of_wins(seats, DiceStarsPlanner(samples=15), DiceStarsGreedy(), 12 * seats)
    assert share > 1.25 / seats


def test_solo_it_beats_greedy() -> None:
    planner, greedy = DiceStarsPlanner(samples=15), DiceStarsGreedy()
    won = [sum(bool(SOLO.winners(play_out(SOLO, [bot], seed))) for seed in range(40)) for bot in (planner, greedy)]
    assert won[0] > won[1] + 5
