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
from starfrost.table.append import Append
from starfrost.table.log import Event, TableRow
from starfrost.table.schema import metadata
from starfrost.table.settings import Settings
from starfrost.table.store import Conflict, Opened, Store, Version, Write
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


def opened(table: str) -> Opened:
    row = TableRow(table, "g", "waiting", "none", False, f"i{table}", None, 0.0)
    return Opened(row, Seed.fresh(), Event(table, 1, 0.0, "open", "g", None, "{}"), 10.0)


def event(table: str, seq: int, key: str | None = None) -> Event:
    return Event(table, seq, round(seq / 7, 3), "act", "g", key, '{"name":"Zo\u00eb \\"x\\""}')


def appended(one: Event, status: str | None = None, epoch: int = 0) -> Write:
    return Write(Append(one, epoch, 10.0, status))


async def test_each_write_is_stored_as_a_whole_or_not_at_all(settings: Settings) -> None:
    store = Store(settings)
    await store.open()
    first, second, third = (event("T", seq, f"g:{seq}") for seq in (2, 3, 4))
    assert await store.append([Write(opens=(opened("T"),)), Write(opens=(opened("U"),))]) == [True, True]
    assert await store.append([appended(first)]) == [True]
    # Too late, too early, decided on a log that has been rewritten, or at a table that is gone.
    other = event("U", 2)
    for wrong in (appended(first), appended(third), appended(second, epoch=1), appended(event("X", 1))):
        assert await store.append([wrong]) == [False]
        assert await store.append([wrong, Write(opens=(opened("T"),))]) == [False, False]
    # The tables of others do not suffer, nor does what is stored with an event that is not.
    late = appended(first)._replace(invites=(("T", "g", 1.0),), opens=(opened("V"),))
    assert await store.append([late, appended(other), Write(opens=(opened("W"),))]) == [False, True, True]
    assert await store.table("V") is None
    assert await store.table("W") is not None
    with pytest.raises(Conflict):
        await store.append([appended(second._replace(key="g:2")), appended(event("U", 3))])
    assert await store.log("T", 1) == [first]
    assert await store.append([appended(second, "running")]) == [True]
    assert await store.append([appended(third, "over")._replace(invites=(("T", "g", 1.0),))]) == [True]
    assert await store.log("T", 1) == [first, second, third]
    assert await store.log("U", 1) == [other]
    assert await store.versions(["T", "U", "X"]) == {"T": Version(4, 0), "U": Version(2, 0)}
    found = await store.table("T")
    assert found is not None
    assert found[0].status == "over"
    await store.close()


@pytest.mark.parametrize("count", [1, 200])
async def test_many_moves_are_stored_at_once(settings: Settings, count: int) -> None:
    store = Store(settings)
    await store.open()
    names = [f"T{number:03}" for number in range(count)]
    assert all(await store.append([Write(opens=(opened(name),)) for name in names]))
    assert await store.append([appended(event(name, 2, "g:2")) for name in reversed(names)]) == [True] * count
    # A third of them is too late.
    seqs = [2 if number % 3 == 0 else 3 for number in range(count)]
    writes = [appended(event(name, seq, f"g:{seq}")) for name, seq in zip(names, seqs, strict=True)]
    assert await store.append(writes) == [seq == 3 for seq in seqs]
    for name, seq in zip(names, seqs, strict=True):
        assert (await store.log(name, 1))[-1] == event(name, seq, f"g:{seq}")
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
