"""Bots choose in worker processes: a worker that dies, hangs or fails never stops a game."""

import asyncio
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from starfrost.table import bots
from starfrost.table.bots import BotWorkers
from starfrost.workers import pool, prepare_worker
from tests.interrupts import interruptible
from tests.table.thoughts import (
    FIRST,
    GAME,
    LAST,
    STATE,
    never_start,
    think_for_ever,
    think_for_ever_once,
    think_in_vain,
    think_last,
)
from tests.waiting import eventually


@pytest.fixture
def one_worker() -> Iterator[BotWorkers]:
    made = BotWorkers(1, patience=1.0)
    yield made
    made.pool.close()


async def choose(bot_workers: BotWorkers, bot: str = "random") -> str:
    return await bot_workers.choose(bot, GAME, GAME.headers(), STATE)


def workers(process: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            found += [child] if "spawn_main" in " ".join(child.cmdline()) else []
    return found


def test_a_worker_imports_nothing_of_the_server() -> None:
    """A worker imports what it is sent: that the whole server comes along would take a second and much memory."""
    sent = pickle.dumps((prepare_worker, bots.think))
    code = "import pickle, sys; pickle.load(sys.stdin.buffer); sys.exit('starfrost.table' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], input=sent, check=False).returncode == 0


async def test_a_choice_is_legal(one_worker: BotWorkers) -> None:
    assert await choose(one_worker, "planner") in map(str, GAME.legal_actions(STATE))


async def test_a_worker_that_dies_idle_is_replaced(one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    for _ in range(3):
        assert await choose(one_worker) == LAST
        (worker,) = workers(psutil.Process())
        worker.kill()


async def test_a_worker_that_dies_at_work_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "began"
    monkeypatch.setenv("TRACE", str(trace))
    monkeypatch.setattr(bots, "think", think_for_ever_once)
    bot_workers = BotWorkers(1, patience=600.0)
    try:
        choice = asyncio.create_task(choose(bot_workers))
        await asyncio.to_thread(eventually, trace.exists)
        (worker,) = workers(psutil.Process())
        worker.kill()
        assert await choice == LAST
    finally:
        bot_workers.pool.close()


async def test_a_bot_that_takes_too_long_plays_its_first_action(
    one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    # The second choice waits for the worker; its own time starts when it is its turn.
    assert await asyncio.gather(choose(one_worker), choose(one_worker, "greedy")) == [FIRST, LAST]


async def test_a_choice_that_no_worker_takes_ends_and_the_next_one_has_new_workers(
    one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    with monkeypatch.context() as stuck:
        stuck.setattr(pool, "prepare_worker", never_start)
        stuck.setattr(pool, "_LONGEST_START", 0.0)
        assert await choose(one_worker) == FIRST
    assert await choose(one_worker) == LAST


async def test_choices_that_wait_survive_a_worker_that_is_suspended(
    one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    assert await choose(one_worker) == LAST
    (worker,) = workers(psutil.Process())
    worker.suspend()
    # The first choice, which the process never began, is made by the next one as well.
    assert await asyncio.gather(*(choose(one_worker) for _ in range(30))) == [LAST] * 30


async def test_a_worker_that_is_suspended_at_work_stops_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a choice that hangs nor its process, which does not even die, is in the way of another table."""
    monkeypatch.setattr(bots, "think", think_for_ever)
    bot_workers = BotWorkers(2, patience=2.0)
    try:
        hanging = asyncio.create_task(choose(bot_workers))
        await asyncio.to_thread(eventually, lambda: bool(workers(psutil.Process())))
        (worker,) = workers(psutil.Process())
        for _ in range(20):
            assert await choose(bot_workers, "greedy") == LAST
        worker.suspend()
        assert not hanging.done()
        for _ in range(20):
            assert await choose(bot_workers, "greedy") == LAST
        assert await hanging == FIRST
        # Both workers choose again.
        assert await asyncio.gather(*(choose(bot_workers, "greedy") for _ in range(10))) == [LAST] * 10
    finally:
        bot_workers.pool.close()
    assert not workers(psutil.Process())


async def test_processes_that_have_nothing_to_do_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seldom = pool.WorkerPool(idle=0.2)
    try:
        for _ in range(2):
            assert await seldom.run(think_last, timeout=30.0) == LAST
            assert workers(psutil.Process())
            await asyncio.to_thread(eventually, lambda: not workers(psutil.Process()))
    finally:
        seldom.close()


async def test_work_that_is_cancelled_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    one = pool.WorkerPool()
    try:
        work = asyncio.create_task(one.run(think_for_ever, "random", timeout=600.0))
        await asyncio.to_thread(eventually, lambda: bool(workers(psutil.Process())))
        (worker,) = workers(psutil.Process())
        work.cancel()
        assert await one.run(think_last, timeout=30.0) == LAST
        await asyncio.to_thread(eventually, lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)
    finally:
        one.close()


async def test_whoever_opens_many_tables_delays_only_their_own(
    one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    order: list[str] = []

    async def ask(group: str, member: str) -> None:
        await one_worker.choose("random", GAME, GAME.headers(), STATE, (group, member))
        order.append(group)

    greedy = [asyncio.create_task(ask("flood", f"guest {number % 11}")) for number in range(330)]
    await asyncio.sleep(0)
    assert one_worker.pool.waiting > 300
    await asyncio.gather(ask("anna", "anna"), ask("ben", "ben"))
    # One choice of the flood was already under way.
    assert order.count("flood") <= 2
    await asyncio.gather(*greedy)


async def test_a_choice_that_nobody_wants_any_more_takes_no_time(
    one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    first = asyncio.create_task(choose(one_worker))
    unwanted = [asyncio.create_task(choose(one_worker)) for _ in range(200)]
    await asyncio.sleep(0.1)
    for choice in unwanted:
        choice.cancel()
    # Otherwise this would take 200 times the patience.
    assert await choose(one_worker, "greedy") == LAST
    assert await first == FIRST


async def test_a_bot_that_fails_plays_its_first_action(one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_in_vain)
    assert await choose(one_worker) == FIRST


async def test_workers_ignore_ctrl_c(one_worker: BotWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal Ctrl-C reaches the whole process group; the server decides when its workers stop."""
    monkeypatch.setattr(bots, "think", think_last)
    with interruptible():
        await choose(one_worker)
    (before,) = workers(psutil.Process())
    before.send_signal(signal.SIGINT)
    assert [await choose(one_worker) for _ in range(2)] == [LAST, LAST]
    (after,) = workers(psutil.Process())
    assert after.pid == before.pid


async def test_closing_does_not_wait_for_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    bot_workers = BotWorkers(1, patience=600.0)
    choice = asyncio.create_task(choose(bot_workers))
    await asyncio.sleep(0.3)
    bot_workers.pool.close()
    assert not workers(psutil.Process())
    choice.cancel()


def test_workers_end_with_a_server_that_is_killed() -> None:
    code = """
import asyncio
from tests.table.test_bots import BotWorkers, choose
async def main():
    bot_workers = BotWorkers(2, 30.0)
    await choose(bot_workers)
    print(flush=True)
    input()
if __name__ == "__main__":
    asyncio.run(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline()
        alive = workers(psutil.Process(server.pid))
        assert alive
        server.kill()
    _, alive = psutil.wait_procs(alive, timeout=30)
    assert not alive
