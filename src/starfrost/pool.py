"""Work spread over processes; the answers come in the order of the questions, for any number of processes.

The pool is the standard library's: its public interface is enough here, and the core needs no further dependency.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

SHARES: Final = 24
"""Shares for each process: enough for a smooth progress bar and an even finish, few enough to cost nothing."""
MOST: Final = 10
"""Questions in one share at most."""


def one_thread() -> None:
    """Let NumPy's linear algebra use one thread in this process, unless the environment says otherwise.

    It has to be called before NumPy is imported; processes started later inherit it. The matrices of the bots are so
    small that several threads take longer than one, and several processes with several threads each much longer.
    """
    for library in ("OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def spread(
    work: Callable[[Question], Answer], questions: Sequence[Question], jobs: int, most: int = MOST
) -> Iterator[Answer]:
    """Yield the answer to every question, from as many processes as there are jobs; one job works in this process.

    `most` limits the questions in one share: 1 for long work, so that every answer comes as soon as it is found.
    """
    if jobs == 1 or len(questions) == 1:
        yield from map(work, questions)
        return
    one_thread()
    # Fresh processes rather than forks: a fork copies threads and locks of libraries in an unknown state.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    bystanders = multiprocessing.active_children()
    try:
        with _ignoring_interrupts():
            # The processes start here and ignore interrupts: Ctrl+C at the terminal is handled by this process.
            answers = pool.map(work, questions, chunksize=max(1, min(most, len(questions) // (jobs * SHARES))))
        yield from answers
    except BaseException:
        # A caller who stops early does not wait for answers that it no longer wants.
        for process in multiprocessing.active_children():
            if process not in bystanders:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


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
