"""Steps a second of the environments: `python -m bench.environments [--tables 4096] [--seconds 3] [--bots BOT…]`.

Random legal actions, in seconds of processor time of this process: one table of the reference engine at a time, then
many tables at once on the vector engine. Games at one table are recorded and played once more, so that no time goes
into choosing. With `--bots` only Gymnasium's environments are measured, against these bots. `--single` compares one
table with the rules below it, with Gymnasium's CartPole and with 2048 of Pgx.
With `--single` one table is compared with the rules below it, and with CartPole of Gymnasium and 2048 of Pgx: games are
recorded first and then played again, so that choosing an action takes no part of the time.
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


def legal(view: Any, rng: Random) -> int:
    return int(rng.choice(np.flatnonzero(view["action_mask"]).tolist()))


def again(play: Callable[[int, list[int]], list[int]]) -> Callable[[], int]:
    """Return a program that plays recorded games once more and counts their steps: nothing is spent on choosing."""
    games = [(seed, play(seed, [])) for seed in range(20)]

    def run() -> int:
        return sum(len(play(seed, actions)) for seed, actions in games)

    return run


def one_table(env: Any) -> Callable[[], int]:
    """Return a program that plays games of a Gymnasium environment; those without masks play their sampled actions."""

    def play(seed: int, recorded: list[int]) -> list[int]:
        view, _ = env.reset(seed=seed)
        env.action_space.seed(seed)
        over, actions, rng = False, [], Random(seed)
        while not over:
            if recorded:
                action = recorded[len(actions)]
            else:
                action = legal(view, rng) if isinstance(view, dict) else int(env.action_space.sample())
            actions.append(action)
            view, _, ended, cut, _ = env.step(action)
            over = ended or cut
        return actions

    return again(play)


def whole_table(env: Any) -> Callable[[], int]:
    """Return a program that plays games of a PettingZoo environment."""

    def play(seed: int, recorded: list[int]) -> list[int]:
        env.reset(seed=seed)
        actions: list[Any] = []
        rng = Random(seed)
        for _ in env.agent_iter():
            view, _, over, cut, _ = env.last()
            actions.append(None if over or cut else recorded[len(actions)] if recorded else legal(view, rng))
            env.step(actions[-1])
        return actions

    return again(play)


def by_the_rules(game: str, players: int) -> Callable[[], int]:
    """Return a program that plays a random game by the rules alone and counts its decisions."""
    from starfrost.games.core import CHANCE, OVER
    from starfrost.games.setup import Setup

    rules, rng = Setup.of(game, players).make(Random(0)), Random(1)

    def run() -> int:
        state, steps = rules.start(), 0
        while (actor := rules.actor(state)) != OVER:
            if actor == CHANCE:
                event = rules.sample(state, rng)
            else:
                event, steps = rng.choice(rules.legal_actions(state)), steps + 1
            state = rules.apply(state, event)
        return steps

    return run


def pgx_2048() -> Callable[[], int]:
    """Return a program that makes steps at one table of 2048 of Pgx, compiled, one call for a step."""
    import jax
    import pgx

    env: Any = pgx.make("2048")
    init, step = jax.jit(env.init), jax.jit(env.step)
    keys = jax.random.split(jax.random.PRNGKey(0), 100)

    def run() -> int:
        state = init(keys[0])
        for key in keys:
            state = step(state, state.legal_action_mask.argmax(), key)
        jax.block_until_ready(state)
        return len(keys)

    return run


def compare_single(seconds: float) -> None:
    """Print the speeds of single tables, and how many times faster the rules below them are."""
    import gymnasium

    from starfrost.adapters.gymnasium import SeatEnv
    from starfrost.adapters.pettingzoo import env

    print("| one table | steps/s | the rules below, decisions/s | times |\n|---|---|---|---|")
    for game, players in (("dicy-cards", 2), ("dice-stars", 1), ("dice-stars", 2)):
        below = rate(by_the_rules(game, players), seconds)
        for name, made in (
            (f"Gymnasium, {game} {players}", one_table(SeatEnv(game, players))),
            (f"PettingZoo, {game} {players}", whole_table(env(game, players))),
        ):
            speed = rate(made, seconds)
            print(f"| {name} | {speed:,.0f} | {below:,.0f} | {below / speed:.1f} |", flush=True)
    others = {"Gymnasium's CartPole": one_table(gymnasium.make("CartPole-v1").unwrapped), "Pgx 2048": pgx_2048()}
    for name, made in others.items():
        print(f"| {name} | {rate(made, seconds):,.0f} | | |", flush=True)


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
    parser.add_argument("--single", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if options.single:
        compare_single(options.seconds)
        return

    from starfrost.adapters.gymnasium import SeatEnv
    from starfrost.adapters.gymnasium_vector import SeatVectorEnv
    from starfrost.adapters.pettingzoo import env
    from starfrost.adapters.pettingzoo_vector import vector_env
    from starfrost.bots.registry import bots_for
    from starfrost.games.setup import Setup

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
