"""People who vanish where no clock runs: the others may let a bot play until they return."""

import asyncio
import time
import types
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from starfrost.table import Guest, Refused, Settings, TableService, presence, schema
from tests.postgres import Postgres
from tests.table.helpers import empty_database, guests, open_and_join, running, seen, settings_for

LONG = {"mode": "glacial", "goal": "900"}
Ahead = Callable[[float], None]


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> Ahead:
    """Give a function that moves the clock by which people are gone forward."""
    moved = [0.0]
    clock = types.SimpleNamespace(time=lambda: time.time() + moved[0])
    monkeypatch.setattr(presence, "time", clock)

    def go(seconds: float) -> None:
        moved[0] += seconds

    return go


async def stand_in(service: TableService, table: str, guest: Guest, seat: int = 1, key: str = "s") -> dict[str, Any]:
    version = (await seen(service, table, None))["version"]
    return (await service.stand_in(table, guest, seat, version=version, key=key)).event


async def refused(service: TableService, table: str, guest: Guest, seat: int = 1) -> str:
    with pytest.raises(Refused) as refusal:
        await stand_in(service, table, guest, seat)
    return refusal.value.code


async def gone(service: TableService, table: str, guest: Guest | None) -> int | None:
    found: int | None = (await seen(service, table, guest))["gone"]
    return found


async def test_after_two_minutes_a_bot_may_play_until_the_person_returns(service: TableService, ahead: Ahead) -> None:
    anna, ben, cleo = await guests(service, 3)
    table = await open_and_join(service, [anna, ben], options=LONG, public=True)
    ahead(119)
    assert await gone(service, table, ben) is None
    assert await refused(service, table, ben) == "not-gone"
    ahead(2)
    assert await gone(service, table, ben) == 1
    # Watchers see it and cannot do anything; neither does anybody play for somebody for whom nobody waits.
    assert await gone(service, table, None) == 1
    assert await refused(service, table, cleo) == "not-your-seat"
    assert await refused(service, table, ben, 2) == "not-gone"
    event = await stand_in(service, table, ben)
    assert (event["kind"], event["seat"], event["why"], event["by"]) == ("bot", 1, "left", 2)
    # The same command again gets the same answer, although nobody is gone any more.
    assert await stand_in(service, table, ben) == event
    view = await service.view(table, anna)
    assert (view.gone, view.seats[0].away, view.seats[0].kept_for_you) == (None, "gone", True)
    assert [(change.seat, change.what) for change in view.changes] == [(1, "gone")]
    version = view.version
    back = (await service.join(table, anna, version=version, key="back")).event
    assert (back["seat"], back["back"]) == (1, True)


async def test_whoever_asks_for_the_table_is_there(service: TableService, ahead: Ahead) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=LONG)
    ahead(121)
    # A page that comes back, or a program that asks.
    assert await gone(service, table, anna) is None
    assert await gone(service, table, ben) is None
    assert await refused(service, table, ben) == "not-gone"
    ahead(121)
    assert await gone(service, table, ben) == 1


async def test_whoever_has_a_page_open_is_there_however_long_they_think(service: TableService, ahead: Ahead) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=LONG)
    async with aclosing(service.watch(table, anna)) as stream:
        await anext(stream)
        ahead(3600)
        assert await gone(service, table, ben) is None
        await service._presence.look()
    # The page was closed just now: it may only be loaded anew.
    assert await gone(service, table, ben) is None
    ahead(119)
    assert await gone(service, table, ben) is None
    ahead(2)
    assert await gone(service, table, ben) == 1


async def test_the_time_runs_from_when_somebody_is_waited_for(
    service: TableService, ahead: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=LONG)
    ahead(200)
    assert await gone(service, table, ben) == 1
    # Neither does the time count in which the server was down.
    now = time.time() + 200
    monkeypatch.setattr(service.tables, "downtimes", lambda: [(now - 150, now - 10)])
    assert await gone(service, table, ben) is None
    ahead(111)
    assert await gone(service, table, ben) == 1


async def test_a_clock_decides_by_itself(service: TableService, ahead: Ahead) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=LONG, clock="1day")
    ahead(500)
    assert await gone(service, table, ben) is None
    assert await refused(service, table, ben) == "not-gone"


async def stored(service: TableService) -> list[tuple[Any, ...]]:
    async with service._store.read() as connection:
        rows = (await connection.execute(select(schema.presence).order_by(schema.presence.c.at))).all()
    return [tuple(row) for row in rows]


async def test_another_process_knows_who_is_there(tmp_path: Path, ahead: Ahead) -> None:
    empty_database(tmp_path)
    async with running(settings_for(tmp_path)) as first:
        people = await guests(first, 2)
        anna = people[0]
        table = await open_and_join(first, people, options=LONG)
        async with aclosing(first.watch(table, anna)) as stream:
            await anext(stream)
            ahead(500)
            await first._presence.look()
            (row,) = await stored(first)
            assert row[:2] == (table, anna.id)
            # It is stored again only now and then, as long as the page is open.
            ahead(29)
            await first._presence.look()
            assert await stored(first) == [row]
            ahead(2)
            await first._presence.look()
            (later,) = await stored(first)
            assert later[2] == pytest.approx(row[2] + 31, abs=5)
        # What this process has in memory is forgotten: so it is for another one.
        other = presence.Presence(first.tables)
        snapshot = await first.snapshot(table)
        assert await other.gone(snapshot) is None
        ahead(121)
        assert await other.gone(snapshot) == 1


async def test_any_server_of_a_postgres_tells_who_is_there(postgres: Postgres, ahead: Ahead) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, bots_alone=True)
    async with running(settings) as first, running(settings) as second:
        anna, ben = people = await guests(first, 2)
        table = await open_and_join(first, people, options=LONG)
        async with aclosing(first.watch(table, anna)) as stream:
            await anext(stream)
            ahead(500)
            await first._presence.look()
            assert await gone(second, table, ben) is None
            ahead(31)
            await first._presence.look()
        ahead(119)
        assert await gone(second, table, ben) is None
        ahead(10)
        # That the page was closed is told to the other process.
        while anna.id in second.streams.watchers(table).guests:
            await asyncio.sleep(0.01)
        assert await gone(second, table, ben) == 1


async def test_little_is_stored_and_not_for_long(service: TableService, ahead: Ahead) -> None:
    anna, ben, cleo = await guests(service, 3)
    both = await open_and_join(service, [anna, ben], options=LONG)
    alone = await open_and_join(service, [cleo], game="dice-stars", bots=("random",))
    for guest in (anna, cleo):
        await seen(service, both, guest)
        await seen(service, alone, guest)
    await service._presence.look()
    # Nobody waits for whoever plays against bots, or for watchers.
    assert [row[:2] for row in await stored(service)] == [(both, anna.id)]
    ahead(600)
    await seen(service, both, ben)
    await service._presence.look()
    assert [row[:2] for row in await stored(service)] == [(both, ben.id)]
    assert set(service._presence._seen) == {(both, ben.id)}


async def test_a_sign_of_life_tells_everybody_who_is_gone(service: TableService, ahead: Ahead) -> None:
    anna, ben = await guests(service, 2)
    table = await open_and_join(service, [anna, ben], options=LONG)

    async def told() -> int | None:
        async with aclosing(service.watch(table, ben, (await service.snapshot(table)).version)) as signals:
            async for signal in signals:
                if signal.kind == "ping":
                    found: int | None = signal.data["gone"]
                    return found
        raise AssertionError("the stream ended")

    for expected in (None, 1):
        asked = asyncio.create_task(told())
        await asyncio.sleep(0.05)
        await service._presence.ping()
        assert await asked == expected
        ahead(presence.GONE + 1)
