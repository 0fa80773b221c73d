"""Trouble with Postgres: one of two servers killed, and Postgres itself stopped and started."""

import asyncio
import os
import random
import statistics
import time
from pathlib import Path

from tests.postgres import Postgres
from tests.serving import Server
from tests.torture.clients import Crowd

KILLS = max(4, int(os.environ.get("STARFROST_TORTURE_KILLS", "8")) // 4)


async def test_two_servers_one_killed(postgres: Postgres, tmp_path: Path) -> None:
    rng = random.Random(8)
    database = postgres.database()
    with Server(database, tmp_path / "log1") as first, Server(database, tmp_path / "log2") as second:
        crowd = Crowd([first.url, second.url], 6)
        resumed: list[float] = []

        async def kill() -> None:
            await crowd.moved_since(time.monotonic())
            for number in range(KILLS):
                await asyncio.sleep(rng.uniform(0.05, 0.4))
                victim = (first, second)[number % 2]
                victim.kill()
                # The other one carries on without a restart.
                resumed.append(await crowd.moved_since(time.monotonic()))
                victim.start(wait=False)
                await asyncio.to_thread(victim.wait_until_ready)

        await crowd.run(kill)
        finished = await crowd.check()
    assert finished >= 6
    assert statistics.median(resumed) < first.resume_limit


async def test_postgres_itself_stopped_and_started(tmp_path: Path) -> None:
    cluster = Postgres().create()
    try:
        database = cluster.database()
        with Server(database, tmp_path / "log1") as first, Server(database, tmp_path / "log2") as second:
            crowd = Crowd([first.url, second.url], 6)
            resumed: list[float] = []

            async def stop_and_start() -> None:
                await crowd.moved_since(time.monotonic())
                for mode in ("immediate", "fast", "immediate"):
                    await asyncio.sleep(0.5)
                    await asyncio.to_thread(cluster.stop, mode)
                    down = crowd.moves
                    await asyncio.sleep(0.5)
                    assert crowd.moves == down, "a move was acknowledged without a store"
                    await asyncio.to_thread(cluster.start)
                    resumed.append(await crowd.moved_since(time.monotonic()))

            await crowd.run(stop_and_start)
            finished = await crowd.check()
            assert crowd.refusals.get("storage", 0) > 0
        assert finished >= 6
        assert statistics.median(resumed) < first.resume_limit
    finally:
        cluster.remove()
