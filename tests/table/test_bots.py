"""Bots choose in worker processes: a worker that dies, hangs or fails never stops a game."""

import asyncio
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from starfrost.table import bots
from starfrost.table.bots import Thinkers
from tests.interrupts import interruptible
from tests.table.thoughts import FIRST, GAME, LAST, STATE, never_start, think_for_ever, think_in_vain, think_last


@pytest.fixture
def thinkers() -> Iterator[Thinkers]:
    made = Thinkers(1, patience=1.0)
    yield made
    made.close()


async def choose(thinkers: Thinkers, bot: str = "random") -> str:
    return await thinkers.choose(bot, GAME, GAME.headers(), STATE)


def workers(process: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            found += [child] if "spawn_main" in " ".join(child.cmdline()) else []
    return found


def test_a_worker_imports_nothing_of_the_server() -> None:
    """A worker imports what it is sent: that the whole server comes along would take a second and much memory."""
    sent = pickle.dumps((bots.prepare_worker, bots.think))
    code = "import pickle, sys; pickle.load(sys.stdin.buffer); sys.exit('starfrost.table' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], input=sent, check=False).returncode == 0


async def test_a_choice_is_legal(thinkers: Thinkers) -> None:
    assert await choose(thinkers, "planner") in map(str, GAME.legal_actions(STATE))


async def test_a_worker_that_dies_idle_is_replaced(thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    for _ in range(3):
        assert await choose(thinkers) == LAST
        (worker,) = workers(psutil.Process())
        worker.kill()


async def test_a_worker_that_dies_at_work_is_replaced(thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    assert await choose(thinkers) == LAST
    monkeypatch.setattr(bots, "think", think_for_ever)
    choice = asyncio.create_task(choose(thinkers))
    await asyncio.sleep(0.3)
    monkeypatch.setattr(bots, "think", think_last)
    (worker,) = workers(psutil.Process())
    worker.kill()
    assert await choice == LAST


async def test_a_bot_that_takes_too_long_plays_its_first_action(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    # The second choice waits for the worker; its own time starts when it is its turn.
    assert await asyncio.gather(choose(thinkers), choose(thinkers, "greedy")) == [FIRST, LAST]


async def test_a_choice_that_no_worker_takes_ends_and_the_next_one_has_new_workers(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    with monkeypatch.context() as stuck:
        stuck.setattr(bots, "prepare_worker", never_start)
        stuck.setattr(bots, "_LONGEST_START", 0.0)
        assert await choose(thinkers) == FIRST
    assert await choose(thinkers) == LAST


async def test_choices_that_wait_survive_a_worker_that_is_suspended(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    assert await choose(thinkers) == LAST
    (worker,) = workers(psutil.Process())
    worker.suspend()
    # The first choice fails alone; the others have a new process.
    assert await asyncio.gather(*(choose(thinkers) for _ in range(30))) == [FIRST, *[LAST] * 29]


async def test_whoever_opens_many_tables_delays_only_their_own(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_last)
    order: list[str] = []

    async def ask(group: str, member: str) -> None:
        await thinkers.choose("random", GAME, GAME.headers(), STATE, (group, member))
        order.append(group)

    greedy = [asyncio.create_task(ask("flood", f"guest {number % 11}")) for number in range(330)]
    await asyncio.sleep(0)
    assert thinkers.waiting > 300
    await asyncio.gather(ask("anna", "anna"), ask("ben", "ben"))
    # One choice of the flood was already under way.
    assert order.count("flood") <= 2
    await asyncio.gather(*greedy)


async def test_a_choice_that_nobody_wants_any_more_takes_no_time(
    thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    first = asyncio.create_task(choose(thinkers))
    unwanted = [asyncio.create_task(choose(thinkers)) for _ in range(200)]
    await asyncio.sleep(0.1)
    for choice in unwanted:
        choice.cancel()
    # Otherwise this would take 200 times the patience.
    assert await choose(thinkers, "greedy") == LAST
    assert await first == FIRST


async def test_a_bot_that_fails_plays_its_first_action(thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_in_vain)
    assert await choose(thinkers) == FIRST


async def test_workers_ignore_ctrl_c(thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal Ctrl-C reaches the whole process group; the server decides when its workers stop."""
    monkeypatch.setattr(bots, "think", think_last)
    with interruptible():
        await choose(thinkers)
    (before,) = workers(psutil.Process())
    before.send_signal(signal.SIGINT)
    assert [await choose(thinkers) for _ in range(2)] == [LAST, LAST]
    (after,) = workers(psutil.Process())
    assert after.pid == before.pid


async def test_closing_does_not_wait_for_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "think", think_for_ever)
    thinkers = Thinkers(1, patience=600.0)
    choice = asyncio.create_task(choose(thinkers))
    await asyncio.sleep(0.3)
    thinkers.close()
    assert not workers(psutil.Process())
    choice.cancel()


def test_workers_end_with_a_server_that_is_killed() -> None:
    code = """
import asyncio
from tests.table.test_bots import Thinkers, choose
async def main():
    thinkers = Thinkers(2, 30.0)
    await choose(thinkers)
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
