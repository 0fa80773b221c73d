"""Solve a set of cards exactly: from high score totals down, on all cores, without approximation.

Points only go up, so positions with a higher total come first. Inside a turn one dynamic program gives the values for
all 32 sets of the mover's active cards at once; the 32 sets of the opponent are the lanes of its vectors. The mover is
the player whose turn it is.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np

from starfrost.games.dicy_cards import MASKS
from starfrost.games.dicy_cards.solver.values import Values, numbered

Progress = Callable[[float], None]
"""A function that is called with the finished share, from 0 to 1."""


def solve(
    cards: Sequence[str],
    goal: int = 100,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    between: np.ndarray[Any, Any] | None = None,
) -> Values:
    """Compute all values of a set of cards, into `between` if given. Raises UsageError, MissingExtra without Numba."""
    chosen = numbered(cards, goal)
    # Numba is optional and takes a second to import, so it is imported only here.
    from starfrost.games.dicy_cards.solver import kernels, phases

    if between is None:
        between = np.empty((2, goal, goal, MASKS, MASKS))
    last = np.zeros((chosen.most + 2, MASKS, MASKS))
    game = kernels.Game(kernels.cards_of(chosen), goal, between, last)
    workers = threads or os.cpu_count() or 1
    free: SimpleQueue[Any] = SimpleQueue()
    for _ in range(workers):
        free.put([kernels.scratch(chosen) for _ in range(2)])

    def run(phase: Callable[..., Any], *where: int) -> None:
        tables = free.get()
        phase(game, *where, *tables)
        free.put(tables)

    run(phases.final_values)
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        for total in range(2 * goal - 2, -1, -1):
            begin, end = max(0, total - goal + 1), min(goal, total + 1)
            parts = range(begin, end, kernels.LANES)
            skips = [(phases.skip_phase, total, part, min(part + kernels.LANES, end)) for part in parts]
            others = [(phases.main_phase, total, first) for first in range(begin, end)]
            for calls in (skips, others):
                for job in [pool.submit(run, *call) for call in calls]:
                    job.result()
            done += end - begin
            if progress is not None:
                progress(done / goal**2)
    return Values(chosen.cards, goal, between, last)
