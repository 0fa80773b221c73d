"""A real Ray cluster of two nodes on this machine: the results of one machine, also when a node is killed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
from ray.cluster_utils import Cluster

from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.lab.simulate import Simulation, simulate
from starfrost.lab.strength import Variant, outcomes, tournament
from starfrost.workers import AHEAD, Workers, map_ordered
from starfrost.workers import cluster as on_cluster
from tests.waiting import eventually

PLAN = Simulation(Setup("dicy-cards", 2), ("greedy", "random"), games=400, seed=5, swap_seats=True)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Start a head and a second node, each with a raylet of its own."""
    two = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    two.second = two.add_node(num_cpus=1)
    two.wait_for_nodes()
    yield two
    two.shutdown()


def where(number: int) -> tuple[int, str]:
    return number, ray.get_runtime_context().get_node_id()


def test_both_nodes_work_and_answers_come_in_order(cluster: Any) -> None:
    read: list[int] = []

    def questions() -> Iterator[int]:
        for number in range(400):
            read.append(number)
            yield number

    nodes = set()
    for expected, (number, node) in enumerate(
        map_ordered(where, questions(), Workers(cluster=cluster.address), most=1)
    ):
        assert number == expected
        assert len(read) <= number + 1 + 2 * AHEAD
        nodes.add(node)
    assert len(nodes) == 2


def test_a_killed_node_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(games: int) -> None:
        if games >= 100 and not killed:
            killed.append(games)
            cluster.remove_node(cluster.second, allow_graceful=False)

    found = simulate(PLAN, Workers(cluster=cluster.address), kill, tmp_path / "run.json")
    assert killed[0] < PLAN.games
    assert len(cluster.list_all_nodes()) == 1
    assert found._replace(seconds=0) == simulate(PLAN, 2)._replace(seconds=0)
    # The finished run is in its file: no cluster is asked again.
    again = simulate(PLAN, Workers(cluster="nowhere:1"), resume=tmp_path / "run.json")
    assert again._replace(seconds=0) == found._replace(seconds=0)


def test_tournaments_give_the_results_of_one_machine(cluster: Any) -> None:
    plan = tournament([Variant("dicy-cards", "b", 2), Variant("dice-stars", "", 1)], 6, 1, ("random", "greedy"))
    assert outcomes(plan, Workers(cluster=cluster.address)) == outcomes(plan)


def failing(number: int) -> int:
    raise UsageError("There is no answer to %(number)s.", number=number)


def test_errors_are_those_of_the_work(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no answer to 0"):
        list(map_ordered(failing, range(3), Workers(cluster=cluster.address)))
    monkeypatch.setattr(on_cluster, "__version__", "9.9")
    with pytest.raises(UsageError, match=r"this one 9\.9"):
        list(map_ordered(where, range(3), Workers(cluster=cluster.address)))


def test_a_killed_driver_leaves_no_worker_behind(cluster: Any) -> None:
    code = (
        "from starfrost.workers import Workers, map_ordered; from tests.test_workers import sleeping;"
        f"list(map_ordered(sleeping, range(9), Workers(cluster={cluster.address!r})))"
    )

    def busy() -> list[psutil.Process]:
        return [one for one in psutil.process_iter(["name"]) if "ray::_answer" in (one.info["name"] or "")]

    with subprocess.Popen([sys.executable, "-c", code], env={**os.environ}) as driver:
        eventually(lambda: len(busy()) == 2)
        driver.kill()
    eventually(lambda: not busy())


def test_an_address_without_a_cluster_ends_in_one_sentence() -> None:
    command = [sys.executable, "-m", "starfrost", "simulate", "dicy-cards", "--bots", "random,random"]
    done = subprocess.run([*command, "--cluster", "127.0.0.1:1"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "starfrost: There is no Ray cluster at 127.0.0.1:1."
