"""Compute the atlas: `python -m research.dicy_cards.atlas FILE`, with --gpu, --cards, --jobs, --goal, --seconds.

All 792 sets take minutes on a GPU, a night on two cores. The file is written after each batch, and the next run
continues from it. Needs NumPy, and CuPy or Numba; nothing else.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.dicy_cards import gpu
from research.dicy_cards.tally import Tally
from starfrost.errors import StarfrostError, UsageError
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, GOAL
from starfrost.games.dicy_cards.coach.atlas import Entry, all_sets, as_written, named_set, read, write
from starfrost.workers import Workers, map_ordered

BATCH = 33
"""Sets solved together on a GPU: enough to fill it; 24 batches make the atlas."""


def entry_of(cards: tuple[str, ...], goal: int, tally: NDArray[np.float64], start: NDArray[np.float64]) -> Entry:
    """Make an entry from a row of tallies and the first seat's values at the start, by the other's and own mask."""
    wins = float(start[ALL_ACTIVE, ALL_ACTIVE])
    without = [ALL_ACTIVE ^ (1 << card) for card in range(CARDS_IN_A_GAME)]
    row: list[float] = tally.tolist()
    single = (Tally.SHARED, Tally.TURNS, Tally.FINAL, Tally.FINAL + 1, Tally.SWING, Tally.SKIPS, Tally.SKIPS + 1)
    by_card = (
        place + seat for place in (Tally.SCORED, Tally.SACRIFICED, Tally.DECIDED) for seat in (0, CARDS_IN_A_GAME)
    )
    figures: list[Any] = [
        *(row[place] for place in (*single, Tally.LOST)),
        *(tuple(row[place : place + CARDS_IN_A_GAME]) for place in by_card),
        tuple(wins - float(start[ALL_ACTIVE, mask]) for mask in without),
        tuple(float(start[mask, ALL_ACTIVE]) - wins for mask in without),
    ]
    return Entry(cards, goal, wins, *figures)


def _gpu_entries(sets: Sequence[tuple[str, ...]], goal: int, batch: int) -> Iterator[list[Entry]]:
    machine = gpu.Cupy()
    for first in range(0, len(sets), batch):
        solved = gpu.solve_batch(machine, sets[first : first + batch], goal)
        start = machine.numbers(solved.between[:, 0, 0, 0])
        tallies = gpu.follow_batch(machine, solved)
        yield [entry_of(cards, goal, *row) for cards, *row in zip(solved.sets, tallies, start, strict=True)]


def _entry(goal: int, cards: tuple[str, ...]) -> Entry:
    from research.dicy_cards.forward import follow
    from starfrost.games.dicy_cards.solver.sweep import solve

    values = solve(cards, goal, threads=1)
    return entry_of(cards, goal, follow(values), np.asarray(values.between[0, 0, 0]))


def _cpu_entries(sets: Sequence[tuple[str, ...]], goal: int, workers: Workers | int) -> Iterator[list[Entry]]:
    for entry in map_ordered(partial(_entry, goal), sets, workers, most=1):
        yield [entry]


def compute(
    path: Path,
    *,
    with_gpu: bool = False,
    workers: Workers | int = 1,
    goal: int = GOAL,
    sets: Sequence[tuple[str, ...]] | None = None,
    batch: int = BATCH,
    seconds: float = float("inf"),
    tell: Callable[[int, int, float], None] | None = None,
) -> list[Entry]:
    """Compute the sets that the atlas in a file lacks, until `seconds` have passed, and return those asked for.

    `tell(done, all, seconds)` is called after each batch. Raises UsageError if the file has another goal or no folder.
    """
    wanted = list(all_sets() if sets is None else sets)
    if not path.parent.is_dir():
        raise UsageError("There is no folder %(folder)s to write %(file)s to.", folder=path.parent, file=path.name)
    done = {entry.cards: entry for entry in read(path)} if path.exists() else {}
    for other in {entry.goal for entry in done.values()} - {goal}:
        raise UsageError(
            "%(file)s is an atlas of the goal %(other)s, not %(goal)s; name another file.",
            file=path,
            other=other,
            goal=goal,
        )
    missing = [cards for cards in wanted if cards not in done]
    begun = time.perf_counter()
    for entries in _gpu_entries(missing, goal, batch) if with_gpu else _cpu_entries(missing, goal, workers):
        # Rounded as in the file, so that the next run returns the same.
        done |= {entry.cards: as_written(entry) for entry in entries}
        part = path.with_suffix(".part")
        write(part, [done[cards] for cards in all_sets() if cards in done])
        part.replace(path)
        passed = time.perf_counter() - begun
        if tell is not None:
            tell(sum(cards in done for cards in wanted), len(wanted), passed)
        if passed > seconds:
            break
    return [done[cards] for cards in wanted if cards in done]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m research.dicy_cards.atlas", description="Compute the atlas.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--goal", type=int, default=GOAL)
    parser.add_argument("--cards", help="only this set: five cards, or the name of a mode")
    parser.add_argument("--sets", type=int, default=792, help="only the first N sets")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="compute on a Ray cluster")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop when this time has passed")
    chosen = parser.parse_args(arguments)

    def tell(done: int, count: int, passed: float) -> None:
        print(f"{done} of {count} sets after {passed:.1f} s", file=sys.stderr, flush=True)

    try:
        compute(
            chosen.file,
            with_gpu=chosen.gpu,
            workers=Workers(chosen.jobs, chosen.cluster),
            goal=chosen.goal,
            sets=all_sets()[: chosen.sets] if chosen.cards is None else [named_set(chosen.cards)],
            batch=chosen.batch,
            seconds=chosen.seconds,
            tell=tell,
        )
    except StarfrostError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
