"""Train the Dice Stars network by self-play: `python -m research.train dice-stars`.

For every number of players the folder holds `dice-stars-N.npz`, the weights for play, and `checkpoint-N.npz`, from
which `--resume` continues; `curve.csv` has one line per measurement for all of them.
"""

import csv
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from research.dice_stars.learn import Learner, Settings, iterate, start
from research.dice_stars.parameters import fresh, write
from research.dice_stars.selfplay import compare
from research.plans import glide, keep, numbers, players_and_minutes
from research.with_jax import jax, jnp
from starfrost.errors import Phrase, UsageError
from starfrost.games.dice_stars.bots.choice import Policy
from starfrost.games.dice_stars.bots.network import Params, halved
from starfrost.games.dice_stars.vector.engine import VectorStars

COLUMNS = ("players", "seconds", "games", "updates", "loss", "score", "won", "against_random", "against_earlier")
"""The columns of `curve.csv`; `won` is the solo winning rate in self-play, `score` the mean score there."""


WARM_UP = 8
"""The updates before the full learning rate; a game lasts a few of them."""


HIDDEN = {1: (1024, 256), 2: (1024, 256), 3: (896, 256), 4: (896, 256)}
"""The hidden layers by number of players, for training on a GPU: together below 5 MB."""


class Plan(NamedTuple):
    """The length and size of a training: a number of seconds or, if given, of updates."""

    seconds: float = 0
    updates: int = 0
    settings: Settings = Settings()
    hidden: tuple[int, int] = (128, 64)
    measure_every: float = 15
    measure_games: int = 512
    rate: tuple[float, float] = (1e-3, 3e-5)
    explore: tuple[float, float] = (0.05, 0.005)
    points: tuple[float, float] = (0.2, 0.01)
    """The weight of points against winning in the choices: at the start and at the end."""

    def done(self, seconds: float, updates: float) -> float:
        """Return the finished share of the plan."""
        return min(updates / self.updates if self.updates else seconds / self.seconds, 1)


def plan_for(players: int, minutes: float) -> Plan:
    """Return a plan with batch sizes for this machine."""
    if jax.default_backend() == "cpu":
        return Plan(60 * minutes)
    settings = Settings(games=16384, batch=16384, takes=10.5, half=True)
    plan = Plan(60 * minutes, 0, settings, HIDDEN[players], measure_every=30, measure_games=8192)
    if players > 1:
        return plan
    settings = settings._replace(games=32768, batch=32768, takes=7.0, score_loss=0.1, muon=True)
    return plan._replace(settings=settings, rate=(1e-3, 1e-5))


def _save(folder: Path, players: int, learner: Learner, spent: float, games: int) -> None:
    write(folder / f"dice-stars-{players}.npz", learner.average)
    arrays: dict[str, Any] = {"spent": spent, "games": games}
    for kind, held in {"params": learner.params, "average": learner.average}.items():
        arrays |= {f"{kind}.{name}": np.asarray(value) for name, value in held.items()}
    arrays |= {f"moment.{number}": leaf for number, leaf in enumerate(jax.tree.leaves(learner.moments))}
    partial = folder / f"checkpoint-{players}.part.npz"
    np.savez(partial, **arrays)
    partial.replace(folder / f"checkpoint-{players}.npz")


def _restore(folder: Path, game: VectorStars, plan: Plan, seed: int) -> tuple[Learner, float, int]:
    path = folder / f"checkpoint-{game.seats}.npz"
    with np.load(path, allow_pickle=False) as arrays:
        parts: dict[str, Params] = {"params": {}, "average": {}, "moment": {}}
        for name in arrays.files:
            kind, _, rest = name.partition(".")
            if rest:
                parts.setdefault(kind, {})[rest] = jnp.asarray(arrays[name])
        spent, games = float(arrays["spent"]), int(arrays["games"])
    # Unfinished games are not saved, so new ones start with another seed.
    learner = start(game, parts["params"], plan.settings, seed + games + 1)
    leaves = [parts["moment"][str(number)] for number in range(len(parts["moment"]))]
    if [leaf.shape for leaf in leaves] != [leaf.shape for leaf in jax.tree.leaves(learner.moments)]:
        raise UsageError("%(file)s was saved by another version: train without --resume.", file=path.name)
    moments = jax.tree.unflatten(jax.tree.structure(learner.moments), leaves)
    return learner._replace(average=parts["average"], moments=moments), spent, games


def train(players: int, plan: Plan, folder: Path, seed: int, resume: bool, tell: Callable[[str], None]) -> Params:
    """Train one network, and measure and save it regularly."""
    game = VectorStars(players)
    folder.mkdir(parents=True, exist_ok=True)
    if resume and (folder / f"checkpoint-{players}.npz").exists():
        learner, spent, games = _restore(folder, game, plan, seed)
        tell(f"{players} players: going on after {spent:.0f} s and {games} games.")
    else:
        learner, spent, games = start(game, fresh(players, plan.hidden, seed), plan.settings, seed), 0.0, 0
    earlier = learner.average
    report: dict[str, Any] = {}
    began, due, rounds = time.monotonic() - spent, spent + plan.measure_every, 0
    with (folder / "curve.csv").open("a", newline="") as file:
        curve = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            curve.writerow(COLUMNS)
        try:
            while True:
                spent = time.monotonic() - began
                done = plan.done(spent, float(learner.moments.count))
                if report and (done >= 1 or spent >= due):
                    won = measured(game, plan, learner.average, earlier, seed)
                    line: list[float] = [players, round(spent, 1), games, int(learner.moments.count)]
                    line += [round(float(report[name]), 4) for name in ("loss", "score", "won")]
                    line += [round(share, 4) for share in won]
                    curve.writerow(line)
                    file.flush()
                    _save(folder, players, learner, spent, games)
                    tell(", ".join(f"{name} {value}" for name, value in zip(COLUMNS, line, strict=True)))
                    earlier, due = learner.average, time.monotonic() - began + plan.measure_every
                if done >= 1:
                    return learner.average
                rate, explore, points = (glide(pair, done) for pair in (plan.rate, plan.explore, plan.points))
                # At first all games are at their openings, so the rate stays low until they have spread out.
                rounds += 1
                rate = rate * min(rounds / WARM_UP, 1)
                learner, report = iterate(game, plan.settings, learner, rate, explore, points)
                games += int(report["games"])
        except KeyboardInterrupt:
            _save(folder, players, learner, spent, games)
            raise


def measured(game: VectorStars, plan: Plan, params: Params, earlier: Params | None, seed: int) -> tuple[float, float]:
    """Return the shares won against a random player and an earlier network; solo, both are the share of games won."""
    change: Callable[[Params], Params] = halved if plan.settings.half else dict
    own = Policy(change(params), jnp.float32(0), jnp.float32(plan.points[1]))
    rivals = [own._replace(random=jnp.float32(1.01))]
    if earlier is not None and game.seats > 1:
        rivals.append(own._replace(params=change(earlier)))
    won = []
    for rival in rivals:
        result = compare(game, own, rival, plan.measure_games, 100 * game.seats, jnp.uint32(seed + 7))
        won.append(float(result["won"].mean()))
    return won[0], won[-1]


def run(players: str, minutes: str, out: Path, resume: bool, seed: int, hidden: str = "") -> None:
    """Train for each number of players in turn."""
    wanted = players_and_minutes(players, minutes)
    if not {count for count, _ in wanted} <= {1, 2, 3, 4}:
        raise UsageError("Dice Stars is for 1 to 4 players.")
    sizes = numbers(hidden, Phrase("two sizes of layers")) if hidden else []
    if hidden and (len(sizes) != 2 or min(sizes) < 1):
        raise UsageError("%(text)s: expected two layer sizes, such as 512,128.", text=repr(hidden))
    if not resume:
        keep(out / f"dice-stars-{count}.npz" for count, _ in wanted)
    plans = [(count, plan_for(count, time)) for count, time in wanted]
    if hidden:
        plans = [(count, plan._replace(hidden=(sizes[0], sizes[1]))) for count, plan in plans]
    # Compiling takes as long as a thousand updates: the next tables' programs are made while this table trains.
    jax.config.update("jax_compilation_cache_dir", str(out.absolute() / "compiled"))  # type: ignore[no-untyped-call]
    with ThreadPoolExecutor(2) as pool:
        compiled = [pool.submit(compile_ahead, count, plan) for count, plan in plans]
        for (count, plan), ready in zip(plans, compiled, strict=True):
            ready.result()
            train(count, plan, out, seed, resume, lambda text: print(text, flush=True))


def compile_ahead(players: int, plan: Plan) -> None:
    """Compile the programs of a table size into the cache folder."""
    game, one = VectorStars(players), jnp.float32(1)
    learner = start(game, fresh(players, plan.hidden, 0), plan.settings, 0)
    iterate.lower(game, plan.settings, learner, one, one, one).compile()
    own = Policy(halved(learner.params) if plan.settings.half else learner.params, one, one)
    compare.lower(game, own, own, plan.measure_games, 100 * players, jnp.uint32(0)).compile()
