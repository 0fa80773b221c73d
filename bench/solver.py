"""The solver's speed: `python -m bench.solver [--goal 20] [--full]`.

Compares the sweep (all cores, 32 positions at a time) with a straightforward one of the same recursion (one core, one
position at a time, plain loops) on a small goal, in the same run and to the last digits. `--full` then solves Glacial
with goal 100 in a process of its own and prints its time and peak memory.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from starfrost.compiling import jit
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice
from starfrost.games.dicy_cards.solver.sweep import solve

Array = Any


@jit
def _best_reply(effect: int, row: Array, mask: int) -> float:
    best = -1.0
    for card in range(5):
        held = mask >> card & 1
        if (effect == 1 and held) or (effect == 2 and not held):
            best = max(best, row[mask ^ (1 << card)])
    return row[mask] if best < 0 else best


@jit
def _plain_turn(
    seat: int,
    own: int,
    other: int,
    mask: int,
    skip: float,
    goal: int,
    between: Array,
    last: Array,
    tables: Any,
    out: Array,
) -> None:
    effect, points, points_first, offer_start, offer_points, offer, up, down, down_count = tables
    again = np.empty((32, ROLLS))
    dice = np.empty(MULTISETS)
    worth = np.empty(len(points))
    again[0] = skip
    out[0] = skip
    for now in range(1, 32):
        for roll in range(ROLLS):
            dice[KEPT + roll] = -1.0
        for card in range(5):
            if not now >> card & 1:
                continue
            rest = now ^ (1 << card)
            for row in range(points_first[card], points_first[card + 1]):
                after = own + points[row]
                if after < goal:
                    worth[row] = 1.0 - _best_reply(effect[card], between[1 - seat, other, after, rest], mask)
                elif seat == 1:
                    worth[row] = 1.0
                else:
                    gap = min(after - other, last.shape[0] - 1)
                    worth[row] = 1.0 - _best_reply(effect[card], last[gap, rest], mask)
            for roll in range(ROLLS):
                best = max(dice[KEPT + roll], again[rest, roll])
                for entry in range(offer_start[offer[card, roll]], offer_start[offer[card, roll] + 1]):
                    best = max(best, worth[offer_points[entry]])
                dice[KEPT + roll] = best
        for kept in range(KEPT - 1, -1, -1):
            total = 0.0
            for face in range(6):
                total += dice[up[kept, face]]
            dice[kept] = total / 6
        out[now] = dice[0]
        for held in range(1, MULTISETS):
            best = dice[held] if held < KEPT else -1.0
            for entry in range(down_count[held]):
                best = max(best, dice[down[held, entry]])
            if held < KEPT:
                dice[held] = best
            else:
                again[now, held - KEPT] = best


@jit
def _plain_sweep(goal: int, between: Array, last: Array, tables: Any) -> None:
    out = np.empty(32)
    for total in range(2 * goal - 2, -1, -1):
        for first in range(max(0, total - goal + 1), min(goal, total + 1)):
            scores = (first, total - first)
            skip = 0.5
            while True:
                before = skip
                for seat in range(2):
                    own, other = scores[seat], scores[1 - seat]
                    _plain_turn(seat, own, other, 31, skip, goal, between, last, tables, out)
                    between[seat, own, other, 31] = out
                    skip = 1.0 - out[31]
                if abs(skip - before) < 2e-16:
                    break
            for seat in range(2):
                own, other = scores[seat], scores[1 - seat]
                for mask in range(31):
                    skip = 1.0 - _best_reply(2, between[1 - seat, other, own, 31], mask)
                    _plain_turn(seat, own, other, mask, skip, goal, between, last, tables, out)
                    between[seat, own, other, mask] = out


def _plain(goal: int, last: Array) -> Array:
    chosen, dice = card_set(MODES["glacial"].cards), lattice()
    tables = (
        chosen.change,
        chosen.points,
        chosen.points_first,
        chosen.offer_start,
        chosen.offer_points,
        chosen.offer,
        dice.up,
        dice.down,
        dice.down_count,
    )
    between = np.empty((2, goal, goal, 32, 32))
    _plain_sweep(goal, between, last, tables)
    return between


def _timed(work: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def _full(goal: int) -> None:
    cards = MODES["glacial"].cards
    compiling, _ = _timed(lambda: solve(cards, 1))
    seconds, values = _timed(lambda: solve(cards, goal))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    facts = {"first_player_wins": values.first_player_wins, "seconds": seconds, "compiling": compiling, "peak": peak}
    print(json.dumps(facts))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.solver", description="The solver's speed.")
    parser.add_argument("--goal", type=int, default=20)
    parser.add_argument("--full", action="store_true", help="also solve Glacial with goal 100")
    parser.add_argument("--child", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        _full(chosen.child)
        return
    cards, goal = MODES["glacial"].cards, chosen.goal
    compiling, small = _timed(lambda: solve(cards, 1))
    compiling_plain, _ = _timed(lambda: _plain(1, small.last))
    fast, values = _timed(lambda: solve(cards, goal))
    slow, plain = _timed(lambda: _plain(goal, values.last))
    difference = float(np.abs(values.between - plain).max())
    print(f"Glacial, goal {goal}, {os.cpu_count()} cores")
    print(f"straightforward sweep, one core   {slow:8.2f} s   (compiling {compiling_plain:.1f} s, not counted)")
    print(f"this sweep, all cores             {fast:8.2f} s   (compiling or loading {compiling:.1f} s, not counted)")
    print(f"faster by                         {slow / fast:8.1f}     (greatest difference {difference:.1e})")
    if chosen.full:
        child = [sys.executable, "-m", "bench.solver", "--child", "100"]
        facts = json.loads(subprocess.run(child, check=True, capture_output=True, text=True).stdout)
        print(
            f"full Glacial, goal 100            {facts['seconds']:8.2f} s   peak memory {facts['peak'] / 2**30:.2f} GiB"
        )
        print(f"the first player wins             {facts['first_player_wins']:.12f}")


if __name__ == "__main__":
    main()
