"""Trouble with Postgres: one of two servers killed, and Postgres itself stopped and started."""

import asyncio
import os
import random
import signal
import statistics
import time
from pathlib import Path

from tests.postgres import Postgres
from tests.serving import Server
from tests.torture.clients import Crowd

KILLS = int(os.environ.get("STARFROST_TORTURE_KILLS", "5"))


async def test_two_servers_killed_suspended_and_stopped(postgres: Postgres, tmp_path: Path) -> None:
    """Every move goes to another server, some to both at once, while one of the two goes and comes back."""
    rng = random.Random(8)
    database = postgres.database()
    with (
        Server(database, tmp_path / "log1", fresh=True) as first,
        Server(database, tmp_path / "log2") as second,
    ):
        # How long the first start took says how fast the machine is; nobody waits for the next ones.
        first.fresh = False
        crowd = Crowd([first.url, second.url], 6, races=True)
        resumed: list[float] = []

        async def trouble() -> None:
            await crowd.moved_since(time.monotonic())
            for number in range(KILLS):
                await asyncio.sleep(rng.uniform(0, 0.4))
                victim = (first, second)[number % 2]
                assert victim.process is not None
                if number % 5 == 3:
                    # Suspended until the other one plays its bots, it goes on as if nothing had happened.
                    victim.process.send_signal(signal.SIGSTOP)
                    await asyncio.sleep(3.0)
                    victim.process.send_signal(signal.SIGCONT)
                    resumed.append(await crowd.moved_since(time.monotonic()))
                    continue
                if number % 5 == 4:
                    await asyncio.to_thread(victim.stop)
                else:
                    victim.kill()
                # The other one carries on without a restart.
                resumed.append(await crowd.moved_since(time.monotonic()))
                victim.start(wait=False)
                await asyncio.to_thread(victim.wait_until_ready, 600)

        await crowd.run(trouble)
        finished = await crowd.check()
    assert finished >= 6
    assert crowd.raced > 0
    assert statistics.median(resumed) < first.resume_limit
    print(
        f"{KILLS} kills, {crowd.told}, {finished} games proved, none lost or doubled; resumed in {max(resumed):.1f} s"
    )


async def test_postgres_itself_stopped_and_started(tmp_path: Path) -> None:
    cluster = Postgres().create()
    try:
        database = cluster.database()
        with (
            Server(database, tmp_path / "log1", fresh=True) as first,
            Server(database, tmp_path / "log2") as second,
        ):
            crowd = Crowd([first.url, second.url], 6)
            resumed: list[float] = []

            async def stop_and_start() -> None:
                await crowd.moved_since(time.monotonic())
                for mode in ("immediate", "fast", "immediate"):
                    await asyncio.sleep(0.5)
                    await asyncio.to_thread(cluster.stop, mode)
                    stopped = time.monotonic()
                    await asyncio.sleep(0.5)
                    # Answers to earlier moves may still be on their way.
                    assert crowd.last_begun <= stopped, "a move was acknowledged without a store"
                    await asyncio.to_thread(cluster.start)
                    resumed.append(await crowd.moved_since(time.monotonic()))

            await crowd.run(stop_and_start)
            finished = await crowd.check()
            assert crowd.refusals.get("storage", 0) > 0
        assert finished >= 6
        assert statistics.median(resumed) < first.resume_limit
    finally:
        cluster.remove()
