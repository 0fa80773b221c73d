"""The table service against boardgame.io on this machine, in one run: `python -m bench.server [--seconds 5]`.

The server runs on one core and the load on another. boardgame.io (from npm, into bench/out) runs in memory and with
its flat files; it plays the smallest game there is, a counter, while the table service deals and checks a game of Dicy
Cards and answers each move after it is on the disk. Two players a table, both connected, move when their turn comes.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from bench.server_load import Load, Stream

HERE = Path(__file__).parent
OUT = HERE / "out" / "boardgame"
TABLES = (10, 50, 200, 500)
STREAMS = 5000


def pinned(core: int, command: list[str]) -> list[str]:
    """Run a command on one core, where the system can do that."""
    return ["taskset", "-c", str(core), *command] if shutil.which("taskset") else command


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("The server does not come up.")


@contextmanager
def serving(kind: str, source: Path = HERE.parent / "src") -> Iterator[tuple[int, int]]:
    """Start a server of a kind, or of another tree of this one; gives its port and process id."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        if kind == "starfrost":
            limits = dict.fromkeys(
                ("MOVES_PER_SECOND", "OPENS_PER_MINUTE", "REQUESTS_PER_SECOND", "TABLES_PER_ADDRESS"), "0"
            )
            limits["LOG_LEVEL"] = "warning"
            command = [sys.executable, "-m", "starfrost", "serve", "--port", str(port), "--database", f"{folder}/t.db"]
            settings = {f"STARFROST_{name}": value for name, value in limits.items()}
            environment = {**os.environ, **settings, "PYTHONPATH": str(source)}
        else:
            command = ["node", "server.js", str(port), *([f"{folder}/flat"] if kind == "flat files" else [])]
            environment = {**os.environ, "NODE_ENV": "production"}
        process = subprocess.Popen(
            pinned(0, command),
            cwd=None if kind == "starfrost" else OUT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started = psutil.Process(process.pid)
        try:
            wait_for(port)
            # `node` may be a script that starts the program of that name.
            *_, server = [started, *started.children(recursive=True)] if kind != "starfrost" else [started]
            yield port, server.pid
        finally:
            for each in (started, *started.children(recursive=True)):
                each.send_signal(signal.SIGKILL)
            process.wait()


def measure(kind: str, tables: int, seconds: float, pause: float) -> dict[str, float]:
    """Play at a server of a kind and give what the load measured."""
    with serving(kind) as (port, pid):
        if kind == "starfrost":
            command = [sys.executable, "-m", "bench.server_load", "127.0.0.1", str(port)]
            cwd = HERE.parent
        else:
            command, cwd = ["node", "load.js", f"http://127.0.0.1:{port}"], OUT
        command += [str(tables), str(seconds), str(pause), str(pid)]
        done = subprocess.run(pinned(1, command), cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise SystemExit(f"{kind}: {done.stderr[-2000:]}")
        found: dict[str, float] = json.loads(done.stdout)
        return found


async def memory() -> tuple[float, float, float]:
    """Measure what a table and an open stream take in the table service, in KiB, and how long all streams take to open.

    They are asked for all at once, as after a restart.
    """
    with serving("starfrost") as (port, pid):
        process = psutil.Process(pid)
        load = Load("127.0.0.1", port)
        await load.open(20)
        before = process.memory_info().rss
        await load.open(300, connect=False)
        with_tables = process.memory_info().rss
        loop = asyncio.get_running_loop()
        path = f"/api/tables/{load.tables[-1].id}/stream"
        # A guest may have twenty.
        guests = [load.tables[number % len(load.tables)].tokens[0] for number in range(STREAMS)]
        streams = [Stream(path, token, lambda news: None) for token in guests]
        began = time.perf_counter()
        await asyncio.gather(
            *(loop.create_connection(lambda each=each: each, "127.0.0.1", port) for each in streams),
            *(each.begun for each in streams),
        )
        took = time.perf_counter() - began
        with_streams = process.memory_info().rss
        return (with_tables - before) / 300 / 1024, (with_streams - with_tables) / STREAMS / 1024, took


def set_up() -> None:
    """Install boardgame.io, once."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "server.js", "load.js"):
        shutil.copy(HERE / "boardgame" / name, OUT / name)
    if not (OUT / "node_modules" / "boardgame.io").exists():
        print("Installing boardgame.io (once)…", flush=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=OUT, check=True)


KINDS = {
    "starfrost": "Starfrost, SQLite, every move durable",
    "memory": "boardgame.io 0.50, in memory",
    "flat files": "boardgame.io 0.50, flat files",
}


def row(name: str, tables: int, found: dict[str, float]) -> str:
    cells: list[Any] = [name, tables, f"{found['rate']:,.0f}", f"{found['server_us']:.0f}"]
    cells += [f"{found[f'ack_p{p}']:.1f}" for p in (50, 95, 99)]
    cells += [f"{found[f'other_p{p}']:.1f}" for p in (50, 95, 99)]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--tables", type=int, nargs="*", default=list(TABLES))
    parser.add_argument("--only", choices=list(KINDS), nargs="*", default=list(KINDS))
    parser.add_argument("--parts", choices=["fast", "paced", "memory"], nargs="*", default=["fast", "paced", "memory"])
    chosen = parser.parse_args()
    if set(chosen.only) - {"starfrost"}:
        set_up()
    head = "| server | tables | moves/s | server µs a move | ack p50 ms | p95 | p99 | to the other p50 ms | p95 | p99 |"
    if "fast" in chosen.parts:
        print("As fast as they can:\n" + head + "\n" + "|---" * 10 + "|", flush=True)
        for tables in chosen.tables:
            for kind in chosen.only:
                print(row(KINDS[kind], tables, measure(kind, tables, chosen.seconds, 0)), flush=True)
    if "paced" in chosen.parts:
        print("\nOne move a second a table:\n" + head + "\n" + "|---" * 10 + "|", flush=True)
        for kind in chosen.only:
            # Long enough that a single stall of the machine is not the slowest hundredth of the moves.
            print(row(KINDS[kind], 200, measure(kind, 200, max(20.0, chosen.seconds), 1)), flush=True)
    if "memory" in chosen.parts and "starfrost" in chosen.only:
        per_table, per_stream, took = asyncio.run(memory())
        print(f"\nMemory of the service: {per_table:.1f} KiB a table, {per_stream:.1f} KiB a stream.")
        print(f"{STREAMS:,} streams of one process, asked for at once, were all open after {took:.1f} s.")


if __name__ == "__main__":
    main()
