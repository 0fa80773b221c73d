"""Work given to processes comes back in order, and stops when nobody reads the results."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

import psutil
import pytest

from starfrost.errors import StarfrostError
from starfrost.workers import AHEAD, map_ordered
from tests.waiting import eventually


def squared(number: int) -> int:
    return number * number


def whose(_: int) -> int:
    return os.getpid()


def failing(number: int) -> int:
    raise ValueError(f"no answer to {number}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_come_in_the_order_of_the_questions(jobs: int) -> None:
    assert list(map_ordered(squared, range(40), jobs)) == [number * number for number in range(40)]


def test_one_job_stays_in_this_process() -> None:
    assert set(map_ordered(whose, range(3), 1)) == {os.getpid()}


def test_a_listener_who_leaves_ends_the_workers() -> None:
    answers = map_ordered(whose, range(400), 2)
    workers = set(islice(answers, 5))
    answers.close()
    assert os.getpid() not in workers
    assert not workers & {process.pid for process in multiprocessing.active_children()}


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="no answer to 0"):
        list(map_ordered(failing, range(4), 2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_questions_are_read_as_they_are_needed(jobs: int) -> None:
    read: list[int] = []

    def questions() -> Iterator[int]:
        for number in count():
            read.append(number)
            yield number

    answers = map_ordered(squared, questions(), jobs, most=1)
    for number in range(40):
        assert next(answers) == number * number
        assert len(read) <= number + 1 + AHEAD * jobs
    answers.close()


def dying_once(question: tuple[str, int]) -> int:
    """Kill the own process at the seventh question, the first time that it is asked."""
    trace, number = Path(question[0]), question[1]
    if number == 7 and not trace.exists():
        trace.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_the_work_of_a_killed_process_is_done_again_and_counts_once(tmp_path: Path) -> None:
    trace = tmp_path / "died"
    assert list(map_ordered(dying_once, [(str(trace), number) for number in range(60)], 2)) == list(range(60))
    assert trace.exists()


def dying(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_always_kills_its_process_ends_in_one_sentence() -> None:
    with pytest.raises(StarfrostError, match="died 3 times in a row"):
        list(map_ordered(dying, range(4), 2))


def sleeping(number: int) -> int:
    # One write, so that the lines of two processes do not mix, with or without PYTHONUNBUFFERED.
    os.write(1, b"%d\n" % os.getpid())
    time.sleep(3600)
    return number


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command that is killed in the end: one that fails a test must not be waited for."""
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_killed_parent_leaves_no_process_behind() -> None:
    code = "from tests.test_workers import map_ordered, sleeping; list(map_ordered(sleeping, range(9), 2))"
    with running([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        working = {int(parent.stdout.readline()) for _ in range(2)}
        family = psutil.Process(parent.pid).children(recursive=True)
        assert working <= {process.pid for process in family}
    eventually(lambda: not any(process.is_running() and process.status() != "zombie" for process in family))


STARS_BOTS = ("dice-stars", "--games", "1000000", "--jobs", "2")


@pytest.mark.parametrize(
    "command",
    [
        ("starfrost", "simulate", *STARS_BOTS, "--bots", "planner,planner"),
        ("starfrost", "balance", *STARS_BOTS, "--bot", "planner", "--players", "2"),
        ("starfrost", "strength", "--game", *STARS_BOTS, "--bots", "random,planner"),
        ("starfrost", "atlas", "--compute", "atlas.csv", "--jobs", "2"),
        ("research.dicy_cards.puzzles", "puzzles", "--jobs", "2"),
        ("research.dice_stars.puzzles", "puzzles", "--jobs", "2"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_killed_command_leaves_no_process_behind(command: tuple[str, ...], tmp_path: Path) -> None:
    root = Path(__file__).parents[1]
    environment = {**os.environ, "STARFROST_CACHE": str(tmp_path), "PYTHONPATH": str(root)}
    words = [sys.executable, "-m", *command]
    with running(words, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as parent:
        started = psutil.Process(parent.pid)

        def working() -> list[psutil.Process]:
            assert parent.poll() is None, "the command has ended"
            spawned = [one for one in started.children() if "spawn_main" in " ".join(one.cmdline())]
            # A worker that is ready has a thread that waits for the end of the parent.
            return [one for one in spawned if one.num_threads() > 1]

        eventually(lambda: len(working()) == 2)
        family = started.children(recursive=True)
    eventually(lambda: not any(process.is_running() and process.status() != "zombie" for process in family))


def _threads(_: int) -> int:
    """Multiply matrices that are worth several threads, and count the threads of this process."""
    import numpy as np

    matrix = np.ones((400, 400))
    assert (matrix @ matrix)[0, 0] == 400
    # One thread waits for the end of the parent.
    return len(os.listdir("/proc/self/task")) - 1


def test_processes_use_one_thread_for_linear_algebra_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    assert list(map_ordered(_threads, [1, 2], 2)) == [1, 1]
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    # The library never uses more threads than there are cores.
    assert list(map_ordered(_threads, [1, 2], 2)) == [min(2, len(os.sched_getaffinity(0)))] * 2


@pytest.mark.parametrize(
    "module",
    [
        "bots.thinking",
        "cli.simulate",
        "cli.strength",
        "cli.analyse",
        "games.dicy_cards.cli",
        "workers",
    ],
)
def test_numpy_is_not_imported_before_its_threads_are_limited(module: str) -> None:
    # The limit is read once, when NumPy is imported.
    code = f"import sys, starfrost.{module}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
