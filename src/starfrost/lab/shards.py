"""Long runs in shards: exact sums that add up in any order, on one machine or a cluster, and can be continued.

A task is a picklable object: calling it with a range of numbers (of deals, say) plays them and returns their sums. It
has to be a pure function of its fields and the numbers, because a shard may be computed again after its process died.
Sums are numbers, lists of sums and dictionaries of sums, all of them exact integers; so the total is the same for any
size of the shards, any number of processes and any machine, and its size does not grow with the number of games.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias

from starfrost.errors import UsageError
from starfrost.workers import MOST, SHARES, Workers, map_ordered

Sums: TypeAlias = "int | Sequence[Sums] | Mapping[str, Sums]"

SAVED_EVERY: Final = 1.0
"""Seconds between two writes of the file of a run that can be continued."""
PARTS: Final = 8
"""Parts of what a process does at once: smaller shards would cost more than further processes gain."""
FORMAT: Final = "starfrost run 1"


class Task(Protocol):
    """Work on numbered games."""

    def __call__(self, numbers: range, /) -> Any:
        """Return the sums of these games."""

    def as_json(self) -> Any:
        """Return what decides the sums: two tasks with the same description give the same ones."""


def add(one: Any, other: Any) -> Any:
    """Add two sums; a missing key counts as nothing, and so does None."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, int):
        return one + other
    if isinstance(one, Mapping):
        return {key: add(one.get(key), other.get(key)) for key in (*one, *(key for key in other if key not in one))}
    return [add(mine, theirs) for mine, theirs in zip(one, other, strict=True)]


def ranges(first: int, end: int, size: int) -> Iterator[range]:
    """Yield the shards from a number up to another one, with the given size."""
    for begin in range(first, end, size):
        yield range(begin, min(begin + size, end))


def shard_size(count: int, at_once: int, jobs: int) -> int:
    """Return the size of a shard for work of which a process does some numbers at once, for an even finish."""
    if at_once <= MOST:
        return max(1, min(MOST, -(-count // (jobs * SHARES))))
    return min(at_once, max(at_once // PARTS, -(-count // (jobs * 4))))


def total(
    task: Task,
    count: int,
    size: int,
    workers: Workers | int = 1,
    *,
    resume: Path | None = None,
    progress: Callable[[int], object] = lambda done: None,
    each: Callable[[Any], Any] = lambda answer: answer,
) -> Any:
    """Return the sums of the numbers from 0 to `count`, in shards of `size`.

    A task may answer with more than sums: `each` gets the answers in order and returns their sums. `progress` is called
    with the finished numbers. A run with the file `resume` writes its sums there and continues from there; the file of
    a finished run gives the result at once. Raises UsageError if it belongs to another run.
    """
    run = Run(task, count, resume)
    # A file that cannot be written is found out now and not at the end.
    run.save()
    saved = monotonic()
    # Nothing is left to do where a file already holds the result.
    answers: Iterator[Any] = (
        map_ordered(task, ranges(run.done, count, size), workers, most=1) if run.done < count else iter(())
    )
    try:
        for numbers, answer in zip(ranges(run.done, count, size), answers, strict=True):
            run.sums, run.done = add(run.sums, each(answer)), numbers.stop
            progress(run.done)
            if monotonic() - saved > SAVED_EVERY:
                run.save()
                saved = monotonic()
    finally:
        run.save()
    return run.sums


class Run:
    """The sums of a run so far, and the file that holds them."""

    def __init__(self, task: Task, count: int, path: Path | None) -> None:
        self.sums: Any = None
        self.done = 0
        self._path = path
        # As JSON gives it back: lists rather than tuples.
        self._about = json.loads(json.dumps({"task": task.as_json(), "count": count}))
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError("%(file)s cannot be read: %(reason)s.", file=path, reason=str(error)) from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise UsageError("%(file)s is not the file of a run.", file=path)
        if found["about"] != self._about:
            raise UsageError("%(file)s belongs to a run with other settings; name another file.", file=path)
        self.done, self.sums = found["done"], found["sums"]

    def save(self) -> None:
        """Write the file, if there is one; a crash leaves the old file or the new one."""
        if self._path is None:
            return
        text = json.dumps({"format": FORMAT, "about": self._about, "done": self.done, "sums": self.sums})
        part = self._path.with_name(self._path.name + ".part")
        try:
            part.write_text(text + "\n", encoding="utf-8")
            os.replace(part, self._path)
        except OSError as error:
            raise UsageError(
                "%(file)s cannot be written: %(reason)s.", file=self._path, reason=error.strerror
            ) from error
