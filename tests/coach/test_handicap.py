"""Fair handicaps: exact between perfect players, by simulation between people, and what the set-up offers."""

from random import Random
from statistics import NormalDist

import pytest

from bench.handicap import PAIRS, PEOPLE, _play, fair, perfect, simulate, without_card
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.coach.handicap import Start, start_for, table
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.sweep import solve

GOAL = 20


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    cards = MODES["glacial"].cards
    return Adviser(DicyCards(2, cards, GOAL), solve(cards, GOAL))


def test_between_perfect_players_the_solved_values_tell(adviser: Adviser) -> None:
    values = adviser.values
    best = perfect(values)
    assert all(
        abs(best.value(values) - 0.5) <= abs(Start(points, begins).value(values) - 0.5)
        for points in range(GOAL)
        for begins in (True, False)
    )
    for begins in (True, False):
        chances = [Start(points, begins).value(values) for points in range(GOAL)]
        assert chances == sorted(chances)
        assert all(without_card(values, place, begins=begins) > chances[0] for place in range(5))
    assert Start(3, True).value(values) == values.first_player_wins_from((3, 0))
    assert Start(3, False).value(values) == pytest.approx(1 - values.first_player_wins_from((0, 3)))
    # Who makes no mistakes has the exact chance, whatever the dice do.
    assert simulate(adviser, Start(2, False), 0.0, 0.0, 3, Random(1)).mean == pytest.approx(
        Start(2, False).value(values)
    )


def test_what_is_counted_is_the_share_of_victories(adviser: Adviser) -> None:
    """Without the luck of the dice, the mean is that of games played to their end."""
    game, start, people = adviser.game, Start(4, False), (0.0, 0.03)
    rng, won, games = Random(5), 0.0, 300
    counted = simulate(adviser, start, 0.03, 0.0, 100, Random(6))
    for _ in range(games):
        winners = _play(adviser, people, game.start()._replace(scores=start.scores), rng).winners
        won += (1 in winners) / len(winners)
    assert counted.mean == pytest.approx(won / games, abs=counted.error + 3 * 0.5 / games**0.5)
    assert counted.costs[1] == 0.0 < counted.costs[0]


def test_the_even_start_is_found_where_people_follow_a_line(adviser: Adviser) -> None:
    normal, values = NormalDist(), adviser.values

    def share(start: Start, games: int) -> float:
        return normal.cdf(0.6 * normal.inv_cdf(start.value(values)) - 0.5)

    found = fair(values, share, 100)
    nearest = min(
        (Start(points, begins) for points in range(GOAL) for begins in (True, False)),
        key=lambda start: abs(share(start, 1) - 0.5),
    )
    assert found == nearest


def test_two_simulated_people_are_even_with_the_start_that_was_found(adviser: Adviser) -> None:
    people = PEOPLE["beginner"], PEOPLE["expert"]
    rng = Random(3)
    start = fair(adviser.values, lambda one, games: simulate(adviser, one, *people, games, rng).mean, 40)
    found = simulate(adviser, start, *people, 100, Random(4))
    assert start.points > perfect(adviser.values).points or not start.begins
    # Half of what a point is worth, which is more in a short game, and the error.
    point = Start(start.points + 1, start.begins).value(adviser.values) - start.value(adviser.values)
    assert abs(found.mean - 0.5) < point / 2 + found.error + 0.01


def test_the_set_up_knows_the_modes_alone() -> None:
    assert set(table()) <= set(MODES)
    assert set(table()["glacial"]) == {" ".join(pair) for pair in PAIRS}
    cards = MODES["glacial"].cards
    known = start_for(tuple(reversed(cards)), 100, "beginner", "expert")
    assert known == table()["glacial"]["beginner expert"]
    assert start_for(cards, 90, "beginner", "expert") is None
    assert start_for((*cards[:4], "sixes"), 100, "beginner", "expert") is None
    assert start_for(cards, 100, "expert", "beginner") is None
    for starts in table().values():
        # The further apart, the more.
        assert starts["beginner expert"].points > starts["beginner regular"].points >= starts["regular expert"].points
