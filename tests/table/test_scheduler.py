"""Clocks, downtime, bots and tables that everybody forgot."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from sqlalchemy import select

from starfrost.table import Guest, Opening, Snapshot, TableService
from starfrost.table.clocks import CLOCKS
from starfrost.table.scheduler import Scheduler
from starfrost.table.schema import tables as tables_row
from starfrost.table.tasks import end, guarded
from tests.table.helpers import guests, move, open_and_join, play_out, refuse_writes, running, seen, settings_for
from tests.table.test_bots import workers

LONG = {"mode": "glacial", "goal": "900"}


@pytest.fixture
def short_clock(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setitem(CLOCKS, "30s", 1.2)
    return 1.2


async def eventually(service: TableService, table: str, kind: str) -> dict[str, object]:
    for _ in range(400):
        for event in await service.events(table):
            if event["kind"] == kind:
                return event
        await asyncio.sleep(0.05)
    raise AssertionError(f"no event {kind}")


async def test_an_absent_players_seat_goes_to_a_bot_and_comes_back(service: TableService, short_clock: float) -> None:
    people = await guests(service, 2)
    anna = people[0]
    table = await open_and_join(service, people, clock="30s", options={"mode": "glacial", "goal": "900"})
    began = (await service.events(table))[-1]["at"]
    event = await eventually(service, table, "bot")
    assert (event["seat"], event["why"]) == (1, "clock")
    assert event["at"] >= began + short_clock
    view = await seen(service, table, anna)
    assert view["seats"][0]["kept_for_you"]
    await service.join(table, anna, version=view["version"], key="back")
    assert (await seen(service, table, anna))["seats"][0]["yours"]


async def test_without_a_clock_nobody_is_replaced(service: TableService, short_clock: float) -> None:
    people = await guests(service, 2)
    without = await open_and_join(service, people)
    assert (await seen(service, without, None))["deadline"] is None
    with_clock = await open_and_join(service, people, "dice-stars", clock="30s")
    # The table without a clock was opened first: its players have been away for longer.
    await eventually(service, with_clock, "bot")
    assert [event["kind"] for event in await service.events(without)] == ["open", "join", "join"]


async def test_a_bots_turn_has_no_deadline_and_a_move_sets_it_anew(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, bot_pace=600.0)) as service:
        people = await guests(service, 1)
        table = await open_and_join(service, people, bots=("random",), clock="2min")
        deadlines = []
        while (view := await seen(service, table, None))["acting"] == 1:
            assert view["deadline"] == pytest.approx((await service.events(table))[-1]["at"] + 120, abs=0.01)
            deadlines.append(view["deadline"])
            await move(service, table, people)
        assert len(deadlines) > 1
        assert deadlines == sorted(set(deadlines))
        assert view["acting"] == 2
        assert view["deadline"] is None


async def test_downtime_is_not_charged(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with running(settings) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people, clock="2min")
        deadline = (await seen(service, table, None))["deadline"]
    stopped = time.time()
    await asyncio.sleep(1.0)
    async with running(settings) as service:
        down = time.time() - stopped
        later = (await seen(service, table, None))["deadline"]
        assert 0.9 <= later - deadline <= down + 0.5
        # Downtime that ended before a move was made is not given twice.
        await move(service, table, people)
        view = await seen(service, table, None)
        assert view["deadline"] == pytest.approx((await service.events(table))[-1]["at"] + 120, abs=0.01)


@pytest.fixture
async def slow_beat(tmp_path: Path) -> AsyncIterator[TableService]:
    """Give a service for which a busy machine is no downtime."""
    async with running(settings_for(tmp_path, beat=5.0)) as service:
        yield service


async def test_a_jump_of_the_clock_costs_nobody_a_seat(
    slow_beat: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = slow_beat
    people = await guests(service, 2)
    table = await open_and_join(service, people, clock="30s")
    scheduler = service._scheduler
    # A process that was suspended for an hour looks at the clocks first, before its next heartbeat.
    await end(scheduler._tasks)
    await scheduler._heartbeat()
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600)
    assert (await seen(service, table, None))["deadline"] < time.time()
    await scheduler._look_after()
    assert [event["kind"] for event in await service.events(table)] == ["open", "join", "join"]
    assert (await seen(service, table, None))["deadline"] > time.time()
    # Without a heartbeat nobody can be judged.
    monkeypatch.setattr(time, "time", lambda: now() + 7200)
    refuse_writes(service)
    await guarded(scheduler._look_after)
    refuse_writes(service, False)
    assert len(await service.events(table)) == 3
    # Set back again, the clock leaves no downtime in the future, and goes on.
    monkeypatch.setattr(time, "time", now)
    await scheduler._heartbeat()
    assert all(began <= ended <= now() for began, ended in scheduler.downtimes)
    deadline = (await seen(service, table, None))["deadline"]
    assert now() < deadline < now() + 60
    monkeypatch.setattr(time, "time", lambda: now() + 0.5)
    await scheduler._heartbeat()
    assert all(ended <= now() for _, ended in scheduler.downtimes)
    # Whoever really lets the time pass loses the seat as before.
    monkeypatch.setitem(CLOCKS, "30s", 0.1)
    await service._store.set_due(0.0, [table])
    await scheduler._look_after()
    assert (await service.events(table))[3]["kind"] == "bot"


async def back_at_people(service: TableService, tables: list[str], versions: list[int]) -> None:
    """Wait until the bots of all tables have answered a move and it is a person's turn again."""
    for table, version in zip(tables, versions, strict=True):
        while (view := await seen(service, table, None))["acting"] != 1 or view["version"] <= version:
            await asyncio.sleep(0.02)


async def tables_of_bots(service: TableService, count: int) -> tuple[list[Guest], list[str]]:
    people = await guests(service, count)
    return people, [await open_and_join(service, [one], bots=("greedy",), options=LONG) for one in people]


async def hand_over(service: TableService, people: list[Guest], tables: list[str]) -> list[int]:
    """Let the person of every table move until it is the bot's turn; return the versions."""
    versions = []
    for guest, table in zip(people, tables, strict=True):
        while await move(service, table, [guest]) is not None and (await seen(service, table, None))["acting"] == 1:
            pass
        versions.append((await seen(service, table, None))["version"])
    return versions


async def test_all_tables_move_again_after_the_worker_was_suspended(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, bot_patience=1.0)) as service:
        people, tables = await tables_of_bots(service, 12)
        await back_at_people(service, tables[:1], await hand_over(service, people[:1], tables[:1]))
        (worker,) = workers(psutil.Process())
        worker.suspend()
        versions = await hand_over(service, people[:6], tables[:6])
        # The time of the others is not up when that of the first ones is.
        await asyncio.sleep(5)
        versions += await hand_over(service, people[6:], tables[6:])
        await asyncio.wait_for(back_at_people(service, tables, versions), 100)


async def test_a_choice_that_hangs_stops_only_its_own_table(tmp_path: Path) -> None:
    """With the workers that a server has unless told otherwise."""
    async with running(settings_for(tmp_path, bot_patience=600.0)) as service:
        people, tables = await tables_of_bots(service, 6)
        await back_at_people(service, tables[:1], await hand_over(service, people[:1], tables[:1]))
        (worker,) = workers(psutil.Process())
        worker.suspend()
        stuck = await hand_over(service, people[:1], tables[:1])
        await asyncio.wait_for(
            back_at_people(service, tables[1:], await hand_over(service, people[1:], tables[1:])), 100
        )
        assert (await seen(service, tables[0], None))["acting"] == 2
        worker.kill()
        await asyncio.wait_for(back_at_people(service, tables[:1], stuck), 100)


async def test_a_table_whose_bots_were_forgotten_is_woken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(settings_for(tmp_path)) as service:
        people, tables = await tables_of_bots(service, 2)
        scheduler = service._scheduler
        # Neither a task that was ended nor an error that nobody expected stops a game.
        with monkeypatch.context() as broken:
            broken.setattr(scheduler, "_play_bot", None)
            versions = await hand_over(service, people, tables)
            await asyncio.sleep(0)
        await end([scheduler._playing[tables[0]]])
        await asyncio.wait_for(back_at_people(service, tables, versions), 100)


async def test_a_bot_whose_action_is_never_allowed_plays_the_first_legal_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nonsense(*arguments: object) -> str:
        return "fly"

    async with running(settings_for(tmp_path)) as service:
        monkeypatch.setattr(service._scheduler._bots, "choose", nonsense)
        people, tables = await tables_of_bots(service, 1)
        await asyncio.wait_for(back_at_people(service, tables, await hand_over(service, people, tables)), 100)


def test_downtimes_add_up_and_a_longer_deadline_meets_the_next_one() -> None:
    class Clocked:
        clock = "30s"
        acting = 0
        moved_at = 100.0
        seats = (type("S", (), {"kind": "person"}),)

    def due(*downtimes: tuple[float, float]) -> float | None:
        return Snapshot.deadline(Clocked(), list(downtimes))  # type: ignore[arg-type]

    assert due() == 130
    assert due((50, 90)) == 130
    assert due((90, 110)) == 140
    assert due((110, 120), (125, 130)) == 145
    assert due((120, 140), (145, 1145)) == 1150
    assert due((131, 140)) == 130


async def test_bots_play_a_whole_game_among_themselves(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    seats = ("bot:random", "bot:greedy")
    table = (await service.open(anna, Opening("dicy-cards", seats, {"mode": "glacial", "goal": "30"}), key="k")).table
    assert (await play_out(service, table, []))["status"] == "over"
    from starfrost.fair.proof import prove

    assert prove(await service.record(table)).finished


async def test_a_bot_left_alone_by_a_crash_is_woken(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, bot_pace=60.0)
    async with running(settings) as service:
        people = await guests(service, 1)
        table = await open_and_join(service, people, bots=("random",))
        while (await seen(service, table, None))["acting"] == 1:
            await move(service, table, people)
        version = (await seen(service, table, None))["version"]
    async with running(settings_for(tmp_path)) as service:
        for _ in range(200):
            view = await seen(service, table, people[0])
            if view["version"] > version:
                break
            await asyncio.sleep(0.05)
        assert view["version"] > version


async def test_a_start_looks_only_at_what_the_process_before_was_doing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    async def look(self: Scheduler, table_id: str) -> None:
        looked.append(table_id)

    async with running(settings_for(tmp_path, bot_pace=600.0, beat=5.0)) as service:
        people, tables = await tables_of_bots(service, 2)
        await hand_over(service, people[:1], tables[:1])
        await open_and_join(service, await guests(service, 2))
        # As if it had been killed: nothing is given back.
        await end(list(service._scheduler._playing.values()))
    monkeypatch.setattr(Scheduler, "_look_at", look)
    async with running(settings_for(tmp_path, beat=5.0)):
        for _ in range(400):
            if looked:
                break
            await asyncio.sleep(0.05)
    assert looked == tables[:1]


async def test_a_table_is_claimed_once_and_given_back(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    await end(service._scheduler._tasks)
    store = service._store
    assert await store.claim_due(5, 100.0) == []
    await store.set_due(0.0, [table])
    assert await store.claim_due(5, 100.0) == [table]
    assert await store.claim_due(5, 100.0) == []
    await service._scheduler._look_at(table)
    async with store.read() as connection:
        due = (await connection.execute(select(tables_row.c.due).where(tables_row.c.id == table))).scalar_one()
    assert due == pytest.approx((await service.events(table))[-1]["at"] + 30 * 86_400, abs=0.01)
    # A later time than the stored one is stored only if that comes soon.
    await move(service, table, people)
    async with store.read() as connection:
        assert (await connection.execute(select(tables_row.c.due).where(tables_row.c.id == table))).scalar() == due


async def test_forgotten_tables_are_closed_and_their_envelope_opened(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people)
    async with running(settings_for(tmp_path, idle_days=0.0)) as service:
        await service._store.set_due(0.0, [table])
        assert (await eventually(service, table, "close"))["why"] == "idle"
        assert (await seen(service, table, None))["seed"] is not None


async def test_unused_tables_leave_memory_and_come_back(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, keep_hot=0.5)) as service:
        people = await guests(service, 2)
        table = await open_and_join(service, people)
        watched = await open_and_join(service, people, "dice-stars")
        before = await service.events(table)
        stream = service.watch(watched, None)
        await anext(stream)
        in_memory = service._tables.in_memory
        assert {found.id for found in in_memory()} == {table, watched}
        for _ in range(400):
            if table not in {found.id for found in in_memory()}:
                break
            await asyncio.sleep(0.05)
        # One that somebody watches stays.
        assert [found.id for found in in_memory()] == [watched]
        assert await service.events(table) == before
        await move(service, table, people)
        assert (await seen(service, table, None))["version"] == 4
        await stream.aclose()


async def test_a_rematch_moves_the_seats_on(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people, bots=("random",), options={"mode": "glacial", "goal": "5"})
    view = await play_out(service, table, people)
    offers = await asyncio.gather(
        service.rematch(table, anna, version=view["version"], key="r"),
        service.rematch(table, bob, version=view["version"], key="r"),
        return_exceptions=True,
    )
    made = [offer.event["table"] for offer in offers if not isinstance(offer, BaseException)]
    assert len(made) == 1
    (new,) = made
    assert (await seen(service, table, None))["rematch"] == new
    fresh = await seen(service, new, bob)
    assert [seat["name"] for seat in fresh["seats"]] == ["Guest 2", "random", "Guest 1"]
    assert [seat["kept_for_you"] for seat in fresh["seats"]] == [True, False, False]
    assert fresh["commitment"] != view["commitment"]
    assert fresh["previous"] == table
    await _sit(service, new, [bob, anna])
    assert (await seen(service, new, None))["status"] == "running"
    assert (await seen(service, new, anna))["seats"][2]["yours"]
    # Whoever else looks sees no guest's id.
    assert anna.id not in str(await service.events(new))


async def _sit(service: TableService, table: str, people: list[Guest]) -> None:
    for guest in people:
        await service.join(table, guest, version=1, key="back")


async def test_a_task_that_misses_its_cancelling_is_ended_all_the_same() -> None:
    """`wait_for` of Python 3.11 returns instead of being cancelled when its wait ends at the same moment."""
    missed = 0

    async def stubborn() -> None:
        nonlocal missed
        while True:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                missed += 1
                if missed > 2:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await asyncio.wait_for(end([task]), 10)
    assert task.cancelled()


async def test_stopping_while_bots_think_leaves_no_worker(tmp_path: Path) -> None:
    earlier = workers(psutil.Process())
    for _ in range(2):
        async with running(settings_for(tmp_path)) as service:
            (anna,) = await guests(service, 1)
            opening = Opening("dicy-cards", ("bot:greedy",) * 2, {"goal": "900"})
            table = (await service.open(anna, opening, key="k")).table
            while (await seen(service, table, None))["version"] < 4:
                await asyncio.sleep(0.02)
    started = [process for process in workers(psutil.Process()) if process not in earlier]
    _, alive = psutil.wait_procs(started, timeout=10)
    assert not alive
