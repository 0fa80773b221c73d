"""The coach at a table: only where all others are bots, noted in the record; practice and games from a position."""

import asyncio
from dataclasses import replace

import pytest

from starfrost.errors import RecordError
from starfrost.fair.proof import prove
from starfrost.games.record import parse_record, replay
from starfrost.table import Opening, TableService
from starfrost.table.coaching import HINT, JUDGED, coached_seat
from starfrost.table.view import DailyTable
from tests.table.helpers import guests, move, open_and_join, play_out, seen
from tests.table.test_service import refused
from tests.waiting import PATIENCE

CARDS = {"mode": "glacial", "goal": "40"}


async def my_turn(service: TableService, table: str) -> None:
    """Wait until the bots have answered."""
    async with asyncio.timeout(PATIENCE):
        while (await service.snapshot(table)).acting != 0:
            await asyncio.sleep(0.02)


async def test_the_coach_helps_only_among_bots(service: TableService) -> None:
    anna, bob = await guests(service, 2)
    alone = await open_and_join(service, [anna], bots=("greedy",))
    await service.note_help(alone, anna, HINT, 1)
    assert (await service.view(alone, anna)).coach == "ask"
    # A watcher is not helped, and sees only that help was asked for.
    assert (await service.view(alone, bob)).coach == ""
    assert await refused(service.note_help(alone, bob, HINT, 1)) == "no-coach"
    # Another person sits here, whether present, away or gone for good.
    both = await open_and_join(service, [anna, bob], "dice-stars", bots=("greedy",))
    assert await refused(service.note_help(both, anna, HINT, 1)) == "no-coach"
    version = (await seen(service, both, bob))["version"]
    await service.leave(both, bob, 2, version=version, key="leave")
    assert await refused(service.note_help(both, anna, HINT, 1)) == "no-coach"
    gone = await open_and_join(service, [bob, anna])
    version = (await seen(service, gone, bob))["version"]
    await service.resign(gone, bob, 1, version=version, key="resign")
    assert await refused(service.note_help(gone, anna, HINT, 1)) == "no-coach"
    assert {event["kind"] for event in await service.events(gone)} == {"open", "join", "bot"}


async def test_people_at_one_device_are_not_helped(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    opened = await service.open(anna, Opening("dicy-cards", ("open", "open"), CARDS), key="device")
    assert await refused(service.note_help(opened.table, anna, HINT, 1)) == "no-coach"
    for seat in (1, 2):
        await service.join(opened.table, anna, seat=seat, name=f"P{seat}", version=1, key=f"sit{seat}")
    table = await service.snapshot(opened.table)
    assert table.status == "running"
    assert coached_seat(table) is None
    assert await refused(service.note_help(opened.table, anna, HINT, 1)) == "no-coach"


async def test_nobody_is_helped_in_the_daily_game(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await service.snapshot(await open_and_join(service, [anna], bots=("greedy",)))
    assert coached_seat(table) == 0
    assert coached_seat(replace(table, daily=DailyTable("2026-11-16", counts=True, opens=0.0))) is None


async def test_help_is_noted_once_and_the_record_verifies(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], bots=("greedy",))
    await move(service, table, [anna])
    for _ in range(2):
        await service.note_help(table, anna, HINT, 2)
    await service.note_help(table, anna, JUDGED, 2)
    assert (await seen(service, table, None))["helps"] == ["hint@2", "judged@2"]
    await play_out(service, table, [anna])
    record = await service.record(table)
    assert "\ncoach: hint@2 judged@2\n" in record
    assert prove(record).finished
    # Once the game is over there is nothing left to help with.
    assert await refused(service.note_help(table, anna, HINT, 3)) == "no-coach"
    assert [event["kind"] for event in await service.events(table)].count("coach") == 2


async def test_practice_takes_back_what_bots_answered_and_never_changes_a_die(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], bots=("greedy",), coach="practice")
    await move(service, table, [anna], "roll")
    start = await service.snapshot(table)
    assert start.undo_stack == ()
    await move(service, table, [anna], "skip")
    await my_turn(service, table)
    later = await service.snapshot(table)
    assert len(later.moves) > len(start.moves) + 1
    back = await service.undo(table, anna, 1, version=later.version, key="back")
    assert back.snapshot.state == start.state
    assert list(back.snapshot.moves) == list(start.moves)
    # The same dice again, whatever was taken back.
    await move(service, table, [anna], "skip")
    await my_turn(service, table)
    again = await service.snapshot(table)
    assert again.moves[len(start.moves) + 1].action == later.moves[len(start.moves) + 1].action
    await play_out(service, table, [anna])
    record = await service.record(table)
    assert "\ncoach: practice taken-back@2\n" in record
    assert prove(record).finished


async def test_practice_is_read_again_from_the_log(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await open_and_join(service, [anna], bots=("greedy",), coach="practice")
    for action in ("roll", "skip"):
        await move(service, table, [anna], action)
    await my_turn(service, table)
    version = (await seen(service, table, anna))["version"]
    await service.undo(table, anna, 1, version=version, key="back")
    now = await service.snapshot(table)
    service._tables.drop(await service._tables.load(table))
    read = await service.snapshot(table)
    assert (read.state, list(read.moves), read.undo_stack, read.helps) == (
        now.state,
        list(now.moves),
        now.undo_stack,
        now.helps,
    )


async def test_a_game_goes_on_from_a_position(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    first = await open_and_join(service, [anna], bots=("greedy",))
    view = await play_out(service, first, [anna])
    assert view["status"] == "over"
    moves = (await service.snapshot(first)).moves
    events = tuple(str(event) for event in parse_record(await service.record(first)).events)[:5]
    opening = Opening("dicy-cards", ("open", "bot:greedy"), CARDS, coach="practice", given=events)
    second = (await service.open(anna, opening, key="try")).table
    await service.join(second, anna, version=1, key="sit")
    assert (await service.snapshot(second)).state == moves[5].before
    await play_out(service, second, [anna])
    record = await service.record(second)
    assert tuple(map(str, parse_record(record).events))[:5] == events
    assert "\ngiven: 5\n" in record
    proof = prove(record)
    assert proof.given == 5
    assert proof.rolls == sum(event.seat < 0 for event in replay(parse_record(record)).record.events[5:])
    # Only what the header names is not proven, and it cannot name more than there is.
    with pytest.raises(RecordError, match="not the sealed ones"):
        prove(record.replace("given: 5\n", ""))
    with pytest.raises(RecordError, match="number of events"):
        prove(record.replace("given: 5\n", "given: 5000\n"))


async def test_practice_and_positions_are_for_one_person(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    for opening in (
        Opening("dicy-cards", ("open", "open"), CARDS, coach="practice"),
        Opening("dicy-cards", ("open", "open"), CARDS, given=("* 665211",)),
    ):
        assert await refused(service.open(anna, opening, key="x")) == "bad-practice"
    for given in (("1 skip",), ("* 665211", "2 skip"), ("* 6652",), ("x y",), ("* 665211", "1 fly")):
        opening = Opening("dicy-cards", ("open", "bot:greedy"), CARDS, given=given)
        assert await refused(service.open(anna, opening, key="y")) == "bad-position"
