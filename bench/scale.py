"""Several servers on one Postgres, in one run: `python -m bench.scale [--seconds 5] [--tables 200] [--rounds 5]`.

First two servers: the players of each table at the same server, or each player at another one, so that half of the
moves are forwarded. Then one server with one, two and four workers, between which the system spreads the connections.
Every move is durable. The load, Postgres and the servers share the machine; nothing is pinned to a core.

The ways take turns, in every round the other way round, so that a machine that other programs keep busy slows all of
them down alike. The figures are medians of the rounds; a ratio is that of one round to the first way in the same
round, and the smallest and largest are given too. Each run begins with seconds that do not count (`--warm-up`): tables
whose players are both at another process move there first.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from bench.server import free_port, wait_for
from tests.postgres import Postgres

LIMITS = (
    "MOVES_PER_SECOND",
    "OPENS_PER_MINUTE",
    "REQUESTS_PER_SECOND",
    "TABLES_PER_ADDRESS",
)


@contextmanager
def serving(database: str, workers: int = 1) -> Iterator[tuple[int, int]]:
    """Start a server; gives its port and process id."""
    port = free_port()
    command = [sys.executable, "-m", "starfrost", "serve", "--port", str(port), "--database", database]
    known = settings()
    limits = {f"STARFROST_{name}": "0" for name in LIMITS if name.lower() in known}
    limits["STARFROST_LOG_LEVEL"] = "warning"
    process = subprocess.Popen(
        [*command, "--workers", str(workers)],
        env=os.environ | limits,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("SHOW") else subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        settle(process.pid)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def settle(pid: int) -> None:
    """Wait until all workers have started: the first one answers while the others still compute."""
    server, before = psutil.Process(pid), -1.0
    while True:
        spent = [each.cpu_times() for each in (server, *server.children(recursive=True))]
        computing = float(sum(each.user + each.system for each in spent))
        if computing - before < 0.1:
            return
        before = computing
        time.sleep(1.0)


def settings() -> set[str]:
    """Return the names of all settings."""
    from starfrost.table import Settings

    return set(Settings.model_fields)


class Way(NamedTuple):
    """A way to connect the players."""

    name: str
    ports: list[list[int]]
    """The servers of the players of a table; the rounds use these in turn."""
    pids: list[int]


def measure(ports: list[int], pids: list[int], chosen: argparse.Namespace) -> dict[str, float]:
    """Play and give what the load measured."""
    command = [sys.executable, "-m", "bench.server_load", "127.0.0.1", ",".join(map(str, ports))]
    command += [str(chosen.tables), str(chosen.seconds), "0", ",".join(map(str, pids)), str(chosen.warm_up)]
    done = subprocess.run(
        command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compare(ways: list[Way], chosen: argparse.Namespace) -> None:
    """Let the ways take turns and print a line for each."""
    rounds: list[dict[str, dict[str, float]]] = []
    for number in range(chosen.rounds):
        order = ways if number % 2 == 0 else ways[::-1]
        rounds.append({way.name: measure(way.ports[number % len(way.ports)], way.pids, chosen) for way in order})
        rates = ", ".join(f"{way.name} {rounds[-1][way.name]['rate']:,.0f}" for way in ways)
        print(f"round {number + 1}: {rates}", file=sys.stderr, flush=True)
    for way in ways:
        found = [one[way.name] for one in rounds]
        ratios = [one[way.name]["rate"] / one[ways[0].name]["rate"] for one in rounds]
        middle = {name: median(each[name] for each in found) for name in found[0]}
        cells = [way.name, f"{middle['rate']:,.0f}", f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"]
        cells += [f"{middle['server_us']:.0f}", *(f"{middle[f'other_p{p}']:.1f}" for p in (50, 95, 99))]
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--warm-up", type=float, default=3.0)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parts", choices=["servers", "workers"], nargs="*", default=["servers", "workers"])
    chosen = parser.parse_args()
    cluster = Postgres().create()
    try:
        print(
            "| servers | moves/s | of the first | server µs a move | to the other player p50 ms | p95 | p99 |\n"
            + "|---" * 7
            + "|",
            flush=True,
        )
        if "servers" in chosen.parts:
            with ExitStack() as stack:
                database = cluster.database()
                both = [stack.enter_context(serving(database)) for _ in range(2)]
                (one, first_pid), (other, other_pid) = both
                pids = [first_pid, other_pid]
                together = Way("two, players together", [[one], [other]], pids)
                compare([together, Way("two, players apart", [[one, other], [other, one]], pids)], chosen)
        if "workers" in chosen.parts:
            with ExitStack() as stack:
                ways = []
                for workers in (1, 2, 4):
                    port, pid = stack.enter_context(serving(cluster.database(), workers))
                    ways.append(Way(f"one, --workers {workers}", [[port]], [pid]))
                compare(ways, chosen)
    finally:
        cluster.remove()


if __name__ == "__main__":
    main()
