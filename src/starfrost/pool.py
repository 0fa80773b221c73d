"""Work shared out to processes; the answers come in the order of the questions, however many hands there are."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

__all__ = ["spread"]

Question = TypeVar("Question")
Answer = TypeVar("Answer")

SHARES: Final = 24
"""Shares that each process gets: enough for a smooth bar and an even finish, few enough to cost nothing."""
MOST: Final = 10
"""Questions in one share at most."""


def spread(
    work: Callable[[Question], Answer], questions: Sequence[Question], jobs: int, most: int = MOST
) -> Iterator[Answer]:
    """Answer every question, with as many processes as there are jobs; one job works in this process.

    Long work is handed out one question at a time (`most`), so that every answer is heard when it is found.
    """
    if jobs == 1 or len(questions) == 1:
        yield from map(work, questions)
        return
    # Fresh processes rather than forks: a fork copies threads and locks of libraries in an unknown state.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    bystanders = multiprocessing.active_children()
    try:
        with _deaf_to_interrupts():
            # The processes start here and stay deaf: an interrupt at the terminal is for the one who listens to people.
            answers = pool.map(work, questions, chunksize=max(1, min(most, len(questions) // (jobs * SHARES))))
        yield from answers
    except BaseException:
        # Whoever stops listening should not wait for answers that nobody wants.
        for process in multiprocessing.active_children():
            if process not in bystanders:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
