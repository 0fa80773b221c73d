"""What the store promises: durable, migrated, one server a file."""

import asyncio
from pathlib import Path
from secrets import token_bytes

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from starfrost.errors import UsageError
from starfrost.fair.dice import Seed
from starfrost.table.schema import metadata
from starfrost.table.settings import Settings
from starfrost.table.store import Conflict, Event, Store, TableRow, Write
from tests.postgres import Postgres
from tests.table.helpers import settings_for


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if request.param == "sqlite":
        return settings_for(tmp_path)
    cluster: Postgres = request.getfixturevalue("postgres")
    return Settings(database=cluster.database())


async def test_migrations_make_the_schema_and_run_once(settings: Settings) -> None:
    for _ in range(2):
        store = Store(settings)
        await store.open()
        assert await store.write(differences) == []
        await store.close()


async def test_a_commit_means_the_disk(settings: Settings) -> None:
    store = Store(settings)
    await store.open()
    expected: dict[str, object] = {"SHOW synchronous_commit": "on", "SHOW fsync": "on"}
    if settings.is_sqlite:
        expected = {"PRAGMA synchronous": 2, "PRAGMA journal_mode": "wal"}  # 2 is FULL
    for query, value in expected.items():
        assert await store.write(lambda connection, query=query: connection.execute(text(query)).scalar()) == value
    await store.close()


async def test_all_or_nothing(settings: Settings) -> None:
    store = Store(settings)
    await store.open()
    row = TableRow("T", "g", "waiting", "none", False, "i", None, 0.0)
    first = Event("T", 1, 0.0, "open", "g", None, "{}")
    await store.append([Write((first,), ((row, Seed.fresh()),))])
    second = Event("T", 2, 0.0, "join", "g", "k", "{}")
    for clash in (first, second._replace(seq=3)):
        other = Event("T", 9, 0.0, "join", "g", "other", "{}")
        with pytest.raises(Conflict):
            await store.append([Write((second,)), Write((other,)), Write((clash,))])
        assert [event.seq for event in await store.log("T")] == [1]
    await store.append([Write((second,), (), ("T", "running"))])
    assert await store.log("T", 1) == [second]
    assert await store.versions(["T", "U"]) == {"T": 2}
    found = await store.table("T")
    assert found is not None
    assert found[0].status == "running"
    await store.close()


@pytest.mark.parametrize("count", [1, 64, 65, 200])
async def test_many_moves_at_once_are_stored_all_or_none(settings: Settings, count: int) -> None:
    store = Store(settings)
    await store.open()
    row = TableRow("T", "g", "running", "none", False, "i", None, 0.0)
    await store.append([Write((), ((row, Seed.fresh()),))])
    moves = [Event("T", seq, seq / 7, "act", "g", f"g:{seq}", '{"seat":1}') for seq in range(1, count + 1)]
    await store.append([Write((move,)) for move in moves])
    assert await store.log("T") == moves
    later = [move._replace(seq=move.seq + count, key=f"{move.key}-again") for move in moves]
    with pytest.raises(Conflict):
        await store.append([*(Write((move,)) for move in later[:-1]), Write((later[-1]._replace(key="g:1"),))])
    assert await store.log("T") == moves
    await store.append([Write((move,)) for move in later])
    assert await store.log("T") == moves + later
    await store.close()


@pytest.mark.parametrize("name", ["/proc/t.db"])
async def test_files_that_cannot_be_are_told(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        await Store(Settings(database=name)).open()


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    path.write_bytes(b"Dear Anna, " * 1000)
    with pytest.raises(UsageError, match="cannot be opened"):
        await Store(Settings(database=str(path))).open()


async def test_all_processes_agree_on_a_key(settings: Settings) -> None:
    # SQLite serves one process, whose tasks may ask together.
    stores = [Store(settings) for _ in range(1 if settings.is_sqlite else 3)]
    for store in stores:
        await store.open()
    keys = await asyncio.gather(*(store.server_key("k", lambda: token_bytes(8)) for store in stores * 4))
    assert len(set(keys)) == 1
    for store in stores:
        await store.close()
