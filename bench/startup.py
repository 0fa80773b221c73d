"""How many CPU seconds `starfrost` takes to start: `--version`, `--help`, and `serve` until `GET /` is answered.

    python -m bench.startup [--against PATH] [--rounds 5]

CPU seconds, children included, do not depend on what else the machine does as much as those of the clock. Another
checkout of the project can be measured in the same run, by turns; the figures are medians.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median

import psutil

from bench.server import free_port

OWN = Path(__file__).parent.parent
WAYS = ("--version", "--help", "serve")


def command(tree: Path, *words: str) -> float:
    """Run a command of a tree to its end; return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "starfrost", *words], env=environment(tree), stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def serve(tree: Path) -> float:
    """Start a server of a tree with a database that it knows; return its CPU seconds at the first answer."""
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        return [_served(tree, f"{folder}/t.db") for _ in range(2)][1]


def _served(tree: Path, database: str) -> float:
    port = free_port()
    words = [sys.executable, "-m", "starfrost", "serve", "--port", str(port), "--database", database]
    process = psutil.Popen(words, env=environment(tree), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise SystemExit("The server does not come up.")
        found = [each.cpu_times() for each in (process, *process.children(recursive=True))]
        return sum(times.user + times.system for times in found)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def environment(tree: Path) -> dict[str, str]:
    """Return the environment of commands of a tree, which keep what they compile."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    trees = [OWN, *([given.against.resolve()] if given.against else [])]
    found: dict[tuple[Path, str], list[float]] = {}
    for _ in range(given.rounds + 1):
        for tree in trees:
            for way in WAYS:
                seconds = serve(tree) if way == "serve" else command(tree, way)
                found.setdefault((tree, way), []).append(seconds)
    print(f"{'CPU seconds':14}", *(f"{way:>12}" for way in WAYS))
    for tree in trees:
        # The first round compiles.
        print(f"{tree.name:14}", *(f"{median(found[tree, way][1:]):12.2f}" for way in WAYS))


if __name__ == "__main__":
    main()
