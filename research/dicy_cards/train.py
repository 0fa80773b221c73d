"""Train the bot `master`: `python -m research.train dicy-cards`.

For three and for four players it writes `dicy-cards-N.npz`, the weights for play, and `dicy-cards.csv`, the share of
games that the network wins against players that only combine the solved pairs, one line per set of cards.
"""

import csv
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from research.dicy_cards.learn import Learner, Settings, compare, fresh, iterate, opening, start
from research.dicy_cards.selfplay import Cards, pack
from research.plans import glide, keep, players_and_minutes
from research.with_jax import jax, jnp
from starfrost.errors import UsageError
from starfrost.games.dicy_cards import CARDS, GOAL, MODES
from starfrost.games.dicy_cards.bots.network import Pairs, kinds_of, pairs_of, read
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.vector.arrays import Array

COLUMNS: Final = ("players", "seconds", "games", "updates", "loss", "set", "won", "even")
"""The columns of `dicy-cards.csv`; `won` and `even` are in percent."""

LARGEST_GAP: Final = 64
"""More points than any turn gives, so that the last turns of all sets have one shape."""

RESUMED: Final = 0.4
"""The factor of the learning rate when training is resumed."""


class Plan(NamedTuple):
    """The length and size of a training: a number of seconds or, if given, of iterations."""

    seconds: float = 0
    iterations: int = 0
    tables: int = 4096
    rounds: int = 6
    batch: int = 8192
    hidden: tuple[int, int] = (128, 64)
    rate: tuple[float, float] = (1.5e-3, 1e-5)
    resume: bool = False
    """Whether to continue from the weights in the folder, with smaller steps."""
    measure_tables: int = 4096
    measure_sets: int = 4

    def done(self, seconds: float, iterations: int) -> float:
        """Return the finished share of the plan."""
        return min(iterations / self.iterations if self.iterations else seconds / self.seconds, 1)


class Deck(NamedTuple):
    """A solved set of cards on the device."""

    names: tuple[str, ...]
    pairs: Pairs
    cards: Cards


def choose_sets(count: int, seed: int) -> list[tuple[str, ...]]:
    """Return sets of cards: the modes first, then random ones of the 792."""
    modes = [service.in_order(mode.cards) for mode in MODES.values()]
    others = [cards for cards in combinations(CARDS, 5) if cards not in modes]
    Random(seed).shuffle(others)
    return [*modes, *others][:count]


def solved(sets: Sequence[tuple[str, ...]], goal: int) -> Iterator[Pairs]:
    """Solve sets on a GPU with CuPy if there is one, else from the cache folder or with Numba."""
    if jax.default_backend() == "gpu" and find_spec("cupy") is not None:
        from research.dicy_cards.gpu import Cupy, solve_batch

        machine = Cupy()
        for cards in sets:
            batch = solve_batch(machine, [cards], goal)
            yield on_device(Pairs(machine.numbers(batch.between[0]), machine.numbers(batch.last[0]), kinds_of(cards)))
        return
    for cards in sets:
        yield on_device(pairs_of(service.ensure_solved(cards, goal)))


def write(path: Path, params: Mapping[str, Array]) -> None:
    """Save a network as plain arrays in single precision."""
    arrays: dict[str, Any] = {name: np.asarray(value, np.float32) for name, value in params.items()}
    np.savez_compressed(path, **arrays)


def on_device(pairs: Pairs) -> Pairs:
    """Return a solved set as JAX arrays in single precision, with the same shapes for all sets."""
    last = np.zeros((LARGEST_GAP, 32, 32), np.float32)
    last[: len(pairs.last)] = pairs.last
    return Pairs(*(jnp.asarray(part, jnp.float32) for part in (pairs.between, last, pairs.kinds)))


def measure(seats: int, plan: Plan, decks: Sequence[Deck], learner: Learner, seed: int) -> list[float]:
    """Return the network's share of wins against uncorrected weights, for each set."""
    settings = Settings(seats, plan.measure_tables)
    return [
        float(compare(settings, deck.pairs, deck.cards, learner.params, None, jax.random.key(seed + at))["won"])
        for at, deck in enumerate(decks)
    ]


def train(
    seats: int, plan: Plan, sets: Mapping[tuple[str, ...], Pairs], folder: Path, seed: int, tell: Callable[[str], None]
) -> dict[str, Array]:
    """Train one network on solved sets, then measure it."""
    path = folder / f"dicy-cards-{seats}.npz"
    goes_on = plan.resume and path.exists()
    if goes_on:
        tell(f"{seats} players: going on from {path}.")
    learner = start(read(path) if goes_on else fresh(seats, plan.hidden, seed))
    settings = Settings(seats, plan.tables, plan.rounds, plan.batch)
    decks = [Deck(cards, pairs, pack(cards, seats)) for cards, pairs in sets.items()]
    games = [opening(settings, deck.pairs.goal, jax.random.key(seed + at)) for at, deck in enumerate(decks)]
    began, reported, played, number = time.monotonic(), 0.0, 0, 0
    report: dict[str, Array] = {}
    while (done := plan.done(spent := time.monotonic() - began, number)) < 1:
        at = number % len(decks)
        key = jax.random.fold_in(jax.random.key(seed + 1), number)
        rate = glide(plan.rate, done) * (RESUMED if goes_on else 1)
        learner, games[at], report = iterate(settings, decks[at].pairs, decks[at].cards, learner, games[at], key, rate)
        played += int(report["games"])
        number += 1
        if spent - reported >= 10:
            reported = spent
            tell(f"{seats} players: {spent:.0f} s, {played} games, loss {float(report['loss']):.4f}")
    folder.mkdir(parents=True, exist_ok=True)
    write(path, learner.params)
    line = [seats, round(spent, 1), played, int(learner.moments.count), round(float(report["loss"]), 4)]
    with (folder / "dicy-cards.csv").open("a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            table.writerow(COLUMNS)
        measured = decks[: plan.measure_sets]
        for deck, won in zip(measured, measure(seats, plan, measured, learner, seed), strict=True):
            row = [*line, " ".join(deck.names), round(100 * won, 2), round(100 / seats, 2)]
            table.writerow(row)
            tell(", ".join(f"{name} {value}" for name, value in zip(COLUMNS, row, strict=True)))
    return learner.params


def run(players: str, minutes: str, out: Path, resume: bool, seed: int, sets: int) -> None:
    """Train for each number of players in turn. Raises UsageError."""
    wanted = players_and_minutes(players, minutes)
    if not {count for count, _ in wanted} <= {3, 4}:
        raise UsageError("Training is for 3 and 4 players; two-player Dicy Cards is solved.")
    if not 1 <= sets <= 792:
        raise UsageError("Training takes from 1 to 792 sets of cards, not %(sets)s.", sets=sets)
    if not resume:
        keep(out / f"dicy-cards-{count}.npz" for count, _ in wanted)
    began = time.monotonic()
    names = choose_sets(sets, 0)
    ready = dict(zip(names, solved(names, GOAL), strict=True))
    print(f"{len(names)} sets are solved after {time.monotonic() - began:.0f} s.", flush=True)
    for count, time_for_it in wanted:
        plan = Plan(60 * time_for_it, resume=resume)
        train(count, plan, ready, out, seed, lambda text: print(text, flush=True))
