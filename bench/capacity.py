"""What many stored tables cost: `python -m bench.capacity [--tables 100000] [--postgres]`.

It plays a few games, has the database copy them until there are as many tables as asked for (one in ten unfinished, of
2,000 guests), and prints the size of the database, how long a server takes to start on it, how much memory it needs
before and after it has loaded some tables, and what a move costs. It uses a SQLite file in a temporary folder, with
--postgres a Postgres that it starts for itself, and with --database any empty Postgres.
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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx
import psutil
from sqlalchemy import Column, Connection, MetaData, String, Table, case, insert, null, select, text, update

from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.table.schema import events, guests, results, seeds, tables
from starfrost.table.store import Store
from tests.postgres import Postgres

_AT_ONCE = 10_000
"""Tables that are copied in one transaction."""
_GAMES = 30
_GUESTS = 2000
_LOADED = 2000
_MOVES = 400

_copies = Table(
    "bench_copies",
    MetaData(),
    Column("id", String(32), primary_key=True),
    Column("sample", String(32)),
    Column("guest", String(32)),
)


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


async def samples(settings: Settings) -> list[str]:
    """Play some games, one in ten unfinished; return their tables."""
    service = TableService(settings)
    await service.start()
    guest, _ = await service.new_guest("Anna")
    played = [await play(service, guest, number, whole=number % 10 != 9) for number in range(_GAMES)]
    await service.stop()
    return played


async def fill(settings: Settings, count: int, played: list[str]) -> list[str]:
    """Store copies of tables until there are so many; return the ids of the unfinished ones."""
    store = Store(settings)
    await store.visit()
    people = [secrets.token_hex(8) for _ in range(_GUESTS)]
    now = time.time()
    named = [{"id": each, "name": "Anna", "created": now} for each in people]
    await store.write(lambda connection: connection.execute(insert(guests), named))
    # In the order of their ids, which is that of the index.
    ids = sorted(secrets.token_urlsafe(16) for _ in range(count - len(played)))
    rows = zip(ids, cycle(played), cycle(people), strict=False)
    while some := list(islice(rows, _AT_ONCE)):

        def work(connection: Connection, some: list[tuple[str, str, str]] = some) -> None:
            _copies.create(connection)
            connection.execute(insert(_copies), [dict(zip(_copies.c.keys(), row, strict=True)) for row in some])
            copy(
                connection,
                tables,
                "id",
                id=_copies.c.id,
                host=_copies.c.guest,
                invitation=_copies.c.id,
                open_key=null(),
            )
            for table in (seeds, events, results):
                copy(connection, table, "table_id", table_id=_copies.c.id)
            _copies.drop(connection)

        await store.write(work)
    due = case((tables.c.status == "running", now + 86_400 * settings.idle_days), else_=null())
    at_rest = update(tables).values(owner=None, due=due)
    await store.write(lambda connection: connection.execute(at_rest))
    await store.scrub()
    query = select(tables.c.id).where(tables.c.status == "running")
    async with store.read() as connection:
        unfinished = list((await connection.execute(query)).scalars())
        if not settings.is_sqlite:
            # As the autovacuum of a Postgres that has grown over months has done long ago.
            await connection.commit()
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("VACUUM ANALYZE"))
    await store.close()
    return unfinished


def copy(connection: Connection, table: Table, key: str, **changes: Any) -> None:
    """Copy the rows of the sample tables in the database itself; people become those of the copies."""
    if "guest" in table.c:
        changes["guest"] = case((table.c.guest.is_(None), null()), else_=_copies.c.guest)
    columns = [changes.get(column.name, column) for column in table.c]
    found = select(*columns).join_from(_copies, table, table.c[key] == _copies.c.sample)
    order = (_copies.c.id, table.c.seq) if "seq" in table.c else (_copies.c.id,)
    connection.execute(insert(table).from_select(table.c.keys(), found.order_by(*order)))


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
    """Have a server load tables, as their owner: each is watched for a moment."""
    with httpx.Client(base_url=url) as client:
        for table_id in ids:
            with client.stream("GET", f"/api/tables/{table_id}/stream") as answer:
                answer.raise_for_status()
                next(answer.iter_raw())


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
    parser.add_argument(
        "--postgres", action="store_true", help="a Postgres that is started for this, instead of a file"
    )
    parser.add_argument("--database", default="", help="an empty Postgres, instead of a file")
    asked = parser.parse_args()
    with ExitStack() as stack:
        if asked.postgres:
            cluster = Postgres().create()
            stack.callback(cluster.remove)
            asked.database = cluster.database()
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="starfrost-bench-"))
        measure(Settings(database=asked.database or str(Path(folder) / "tables.db")), asked.tables)


def measure(settings: Settings, count: int) -> None:
    """Fill a database and print what it costs."""
    played = asyncio.run(samples(settings))
    with server(settings) as (_, process, took):
        print(f"with {len(played)} tables {start(process, took)}", flush=True)
    began = time.monotonic()
    unfinished = asyncio.run(fill(settings, count, played))
    filled = time.monotonic() - began
    stored = asyncio.run(ask(settings, "SELECT count(*) FROM events"))
    if settings.is_sqlite:
        kind, size = "SQLite", settings.sqlite_path.stat().st_size
    else:
        kind, size = "Postgres", asyncio.run(ask(settings, "SELECT pg_database_size(current_database())"))
    print(
        f"{kind}: {count:,} tables ({len(unfinished):,} unfinished), {stored:,} events, {size / 2**20:,.0f} MB "
        f"(filled in {filled:.0f} s)\n{size / count:,.0f} bytes a table, {size / stored:,.0f} bytes an event"
    )
    with server(settings) as (url, process, took):
        print(f"with {count:,} tables {start(process, took)}", flush=True)
        if not settings.is_sqlite:
            asyncio.run(on_postgres(settings, url))
        time.sleep(5)
        settled, spent = memory(process), computing(process)
        some = unfinished[:_LOADED]
        load(url, some)
        print(
            f"after 5 s {settled:,.0f} MB, {spent:.1f} s of computing in all; "
            f"with {len(some):,} tables loaded {memory(process):,.0f} MB: "
            f"{(memory(process) - settled) * 1024 / max(1, len(some)):.1f} KB a table"
        )


def start(process: psutil.Process, took: float) -> str:
    """Return what the start of a server has cost."""
    # The second figure is the same however busy the machine is.
    return f"ready after {took:.1f} s ({computing(process):.1f} s of computing), {memory(process):,.0f} MB of memory"


def computing(process: psutil.Process) -> float:
    """Return the seconds of processor time that a process has used."""
    spent = process.cpu_times()
    return float(spent.user + spent.system)


if __name__ == "__main__":
    main()
