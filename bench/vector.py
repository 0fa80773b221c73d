"""Random play a second: our vector engines next to Pgx and OpenSpiel, in the same run.

The rows `pgx …` have one harness: the same loop, sampler of legal actions and keys, for Pgx's own games and,
as `pgx dicy-cards 2` and `pgx dice-stars 2`, for ours through Pgx's interface. The row `docs example` times the first
program of docs/vector.md.

    python -m bench.vector                 one core, then two (two processes), on the CPU
    python -m bench.vector --device        everything in this process, on whatever JAX finds first (a GPU)

On the CPU a second is a second of processor time of a process held to one core. A step is one action of a seat, forced
ones included; `choices` is the share of steps with more than one legal action; `ops` and `moved` are the operations and
the bytes of memory traffic of a step as XLA counts them.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

OURS = {
    "dicy-cards 2": ("dicy-cards", 2),
    "dicy-cards 4": ("dicy-cards", 4),
    "dice-stars 1": ("dice-stars", 1),
    "dice-stars 2": ("dice-stars", 2),
    "dice-stars 4": ("dice-stars", 4),
}
AS_PGX = ("pgx dicy-cards 2", "pgx dice-stars 2")
RIVALS = ("docs example", *AS_PGX, "pgx 2048", "pgx backgammon", "open_spiel yacht")
DEVICE_RIVALS = (*AS_PGX, "pgx 2048", "pgx backgammon", "pgx kuhn_poker")
DOCS = Path(__file__).parents[1] / "docs" / "vector.md"


def make(name: str) -> Any:
    from starfrost.games.dice_stars.vector.engine import VectorStars
    from starfrost.games.dicy_cards.vector.engine import VectorDicy

    game, seats = OURS[name]
    return VectorDicy(seats) if game == "dicy-cards" else VectorStars(seats)


CLOCK: Callable[[], float] = time.perf_counter
"""What time is taken by: the wall clock on a device; processor time in a worker, untouched by other work."""


def timed(run: Callable[[], tuple[float, float]], seconds: float) -> tuple[float, float]:
    """Repeat a measured piece of work; give the median piece's steps and games a second."""
    run()
    pieces = []
    until = CLOCK() + seconds
    while CLOCK() < until or len(pieces) < 3:
        start = CLOCK()
        steps, games = run()
        spent = CLOCK() - start
        pieces.append((steps / spent, games / spent))
    pieces.sort()
    return pieces[len(pieces) // 2]


def ours(name: str, games: int, steps: int, seconds: float, unroll: int = 1) -> dict[str, float]:
    import jax
    import jax.numpy as jnp

    from bench.rollout import begin, play

    game = make(name)
    seed = jnp.uint32(12345)
    state = begin(game, games, seed)
    clock = 0

    def run() -> tuple[float, float]:
        nonlocal state, clock
        state, tally = play(game, state, jnp.uint32(clock), seed, steps, unroll)
        clock += steps
        return games * steps, float(tally.over.sum())

    rate = timed(run, seconds)
    few = jax.tree.map(lambda word: word[:4096], state)
    choices = float((jax.jit(game.legal)(few).sum(axis=-1) > 1).mean())
    size = sum(word.dtype.itemsize for word in jax.tree.leaves(state))
    one = jax.jit(lambda state, key: game.step_auto(state, game.random_action(state, key), key))
    cost: Any = one.lower(state, (state.meta, state.meta)).compile().cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    work = {"operations": cost["flops"] / games, "moved": cost["bytes accessed"] / games}
    return {"steps": rate[0], "games": rate[1], "choices": choices, "bytes": size, **work}


def example(seconds: float) -> dict[str, float]:
    """Time the first program of docs/vector.md as it stands there."""
    program = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(program, names)
    play, state, clock = names["play"], names["state"], 0

    def run() -> tuple[float, float]:
        nonlocal state, clock
        state, over = play(state, names["jnp"].uint32(clock))
        clock += names["STEPS"]
        return names["STEPS"] * len(over), float(over.sum())

    rate = timed(run, seconds)
    return {"steps": rate[0], "games": rate[1]}


def pgx_env(name: str) -> Any:
    """Return one of Pgx's games, or one of ours as Pgx plays it."""
    if name not in AS_PGX:
        import pgx

        return pgx.make(name)
    from examples.pgx_games import PgxDiceStars, PgxDicyCards

    game, seats = OURS[name.removeprefix("pgx ")]
    return PgxDicyCards(seats) if game == "dicy-cards" else PgxDiceStars(seats)


def pgx(name: str, games: int, steps: int, seconds: float) -> dict[str, float]:
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    env = pgx_env(name if name in AS_PGX else name.removeprefix("pgx "))
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(state: Any, key: Any) -> Any:
        def one(carry: Any, _: None) -> Any:
            state, key, over = carry
            key, first, second = jax.random.split(key, 3)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            action = jax.random.categorical(first, logits, axis=-1)
            state = step(state, action, jax.random.split(second, games))
            return (state, key, over + state.terminated.sum()), None

        return jax.lax.scan(one, (state, key, 0), None, length=steps)[0]

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    key = jax.random.key(1)

    def run() -> tuple[float, float]:
        nonlocal state, key
        state, key, over = play(state, key)
        return games * steps, float(over)

    rate = timed(run, seconds)
    return {"steps": rate[0], "games": rate[1]}


def yacht(seconds: float) -> dict[str, float]:
    """Play whole games inside OpenSpiel's own C++ loop; count the steps of a few games apart from the timing."""
    import random

    import pyspiel

    game = pyspiel.load_game("yacht")
    rng = random.Random(1)
    seats = range(game.num_players())
    steps = 0
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                steps += 1

    def run() -> tuple[float, float]:
        for _ in range(200):
            bots = [pyspiel.make_uniform_random_bot(seat, rng.getrandbits(30)) for seat in seats]
            pyspiel.evaluate_bots(game.new_initial_state(), bots, rng.getrandbits(30))
        return 200 * steps / 3, 200

    rate = timed(run, seconds)
    return {"steps": rate[0], "games": rate[1]}


def measure(name: str, device: bool, seconds: float) -> dict[str, float]:
    if name == "open_spiel yacht":
        return yacht(seconds)
    if name == "docs example":
        return example(seconds)
    if name.startswith("pgx"):
        games = {"pgx backgammon": 256}.get(name, 1024)
        many = {"pgx kuhn_poker": 1 << 22}.get(name, 1 << 17)
        return pgx(name, many if device else games, 50, seconds)
    return ours(name, 1 << 22 if device else 4096, 200, seconds)


def on_cores(name: str, cores: int, seconds: float) -> dict[str, float]:
    """Measure in one process a core, each held to its core, and add the rates up."""
    own = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(cores))
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bench.vector", "--worker", name, "--seconds", str(seconds), "--core"]
    workers = [
        subprocess.Popen([*command, str(own[i % len(own)])], env=environment, stdout=subprocess.PIPE, text=True)
        for i in range(cores)
    ]
    results = []
    for worker in workers:
        text, _ = worker.communicate()
        if worker.returncode:
            raise SystemExit(f"bench.vector: {name} failed; it needs the bench extra (make bench).")
        results.append(json.loads(text.splitlines()[-1]))
    total = dict(results[0])
    for key in ("steps", "games"):
        total[key] = sum(result[key] for result in results)
    return total


def rows(device: bool, seconds: float, only: str) -> Iterator[tuple[str, int, dict[str, float]]]:
    if device:
        for name in (*OURS, *DEVICE_RIVALS):
            if only not in name:
                continue
            try:
                yield name, 1, measure(name, True, seconds)
            except ImportError as error:
                print(f"{name}: not here ({error})")
        return
    for cores in (1, 2):
        for name in (name for name in (*OURS, *RIVALS) if only in name):
            yield name, cores, on_cores(name, cores, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", action="store_true", help="measure in this process on JAX's first device")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", default="", help="only the rows whose name contains this")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        global CLOCK
        CLOCK = time.process_time
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {options.core})
        print(json.dumps(measure(options.worker, False, options.seconds)))
        return
    where = "device" if options.device else "cores"
    print(
        f"{'engine':20} {where:>6} {'steps/s':>15} {'games/s':>13} {'choices':>8} {'bytes':>6} {'ops':>6} {'moved':>6}"
    )
    figures = []
    for name, cores, rate in rows(options.device, options.seconds, options.only):
        choices = f"{rate['choices']:.0%}" if "choices" in rate else ""
        work = [f"{rate[key]:.0f}" if key in rate else "" for key in ("bytes", "operations", "moved")]
        line = f"{name:20} {cores:6} {rate['steps']:15,.0f} {rate['games']:13,.0f} {choices:>8}"
        print(line + "".join(f" {text:>6}" for text in work), flush=True)
        figures.append({"engine": name, where: cores, **rate})
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
