"""Games per second of simulations, now and in another checkout: `python -m bench.lab --against ../464c641/src`.

Both sides run `starfrost simulate` with the same bots and the same number of processes (two), one after the other, with
one thread for linear algebra in each process. A first short run on each side loads and compiles what is needed; the
figure is that of the command itself, without its start.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Work(NamedTuple):
    """A game, its bots, and how many games each side plays."""

    game: str
    bots: str
    now: int
    before: int


WORK = (
    Work("dicy-cards", "random,random", 100_000, 600),
    Work("dicy-cards", "greedy,greedy", 800_000, 3000),
    Work("dicy-cards", "planner,planner", 12_000, 100),
    Work("dicy-cards", "perfect,perfect", 12_000, 100),
    Work("dicy-cards", "master,master,master", 200, 20),
    Work("dice-stars", "random,random", 400_000, 1500),
    Work("dice-stars", "greedy,greedy", 200_000, 300),
    Work("dice-stars", "planner,planner", 800, 20),
    Work("dice-stars", "strong,strong", 200, 40),
)


def speed(source: Path, work: Work, games: int, jobs: int) -> float:
    """Return the games per second of a simulation with the code in a folder."""
    one = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")}
    command = [sys.executable, "-m", "starfrost", "simulate", work.game, "--bots", work.bots, "--json"]
    found = {}
    for number in (max(8, games // 20), games):
        done = subprocess.run(
            [*command, "--games", str(number), "--jobs", str(jobs)],
            env={**os.environ, **one, "PYTHONPATH": str(source)},
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
    return float(found["games"] / found["seconds"])


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the folder src of another checkout")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only bots whose names contain this")
    chosen = parser.parse_args()
    print("| game, bots | before: games/s | now: games/s | ratio |\n|---|---|---|---|")
    for work in WORK:
        if chosen.only not in work.bots:
            continue
        now = speed(Path("src").resolve(), work, work.now, chosen.jobs)
        before = speed(chosen.against.resolve(), work, work.before, chosen.jobs) if chosen.against else None
        ratio = "" if before is None else f"{now / before:.0f}"
        print(f"| {work.game} {work.bots} | {'' if before is None else f'{before:,.1f}'} | {now:,.1f} | {ratio} |")


if __name__ == "__main__":
    main()
