"""Solved sets on demand: find a set, solve it now, or solve it in the background.

Cards may come in any order: a set is solved once, in the order of the cards' clauses (`in_order`). They are given as
kinds (see `games.dicy_cards.cards`): a variant's cards make a set of their own.

The cache folder shows what is being solved, so every process on the machine sees the same. A background process ends
with the process that started it; the next one that needs the set starts again. Only one solves at a time.
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
from typing import Final, TypeAlias

from starfrost.cache import cache_folder
from starfrost.errors import MissingExtra, require
from starfrost.games.dicy_cards import check_cards
from starfrost.games.dicy_cards import in_order as ordered
from starfrost.games.dicy_cards.solver import lock, store
from starfrost.games.dicy_cards.solver.sweep import Progress, solve
from starfrost.games.dicy_cards.solver.values import Values

LARGEST: Final = 100
"""The highest goal that is solved in the background: any player can choose a goal, and files grow with its square."""

_PATIENCE: Final = 5.0
"""Seconds that a background process has to clean up when the one that started it is gone."""

_PAUSE: Final = 0.2
"""Seconds between two looks at a set that another process solves."""

_TRIES: Final = 3
"""How often one process starts the same set: a full disk must not keep the cores busy forever."""

MOST_WAITING: Final = 8
"""Sets that may wait while another one is solved; each takes a minute or more."""

_TURN: Final = "background.lock"
"""The file in the cache folder that the background process at work holds."""

_MISSING: Final = "Solving needs Numba: pip install 'starfrost[solver]'."
_EXTRA: Final = ("numba", "filelock")

_Key: TypeAlias = tuple[tuple[str, ...], int]
_processes: dict[_Key, subprocess.Popen[bytes]] = {}
_waiting: dict[_Key, None] = {}
_queue_lock = threading.RLock()
_tries: dict[_Key, int] = {}
_looked: dict[_Key, float] = {}
_opened: dict[_Key, Values] = {}


def in_order(cards: Sequence[str]) -> tuple[str, ...]:
    """Return five cards in the order of their clauses, in which they are solved. Raises UsageError."""
    return ordered(check_cards(tuple(cards)))


def find(cards: Sequence[str], goal: int) -> Values | None:
    """Return the values of a set if they are solved, otherwise None; a damaged or foreign file is removed."""
    key = (in_order(cards), goal)
    if key not in _opened:
        try:
            values = store.load(*key)
        except store.DamagedFile:
            # A file that cannot be removed also prevents saving; solving works without it.
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
    """Return the values of a set; solve and save it first if necessary, or if `again` is set.

    While another process solves it, report its progress and use its result. Raises MissingExtra without Numba.
    """
    path = _progress_file(cards, goal)
    while (values := None if again else find(cards, goal)) is None:
        require(_MISSING, *_EXTRA)
        try:
            held = lock.claim(path)
        except OSError:
            return _solve(cards, goal, progress, threads)
        if held is not None:
            try:
                # The last holder saved before it released the claim, perhaps after the check above.
                found = None if again else find(cards, goal)
                return found or _solve(cards, goal, _reporting(held, progress), threads)
            finally:
                held.release()
        if progress is not None:
            progress(lock.share_of(path) or 0.0)
        time.sleep(_PAUSE)
    return values


def _solve(cards: Sequence[str], goal: int, progress: Progress | None, threads: int | None = None) -> Values:
    """Solve a set and save it."""
    values = solve(in_order(cards), goal, progress=progress, threads=threads)
    try:
        store.save(values)
    except OSError:
        # On a full or read-only disk the next run has to solve again; this one has its values.
        _opened[in_order(cards), goal] = values
        return values
    _opened.pop((in_order(cards), goal), None)
    return find(cards, goal) or values


def _reporting(held: lock.Claim, progress: Progress | None = None) -> Progress:
    """Return a function that writes the finished share into a claim, for other processes, and passes it on."""
    written = 0.0

    def report(share: float) -> None:
        nonlocal written
        if progress is not None:
            progress(share)
        if share - written >= 0.005:
            written = share
            held.write(share)

    return report


def find_or_start(cards: Sequence[str], goal: int) -> Values | None:
    """Return the values of a set if they are solved; otherwise start solving in the background and return None.

    It can be called at every decision of a game: it reads the disk once per second. Without Numba nothing is solved.
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


def solving_share(cards: Sequence[str], goal: int) -> float | None:
    """Return the finished share of a set that some process solves, from 0 to 1; None if there is none."""
    share = lock.share_of(_progress_file(cards, goal))
    process = _processes.get((in_order(cards), goal))
    # A process that was just started has not claimed its work yet.
    soon = (process is not None and process.poll() is None) or (in_order(cards), goal) in _waiting
    return 0.0 if share is None and soon else share


def ready(cards: Sequence[str], goal: int) -> bool:
    """Return whether there is a readable file of a set, without opening it."""
    path = store.path_of(in_order(cards), goal)
    return path.is_file() and os.access(path, os.R_OK)


def can_start(goal: int) -> bool:
    """Return whether a set with this goal may be solved in the background here."""
    return goal <= LARGEST and os.environ.get("STARFROST_SOLVE") != "never" and all(map(find_spec, _EXTRA))


def gave_up(cards: Sequence[str], goal: int) -> bool:
    """Return whether this process has tried a set too often and will not start it again."""
    return _tries.get((in_order(cards), goal), 0) >= _TRIES


def start(cards: Sequence[str], goal: int) -> None:
    """Solve a set in a background process, unless it is solved or some process solves it already.

    This process starts one at a time: other sets wait, up to `MOST_WAITING`; beyond that nothing is done.
    `STARFROST_SOLVE=never` forbids it; goals above `LARGEST` need `starfrost solve`. Raises MissingExtra without
    Numba, OSError if the cache folder cannot be written.
    """
    if find(cards, goal) is not None or solving_share(cards, goal) is not None:
        return
    require(_MISSING, *_EXTRA)
    key = (in_order(cards), goal)
    if not can_start(goal) or gave_up(cards, goal):
        return
    try:
        held = lock.claim(_progress_file(cards, goal))
    except OSError:
        _tries[key] = _TRIES
        raise
    if held is None:
        return
    # The new process claims the work itself. If another one is quicker, the new one ends at once.
    held.release()
    with _queue_lock:
        if len(_waiting) < MOST_WAITING:
            _waiting[key] = None
            _start_next()


def _start_next() -> None:
    """Start the process of the set that has waited longest, unless one is at work."""
    with _queue_lock:
        for key in [key for key, process in _processes.items() if process.poll() is not None]:
            del _processes[key]
        while _waiting and not _processes:
            key = next(iter(_waiting))
            del _waiting[key]
            if find(*key) is None:
                _launch(key)


def _launch(key: _Key) -> None:
    cards, goal = key
    _tries[key] = _tries.get(key, 0) + 1
    # Nothing is written to its input, which closes when this process ends: then the new one ends too.
    process = _processes[key] = subprocess.Popen(
        [sys.executable, "-m", "starfrost.games.dicy_cards.solver.on_demand", *cards, str(goal)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=_reap, args=(process,), daemon=True, name="reap").start()


def _reap(process: "subprocess.Popen[bytes]") -> None:
    process.wait()
    _start_next()


def stop() -> None:
    """Stop the background process that this process started, which cleans up after itself, and forget what waits."""
    with _queue_lock:
        _waiting.clear()
        while _processes:
            _, process = _processes.popitem()
            if process.stdin is not None:
                process.stdin.close()


def main(arguments: Sequence[str]) -> None:
    """Solve one set and write its progress to a file: the work of the background process."""
    from filelock import FileLock

    *cards, goal = arguments
    held = lock.claim(_progress_file(cards, int(goal)))
    if held is None:
        return
    try:
        # One background process at a time, because each uses all cores and more than a gigabyte.
        with FileLock(cache_folder() / _TURN, poll_interval=0.5):
            if find(cards, int(goal)) is None:
                _solve(cards, int(goal), _reporting(held))
    finally:
        held.release()


def _watch_parent() -> None:
    """Interrupt the work when the process that started it ends or closes the input."""
    # Not with sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(0, 16):
        pass
    _thread.interrupt_main()
    time.sleep(_PATIENCE)
    os._exit(1)


def _run() -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    # A server's workers ignore this signal, and a child process inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_watch_parent, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        main(sys.argv[1:])


if __name__ == "__main__":
    _run()
