"""`kill -9` again and again under load: no acknowledged move is lost, none is doubled, every finished game verifies."""

import asyncio
import os
import random
import sqlite3
import statistics
import time
from pathlib import Path

from tests.serving import Server
from tests.torture.clients import Crowd

KILLS = int(os.environ.get("STARFROST_TORTURE_KILLS", "5"))


async def test_a_server_killed_again_and_again(tmp_path: Path) -> None:
    rng = random.Random(7)
    with Server(str(tmp_path / "t.db"), tmp_path / "log", fresh=True) as server:
        crowd = Crowd([server.url], 8)
        resumed: list[float] = []

        async def kill() -> None:
            await crowd.moved_since(time.monotonic())
            for _ in range(KILLS):
                await asyncio.sleep(rng.uniform(0.02, 0.4))
                before = crowd.moves
                server.kill()
                began = time.monotonic()
                server.start(wait=False)
                resumed.append(await crowd.moved_since(began))
                assert crowd.moves > before

        await crowd.run(kill)
        finished = await crowd.check()
        server.stop()
    assert finished >= 8
    assert len(resumed) == KILLS
    assert statistics.median(resumed) < server.resume_limit
    with sqlite3.connect(tmp_path / "t.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        keys, different = (
            "SELECT count(key) FROM events",
            "SELECT count(*) FROM (SELECT DISTINCT table_id, key FROM events)",
        )
        assert database.execute(keys).fetchone()[0] <= database.execute(different).fetchone()[0]
    print(
        f"{KILLS} kills, {crowd.told}, {finished} games proved, none lost or doubled; resumed in {max(resumed):.1f} s"
    )
