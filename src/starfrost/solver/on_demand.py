"""Solved sets on demand: whether a set is solved or being solved, and solving it in the background.

    status(cards, goal)            Status(solved, share); starts nothing
    ready(cards, goal)             whether there is a file of it; opens nothing
    start(cards, goal)             solve in a process of its own, at low priority; asking twice starts one
    can_start(goal)                whether that is possible here
    gave_up(cards, goal)           whether it failed too often
    stop()                         end what this process started
    find(cards, goal)              the values if they are there, else None
    ensure_solved(cards, goal)     the values, solved now if necessary

Cards may come in any order: a set is solved once, in the order of the cards' clauses (`in_order`).

What is being solved is read from the cache folder, so every process on the machine sees the same. A solving process
ends with the process that started it; the next one that needs the set starts again. One solves at a time.
"""

import _thread
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import CARDS, check_cards
from starfrost.solver import lock, store
from starfrost.solver.paths import cache_folder
from starfrost.solver.sweep import Progress, solve
from starfrost.solver.values import Values

__all__ = [
    "Status",
    "can_start",
    "ensure_solved",
    "find",
    "gave_up",
    "has_numba",
    "in_order",
    "main",
    "ready",
    "solving_share",
    "start",
    "status",
    "stop",
    "wanted",
]

LARGEST: Final = 100
"""The highest goal that is solved unasked: files grow with its square, and a goal is anybody's wish."""

_PATIENCE: Final = 5.0
"""Seconds that a solving process has to clean up when the one that started it is gone."""

_PAUSE: Final = 0.2
"""Seconds between two looks at a set-up that another process solves."""

_TRIES: Final = 3
"""How often one process starts the same set-up: a full disk must not keep the cores busy for ever."""

_TURN: Final = "background.lock"
"""The file in the cache folder that the background process at work holds."""

_processes: dict[tuple[tuple[str, ...], int], subprocess.Popen[bytes]] = {}
_tries: dict[tuple[tuple[str, ...], int], int] = {}
_looked: dict[tuple[tuple[str, ...], int], float] = {}
_opened: dict[tuple[tuple[str, ...], int], Values] = {}


class Status(NamedTuple):
    """How far a set is solved."""

    solved: bool
    share: float | None
    """The share of the work that is done, from 0 to 1, while a process solves it; otherwise None."""


def in_order(cards: Sequence[str]) -> tuple[str, ...]:
    """Put five cards into the order of their clauses, in which they are solved. Raises UsageError."""
    checked = check_cards(tuple(cards))
    return tuple(card for card in CARDS if card in checked)


def find(cards: Sequence[str], goal: int) -> Values | None:
    """Return the values of a set-up if they are solved; a damaged or foreign file is removed."""
    key = (in_order(cards), goal)
    if key not in _opened:
        try:
            values = store.load(*key)
        except store.DamagedFile:
            # What cannot be removed is in the way of saving too; solving does without.
            with contextlib.suppress(OSError):
                store.path_of(*key).unlink(missing_ok=True)
            values = None
        if values is None:
            return None
        while len(_opened) >= 8:
            del _opened[next(iter(_opened))]
        _opened[key] = values
    return _opened[key]


def ensure_solved(
    cards: Sequence[str],
    goal: int,
    progress: Progress | None = None,
    *,
    threads: int | None = None,
    again: bool = False,
) -> Values:
    """Return the values of a set-up; solve and save it first if necessary, or if `again` is set.

    While another process solves it, report its progress and take its result. Raises MissingExtra without Numba.
    """
    path = _progress_file(cards, goal)
    while (values := None if again else find(cards, goal)) is None:
        _check_installed()
        try:
            held = lock.claim(path)
        except OSError:
            return _solve(cards, goal, progress, threads)
        if held is not None:
            try:
                # The last holder saved before it released the claim, perhaps since the look above.
                found = None if again else find(cards, goal)
                return found or _solve(cards, goal, _telling(held, progress), threads)
            finally:
                held.release()
        if progress is not None:
            progress(lock.share_of(path) or 0.0)
        time.sleep(_PAUSE)
    return values


def _solve(cards: Sequence[str], goal: int, progress: Progress | None, threads: int | None = None) -> Values:
    """Solve a set-up and save it."""
    values = solve(in_order(cards), goal, progress=progress, threads=threads)
    try:
        store.save(values)
    except OSError:
        # A full or read-only disk costs the next run the same work; this one has what it needs.
        return values
    _opened.pop((in_order(cards), goal), None)
    return find(cards, goal) or values


def _telling(held: lock.Claim, progress: Progress | None = None) -> Progress:
    """Return a function that writes the share done into a claim, for other processes to read, and passes it on."""
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        if progress is not None:
            progress(share)
        if share - told >= 0.005:
            told = share
            held.tell(share)

    return tell


def wanted(cards: Sequence[str], goal: int) -> Values | None:
    """Return the values of a set-up if they are solved; otherwise start solving in the background and return None.

    It may be called at every decision of a game: it reads the disk once a second. Without Numba nothing is solved.
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


def _progress_file(cards: Sequence[str], goal: int) -> Path:
    return store.path_of(in_order(cards), goal).with_suffix(".progress")


def status(cards: Sequence[str], goal: int) -> Status:
    """Return whether a set-up is solved or being solved."""
    if find(cards, goal) is not None:
        return Status(True, None)
    return Status(False, solving_share(cards, goal))


def solving_share(cards: Sequence[str], goal: int) -> float | None:
    """Return the share of a set-up that a background process has done; None if there is none."""
    share = lock.share_of(_progress_file(cards, goal))
    # A process that was just started has not claimed its work yet.
    return 0.0 if share is None and _is_running(cards, goal) else share


def _is_running(cards: Sequence[str], goal: int) -> bool:
    process = _processes.get((in_order(cards), goal))
    return process is not None and process.poll() is None


def ready(cards: Sequence[str], goal: int) -> bool:
    """Return whether there is a readable file of a set-up, without opening it."""
    path = store.path_of(in_order(cards), goal)
    return path.is_file() and os.access(path, os.R_OK)


def has_numba() -> bool:
    """Return whether the extra `solver` is installed, without the second that importing it takes."""
    return find_spec("numba") is not None and find_spec("filelock") is not None


def _check_installed() -> None:
    if not has_numba():
        raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.")


def can_start(goal: int) -> bool:
    """Return whether a set-up with this goal may be solved in the background here."""
    return goal <= LARGEST and os.environ.get("STARFROST_SOLVE") != "never" and has_numba()


def gave_up(cards: Sequence[str], goal: int) -> bool:
    """Return whether this process has started a set-up so often in vain that it will not do it again."""
    return _tries.get((in_order(cards), goal), 0) >= _TRIES


def start(cards: Sequence[str], goal: int) -> Status:
    """Solve a set-up in the background, unless it is solved or another process solves it.

    A host that wants no such work sets `STARFROST_SOLVE=never`; goals beyond `LARGEST` are left to `starfrost solve`.
    Raises MissingExtra without Numba, OSError if the cache folder cannot be written.
    """
    now = status(cards, goal)
    if now.solved or now.share is not None:
        return now
    _check_installed()
    key = (in_order(cards), goal)
    if not can_start(goal) or gave_up(cards, goal):
        return now
    try:
        held = lock.claim(_progress_file(cards, goal))
    except OSError:
        _tries[key] = _TRIES
        raise
    if held is None:
        return status(cards, goal)
    # The new process claims the work itself. If another one is quicker, the new one ends at once.
    held.release()
    _tries[key] = _tries.get(key, 0) + 1
    # Nothing is ever written to its input: it closes with this process, and that is the sign to end.
    process = subprocess.Popen(
        [sys.executable, "-m", "starfrost.solver.on_demand", *in_order(cards), str(goal)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _processes[key] = process
    threading.Thread(target=process.wait, daemon=True, name="reap").start()
    return Status(False, 0.0)


def stop() -> None:
    """End the solving that this process started; it tidies up by itself."""
    while _processes:
        _, process = _processes.popitem()
        if process.stdin is not None:
            process.stdin.close()


def main(arguments: Sequence[str]) -> None:
    """Solve one set-up, telling a file how far it is: the background process."""
    from filelock import FileLock

    *cards, goal = arguments
    held = lock.claim(_progress_file(cards, int(goal)))
    if held is None:
        return
    try:
        # One background process at a time: each uses all cores, and more than a gigabyte.
        with FileLock(cache_folder() / _TURN, poll_interval=0.5):
            if find(cards, int(goal)) is None:
                _solve(cards, int(goal), _telling(held))
    finally:
        held.release()


def _follow() -> None:
    """Interrupt the work when the process that started it is gone or closes our input."""
    # Not through sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(0, 16):
        pass
    _thread.interrupt_main()
    time.sleep(_PATIENCE)
    os._exit(1)


def _run() -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    # A server's workers ignore this signal, and a child begins as they are.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_follow, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        main(sys.argv[1:])


if __name__ == "__main__":
    _run()
