"""Solve a set of cards exactly: from high score totals down, on all cores, without approximation.

Points only go up, so positions with a higher total come first. Inside a turn one dynamic program gives the values for
all 32 sets of the mover's active cards at once, and the 32 sets of the opponent's are the lanes of its vectors.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np

from starfrost.games.dicy_cards import MASKS
from starfrost.solver.values import Values, numbered

__all__ = ["Progress", "solve"]

Progress = Callable[[float], None]
"""Is told the share of the work that is done, from 0 to 1."""


def solve(
    cards: Sequence[str],
    goal: int = 100,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    between: np.ndarray[Any, Any] | None = None,
) -> Values:
    """Compute all values of a set of cards, into `between` if given.

    Raises UsageError for a set that does not exist, MissingExtra without Numba.
    """
    chosen = numbered(cards, goal)
    # Numba is imported when something has to be solved: it takes a second, and is optional.
    from starfrost.solver import kernels, phases

    if between is None:
        between = np.empty((2, goal, goal, MASKS, MASKS))
    last = np.zeros((chosen.most + 2, MASKS, MASKS))
    game = kernels.Game(kernels.cards_of(chosen), goal, between, last)
    workers = threads or os.cpu_count() or 1
    tables: SimpleQueue[Any] = SimpleQueue()
    for _ in range(workers):
        tables.put([kernels.scratch(chosen) for _ in range(2)])

    def skips(total: int, begin: int, end: int) -> None:
        own, other = tables.get()
        phases.skip_phase(game, total, begin, end, own, other)
        tables.put([own, other])

    def rest(total: int, first: int) -> None:
        own, other = tables.get()
        phases.main_phase(game, total, first, own)
        tables.put([own, other])

    own, other = tables.get()
    phases.final_values(game, own)
    tables.put([own, other])
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        for total in range(2 * goal - 2, -1, -1):
            begin, end = max(0, total - goal + 1), min(goal, total + 1)
            step = kernels.LANES
            jobs = [pool.submit(skips, total, part, min(part + step, end)) for part in range(begin, end, step)]
            for job in jobs:
                job.result()
            jobs = [pool.submit(rest, total, first) for first in range(begin, end)]
            for job in jobs:
                job.result()
            done += end - begin
            if progress is not None:
                progress(done / goal**2)
    return Values(chosen.cards, goal, between, last)
