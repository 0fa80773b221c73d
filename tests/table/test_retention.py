"""Old tables become records in the archive: nothing of a game is lost, and its events are gone."""

import json
import time

import httpx
import pytest
from sqlalchemy import func, select

from starfrost.fair.proof import prove
from starfrost.table import Guest, Opening, TableService
from starfrost.table.own_data import NOBODY
from starfrost.table.retention import Pruned
from starfrost.table.schema import archive, archive_seats, events, results, seeds, tables
from starfrost.web.app import create_app
from tests.table.helpers import DICY, guests, open_and_join, play_out, seen
from tests.table.test_own_data import rows
from tests.table.test_service import refused

DAY = 86_400.0


async def finished(service: TableService, people: list[Guest]) -> str:
    table = await open_and_join(service, people, options={**DICY, "goal": "7"})
    await play_out(service, table, people)
    return table


async def closed(service: TableService, people: list[Guest], game: str) -> str:
    table = await open_and_join(service, people, game)
    await service.close(table, people[0], version=(await seen(service, table, None))["version"], key="c")
    return table


async def scores(service: TableService) -> list[tuple[object, ...]]:
    return [(row["table_id"], row["seat"], row["score"]) for row in await rows(service, results)]


async def test_old_tables_become_records_and_the_rest_stays(service: TableService) -> None:
    people = await guests(service, 2)
    over = await finished(service, people)
    record, result = await service.record(over), await scores(service)
    unplayed = await closed(service, people, "dice-stars")
    going = await open_and_join(service, people[1:], bots=("greedy",), game="dice-stars")
    later = time.time() + 100 * DAY
    prune = service.retention.prune
    assert await prune(101, 101, later) == Pruned()
    assert await prune(99, 101, later) == Pruned(finished=1)
    assert await prune(101, 99, later) == Pruned(abandoned=1)
    assert await prune(99, 99, later) == Pruned()
    # Nobody had moved at the closed table, so there is no record of it.
    assert await refused(service.record(unplayed)) == "no-table"
    assert [row["table_id"] for row in await rows(service, archive)] == [over]
    assert await refused(service.view(over, None)) == "no-table"
    assert await service.record(over) == record == await service.past_record(over)
    assert prove(record).finished
    assert await scores(service) == result
    for table in (events, seeds, tables):
        assert {row.get("table_id", row.get("id")) for row in await rows(service, table)} == {going}


async def test_the_settings_decide(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    people = await guests(service, 2)
    await finished(service, people)
    settings = service.settings
    assert await service.retention.prune(now=time.time() + DAY * (settings.keep_finished_days - 1)) == Pruned()
    later = time.time() + DAY * (settings.keep_finished_days + 1)
    assert await service.retention.prune(now=later) == Pruned(finished=1)


async def test_a_table_that_changed_meanwhile_is_not_archived(service: TableService) -> None:
    people = await guests(service, 2)
    over = await finished(service, people)
    before = await service.snapshot(over)
    await service.rematch(over, people[0], version=before.version, key="r")
    assert not await service.archive.put(before, 1.0)
    assert (await seen(service, over, None))["status"] == "over"
    assert await rows(service, archive) == []


async def test_an_archived_game_belongs_to_its_people(service: TableService) -> None:
    (ben,), (anna, _) = await guests(service, 1), await service.new_guest("Annabella")
    both = await finished(service, [ben, anna])
    alone = await open_and_join(service, [anna], "dicy-cards", {**DICY, "goal": "7"}, ("greedy",), public=True)
    await play_out(service, alone, [anna])
    record = await service.record(both)
    assert await service.retention.prune(1, 1, time.time() + 2 * DAY) == Pruned(finished=2)
    files = {name: text async for name, text, _ in service.own_data.files(anna)}
    assert {record, await service.record(alone)} < set(files.values())
    assert len(json.loads(files["data.json"])["archive_seats"]) == 2
    await service.own_data.delete(anna)
    assert await service.record(both) == record.replace("Annabella", NOBODY)
    assert prove(await service.record(both)).finished
    assert await refused(service.record(alone)) == "no-table"
    assert [row["guest"] for row in await rows(service, archive_seats)] == [ben.id, None]
    # When the last of them goes, the record goes too.
    await service.own_data.delete(ben)
    assert await rows(service, archive) == await rows(service, archive_seats) == await rows(service, results) == []


async def test_pages_of_an_archived_table_show_its_replay(service: TableService) -> None:
    people = await guests(service, 2)
    over = await finished(service, people)
    settings = service.settings
    await service.retention.prune(1, 1, time.time() + 2 * DAY)
    await service.stop()
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table.test") as client:
            for path in (f"/t/{over}", f"/after/{over}"):
                answer = await client.get(path)
                assert (answer.status_code, answer.headers["location"]) == (303, f"/replay/{over}")
            page = await client.get(f"/replay/{over}")
            assert page.status_code == 200
            assert "Guest 1" in page.text
            assert (await client.get(f"/api/tables/{over}/record")).status_code == 200
            assert (await client.get("/t/nowhere")).status_code == 404
    await service.start()


async def test_many_tables_are_archived_in_several_steps(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starfrost.table.retention._SOME", 2)
    people = await guests(service, 2)
    for number in range(5):
        opened = await service.open(people[0], Opening("dicy-cards", ("open", "open"), DICY), key=f"o{number}")
        await service.close(opened.table, people[0], version=1, key="c")
    assert await service.retention.prune(1, 1, time.time() + 2 * DAY) == Pruned(abandoned=5)
    async with service._store.read() as connection:
        assert (await connection.execute(select(func.count()).select_from(events))).scalar() == 0
