"""How strong `strong` is, and how Dice Stars goes when it plays: `python -m bench.stars strength|limit|balance`.

`strength` plays against the weights of an earlier commit. `limit` plays against the same network with far more
look-ahead and, alone, compares with a player who knows the coming dice (`bench.stars_foresight`). `balance` plays
millions of games and sums them up. All of it runs on JAX, best on a GPU. In `strength` and `limit` one seat, each in
turn on the same dice, is played by the first and the others by the second; intervals are for 95%.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.stars_foresight import share
from research.dice_stars.census import census
from research.dice_stars.selfplay import compare
from research.with_jax import jax, jnp
from starfrost.games.dice_stars.bots.choice import Policy
from starfrost.games.dice_stars.bots.network import Params, halved, read
from starfrost.games.dice_stars.bots.search import NO_SEARCH, Search
from starfrost.games.dice_stars.bots.strong import POINTS, SEARCH
from starfrost.games.dice_stars.vector.engine import VectorStars

WEIGHTS = Path("src/starfrost/games/dice_stars/bots/weights")
EARLIER = "464c641"
WIDE = Search(rolls=96, options=5, margin=0.1, mix=0.7)
"""Four times the rolls of `strong`, more options and a wider margin; seconds for a decision on one core."""
DEEP = {seats: WIDE._replace(rolls=48, options=4, turns=seats if seats > 1 else 3) for seats in (1, 2, 3, 4)}
"""Every option is played on for a whole round (alone: three turns) instead of one turn."""
GRIDS = (20, 25, 30, 35, 40)
Z = 1.96


class Size(NamedTuple):
    """The size of a batch, and how many are played; a GPU plays large ones."""

    batch: int
    batches: int


def weights_of(where: str) -> Path:
    """Return a folder with weights: a folder as it is, or the weights of a commit of this repository."""
    if Path(where).is_dir():
        return Path(where)
    folder = Path(tempfile.mkdtemp())
    for seats in (1, 2, 3, 4):
        name = f"dice-stars-{seats}.npz"
        shown = subprocess.run(
            ["git", "ls-tree", "-r", "--name-only", where], capture_output=True, check=True, text=True
        )
        path = next(line for line in shown.stdout.splitlines() if line.endswith(f"/{name}"))
        found = subprocess.run(["git", "show", f"{where}:{path}"], capture_output=True, check=True)
        (folder / name).write_bytes(found.stdout)
    return folder


def policy_of(folder: Path, seats: int, as_played: bool = False) -> Policy:
    """Return the network of a folder as a player: in half precision on a GPU, unless as `strong` plays it."""
    params = read(folder / f"dice-stars-{seats}.npz")
    change: Callable[[Params], Params] = halved if jax.default_backend() != "cpu" else dict
    held = {name: jnp.asarray(value) for name, value in (dict if as_played else change)(params).items()}
    return Policy(held, jnp.float32(0), jnp.float32(POINTS[seats]))


def interval(groups: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of groups of games on the same dice, with the ends of its interval.

    If every game was won, the lower end is Wilson's.
    """
    mean, reach = groups.mean(), Z * groups.std(ddof=1) / np.sqrt(len(groups))
    low = len(groups) / (len(groups) + Z**2) if mean == 1 else mean - reach
    return float(mean), float(low), float(mean + reach)


def duel(seats: int, own: Policy, other: Policy, searches: tuple[Search, Search], size: Size, seed: int) -> np.ndarray:
    """Return what `own` won in groups of games on the same dice."""
    game = VectorStars(seats)
    batch = size.batch // seats * seats
    won = []
    for number in range(size.batches):
        key = jnp.uint32(seed + 7919 * number)
        found = compare(game, own, other, batch, 100 * seats, key, searches[0], searches[1])
        assert bool(found["finished"].all())
        won.append(np.asarray(found["won"], np.float64).reshape(-1, seats).mean(axis=-1))
    return np.concatenate(won)


def told(name: str, seats: int, groups: np.ndarray, began: float) -> dict[str, Any]:
    """Print and return a line of a table."""
    mean, low, high = interval(groups)
    table = "solo" if seats == 1 else f"{seats} players"
    even = "" if seats == 1 else f"even {100 / seats:.1f}%, "
    print(
        f"{name}: {table}, {len(groups) * seats:,} games, {even}won {100 * mean:.2f}% ({100 * low:.2f} to"
        f" {100 * high:.2f}), {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return {"what": name, "players": seats, "games": len(groups) * seats, "won": mean, "low": low, "high": high}


def strength(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Compare the weights, in the precision of `strong` unless told otherwise, with earlier ones."""
    earlier = weights_of(chosen.against)
    for seats in chosen.players:
        own, other = policy_of(chosen.weights, seats, as_played=not chosen.half), policy_of(earlier, seats)
        size = Size(chosen.batch, chosen.batches)
        for name, search in (("network", NO_SEARCH), ("strong", SEARCH[seats])):
            began = time.monotonic()
            yield told(name, seats, duel(seats, own, other, (search, NO_SEARCH), size, chosen.seed), began)
        if seats == 1:
            began = time.monotonic()
            yield told("earlier", 1, duel(1, other, other, (NO_SEARCH, NO_SEARCH), size, chosen.seed), began)


def limit(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Play the network with far more look-ahead against `strong`; alone, all play the same dice."""
    for seats in chosen.players:
        own = policy_of(chosen.weights, seats)
        size, shipped = Size(chosen.batch, chosen.batches), SEARCH[seats]
        searches = [(name, search) for name, search in (("wide", WIDE), ("deep", DEEP[seats])) if name in chosen.search]
        if seats > 1:
            for name, search in searches:
                began = time.monotonic()
                yield told(name, seats, duel(seats, own, own, (search, shipped), size, chosen.seed), began)
            continue
        if searches:
            began = time.monotonic()
            plain = duel(1, own, own, (shipped, NO_SEARCH), size, chosen.seed)
            yield told("strong", 1, plain, began)
        for name, search in searches:
            began = time.monotonic()
            found = duel(1, own, own, (search, NO_SEARCH), size, chosen.seed)
            yield told(name, 1, found, began)
            yield told(f"{name} less strong", 1, found - plain, began)
        if "foresight" in chosen.search:
            began = time.monotonic()
            yield told(f"foresight {chosen.width}", 1, foreseen(own, size, chosen.width, chosen.seed), began)


def foreseen(own: Policy, size: Size, width: int, seed: int) -> np.ndarray:
    """Return what a player who knows the coming dice wins alone, on the dice of `duel`."""
    return np.concatenate([share(own, size.batch, width, seed + 7919 * number) for number in range(size.batches)])


def balance(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Sum up self-play games of the network, by table size; alone, also by the size of the grid."""
    tables = [(seats, boxes) for seats in chosen.players for boxes in (GRIDS if seats == 1 else (30,))]
    for seats, boxes in tables:
        game, policy = VectorStars(seats, boxes), policy_of(chosen.weights, seats)
        began, sums = time.monotonic(), dict[str, Any]()
        share = (1 if boxes == 30 else 0.25) if seats == 1 else 1
        for number in range(max(1, round(chosen.batches * share))):
            found = census(game, policy, chosen.batch, chosen.each, jnp.uint32(chosen.seed + 104729 * number))
            for name, value in found.items():
                sums[name] = sums.get(name, 0) + np.asarray(value, np.float64)
        counted = {name: value.tolist() for name, value in sums.items()}
        line = {"players": seats, "grid": boxes if seats == 1 else 0, **counted}
        print(f"{seats} players, grid {boxes}: {describe(line)}, {time.monotonic() - began:.0f} s", flush=True)
        yield line


def describe(line: dict[str, Any]) -> str:
    """Return the main figures of a table size."""
    games = line["games"]
    won = ", ".join(f"{100 * share / games:.2f}" for share in line["won"])
    score = ", ".join(f"{total / games:.1f}" for total in line["score"])
    turns = sum(number * count for number, count in enumerate(line["turns"])) / games
    penalty = 100 * line["any_penalty"] / games
    return f"{games:,.0f} games, won {won}%, scores {score}, {turns:.1f} turns, penalty {penalty:.2f}%"


COMMANDS = {"strength": strength, "limit": limit, "balance": balance}


def main() -> None:
    """Play, print the figures and save them as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m bench.stars", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--players", default="1,2,3,4", help="separated by commas")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the folder of the weights to measure")
    parser.add_argument("--against", default=EARLIER, help="a folder or a commit of earlier weights (strength)")
    parser.add_argument("--half", action="store_true", help="half precision: faster on a GPU (strength)")
    parser.add_argument("--batch", type=int, default=256, help="games at once")
    parser.add_argument("--batches", type=int, default=1, help="how often")
    parser.add_argument("--search", default="wide,deep,foresight", help="the players of limit, separated by commas")
    parser.add_argument("--width", type=int, default=32, help="positions that foresight keeps in every turn (limit)")
    parser.add_argument("--each", type=int, default=16, help="games of a table one after the other (balance)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="add the figures to this file")
    chosen = parser.parse_args()
    chosen.search = chosen.search.split(",")
    chosen.players = [int(seats) for seats in chosen.players.split(",")]
    if not set(chosen.players) <= {1, 2, 3, 4} or min(chosen.batch, chosen.batches, chosen.each, chosen.width) < 1:
        parser.error("players are 1 to 4; at least one game")
    if not set(chosen.search) <= {"wide", "deep", "foresight"}:
        parser.error("the players of limit are wide, deep and foresight")
    for line in COMMANDS[chosen.command](chosen):
        if chosen.out:
            with chosen.out.open("a", encoding="utf-8") as file:
                print(json.dumps({"command": chosen.command, **line}), file=file)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
