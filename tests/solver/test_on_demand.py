"""Solving in the background: once, in turn, told through the cache folder, and never longer than somebody wants it."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from filelock import FileLock

from starfrost.bots import progress as news
from starfrost.bots.progress import SolvingProgress, prepare, solving
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.solver import lock, store
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.dicy_cards.solver.values import Values
from tests.waiting import eventually

CARDS, GOAL = MODES["b"].cards, 3
GAME = DicyCards(2, CARDS, GOAL)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield an empty cache folder in which solving is allowed; compiled code comes from the run's own folder."""
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    monkeypatch.delenv("STARFROST_SOLVE")
    for name in ("_opened", "_looked", "_tries", "_waiting", "_processes"):
        monkeypatch.setattr(service, name, {})
    yield tmp_path
    service.stop()
    eventually(lambda: not at_work())


def at_work() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            found += [child] if "starfrost.games.dicy_cards.solver.on_demand" in child.cmdline() else []
    return found


def test_a_share_is_told_while_somebody_holds_it() -> None:
    path = service._progress_file(CARDS, GOAL)
    assert service.find(CARDS, GOAL) is None
    assert service.solving_share(CARDS, GOAL) is None
    held = lock.claim(path)
    assert held is not None
    assert lock.claim(path) is None
    held.write(0.25)
    assert service.solving_share(CARDS, GOAL) == 0.25
    held.release()
    assert not path.exists()
    assert service.find(CARDS, GOAL) is None
    assert service.solving_share(CARDS, GOAL) is None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_claim_ends_with_its_process(number: int) -> None:
    path = service._progress_file(CARDS, GOAL)
    code = f"""
from pathlib import Path
from starfrost.games.dicy_cards.solver import lock
held = lock.claim(Path({str(path)!r}))
held.write(0.75)
print(held is not None, flush=True)
input()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert lock.claim(path) is None
        assert service.solving_share(CARDS, GOAL) == 0.75
        holder.send_signal(number)
    assert path.exists()
    assert service.solving_share(CARDS, GOAL) is None
    held = lock.claim(path)
    assert held is not None
    assert service.solving_share(CARDS, GOAL) == 0.0
    held.release()


def test_looking_does_not_keep_others_from_claiming() -> None:
    path = service._progress_file(CARDS, GOAL)
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            lock.share_of(path)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(200):
            held = lock.claim(path)
            assert held is not None
            held.release()
    finally:
        done.set()
        watcher.join()


def test_the_background_process_saves_and_lets_go() -> None:
    service.main([*CARDS, str(GOAL)])
    assert service.find(CARDS, GOAL) is not None
    assert not service._progress_file(CARDS, GOAL).exists()


def test_asked_twice_one_process_solves_while_the_table_tells_and_then_nothing() -> None:
    turn = FileLock(service.cache_folder() / service._TURN)
    turn.acquire()
    prepare(GAME, ["perfect"])
    service.start(CARDS, GOAL)
    assert service.solving_share(CARDS, GOAL) == 0.0
    eventually(lambda: len(at_work()) == 1)
    # It waits for its turn.
    assert solving(GAME, ["planner", "perfect"]) == SolvingProgress("perfect", 0)
    turn.release()
    eventually(lambda: solving(GAME, ["perfect"]) is None)
    assert service.find(CARDS, GOAL) is not None
    eventually(lambda: not service._progress_file(CARDS, GOAL).exists())


def test_many_wishes_are_solved_by_one_process_and_few_wait(cache: Path) -> None:
    """30 page views started 30 processes."""
    turn = FileLock(cache / service._TURN)
    turn.acquire()
    for goal in range(1, 31):
        service.find_or_start(CARDS, goal)
    eventually(lambda: len(at_work()) == 1)
    assert len(service._waiting) == service.MOST_WAITING
    assert len(service._processes) == 1
    assert [service.solving_share(CARDS, goal) for goal in (1, 2, 9, 10, 30)] == [0.0, 0.0, 0.0, None, None]
    # The next one follows when the first is done; none follows after a stop.
    for goal in range(3, 10):
        del service._waiting[service.in_order(CARDS), goal]
    turn.release()
    eventually(lambda: service.ready(CARDS, 1) and service.ready(CARDS, 2))
    turn.acquire()
    service.find_or_start(CARDS, 3)
    service.find_or_start(CARDS, 4)
    service.stop()
    turn.release()
    eventually(lambda: not at_work())
    assert not service._waiting
    assert not service.ready(CARDS, 3)


def test_what_a_process_started_ends_when_it_stops(cache: Path) -> None:
    turn = FileLock(cache / service._TURN)
    turn.acquire()
    news.prepare(GAME, ["perfect"])
    eventually(lambda: len(at_work()) == 1)
    (worker,) = at_work()
    if sys.platform == "linux":
        eventually(lambda: worker.nice() >= 10)
    news.stop()
    eventually(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)
    turn.release()
    assert service.find(CARDS, GOAL) is None
    assert service.solving_share(CARDS, GOAL) is None
    # A later wish starts anew.
    service.start(CARDS, GOAL)
    eventually(lambda: service.ready(CARDS, GOAL))


def test_it_ends_with_a_process_that_is_killed(cache: Path) -> None:
    turn = FileLock(cache / service._TURN)
    turn.acquire()
    start = f"on_demand.start({CARDS!r}, {GOAL}); print(flush=True); input()"
    code = f"from starfrost.games.dicy_cards.solver import on_demand; {start}"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        (worker,) = psutil.Process(parent.pid).children()
        eventually(lambda: service.solving_share(CARDS, GOAL) == 0.0)
        parent.kill()
    eventually(lambda: service.solving_share(CARDS, GOAL) is None)
    eventually(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)
    turn.release()


def test_a_host_may_forbid_background_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_SOLVE", "never")
    service.start(CARDS, GOAL)
    assert solving(GAME, ["perfect"]) == SolvingProgress("perfect", None)
    assert at_work() == []


def test_a_goal_beyond_the_usual_is_not_solved_unasked() -> None:
    service.start(CARDS, service.LARGEST + 1)
    assert at_work() == []


def test_a_table_tells_only_of_bots_that_wait() -> None:
    assert solving(GAME, ["planner"]) is None
    assert solving(DicyCards(3, CARDS, GOAL), ["master", "master"]) == SolvingProgress("master", 0)
    assert solving(DiceStars(2), ["strong"]) is None


def test_who_wants_a_set_that_is_being_solved_follows_and_takes_the_result() -> None:
    path = service._progress_file(CARDS, GOAL)
    held = lock.claim(path)
    assert held is not None
    heard: list[float] = []
    taken: list[Values] = []
    waiting = threading.Thread(target=lambda: taken.append(service.ensure_solved(CARDS, GOAL, heard.append)))
    waiting.start()
    eventually(lambda: 0.0 in heard)
    held.write(0.3)
    eventually(lambda: 0.3 in heard)
    values = solve(CARDS, GOAL)
    store.save(values)
    held.release()
    waiting.join(60)
    # It has only looked: nothing was told of work of its own.
    assert set(heard) == {0.0, 0.3}
    assert np.array_equal(taken[0].between, values.between)


def test_who_waited_in_vain_solves_and_tells() -> None:
    path = service._progress_file(CARDS, GOAL)
    held = lock.claim(path)
    assert held is not None
    heard: list[float] = []
    shares: list[float | None] = []

    def hear(share: float) -> None:
        heard.append(share)
        shares.append(service.solving_share(CARDS, GOAL))

    waiting = threading.Thread(target=service.ensure_solved, args=(CARDS, GOAL, hear))
    waiting.start()
    eventually(lambda: 0.0 in heard)
    held.release()
    waiting.join(60)
    assert heard[-1] == 1.0
    assert max(share or 0.0 for share in shares) > 0.0
    assert service.ready(CARDS, GOAL)
    assert not path.exists()


def test_who_comes_just_after_the_end_takes_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    values = solve(CARDS, GOAL)
    claim = lock.claim

    def late(path: Path) -> lock.Claim | None:
        store.save(values)
        return claim(path)

    monkeypatch.setattr(lock, "claim", late)
    heard: list[float] = []
    assert np.array_equal(service.ensure_solved(CARDS, GOAL, heard.append).between, values.between)
    assert not heard
    assert not service._progress_file(CARDS, GOAL).exists()


def test_a_folder_that_cannot_be_written_is_told_from_one_that_will_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert solving(GAME, ["perfect"]) == SolvingProgress("perfect", 0)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "file"))
    prepare(GAME, ["perfect"])
    assert solving(GAME, ["perfect"]) == SolvingProgress("perfect", None)
