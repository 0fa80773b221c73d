"""Games per second of simulations, now and in another checkout: `python -m bench.lab --against ../464c641/src`.

Both sides run `starfrost simulate` with the same bots and the same number of processes (two), with one thread for
linear algebra in each process. A first short run on each side loads and compiles what is needed; then the sides take
turns, and the figures are the medians of what the command itself reports, without its start. So a machine that other
programs keep busy slows both sides down alike. `network` is compared with the `strong` of that commit, which was a
network without look-ahead.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Work(NamedTuple):
    """A game, its bots, and how many games each side plays."""

    game: str
    bots: str
    now: int
    before: int
    before_bots: str = ""
    """The bots of the other side, if they had other names there."""


WORK = (
    Work("dicy-cards", "random,random", 200_000, 600),
    Work("dicy-cards", "greedy,greedy", 4_000_000, 3000),
    Work("dicy-cards", "planner,planner", 24_000, 100),
    Work("dicy-cards", "perfect,perfect", 24_000, 100),
    Work("dicy-cards", "master,master,master", 4_000, 20),
    Work("dice-stars", "random,random", 1_000_000, 1500),
    Work("dice-stars", "greedy,greedy", 600_000, 300),
    Work("dice-stars", "planner,planner", 12_000, 20),
    Work("dice-stars", "network,network", 4_000, 40, "strong,strong"),
    Work("dice-stars", "strong,strong", 96, 40),
)


def speed(source: Path, game: str, bots: str, games: int, jobs: int) -> float:
    """Return the games per second of a simulation with the code in a folder."""
    one = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")}
    command = [sys.executable, "-m", "starfrost", "simulate", game, "--bots", bots, "--json"]
    done = subprocess.run(
        [*command, "--games", str(games), "--jobs", str(jobs)],
        env={**os.environ, **one, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return float(found["games"] / found["seconds"])


def compare(game: str, sides: Sequence[tuple[Path, str, int]], jobs: int, turns: int) -> list[float]:
    """Return the median speeds of the sides, given by folder, bots and number of games, which take turns."""
    for source, bots, games in sides:
        speed(source, game, bots, max(64, games // 20), jobs)
    found = [[speed(source, game, bots, games, jobs) for source, bots, games in sides] for _ in range(turns)]
    return [median(side) for side in zip(*found, strict=True)]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the folder src of another checkout")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only bots whose names contain this")
    parser.add_argument("--turns", type=int, default=3, help="runs of each side")
    chosen = parser.parse_args()
    print("| game, bots | before: games/s | now: games/s | ratio |\n|---|---|---|---|")
    for work in WORK:
        if chosen.only not in work.bots:
            continue
        sides = [(Path("src").resolve(), work.bots, work.now)]
        if chosen.against:
            sides.append((chosen.against.resolve(), work.before_bots or work.bots, work.before))
        now, *before = compare(work.game, sides, chosen.jobs, chosen.turns)
        then, ratio = (f"{before[0]:,.1f}", f"{now / before[0]:.1f}") if before else ("", "")
        print(f"| {work.game} {work.bots} | {then} | {now:,.1f} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
