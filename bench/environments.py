"""Steps a second of the environments: `python -m bench.environments [--tables 4096] [--seconds 3] [--bots BOT…]`.

Random legal actions, in seconds of processor time of this process: one table of the reference engine at a time, then
many tables at once on the vector engine. With `--bots` only Gymnasium's environments are measured, against these bots.
"""

import argparse
import os
import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np


def rate(run: Callable[[], int], seconds: float) -> float:
    """Repeat a piece of work and return its steps a second of processor time."""
    run()
    steps, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        steps += run()
    return steps / (time.process_time() - began)


def one_table(env: Any) -> Callable[[], int]:
    """Return a program that plays one game of a Gymnasium environment and counts its steps."""
    rng = np.random.default_rng(0)

    def run() -> int:
        view, _ = env.reset()
        over, steps = False, 0
        while not over:
            view, _, over, _, _ = env.step(int(rng.choice(np.flatnonzero(view["action_mask"]))))
            steps += 1
        return steps

    return run


def whole_table(env: Any) -> Callable[[], int]:
    """Return a program that plays one game of a PettingZoo environment and counts its steps."""
    rng = np.random.default_rng(0)

    def run() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            view, _, over, cut, _ = env.last()
            env.step(None if over or cut else int(rng.choice(np.flatnonzero(view["action_mask"]))))
            steps += 1
        return steps

    return run


def many(env: Any) -> Callable[[], int]:
    """Return a program that makes twenty steps of many tables and counts them."""

    def run() -> int:
        if env.batch.tables is None:
            env.reset(seed=1)
        for _ in range(20):
            env.step(env.random_actions())
        return 20 * int(env.num_envs)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--bots", nargs="+", default=[])
    options = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")

    from starfrost.adapters.gymnasium import SeatEnv
    from starfrost.adapters.gymnasium_vector import SeatVectorEnv
    from starfrost.adapters.pettingzoo import env
    from starfrost.adapters.pettingzoo_vector import vector_env
    from starfrost.games.setup import Setup
    from starfrost.players.registry import bots_for

    print(f"{'game':14} {'interface':12} {'one table':>12} {options.tables:>8,} tables {'times':>8}")
    third = [("dicy-cards", 3)] if options.bots else [("dice-stars", 1)]
    for game, players in (("dicy-cards", 2), *third, ("dice-stars", 2)):
        known = bots_for(Setup(game, players).make(Random(0)), unlisted=True)
        rows: list[tuple[str, Any, Any]] = [
            (
                f"vs {bot}" if players > 1 else "alone",
                one_table(SeatEnv(game, players, opponents=bot)),
                many(SeatVectorEnv(options.tables, game, players, opponents=bot)),
            )
            for bot in options.bots or ("random", "greedy")[:players]
            if bot in known
        ]
        if not options.bots:
            rows.append(
                ("PettingZoo", whole_table(env(game, players)), many(vector_env(game, players, options.tables)))
            )
        for name, one, all_of_them in rows:
            slow, fast = rate(one, options.seconds), rate(all_of_them, options.seconds)
            print(f"{f'{game} {players}':14} {name:12} {slow:12,.0f} {fast:15,.0f} {fast / slow:8,.0f}", flush=True)


if __name__ == "__main__":
    main()
