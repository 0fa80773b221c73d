"""Everything about a guest in one download, and deleting it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean, Float, Integer, LargeBinary, Table, insert, select

from starfrost.fair.proof import prove
from starfrost.games.record import parse_record
from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.table import own_data as own_data_module
from starfrost.table.own_data import NOBODY, personal_tables
from starfrost.table.schema import events, metadata, results, seeds, tables
from tests.postgres import Postgres
from tests.table.helpers import DICY, guests, move, open_and_join, play_out, running, seen, settings_for
from tests.table.test_service import refused


async def rows(service: TableService, table: Table) -> list[dict[str, Any]]:
    async with service._store.read() as connection:
        return [dict(row) for row in (await connection.execute(select(table))).mappings()]


async def everything(service: TableService) -> str:
    """Return all rows of the store as one text."""
    return json.dumps([await rows(service, table) for table in metadata.sorted_tables], default=repr)


def made_up(table: Table, guest: str) -> dict[str, Any]:
    """Return a row of a table that belongs to a guest."""
    row: dict[str, Any] = {}
    for column in table.c:
        if isinstance(column.type, Float | Integer):
            row[column.name] = 1
        elif isinstance(column.type, LargeBinary):
            row[column.name] = b"1"
        elif isinstance(column.type, Boolean):
            row[column.name] = True
        else:
            row[column.name] = "{}"
    return {**row, "guest": guest}


async def fill(service: TableService, guest: Guest) -> list[str]:
    """Add a row about a guest to every personal table; return the tables' names."""
    for table in personal_tables():
        await service._store.write(
            lambda connection, table=table: connection.execute(insert(table), [made_up(table, guest.id)])
        )
    return [table.name for table in personal_tables()]


async def test_nothing_remains_of_a_guest(service: TableService) -> None:
    anna, token = await service.new_guest("Annabella")
    ben, _ = await service.new_guest("Ben")
    for game in ("dicy-cards", "dice-stars"):
        await open_and_join(service, [anna], game, bots=("greedy",))
    await service.devices.new_phrase(anna)
    names = await fill(service, anna)
    assert {"devices", "carriers", "push_subscriptions"} <= set(names)
    before = await everything(service)
    assert anna.id in before
    await service.own_data.delete(anna)
    after = await everything(service)
    assert anna.id not in after
    assert "Annabella" not in after
    assert await service.find_guest(token) is None
    assert await service.find_guest("x") is None
    for table in (events, tables, seeds, results):
        assert await rows(service, table) == []
    # Nobody else is touched, and the store takes further writes.
    assert ben.id in after
    await service.new_guest("Cleo")


async def test_the_file_does_not_hold_the_name_any_more(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        anna, _ = await service.new_guest("Annabella")
        people = [anna, *await guests(service, 1)]
        await open_and_join(service, people, bots=("random",))
        await open_and_join(service, [anna], "dice-stars", bots=("random",))
        await service.own_data.delete(anna)
        assert b"Annabella" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


async def test_a_game_that_others_played_stays_without_the_name(service: TableService) -> None:
    (ben, cleo), (anna, _) = await guests(service, 2), await service.new_guest("Annabella")
    people = [anna, ben]
    table = await open_and_join(service, people)
    await seen(service, table, ben)
    await play_out(service, table, people)
    rematch = await service.rematch(table, ben, version=(await seen(service, table, ben))["version"], key="r")
    record = await service.record(table)
    stored = len(await service.events(table))
    await service.own_data.delete(anna)
    view = await seen(service, table, ben)
    assert [seat["name"] for seat in view["seats"]] == [NOBODY, "Guest 1"]
    assert view["status"] == "over"
    assert await service.record(table) == record.replace("Annabella", NOBODY)
    assert prove(await service.record(table)).finished
    assert len(await service.events(table)) == stored
    assert "Annabella" not in json.dumps([await service.events(table), await service.events(rematch.event["table"])])
    after = await everything(service)
    assert "Annabella" not in after
    assert anna.id not in after
    # Ben's other games go on: the seat that was kept in the rematch is free.
    again = rematch.event["table"]
    assert not any(seat["reserved"] for seat in (await seen(service, again, ben))["seats"] if seat["seat"] == 2)
    invitation = (await seen(service, again, ben))["invitation"]
    await service.join(again, cleo, version=1, key="j", invitation=invitation)
    # When the last of them goes, the game goes too.
    await service.own_data.delete(ben)
    assert await refused(seen(service, table, cleo)) == "no-table"


async def test_a_running_game_goes_on_with_a_bot(service: TableService) -> None:
    (ben,), (anna, _) = await guests(service, 1), await service.new_guest("Annabella")
    table = await open_and_join(service, [anna, ben])
    await move(service, table, [anna, ben])
    heard: list[int] = []
    version = (await seen(service, table, ben))["version"]

    async def watch() -> None:
        async for signal in service.watch(table, ben, version):
            if signal.kind == "version":
                heard.append(signal.version)
                return

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    await service.own_data.delete(anna)
    await asyncio.wait_for(watching, 10)
    view = await seen(service, table, ben)
    assert view["seats"][0] | {"name": NOBODY, "kind": "bot", "away": "left"} == view["seats"][0]
    assert view["host"]
    assert (await play_out(service, table, [ben]))["status"] == "over"
    assert prove(await service.record(table)).finished


async def test_a_waiting_table_gets_another_host(service: TableService) -> None:
    (ben,), (anna, _) = await guests(service, 1), await service.new_guest("Annabella")
    opened = await service.open(anna, Opening("dicy-cards", ("open",) * 3, DICY, public=True), key="o")
    for guest in (anna, ben):
        await service.join(opened.table, guest, version=1, key="j")
    await service.own_data.delete(anna)
    view = await seen(service, opened.table, ben)
    assert [seat["kind"] for seat in view["seats"]].count("open") == 2
    assert view["host"]
    # A public table with nobody else at it is not offered any more.
    dora, _ = await service.new_guest("Dora")
    await service.open(dora, Opening("dicy-cards", ("open",) * 2, DICY, public=True), key="o")
    assert len(await service.open_tables()) == 2
    await service.own_data.delete(dora)
    assert len(await service.open_tables()) == 1


async def test_what_arrives_during_the_deletion_is_deleted_too(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = asyncio.Event()

    async def pause(seconds: float) -> None:
        await late.wait()

    monkeypatch.setattr(own_data_module, "_pause", pause)
    anna, _ = await service.new_guest("Annabella")
    await open_and_join(service, [anna], bots=("random",))
    await service.own_data.delete(anna)
    # A request that was already on its way.
    await open_and_join(service, [anna], "dice-stars", bots=("random",))
    assert anna.id in await everything(service)
    late.set()
    for _ in range(200):
        await asyncio.sleep(0.02)
        if anna.id not in await everything(service):
            return
    raise AssertionError("a late request left something behind")


async def test_the_download_holds_everything(service: TableService) -> None:
    (ben,), (anna, token) = await guests(service, 1), await service.new_guest("Annabella", "Firefox, Linux")
    over = await open_and_join(service, [anna, ben], options={**DICY, "goal": "7"})
    await play_out(service, over, [anna, ben])
    await open_and_join(service, [anna, ben], "dice-stars")
    await service.devices.new_phrase(anna)
    names = await fill(service, anna)
    files = {name: text async for name, text, _ in service.own_data.files(anna)}
    facts = json.loads(files.pop("data.json"))
    records = list(files.values())
    assert set(names) < set(facts)
    assert all(facts[name] for name in names)
    assert facts["guests"][0]["name"] == "Annabella"
    assert "Firefox, Linux" in [device["label"] for device in facts["devices"]]
    assert len(facts["tables"]) == 2
    assert any(event["kind"] == "join" and event["body"]["name"] == "Annabella" for event in facts["events"])
    assert len(records) == 2
    assert await service.record(over) in records
    assert sum("seed" in parse_record(record).headers for record in records) == 1
    # Nothing that another person or device could use.
    assert token not in json.dumps(facts)
    assert ben.id not in json.dumps(facts)
    assert "hash" not in json.dumps(facts)


async def test_other_processes_forget_too(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2)
    async with running(settings) as first, running(settings) as second:
        (ben,), (anna, token) = await guests(first, 1), await first.new_guest("Annabella")
        table = await open_and_join(first, [anna, ben])
        await move(first, table, [anna, ben])
        alone = await open_and_join(first, [anna], "dice-stars", bots=("greedy",))
        for service in (first, second):
            assert "Annabella" in json.dumps(await seen(service, table, ben))
            assert await service.find_guest(token) == anna
            await seen(service, alone, None)
        await fill(first, anna)
        await first.own_data.delete(anna)
        for _ in range(400):
            shown = json.dumps([await seen(second, table, ben), await second.events(table)])
            if "Annabella" not in shown and await second.find_guest(token) is None:
                break
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("the other process still knows the name")
        assert await refused(seen(second, alone, None)) == "no-table"
        assert (await seen(second, table, ben))["seats"][0]["kind"] == "bot"
        left = await everything(second)
        assert anna.id not in left
        assert "Annabella" not in left
