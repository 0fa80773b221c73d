"""Several servers on one Postgres, in one run: `python -m bench.scale [--seconds 5] [--tables 200]`.

First two servers: the players of each table at the same server, then each player at another one, so that half of the
moves are forwarded. Then one server with one, two and four workers, between which the system spreads the connections.
Every move is durable. The load, Postgres and the servers share the machine; nothing is pinned to a core.
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

import psutil

from bench.server import free_port, wait_for
from tests.postgres import Postgres

LIMITS = (
    "MOVES_PER_SECOND",
    "OPENS_PER_MINUTE",
    "REQUESTS_PER_SECOND",
    "CONNECTIONS_PER_ADDRESS",
    "TABLES_PER_ADDRESS",
)


@contextmanager
def serving(database: str, workers: int = 1) -> Iterator[tuple[int, int]]:
    """Start a server; gives its port and process id."""
    port = free_port()
    command = [sys.executable, "-m", "starfrost", "serve", "--port", str(port), "--database", database]
    known = settings()
    limits = {f"STARFROST_{name}": "0" for name in LIMITS if name.lower() in known}
    limits |= {"STARFROST_STREAMS_PER_GUEST": "9999", "STARFROST_LOG_LEVEL": "warning"}
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


def measure(ports: list[int], pids: list[int], tables: int, seconds: float) -> dict[str, float]:
    """Play and give what the load measured."""
    command = [sys.executable, "-m", "bench.server_load", "127.0.0.1", ",".join(map(str, ports))]
    command += [str(tables), str(seconds), "0", ",".join(map(str, pids))]
    done = subprocess.run(
        command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def row(name: str, found: dict[str, float], first: float) -> str:
    """Return a line of the table."""
    cells = [name, f"{found['rate']:,.0f}", f"{found['rate'] / first:.2f}", f"{found['server_us']:.0f}"]
    return "| " + " | ".join([*cells, *(f"{found[f'other_p{p}']:.1f}" for p in (50, 95, 99))]) + " |"


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--tables", type=int, default=200)
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
                first = 0.0
                for name, ports in (("two, players together", [one]), ("two, players apart", [one, other])):
                    found = measure(ports, [first_pid, other_pid], chosen.tables, chosen.seconds)
                    first = first or found["rate"]
                    print(row(name, found, first), flush=True)
        if "workers" in chosen.parts:
            first = 0.0
            for workers in (1, 2, 4):
                with serving(cluster.database(), workers) as (port, pid):
                    found = measure([port], [pid], chosen.tables, chosen.seconds)
                    first = first or found["rate"]
                    print(row(f"one, --workers {workers}", found, first), flush=True)
    finally:
        cluster.remove()


if __name__ == "__main__":
    main()
