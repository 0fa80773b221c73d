"""Worker processes: `map_ordered` spreads work over processes, here or on a cluster; `pool.WorkerPool` serves a server.

The answers come in the order of the questions. The work has to be a pure function: a share whose process dies is done
again, and its answers count once. Questions are read as they are needed, so that any number takes the same memory.

Only the standard library is needed here, so that the core has no further dependency.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from operator import length_hint
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from starfrost.errors import StarfrostError

Question = TypeVar("Question")
Answer = TypeVar("Answer")

SHARES: Final = 24
"""Shares for each process: enough for a smooth progress bar and an even finish, few enough to cost nothing."""
MOST: Final = 10
"""Questions in one share at most."""
AHEAD: Final = 4
"""Shares for each process that are under way or finished before their turn: the bound of the memory."""
DEATHS: Final = 3
"""Times that processes may die with no share finished in between."""


class Workers(NamedTuple):
    """Who does the work: this many processes here, or all cores of a Ray cluster (`--cluster ADDRESS`)."""

    jobs: int = 1
    cluster: str = ""


def one_thread() -> None:
    """Let NumPy's linear algebra use one thread in this process, unless the environment says otherwise.

    It has to be called before NumPy is imported; processes started later inherit it. The matrices of the bots are so
    small that several threads take longer than one, and several processes with several threads each much longer.
    """
    for library in ("OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def end_with_parent() -> None:
    """End this process when the one that started it is gone, even if that was killed."""
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            multiprocessing.connection.wait([parent.sentinel])
            os._exit(0)

    threading.Thread(target=follow, daemon=True).start()


def prepare_worker(niceness: int = 5) -> None:
    """Set up a worker of a server: people's moves come first, and it ends when the server is gone, even if killed."""
    one_thread()
    # The server has the cards solved that its bots need: one set at a time.
    os.environ["STARFROST_SOLVE"] = "never"
    if hasattr(os, "nice"):
        os.nice(niceness)
    end_with_parent()


def map_ordered(
    work: Callable[[Question], Answer], questions: Iterable[Question], workers: Workers | int = 1, most: int = MOST
) -> Generator[Answer, None, None]:
    """Yield the answer to every question; one job works in this process, and a number means as many jobs here.

    `most` limits the questions in one share: 1 for long work, so that every answer comes as soon as it is found.
    Raises StarfrostError if processes die again and again.
    """
    jobs, cluster = Workers(workers) if isinstance(workers, int) else workers
    known = length_hint(questions, -1)
    if not cluster and (jobs == 1 or known == 1):
        yield from map(work, questions)
        return
    backend: Backend
    if cluster:
        from starfrost.workers.cluster import Cluster

        backend = Cluster(cluster)
    else:
        backend = Processes(jobs)
    size = most if known < 0 else max(1, min(most, known // (backend.jobs * SHARES)))
    shares, rest = iter(questions), deque[Any]()
    done = False
    try:
        while True:
            while len(rest) < AHEAD * backend.jobs and (share := list(islice(shares, size))):
                rest.append(backend.begin(work, share))
            if not rest:
                break
            answers = backend.end(rest)
            yield from answers
        done = True
    finally:
        # A caller who stops early does not wait for answers that it no longer wants.
        backend.close(done)


def answer_all(work: Callable[[Any], Any], share: list[Any]) -> list[Any]:
    """Return the answers to the questions of a share; runs in a worker."""
    return [work(question) for question in share]


class Backend(Protocol):
    """Processes that work on shares."""

    jobs: int

    def begin(self, work: Callable[[Any], Any], share: list[Any]) -> Any:
        """Start a share and return what `end` needs to know about it."""

    def end(self, begun: deque[Any]) -> list[Any]:
        """Wait for the first of the shares that have begun, remove it and return its answers."""

    def close(self, done: bool) -> None:
        """Release the processes; they are stopped unless everything is done."""


@dataclass
class _Begun:
    work: Callable[[Any], Any]
    share: list[Any]
    future: Future[list[Any]]


class Processes:
    """Processes of this machine."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._deaths = 0
        one_thread()
        self._bystanders = multiprocessing.active_children()
        self._open()

    def _open(self) -> None:
        # Fresh processes rather than forks: a fork copies threads and locks of libraries in an unknown state.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self.jobs, context, initializer=end_with_parent)

    def _submit(self, work: Callable[[Any], Any], share: list[Any]) -> Future[list[Any]]:
        # A process may start here and then ignores interrupts: Ctrl+C at the terminal is handled by this process.
        with _ignoring_interrupts():
            return self._pool.submit(answer_all, work, share)

    def begin(self, work: Callable[[Any], Any], share: list[Any]) -> _Begun:
        try:
            return _Begun(work, share, self._submit(work, share))
        except BrokenProcessPool as error:
            # `end` starts this share again with the others that were lost.
            lost: Future[list[Any]] = Future()
            lost.set_exception(error)
            return _Begun(work, share, lost)

    def end(self, begun: deque[_Begun]) -> list[Any]:
        while True:
            try:
                answers = begun[0].future.result()
            except BrokenProcessPool as error:
                self._again(begun, error)
            else:
                self._deaths = 0
                begun.popleft()
                return answers

    def _again(self, begun: deque[_Begun], error: BrokenProcessPool) -> None:
        """Start the lost shares again in new processes."""
        self._deaths += 1
        if self._deaths >= DEATHS:
            raise StarfrostError(
                "Worker processes died %(times)s times in a row; is there enough memory?", times=self._deaths
            ) from error
        self._pool.shutdown(cancel_futures=True)
        self._open()
        for one in begun:
            if not one.future.done() or one.future.cancelled() or one.future.exception() is not None:
                one.future = self._submit(one.work, one.share)

    def close(self, done: bool) -> None:
        if not done:
            for process in multiprocessing.active_children():
                if process not in self._bystanders:
                    process.terminate()
        self._pool.shutdown(cancel_futures=True)


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
