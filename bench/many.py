"""Many random games in bounded memory: `python -m bench.many [--games 100000000] [--game dicy-cards] [--jobs 1]`.

The games run on the vector engine in shards (`starfrost.lab.shards`). It prints, after each tenth, the games so far,
games a second and the memory in use, and at the end the win rates and the peak memory of this process and its workers.
Game n has its own dice, so the sums are the same for any shards, jobs and batches.
"""

import argparse
import os
import resource
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil

from starfrost.lab.shards import total
from starfrost.workers import Workers

LANES = 4096
"""Games that are played at the same time; each lane plays one game after the other."""
SHARD = LANES * 64


@dataclass(frozen=True)
class RandomGames:
    """Random play of numbered games; needs JAX."""

    game: str
    players: int
    seed: int = 0
    lanes: int = LANES

    def as_json(self) -> dict[str, Any]:
        """Return what decides the results."""
        return asdict(self)

    def __call__(self, numbers: range) -> dict[str, Any]:
        """Return the games, the sum of every seat's points, and every seat's wins and shared wins."""
        import jax
        import jax.numpy as jnp

        from starfrost.games.setup import Setup
        from starfrost.vector.arrays import U32
        from starfrost.vector.registry import ENGINES

        engine = ENGINES[self.game].make(Setup.of(self.game, self.players).make(Random(0)))
        run = _program(engine, self.lanes)
        scores, wins, shared = jax.device_get(
            run(jnp.asarray(numbers.start, U32), jnp.asarray(numbers.stop, U32), jnp.asarray(self.seed, U32))
        )
        return {
            "games": len(numbers),
            "scores": scores.sum(axis=0, dtype=np.int64).tolist(),
            "wins": wins.sum(axis=0, dtype=np.int64).tolist(),
            "shared": shared.sum(axis=0, dtype=np.int64).tolist(),
        }


_programs: dict[Any, Any] = {}


def _program(engine: Any, lanes: int) -> Any:
    """Return the compiled loop that plays the games from one number up to another."""
    if (engine, lanes) not in _programs:
        import jax

        _programs[engine, lanes] = jax.jit(partial(_play, engine, lanes))
    return _programs[engine, lanes]


def _play(engine: Any, lanes: int, first: Any, end: Any, seed: Any) -> Any:
    import jax
    import jax.numpy as jnp

    from starfrost.vector.arrays import U32
    from starfrost.vector.game import choose

    def start(number: Any) -> Any:
        return engine.init((number, jnp.broadcast_to(seed ^ U32(0xFFFFFFFF), number.shape)))

    def step(carry: Any) -> Any:
        state, number, clock, scores, wins, shared = carry
        key = (number, clock ^ seed)
        after = engine.step_with(state, engine.random_action(state, key), engine.roll(state, key))
        over = engine.over(after)
        counts = (over & (number < end))[..., None]
        rewards = engine.rewards(after)
        scores = scores + jnp.where(counts, engine.scores(after), 0)
        wins = wins + (counts & (rewards == 1)).astype(U32)
        shared = shared + (counts & (rewards > 0) & (rewards < 1)).astype(U32)
        number = number + jnp.where(over, U32(lanes), U32(0))
        state = choose(over, start(number), after)
        return state, number, jnp.where(over, U32(0), clock + U32(1)), scores, wins, shared

    numbers = first + jnp.arange(lanes, dtype=U32)
    nothing = jnp.zeros((lanes, engine.seats), U32)
    carry = (start(numbers), numbers, numbers & U32(0), nothing.astype("int32"), nothing, nothing)
    return jax.lax.while_loop(lambda carry: (carry[1] < end).any(), step, carry)[3:]


def memory() -> float:
    """Return the memory of this process and its children in MB."""
    own = psutil.Process()
    return sum(one.memory_info().rss for one in (own, *own.children(recursive=True))) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000_000)
    parser.add_argument("--game", default="dicy-cards")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster", default="")
    parser.add_argument("--resume", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    began = time.perf_counter()
    tenths = 0

    def tell(done: int) -> None:
        nonlocal tenths
        if done * 10 // options.games > tenths:
            tenths = done * 10 // options.games
            speed = done / (time.perf_counter() - began)
            print(f"{done:13,} games {speed:11,.0f} a second {memory():7,.0f} MB", flush=True)

    task = RandomGames(options.game, options.players)
    workers = Workers(options.jobs, options.cluster)
    sums = total(task, options.games, SHARD, workers, resume=options.resume, progress=tell)
    for seat, (wins, shared, score) in enumerate(zip(sums["wins"], sums["shared"], sums["scores"], strict=True), 1):
        mean = score / sums["games"]
        print(f"seat {seat}: {wins / sums['games']:.4%} won, {shared / sums['games']:.4%} shared, {mean:.2f} points")
    own, workers = (resource.getrusage(who).ru_maxrss / 1e3 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"peak memory: {own:,.0f} MB here, {workers:,.0f} MB in the largest worker")


if __name__ == "__main__":
    main()
