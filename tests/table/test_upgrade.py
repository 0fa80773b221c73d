"""Upgrades: several servers start together, versions work side by side, an older server waits where it must."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import create_async_engine

from starfrost.errors import Refused, UsageError
from starfrost.table import Settings, TableService
from starfrost.table.log import FORMAT, Event
from starfrost.table.schema import compatibility, events
from starfrost.table.schema import tables as table_rows
from starfrost.table.store import Store
from starfrost.table.upgrade import known_revisions, revision_of, upgrade
from starfrost.web.app import create_app
from tests.postgres import Postgres
from tests.serving import Player, Server, for_server
from tests.table.helpers import guests, move, open_and_join, play_out, running, seen, settings_for
from tests.table.old_database import FIXTURES
from tests.waiting import eventually
from tests.warm import start

OPEN = """
import asyncio, sys, time
from pathlib import Path
from starfrost.table import Settings
from starfrost.table.store import Store
from starfrost.web.logs import configure_logs

async def main():
    database, go = sys.argv[1:]
    store = Store(Settings(database=database))
    configure_logs("info")
    print("here", flush=True)
    while not Path(go).exists():
        time.sleep(0.001)
    await store.open()
    await store.close()

asyncio.run(main())
sys.exit()
"""


def open_at_once(database: str, count: int, folder: Path) -> list[tuple[int, str]]:
    """Open a database in several processes at the same moment; return how they ended and what they said."""
    go = folder / "go"
    go.unlink(missing_ok=True)
    logs = [folder / f"log{number}" for number in range(count)]
    processes = []
    for path in logs:
        with path.open("wb") as log:
            processes.append(start([database, str(go)], for_server(), log.fileno(), before=OPEN))
    eventually(lambda: all("here" in log.read_text() for log in logs))
    go.touch()
    return [(process.wait(60), log.read_text()) for process, log in zip(processes, logs, strict=True)]


@asynccontextmanager
async def connected(database: str) -> AsyncIterator[Connection]:
    """Connect to a Postgres, in a transaction."""
    engine = create_async_engine(Settings(database=database).url)
    async with engine.begin() as connection:
        yield connection
    await engine.dispose()


async def test_servers_that_start_together_migrate_a_postgres_once(postgres: Postgres, tmp_path: Path) -> None:
    """The database is that of the first release; every process is one of the next."""
    database = postgres.database()
    async with connected(database) as connection:
        await connection.run_sync(upgrade, "0001")
        guest = {"id": "g", "name": "Anna", "token_hash": "0" * 64, "created": 1.0}
        await connection.execute(text("INSERT INTO guests VALUES (:id, :name, :token_hash, :created)"), guest)
    done = open_at_once(database, 4, tmp_path)
    assert [status for status, _ in done] == [0] * 4, done
    assert sum(said.count("database upgraded") for _, said in done) == 1
    async with connected(database) as connection:
        assert await connection.run_sync(revision_of) == known_revisions()[0]
        assert (await connection.execute(text("SELECT count(*) FROM devices"))).scalar() == 1
        assert (await connection.execute(text("SELECT count(*) FROM alembic_version"))).scalar() == 1


def test_servers_that_start_together_migrate_a_file_once(tmp_path: Path) -> None:
    """One of them gets the file; another either comes after it or is told that the file is in use."""
    database = tmp_path / "tables.db"
    database.write_bytes(gzip.decompress((FIXTURES / "0.1.0.db.gz").read_bytes()))
    done = open_at_once(str(database), 4, tmp_path)
    assert sum(said.count("database upgraded") for _, said in done) == 1
    assert {status for status, _ in done} <= {0, 1}
    for status, said in done:
        assert status == 0 or "Another server already uses" in said
    assert all(status == 0 for status, _ in open_at_once(str(database), 1, tmp_path))


async def test_a_migration_that_fails_leaves_the_old_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "tables.db"
    database.write_bytes(gzip.decompress((FIXTURES / "0.1.0.db.gz").read_bytes()))

    def fails(connection: Connection) -> None:
        upgrade(connection)
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr("starfrost.table.store.upgrade", fails)
        with pytest.raises(UsageError, match="no space left"):
            await Store(Settings(database=str(database))).open()
    [(_, said)] = open_at_once(str(database), 1, tmp_path)
    assert "database upgraded from 0001" in said


WAITS = {
    "en": "This table waits until the server is upgraded. Nothing is lost.",
    "de": "Dieser Tisch wartet, bis der Server aktualisiert ist. Es geht nichts verloren.",
    "nl": "Deze tafel wacht tot de server is bijgewerkt. Er gaat niets verloren.",
    "es": "Esta mesa espera a que se actualice el servidor. No se pierde nada.",
}


async def newer_database(tmp_path: Path, oldest: str) -> Settings:
    """Make a database as a newer version leaves it: with a migration unknown here, readable from a revision on."""
    settings = settings_for(tmp_path)
    store = Store(settings)
    await store.open()

    def later(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE guests ADD COLUMN mood TEXT"))
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(update(compatibility).values(revision=oldest))

    await store.write(later)
    await store.close()
    return settings


async def test_a_newer_database_opens_if_it_may(tmp_path: Path) -> None:
    settings = await newer_database(tmp_path, known_revisions()[0])
    async with running(settings) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people)
        assert (await play_out(service, table, people))["status"] == "over"
    async with running(settings):
        pass


async def test_a_database_that_is_too_new_is_refused_in_one_sentence(tmp_path: Path) -> None:
    settings = await newer_database(tmp_path, "9999")
    with pytest.raises(UsageError, match=r"^This database was upgraded by a newer version of Starfrost; use that"):
        await Store(settings).open()


async def add_newer(service: TableService, table: str, count: int = 2) -> None:
    """Store events as a newer version may write them."""
    version = (await service.snapshot(table)).version
    rows = [Event(table, version + n, 1.0, "duel", None, None, '{"who":[1]}', FORMAT + 1) for n in range(1, count + 1)]
    moved_on = update(table_rows).where(table_rows.c.id == table).values(version=version + count)

    def work(connection: Connection) -> None:
        connection.execute(moved_on)
        connection.execute(insert(events), [row._asdict() for row in rows])

    await service._store.write(work)


async def remove_newer(service: TableService) -> None:
    await service._store.write(_remove_newer)


def _remove_newer(connection: Connection) -> None:
    last = select(func.max(events.c.seq)).where(events.c.table_id == table_rows.c.id, events.c.format <= FORMAT)
    connection.execute(delete(events).where(events.c.format > FORMAT))
    connection.execute(update(table_rows).values(version=last.scalar_subquery()))


async def refused(service: TableService, table: str, people: Sequence[object]) -> Refused:
    with pytest.raises(Refused) as refusal:
        await move(service, table, list(people))  # type: ignore[arg-type]
    return refusal.value


async def test_a_table_with_newer_events_waits_and_the_others_play_on(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people)
        other = await open_and_join(service, people, "dice-stars")
        await move(service, table, people)
        await add_newer(service, table)
        before = await seen(service, table, people[0])
        # Whoever moves now finds out that the log goes on.
        assert (await refused(service, table, people)).code == "newer"
        assert await seen(service, table, people[0]) == before
        await move(service, other, people)
    async with running(settings_for(tmp_path)) as service:
        # Read from the log: the table ends before the first event that is not understood.
        assert (await seen(service, table, people[0]))["version"] == before["version"]
        refusal = await refused(service, table, people)
        assert (refusal.code, refusal.status) == ("newer", 503)
        assert {view.id for view in await service.tables_of(people[0])} == {table, other}
        with pytest.raises(Refused, match="newer version"):
            await service.own_data.delete(people[0])
        # It is tried again with every command: no restart is needed once it can be read.
        await remove_newer(service)
        assert (await play_out(service, table, people))["status"] == "over"


async def test_a_table_that_begins_with_a_newer_event(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        people = await guests(service, 1)
        tables = [await open_and_join(service, people, game, bots=("random",)) for game in ("dicy-cards", "dice-stars")]
        query = update(events).where(events.c.table_id == tables[0]).values(format=FORMAT + 1)
        await service._store.write(lambda connection: connection.execute(query))
    async with running(settings_for(tmp_path)) as service:
        with pytest.raises(Refused) as refusal:
            await service.view(tables[0], None)
        assert refusal.value.code == "newer"
        assert [view.id for view in await service.tables_of(people[0])] == [tables[1]]
        assert (await play_out(service, tables[1], people))["status"] == "over"


async def test_a_table_of_which_nothing_is_understood_has_a_page(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        service: TableService = app.state.service
        table = await open_and_join(service, await guests(service, 1), "dice-stars")
        query = update(events).where(events.c.table_id == table).values(format=FORMAT + 1)
        await service._store.write(lambda connection: connection.execute(query))
        service._tables.drop(service._tables.in_memory()[0])
        page = await client.get(f"/t/{table}", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["retry-after"]) == (503, "1")
        for told in ("Paused for an upgrade", WAITS["en"], f'href="/t/{table}">Try again'):
            assert told in page.text


async def test_the_page_says_it_in_one_sentence(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        service: TableService = app.state.service
        guest, token = await service.new_guest("Anna")
        table = await open_and_join(service, [guest], "dice-stars")
        await add_newer(service, table)
        client.headers.update({"authorization": f"Bearer {token}", "accept-language": "de"})
        view = (await client.get(f"/api/tables/{table}")).json()
        body = {"version": view["version"], "key": "k", "seat": 1, "action": view["legal"][0]}
        answer = await client.post(f"/api/tables/{table}/act", json=body)
        assert (answer.status_code, answer.json()["code"]) == (503, "newer")
        assert answer.headers["retry-after"]
        for language, told in WAITS.items():
            page = await client.get(f"/t/{table}", headers={"accept": "text/html", "accept-language": language})
            assert page.status_code == 200
            # Below the dice, and for screen readers.
            assert page.text.count(told) >= 2
            assert f'value="{view["legal"][0]}"' not in page.text
        assert (
            "<title>Paused for an upgrade" in (await client.get(f"/t/{table}", headers={"accept-language": "en"})).text
        )
        start = (await client.get("/", headers={"accept-language": "en"})).text
        assert ">paused<" in start
        assert ">your turn<" not in start
        form = {"version": str(view["version"]), "key": "k2", "seat": "1", "action": view["legal"][0]}
        answer = await client.post(f"/t/{table}/act", data=form, headers={"x-fragment": "1"})
        assert (answer.status_code, answer.json()["reason"]) == (503, WAITS["de"])


async def test_two_versions_side_by_side(postgres: Postgres, tmp_path: Path) -> None:
    """A real server of this version; the other one, which is newer, is played by this test."""
    database = postgres.database()
    with Server(database, tmp_path / "log") as server:
        anna = Player(server.url)
        tables = [anna.open(seats=("open", "bot:random"), key=f"k{n}") for n in range(2)]
        for table in tables:
            anna.join(table, 1)
        version = anna.get(f"/tables/{tables[0]}")["version"]
        row = Event(tables[0], version + 1, 1.0, "duel", None, None, "{}", FORMAT + 1)
        async with connected(database) as connection:
            await connection.execute(insert(events), [row._asdict()])
            await connection.execute(update(table_rows).where(table_rows.c.id == row.table_id).values(version=row.seq))
        with pytest.raises(httpx.HTTPStatusError) as refusal:
            await asyncio.to_thread(anna.move, tables[0])
        assert refusal.value.response.json()["code"] == "newer"
        anna.move(tables[1])
        async with connected(database) as connection:
            await connection.run_sync(_remove_newer)
        anna.move(tables[0])
        assert "Traceback" not in server.log.read_text()
