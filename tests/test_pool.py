"""Work given to processes comes back in order, and stops when nobody reads the results."""

import multiprocessing
import os
import subprocess
import sys
from itertools import islice

import pytest

from starfrost.pool import spread


def squared(number: int) -> int:
    return number * number


def whose(_: int) -> int:
    return os.getpid()


def failing(number: int) -> int:
    raise ValueError(f"no answer to {number}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_come_in_the_order_of_the_questions(jobs: int) -> None:
    assert list(spread(squared, range(40), jobs)) == [number * number for number in range(40)]


def test_one_job_stays_in_this_process() -> None:
    assert set(spread(whose, range(3), 1)) == {os.getpid()}


def test_a_listener_who_leaves_ends_the_crew() -> None:
    answers = spread(whose, range(400), 2)
    workers = set(islice(answers, 5))
    answers.close()  # type: ignore[attr-defined]
    assert os.getpid() not in workers
    assert not workers & {process.pid for process in multiprocessing.active_children()}


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="no answer to 0"):
        list(spread(failing, range(4), 2))


def _threads(_: int) -> int:
    """Multiply matrices that are worth several threads, and count the threads of this process."""
    import numpy as np

    matrix = np.ones((400, 400))
    assert (matrix @ matrix)[0, 0] == 400
    return len(os.listdir("/proc/self/task"))


def test_processes_use_one_thread_for_linear_algebra_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    assert list(spread(_threads, [1, 2], 2)) == [1, 1]
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    # The library never uses more threads than there are cores.
    assert list(spread(_threads, [1, 2], 2)) == [min(2, len(os.sched_getaffinity(0)))] * 2


@pytest.mark.parametrize(
    "module", ["table.bots", "cli.simulate", "cli.strength", "cli.dice_stars.analyse", "cli.dicy_cards", "pool"]
)
def test_numpy_is_not_imported_before_its_threads_are_limited(module: str) -> None:
    # The limit is read once, when NumPy is imported.
    code = f"import sys, starfrost.{module}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
