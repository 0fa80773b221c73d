"""Which way games are played, and in which shards: it depends on the run, so that more jobs never make it slower."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from starfrost.games.setup import Setup
from starfrost.lab import deals, shards, simulate, strength
from starfrost.lab.shards import PARTS
from starfrost.lab.strength import Tournament, Variant, tournament

JOBS = range(1, 9)
GAMES = (1, 10, 63, 64, 65, 100, 200, 255, 256, 400, 1000, 2500, 5000)


class Way:
    """How the games of a run are played, and the sizes of its shards."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
        self.ways: set[str] = set()
        self.size = 0
        monkeypatch.setattr(deals, "_play_batch", lambda *given: self.ways.add("at once"))
        monkeypatch.setattr(deals, "_play_singly", lambda *given: self.ways.add("singly"))
        monkeypatch.setattr(module, "total", self._total)

    def _total(self, task: Any, count: int, size: int, workers: int, **options: Any) -> Any:
        """Play every shard in this process."""
        self.size = size
        return shards.total(task, count, size, 1, **options)

    def of(self, run: Callable[[], object]) -> tuple[set[str], int]:
        self.ways.clear()
        run()
        return set(self.ways), self.size


@pytest.mark.parametrize("swap_seats", [False, True])
@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("dice-stars", ("planner", "greedy")),
        ("dice-stars", ("greedy", "random")),
        ("dice-stars", ("strong", "planner")),
        ("dicy-cards", ("planner", "greedy")),
        ("dicy-cards", ("greedy", "greedy")),
    ],
)
def test_the_number_of_jobs_does_not_decide_how_games_are_played(
    monkeypatch: pytest.MonkeyPatch, game: str, bots: tuple[str, ...], swap_seats: bool
) -> None:
    way = Way(monkeypatch, simulate)
    full = deals.games_at_once(Setup.of(game, 2), bots)
    assert full > 1
    for games in GAMES:
        plan = simulate.Simulation(Setup.of(game, 2), bots, games, 1, swap_seats)
        found = {jobs: way.of(partial(simulate.simulate, plan, jobs)) for jobs in JOBS}
        expected = {"at once" if games >= min(deals.FEWEST, full) else "singly"}
        assert [ways for ways, _ in found.values()] == [expected] * len(JOBS)
        check_sizes([size for _, size in found.values()], plan.deals, full // plan.rotations, expected)


def check_sizes(sizes: Sequence[int], count: int, full: int, ways: set[str]) -> None:
    """Check that shards by the number of jobs are large enough, and that no job gets more of them than one would."""
    numbers = [-(-count // size) for size in sizes]
    if ways == {"at once"}:
        assert all(max(1, full // PARTS) <= size <= max(full, 10) for size in sizes)
    for jobs, number in zip(JOBS, numbers, strict=True):
        assert -(-number // jobs) <= numbers[0]
    assert sizes == sorted(sizes, reverse=True)


def test_a_tournament_plays_each_duel_in_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    way = Way(monkeypatch, strength)
    for games in (10, 31, 32, 50, 500, 2500):
        plan: Tournament = tournament([Variant("dice-stars", "", 2)], games, 1, ("greedy", "planner"))
        found = [way.of(partial(strength.outcomes, plan, jobs)) for jobs in JOBS]
        expected = {"at once" if 2 * sum(plan.deals) >= deals.FEWEST else "singly"}
        assert [ways for ways, _ in found] == [expected] * len(JOBS)
        check_sizes([size for _, size in found], sum(plan.deals), 250, expected)


@pytest.mark.parametrize("swap_seats", [False, True])
def test_any_number_of_jobs_gives_the_same_results(monkeypatch: pytest.MonkeyPatch, swap_seats: bool) -> None:
    """In this process, in the shards of so many jobs; two processes are in `test_simulate`."""
    monkeypatch.setattr(simulate, "total", lambda task, count, size, workers, **rest: shards.total(task, count, size))
    for games in (63, 64, 700):
        plan = simulate.Simulation(Setup.of("dice-stars", 2), ("greedy", "random"), games, 5, swap_seats)
        first, *others = (simulate.simulate(plan, jobs)._replace(seconds=0) for jobs in JOBS)
        assert first.games == games
        assert others == [first] * len(others)
