"""Sums of long runs: the same for any shards and processes, and continued where a run was interrupted."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.lab.shards import add, total
from starfrost.lab.simulate import Simulation, simulate
from starfrost.lab.statistics import group_sums, rate, rate_of
from starfrost.lab.strength import Variant, outcomes, tournament


@dataclass(frozen=True)
class Squares:
    """Sums that are easy to check, with a histogram that grows key by key."""

    scale: int = 1

    def __call__(self, numbers: range) -> dict[str, Any]:
        ends: dict[str, int] = {}
        for number in numbers:
            ends[str(number % 10)] = ends.get(str(number % 10), 0) + 1
        return {"sum": sum(number * number * self.scale for number in numbers), "ends": ends, "list": [len(numbers), 1]}

    def as_json(self) -> Any:
        return asdict(self)


def test_sums_add_up_by_key_and_place() -> None:
    assert add({"a": 1, "b": [1, 2]}, {"b": [3, 4], "c": {"d": 5}}) == {"a": 1, "b": [4, 6], "c": {"d": 5}}
    assert add(None, 3) == add(3, None) == 3
    with pytest.raises(ValueError, match="longer"):
        add([1], [1, 2])


@pytest.mark.parametrize(("size", "jobs"), [(1, 1), (7, 1), (1000, 1), (9, 2)])
def test_the_total_is_the_same_for_any_shards(size: int, jobs: int) -> None:
    found = total(Squares(), 100, size, jobs)
    assert found["sum"] == sum(number * number for number in range(100))
    assert found["ends"] == {str(end): 10 for end in range(10)}
    assert found["list"] == [100, -(-100 // size)]


def test_rates_of_parts_add_up_exactly() -> None:
    groups = [[1.0, 0.0, 1 / 3], [0.5, 0.5, 0.0], [1.0], [1 / 7, 0.25, 1.0]]
    for cut in range(1, 4):
        assert rate_of(add(group_sums(groups[:cut]), group_sums(groups[cut:]))) == rate(groups)


def test_an_interrupted_run_continues(tmp_path: Path) -> None:
    file = tmp_path / "run.json"

    def interrupt(done: int) -> None:
        if done >= 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        total(Squares(), 100, 8, resume=file, progress=interrupt)
    assert json.loads(file.read_text(encoding="utf-8"))["done"] == 40
    seen: list[int] = []
    # The rest can be cut into other shards.
    again = total(Squares(), 100, 20, resume=file, progress=seen.append)
    assert seen == [60, 80, 100]
    assert again["sum"] == total(Squares(), 100, 100)["sum"]
    assert total(Squares(), 100, 20, resume=file, progress=lambda done: pytest.fail("nothing is left")) == again


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "cannot be read"), ("[]", "is not the file of a run"), ('{"format": "x"}', "is not the file of a run")],
)
def test_other_files_are_refused_and_kept(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        total(Squares(), 10, 5, resume=file)
    assert file.read_text(encoding="utf-8") == text


def test_a_run_with_other_settings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    total(Squares(), 10, 5, resume=file)
    for task, count in ((Squares(2), 10), (Squares(), 11)):
        with pytest.raises(UsageError, match="other settings"):
            total(task, count, 5, resume=file)
    with pytest.raises(UsageError, match="cannot be written"):
        total(Squares(), 10, 5, resume=tmp_path / "none" / "run.json")


def test_simulations_and_tournaments_continue_with_the_same_result(tmp_path: Path) -> None:
    plan = Simulation(Setup("dicy-cards", 2), ("greedy", "random"), games=25, seed=3, swap_seats=True)

    def interrupt(games: int) -> None:
        if games >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(plan, progress=interrupt, resume=tmp_path / "games.json")
    continued, whole = simulate(plan, resume=tmp_path / "games.json"), simulate(plan)
    assert continued._replace(seconds=0) == whole._replace(seconds=0)
    duels = tournament([Variant("dicy-cards", "b", 2), Variant("dice-stars", "", 1)], 6, 1, ("random", "greedy"))
    with pytest.raises(KeyboardInterrupt):
        outcomes(duels, progress=interrupt, resume=tmp_path / "duels.json")
    assert outcomes(duels, 2, resume=tmp_path / "duels.json") == outcomes(duels)
