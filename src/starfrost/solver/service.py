"""Solved sets on demand: is a set solved, is it being solved, how far; and solving it without holding anybody up.

    status(cards, goal)            Status(solved, share): looks, starts nothing
    start(cards, goal)             solve in a process of its own, at low priority; asking twice starts one
    find(cards, goal)              the worths if they are there, else None
    ensure_solved(cards, goal)     the worths, solving now if need be

Cards may come in any order: a set is solved once, in the order of the cards' clauses (`in_order`).
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import CARDS, check_cards
from starfrost.solver import store
from starfrost.solver.places import cache_folder
from starfrost.solver.sweep import Progress, solve
from starfrost.solver.values import Values

__all__ = [
    "Status",
    "ensure_solved",
    "find",
    "forget",
    "in_order",
    "main",
    "solving_share",
    "start",
    "status",
    "wanted",
]

_STALE: Final = 120.0
"""Seconds without news after which a solving process counts as gone."""

_processes: list[subprocess.Popen[bytes]] = []
_looked: dict[tuple[tuple[str, ...], int], float] = {}
_opened: dict[tuple[tuple[str, ...], int], Values] = {}


class Status(NamedTuple):
    """How far a set is solved."""

    solved: bool
    share: float | None
    """The share of the work that is done, from 0 to 1, while a process is at it; None if nobody is."""


def in_order(cards: Sequence[str]) -> tuple[str, ...]:
    """Put five cards into the order of their clauses, in which they are solved. Raises UsageError."""
    checked = check_cards(tuple(cards))
    return tuple(card for card in CARDS if card in checked)


def find(cards: Sequence[str], goal: int) -> Values | None:
    """Give the worths of a set-up if they are solved; a damaged or foreign file is removed."""
    key = (in_order(cards), goal)
    if key not in _opened:
        try:
            values = store.load(*key)
        except store.DamagedFile:
            store.path_of(*key).unlink(missing_ok=True)
            values = None
        if values is None:
            return None
        while len(_opened) >= 8:
            del _opened[next(iter(_opened))]
        _opened[key] = values
    return _opened[key]


def forget(cards: Sequence[str], goal: int) -> None:
    """Remove a solved set-up from the cache folder."""
    _opened.pop((in_order(cards), goal), None)
    store.path_of(in_order(cards), goal).unlink(missing_ok=True)


def ensure_solved(
    cards: Sequence[str], goal: int, progress: Progress | None = None, *, threads: int | None = None
) -> Values:
    """Give the worths of a set-up, solving and saving it first if need be. Raises MissingExtra without Numba."""
    values = find(cards, goal)
    if values is None:
        values = solve(in_order(cards), goal, progress=progress, threads=threads)
        try:
            store.save(values)
        except OSError:
            # A full or read-only disk costs the next run the same work; this one has what it needs.
            return values
        values = find(cards, goal) or values
    return values


def wanted(cards: Sequence[str], goal: int) -> Values | None:
    """Give the worths of a set-up if they are solved; otherwise have them solved in the background and give None.

    Asked at every decision of a game, it looks at the disk once a second; without Numba nothing is ever solved.
    """
    key = (in_order(cards), goal)
    if key in _opened:
        return _opened[key]
    if time.monotonic() - _looked.get(key, -1.0) < 1.0:
        return None
    _looked[key] = time.monotonic()
    values = find(*key)
    if values is None:
        with contextlib.suppress(MissingExtra, OSError):
            start(*key)
    return values


def _news(cards: Sequence[str], goal: int) -> Path:
    return store.path_of(in_order(cards), goal).with_suffix(".progress")


def status(cards: Sequence[str], goal: int) -> Status:
    """Say whether a set-up is solved or being solved."""
    if find(cards, goal) is not None:
        return Status(True, None)
    return Status(False, solving_share(cards, goal))


def solving_share(cards: Sequence[str], goal: int) -> float | None:
    """Say how far a background process is with a set-up; None if there is none. Reads one small file."""
    path = _news(cards, goal)
    try:
        fresh = time.time() - path.stat().st_mtime < _STALE
        return float(path.read_text() or 0) if fresh else None
    except (OSError, ValueError):
        return None


def start(cards: Sequence[str], goal: int) -> Status:
    """Have a set-up solved in the background, unless it is solved or somebody is at it.

    A host that wants no such work sets `STARFROST_SOLVE=never`. Raises MissingExtra without Numba.
    """
    now = status(cards, goal)
    if now.solved or now.share is not None or os.environ.get("STARFROST_SOLVE") == "never":
        return now
    try:
        import numba  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from error
    cache_folder().mkdir(parents=True, exist_ok=True)
    _news(cards, goal).write_text("0")
    command = [sys.executable, "-m", "starfrost.solver.service", *in_order(cards), str(goal)]
    # Kept, so that Python does not complain about a child that outlives its handle.
    _processes.append(
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    )
    return Status(False, 0.0)


def main(arguments: Sequence[str]) -> None:
    """Solve one set-up and tell a file how far it is: the background process."""
    *cards, goal = arguments
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    path = _news(cards, int(goal))
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        if share - told >= 0.005:
            told = share
            path.write_text(f"{share:.3f}")

    try:
        ensure_solved(cards, int(goal), tell)
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1:])
