"""Leaving, running out of time, coming back, and what becomes of a table that everybody left."""

import asyncio
from typing import Any

import pytest

from starfrost.table import Guest, Refused, TableService, clocks
from starfrost.table.clocks import CLOCKS
from tests.table.helpers import guests, move, open_and_join, play_out, seen

LONG = {"mode": "glacial", "goal": "900"}


@pytest.fixture
def short_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLOCKS, "30s", 0.3)


async def refused(command: Any) -> str:
    with pytest.raises(Refused) as refusal:
        await command
    return refusal.value.code


async def leave(service: TableService, table: str, guest: Guest, seat: int) -> None:
    version = (await seen(service, table, None))["version"]
    await service.leave(table, guest, seat, version=version, key=f"leave-{version}")


async def come_back(service: TableService, table: str, guest: Guest, seat: int | None = None) -> dict[str, Any]:
    version = (await seen(service, table, None))["version"]
    return (await service.join(table, guest, seat=seat, version=version, key=f"back-{version}")).event


async def test_the_seat_of_whoever_leaves_is_kept_for_them(service: TableService) -> None:
    anna, ben, cleo = await guests(service, 3)
    table = await open_and_join(service, [anna, ben], options=LONG, public=True)
    await leave(service, table, ben, 2)
    theirs = (await seen(service, table, ben))["seats"][1]
    assert (theirs["kept_for_you"], theirs["takeable"], theirs["away"]) == (True, True, "left")
    # The others may not have it yet, not even at a public table, and neither may the host.
    for other in (anna, cleo):
        assert not (await seen(service, table, other))["seats"][1]["takeable"]
    assert await refused(come_back(service, table, cleo, 2)) == "seat-kept"
    back = await come_back(service, table, ben)
    assert (back["seat"], back["name"], back["back"]) == (2, "Guest 2", True)
    assert (await seen(service, table, ben))["seats"][1]["yours"]


async def test_later_others_may_take_the_seat_unless_its_player_is_back(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben, cleo = await guests(service, 3)
    table = await open_and_join(service, [anna, ben], options=LONG)
    invitation = (await seen(service, table, anna))["invitation"]
    await leave(service, table, ben, 2)
    monkeypatch.setattr(clocks, "SEAT_KEPT", 0.0)
    version = (await seen(service, table, None))["version"]
    # A private table still wants an invitation.
    assert await refused(come_back(service, table, cleo, 2)) == "no-invitation"
    assert not (await service.view(table, cleo)).seats[1].takeable
    assert (await service.view(table, cleo, invitation)).seats[1].takeable
    await service.join(table, cleo, seat=2, invitation=invitation, version=version, key="j")
    assert (await seen(service, table, None))["seats"][1]["name"] == "Guest 3"
    assert await refused(come_back(service, table, ben, 2)) == "no-invitation"
    assert not (await seen(service, table, ben))["seats"][1]["kept_for_you"]


async def test_with_a_long_clock_the_seat_is_kept_for_one_move(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "SEAT_KEPT", 0.0)
    anna, ben, cleo = await guests(service, 3)
    table = await open_and_join(service, [anna, ben], options=LONG, public=True, clock="1day")
    await leave(service, table, ben, 2)
    snapshot = await service.snapshot(table)
    seat = snapshot.seats[1]
    assert not snapshot.may_return(seat, cleo.id, False, seat.since + 86_399)
    assert snapshot.may_return(seat, cleo.id, False, seat.since + 86_400)
    assert snapshot.may_return(seat, ben.id, False, seat.since)


async def test_whoever_comes_back_keeps_the_name_of_the_seat(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], options=LONG, bots=("random",))
    await leave(service, table, anna, 1)
    renamed = await service.rename_guest(anna, "Arctic fox")
    assert (await come_back(service, table, renamed))["name"] == "Guest 1"


async def until(service: TableService, table: str, status: str) -> dict[str, Any]:
    for _ in range(600):
        view = await seen(service, table, None)
        if view[status]:
            return view
        await asyncio.sleep(0.02)
    raise AssertionError(f"never {status}")


async def test_a_game_that_everybody_left_waits_and_goes_on(service: TableService) -> None:
    anna, ben = people = await guests(service, 2)
    table = await open_and_join(service, people, options={"mode": "glacial", "goal": "20"}, bots=("random",))
    await leave(service, table, ben, 2)
    # One person is enough for the bots to play on.
    assert not (await seen(service, table, None))["paused"]
    await leave(service, table, anna, 1)
    view = await seen(service, table, None)
    assert view["paused"]
    await asyncio.sleep(0.2)
    assert (await seen(service, table, None))["version"] == view["version"]
    await come_back(service, table, ben)
    assert not (await seen(service, table, None))["paused"]
    assert (await play_out(service, table, people))["status"] == "over"


async def test_when_all_run_out_of_time_the_table_waits_for_one_of_them(
    service: TableService, short_clock: None
) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, options=LONG, clock="30s")
    view = await until(service, table, "paused")
    assert [seat["away"] for seat in view["seats"]] == ["clock", "clock"]
    events = await service.events(table)
    assert [event["seat"] for event in events if event["kind"] == "bot"] == [1, 2]
    for guest in people:
        await come_back(service, table, guest)
    view = await seen(service, table, None)
    assert [seat["kind"] for seat in view["seats"]] == ["person", "person"]
    assert await move(service, table, people) is not None


async def test_a_paused_table_is_paused_when_it_is_read_again(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], options=LONG, bots=("random",))
    await leave(service, table, anna, 1)
    before = (await service.snapshot(table)).changes
    service._tables.drop(await service._tables.load(table))
    snapshot = await service.snapshot(table)
    assert snapshot.paused
    assert snapshot.changes == before
    assert [(change.seat, change.what, change.name) for change in before] == [(1, "left", "Guest 1")]


@pytest.mark.parametrize("way", ["left", "resigned", "clock"])
async def test_whoever_was_away_at_the_end_may_ask_for_a_rematch(
    service: TableService, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = people = await guests(service, 2)
    goal = {"mode": "glacial", "goal": "5"}
    if way == "clock":
        monkeypatch.setitem(CLOCKS, "30s", 0.3)
    table = await open_and_join(service, people, options=goal, clock="30s" if way == "clock" else "none")
    if way == "clock":
        # Anna moves in time until the end; Ben does not.
        while (await seen(service, table, None))["status"] == "running":
            await move(service, table, [anna])
            await asyncio.sleep(0.02)
    else:
        command = service.leave if way == "left" else service.resign
        await command(table, ben, 2, version=3, key="gone")
        await play_out(service, table, [anna])
    view = await seen(service, table, ben)
    assert view["seats"][1]["away"] == way
    assert view["member"]
    new = (await service.rematch(table, ben, version=view["version"], key="r")).event["table"]
    fresh = await seen(service, new, ben)
    assert [(seat["name"], seat["kept_for_you"]) for seat in fresh["seats"]] == [("Guest 2", True), ("Guest 1", False)]
    # The other finds it among their tables, without having seen the offer.
    assert new in {found.id for found in await service.tables_to_play(anna)}
    await service.join(new, ben, version=1, key="j")
    await service.join(new, anna, version=2, key="j")
    assert (await seen(service, new, None))["status"] == "running"
