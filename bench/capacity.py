"""What many stored tables cost: `python -m bench.capacity [--tables 100000] [--database postgresql://…]`.

It plays a few games, stores copies of them until there are as many tables as asked for (one in ten unfinished), and
prints the size of the database, how long a server takes to start on it, how much memory it needs before and after it
has loaded some tables, and what a move costs. Without --database it uses a file in a temporary folder.
"""

import argparse
import asyncio
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
from sqlalchemy import Connection, insert, select, text

from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.table.schema import events, guests, results, seeds, tables
from starfrost.table.store import Store

_AT_ONCE = 100
"""Tables that are stored in one transaction."""
_GAMES = 30
_LOADED = 2000
_MOVES = 400


class Sample(NamedTuple):
    """The rows of a table that was played."""

    table: Mapping[str, Any]
    seed: Any
    events: Sequence[Mapping[str, Any]]
    results: Sequence[Mapping[str, Any]]


async def play(service: TableService, guest: Guest, number: int, whole: bool) -> str:
    """Play a game for two on one device, to its end or to its middle; return the table."""
    kinds = (("dicy-cards", {"mode": "interglacial"}), ("dice-stars", {}))
    game, options = kinds[number % 2]
    opened = await service.open(guest, Opening(game, ("open", "open"), options), key=f"k{number}")
    for seat in (1, 2):
        await service.join(opened.table, guest, seat=seat, name=f"P{seat}", contribution="c", version=1, key=f"j{seat}")
    moves = 0
    while (view := await service.view(opened.table, guest)).status == "running" and (whole or moves < 12):
        action = next((each for each in view.legal if str(each).startswith(("score", "take"))), view.legal[0])
        await service.act(opened.table, guest, view.acting or 1, action, version=view.version, key=f"m{view.version}")
        moves += 1
    return opened.table


async def samples() -> list[Sample]:
    """Play some games, one in ten unfinished."""
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        service = TableService(Settings(database=f"{folder}/samples.db"))
        await service.start()
        guest, _ = await service.new_guest("Anna")
        ids = [await play(service, guest, number, whole=number % 10 != 9) for number in range(_GAMES)]
        found = []
        async with service._store.read() as connection:
            for table_id in ids:

                async def rows(query: Any) -> list[dict[str, Any]]:
                    return [dict(row) for row in (await connection.execute(query)).mappings()]

                [table] = await rows(select(tables).where(tables.c.id == table_id))
                [seed] = await rows(select(seeds).where(seeds.c.table_id == table_id))
                log = await rows(select(events).where(events.c.table_id == table_id).order_by(events.c.seq))
                ended = await rows(select(results).where(results.c.table_id == table_id))
                found.append(Sample(table, seed["seed"], log, ended))
        await service.stop()
    return found


async def fill(settings: Settings, count: int, played: list[Sample]) -> list[str]:
    """Store copies of the samples; return the ids of the unfinished tables."""
    store = Store(settings)
    await store.open()
    guest = secrets.token_hex(8)
    row = {"id": guest, "name": "Anna", "created": time.time()}
    await store.write(lambda connection: connection.execute(insert(guests), [row]))
    copies = islice(cycle(played), count)
    unfinished: list[str] = []
    while some := list(islice(copies, _AT_ONCE)):
        ids = [secrets.token_urlsafe(16) for _ in some]
        unfinished += [new for new, each in zip(ids, some, strict=True) if each.table["status"] == "running"]

        def work(connection: Connection, some: list[Sample] = some, ids: list[str] = ids) -> None:
            both = list(zip(ids, some, strict=True))
            own = {"host": guest, "open_key": None}
            connection.execute(
                insert(tables), [{**each.table, **own, "id": new, "invitation": new} for new, each in both]
            )
            connection.execute(insert(seeds), [{"table_id": new, "seed": each.seed} for new, each in both])
            for rows, table in (("events", events), ("results", results)):
                copied = [
                    {**line, "table_id": new, "guest": line["guest"] and guest}
                    for new, each in both
                    for line in getattr(each, rows)
                ]
                if copied:
                    connection.execute(insert(table), copied)

        await store.write(work)
    if settings.is_sqlite:
        await store.scrub()
    await store.close()
    return unfinished


async def ask(settings: Settings, query: str) -> Any:
    """Return the only value of a query."""
    store = Store(settings)
    await store.visit()
    async with store.read() as connection:
        found = (await connection.execute(text(query))).scalar()
    await store.close()
    return found


@contextmanager
def server(settings: Settings) -> Iterator[tuple[str, psutil.Process, float]]:
    """Start a server; yield its address, its process and the seconds until it was ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    limits = {
        f"STARFROST_{name}_PER_{per}": "0"
        for name, per in (("MOVES", "SECOND"), ("OPENS", "MINUTE"), ("REQUESTS", "SECOND"))
    }
    command = [sys.executable, "-m", "starfrost", "serve", "--port", str(port), "--database", settings.database]
    began = time.monotonic()
    process = subprocess.Popen(
        command, env={**os.environ, **limits, "STARFROST_LOG_LEVEL": "error"}, stdout=subprocess.DEVNULL
    )
    try:
        url = f"http://127.0.0.1:{port}"
        while True:
            try:
                if httpx.get(f"{url}/readyz").is_success:
                    break
            except httpx.TransportError:
                if process.poll() is not None:
                    raise SystemExit("The server does not come up.") from None
            time.sleep(0.02)
        yield url, psutil.Process(process.pid), time.monotonic() - began
    finally:
        process.terminate()
        process.wait()


def memory(process: psutil.Process) -> float:
    """Return the megabytes of a process."""
    return float(process.memory_info().rss) / 2**20


def load(url: str, ids: Sequence[str]) -> None:
    """Have a server load tables."""
    with httpx.Client(base_url=url) as client:
        for table_id in ids:
            client.get(f"/api/tables/{table_id}").raise_for_status()


def move(url: str, count: int) -> int:
    """Play moves one after another at a table; return how many were made."""
    with httpx.Client(base_url=url) as client:
        token = client.post("/api/guests", json={"name": "Anna"}).json()["token"]
        client.headers["authorization"] = f"Bearer {token}"
        opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": {"goal": "9000"}, "key": "k"}
        path = f"/api/tables/{client.post('/api/tables', json=opening).json()['table']}"
        for seat in (1, 2):
            client.post(f"{path}/join", json={"version": 1, "key": f"j{seat}", "seat": seat}).raise_for_status()
        for number in range(count):
            view = client.get(path).json()
            body = {"version": view["version"], "key": f"m{number}", "seat": view["acting"], "action": view["legal"][0]}
            client.post(f"{path}/act", json=body).raise_for_status()
    return count


async def on_postgres(settings: Settings, url: str) -> None:
    """Print what a move writes and tells others, as Postgres counts it."""
    import asyncpg

    heard: list[str] = []
    connection = await asyncpg.connect("postgresql://" + settings.database.split("://", 1)[1])
    await connection.add_listener("starfrost", lambda *told: heard.append(told[-1]))
    before = await connection.fetchval("SELECT pg_current_wal_lsn()")
    await asyncio.to_thread(move, url, _MOVES)
    written = await connection.fetchval("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)", before)
    await asyncio.sleep(0.5)
    await connection.close()
    print(f"{_MOVES} moves: {len(heard)} notifications, {float(written) / _MOVES:,.0f} bytes of write-ahead log a move")


def main() -> None:
    """Make the database and print the figures."""
    parser = argparse.ArgumentParser(description="What many stored tables cost.")
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--database", default="", help="an empty Postgres; a temporary file if left out")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        settings = Settings(database=asked.database or str(Path(folder) / "tables.db"))
        played = asyncio.run(samples())
        unfinished = asyncio.run(fill(settings, asked.tables, played))
        stored = asyncio.run(ask(settings, "SELECT count(*) FROM events"))
        size = (
            settings.sqlite_path.stat().st_size
            if settings.is_sqlite
            else asyncio.run(ask(settings, "SELECT pg_database_size(current_database())"))
        )
        kind = "SQLite" if settings.is_sqlite else "Postgres"
        print(
            f"{kind}: {asked.tables:,} tables ({len(unfinished):,} unfinished), {stored:,} events, "
            f"{size / 2**20:,.0f} MB"
        )
        print(f"{size / asked.tables:,.0f} bytes a table, {size / stored:,.0f} bytes an event")
        with server(settings) as (url, process, took):
            at_start = memory(process)
            spent = process.cpu_times()
            # The second figure is the same however busy the machine is.
            computing = f"{spent.user + spent.system:.1f} s of computing"
            print(f"ready after {took:.1f} s ({computing}), {at_start:,.0f} MB of memory")
            if not settings.is_sqlite:
                asyncio.run(on_postgres(settings, url))
            time.sleep(5)
            settled = memory(process)
            some = unfinished[:_LOADED]
            load(url, some)
            print(
                f"after 5 s {settled:,.0f} MB; with {len(some):,} tables loaded {memory(process):,.0f} MB: "
                f"{(memory(process) - settled) * 1024 / max(1, len(some)):.1f} KB a table"
            )


if __name__ == "__main__":
    main()
