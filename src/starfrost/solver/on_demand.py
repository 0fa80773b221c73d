"""Solved sets on demand: is a set solved, is it being solved, how far; and solving it without holding anybody up.

    status(cards, goal)            Status(solved, share): looks, starts nothing
    ready(cards, goal)             is there a file of it? Opens nothing
    start(cards, goal)             solve in a process of its own, at low priority; asking twice starts one
    can_start(goal)                would that be possible here?
    gave_up(cards, goal)           was it tried too often in vain?
    stop()                         end what this process started
    find(cards, goal)              the worths if they are there, else None
    ensure_solved(cards, goal)     the worths, solving now if need be

Cards may come in any order: a set is solved once, in the order of the cards' clauses (`in_order`).

What is going on is read from the cache folder alone, so every process on the machine sees the same. A solving process
ends with the process that started it; the next that wants the set starts anew. They take turns, one at a time.
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
from starfrost.solver import lock as claim
from starfrost.solver import store
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
"""Seconds that a solving process has to tidy up when the one that started it is gone."""

_PAUSE: Final = 0.2
"""Seconds between two looks at a set-up that another process solves."""

_TRIES: Final = 3
"""How often one process starts the same set-up: a full disk must not keep the cores busy for ever."""

_processes: list[subprocess.Popen[bytes]] = []
_tries: dict[tuple[tuple[str, ...], int], int] = {}
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
    """Give the worths of a set-up, solving and saving it first if need be, or if it shall be done `again`.

    Where another process is at it, its progress is told and its result is taken. Raises MissingExtra without Numba.
    """
    path = _news(cards, goal)
    while (values := None if again else find(cards, goal)) is None:
        try:
            handle = claim.claim(path)
        except OSError:
            return _solve(cards, goal, progress, threads)
        if handle is not None:
            try:
                # The last holder saved before letting go, perhaps since the look above.
                found = None if again else find(cards, goal)
                return found or _solve(cards, goal, _telling(handle, progress), threads)
            finally:
                claim.release(path, handle)
        if progress is not None:
            progress(claim.share_of(path) or 0.0)
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


def _telling(handle: int, progress: Progress | None = None) -> Progress:
    """Write into a claim how far the work is, for other processes to read, and tell it on."""
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        if progress is not None:
            progress(share)
        if share - told >= 0.005:
            told = share
            claim.tell(handle, share)

    return tell


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
    return claim.share_of(_news(cards, goal))


def ready(cards: Sequence[str], goal: int) -> bool:
    """Say whether there is a file of a set-up that can be read, without opening it."""
    path = store.path_of(in_order(cards), goal)
    return path.is_file() and os.access(path, os.R_OK)


def has_numba() -> bool:
    """Say whether the extra `solver` is installed, without the second that importing it takes."""
    return find_spec("numba") is not None


def can_start(goal: int) -> bool:
    """Say whether a set-up with this goal may be solved in the background here."""
    return goal <= LARGEST and os.environ.get("STARFROST_SOLVE") != "never" and has_numba()


def gave_up(cards: Sequence[str], goal: int) -> bool:
    """Say whether this process has started a set-up so often in vain that it will not again."""
    return _tries.get((in_order(cards), goal), 0) >= _TRIES


def start(cards: Sequence[str], goal: int) -> Status:
    """Have a set-up solved in the background, unless it is solved or somebody is at it.

    A host that wants no such work sets `STARFROST_SOLVE=never`; goals beyond `LARGEST` are left to `starfrost solve`.
    Raises MissingExtra without Numba, OSError if the cache folder cannot be written.
    """
    now = status(cards, goal)
    if now.solved or now.share is not None:
        return now
    if not has_numba():
        raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.")
    key = (in_order(cards), goal)
    if not can_start(goal) or gave_up(cards, goal):
        return now
    command = [sys.executable, "-m", "starfrost.solver.on_demand", *in_order(cards), str(goal)]
    held: tuple[int, ...] = ()
    if claim.PASSED_ON:
        try:
            handle = claim.claim(_news(cards, goal))
        except OSError:
            _tries[key] = _TRIES
            raise
        if handle is None:
            return status(cards, goal)
        held = (handle,)
        command.append(f"held:{handle}")
    _tries[key] = _tries.get(key, 0) + 1
    _processes[:] = [process for process in _processes if process.returncode is None]
    try:
        # Nothing is ever written to its input: it closes with this process, and that is the sign to end.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=held,
            start_new_session=True,
        )
    finally:
        for handle in held:
            os.close(handle)
    _processes.append(process)
    threading.Thread(target=process.wait, daemon=True, name="reap").start()
    return Status(False, 0.0)


def stop() -> None:
    """End the solving that this process started; it tidies up by itself."""
    while _processes:
        process = _processes.pop()
        if process.stdin is not None:
            process.stdin.close()


def main(arguments: Sequence[str]) -> None:
    """Solve one set-up and tell a file how far it is: the background process."""
    given = [argument for argument in arguments if not argument.startswith("held:")]
    held = [int(argument.removeprefix("held:")) for argument in arguments if argument.startswith("held:")]
    *cards, goal = given
    path = _news(cards, int(goal))
    handle = held[0] if held else claim.claim(path)
    if handle is None:
        return
    try:
        turn = _wait_for_turn()
        try:
            if find(cards, int(goal)) is None:
                _solve(cards, int(goal), _telling(handle))
        finally:
            os.close(turn)
    finally:
        claim.release(path, handle)


def _wait_for_turn() -> int:
    """Wait until no other background process solves: each uses all cores, and more than a gigabyte."""
    while (turn := claim.claim(cache_folder() / "background.turn")) is None:
        time.sleep(0.5)
    return turn


def _follow() -> None:
    """Interrupt the work when the process that started it is gone or says so."""
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
