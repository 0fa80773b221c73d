"""`greedy`: the most points now."""

from random import Random

import pytest

from starfrost.bots.random import RandomBot
from starfrost.games.dice_stars import DiceStars, Phase
from starfrost.games.dice_stars.bots.greedy import DiceStarsGreedy
from tests.games.dice_stars.table import SOLO, TWO, X, at, sheet
from tests.players.dice_stars.arena import play_out, share_of_wins
from tests.variants import game_of

GREEDY = DiceStarsGreedy()


def chosen(game: DiceStars, *table: object, **more: object) -> str:
    return str(GREEDY.choose(game, at(*table, **more), Random(1)))  # type: ignore[arg-type]


def test_it_takes_the_most_points() -> None:
    assert chosen(TWO, Phase.TAKE, "blue5 blue4 orange6 black3 orange*") == "take blue"
    assert chosen(TWO, Phase.TAKE, "blue6 blue4 orange6 black3 orange*") == "take 6"


def test_it_completes_a_starred_row_but_does_not_start_one_with_points_in_it() -> None:
    begun = sheet({(2, 0): 6, (2, 1): 5, (3, 0): 20}, stars="10000")
    assert chosen(TWO, Phase.TAKE, "blue5 blue4 orange6 orange*", begun) == "take stars 2"


def test_it_draws_as_many_dice_as_it_may() -> None:
    assert chosen(TWO, Phase.DRAW, "blue4") == "draw 3"
    assert chosen(TWO, Phase.DRAW, "blue4", bag=(0, 0, 1, 1)) == "draw 2"


def test_it_keeps_a_reserve_that_scores_and_returns_one_that_does_not() -> None:
    assert chosen(TWO, Phase.REFILL, "blue4 orange5") == "keep"
    dead = sheet({(row, 2): X for row in (2, 3, 4)} | {(4, place): X for place in range(6)}, stars="00011")
    assert chosen(TWO, Phase.REFILL, "blue4", dead) == "return"


def test_solo_it_counts_the_boxes() -> None:
    # The fours bring 8 points and leave 3 boxes, orange brings 6 and leaves 2.
    assert chosen(SOLO, Phase.TAKE, "black4 blue4 orange* orange6", seats=1) == "take orange"
    assert chosen(TWO, Phase.TAKE, "black4 blue4 orange* orange6") == "take 4"


def test_it_writes_the_smallest_penalty() -> None:
    full = sheet(
        {(row, 2): 0 for row in range(2, 7)} | {(4, place): 0 for place in range(6)} | {(5, p): 0 for p in range(5)}
    )
    assert chosen(TWO, Phase.TAKE, "blue4 blue5", full) == "penalty 4"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_random(seats: int) -> None:
    assert share_of_wins(seats, GREEDY, RandomBot(), 40) > 0.9


def test_solo_it_scores_more_than_random() -> None:
    scores = [sum(SOLO.scores(play_out(SOLO, [bot], seed))[0] for seed in range(40)) for bot in (GREEDY, RandomBot())]
    assert scores[0] > 2 * scores[1]


def test_a_box_of_the_solo_grid_costs_what_the_rules_say() -> None:
    game = game_of('game = "dice-stars"\nname = "Cheap boxes"\nbox-points = 1\n', 1)
    table = at(Phase.TAKE, "orange5 black5 blue6 blue*", seats=1)
    state = game.start()._replace(phase=Phase.TAKE, reserve=table.reserve, bag=table.bag)
    # Five leaves six points and a star, twelve boxes; blue leaves ten. At 5 points a box, blue would be better.
    assert str(GREEDY.choose(game, state, Random(1))) == "take 5"
