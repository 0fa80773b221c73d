"""The tables of one device: what is kept, and what happens when nothing can be kept."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from starfrost.errors import Refused
from starfrost.here.tables import GAME, ME, TABLE, Tables
from starfrost.table.opening import Opening
from starfrost.table.view import Guest

ANNA = Guest(ME, "Anna")


class Device:
    """A device with room for what is kept, or without."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.full = False
        self.tables = self.opened()

    def opened(self) -> Tables:
        """Return the tables as they are when the app is opened."""
        return Tables(self.keep, dict(self.kept), lambda table, version: None)

    async def keep(self, texts: Mapping[str, str]) -> None:
        if self.full:
            raise OSError("no room")
        self.kept |= texts

    async def begin(self) -> str:
        opening = Opening("dicy-cards", ("open", "open"), {"goal": "5"})
        table = (await self.tables.open(ANNA, opening, key="one")).table
        for name in ("Anna", "Ben"):
            version = (await self.tables.snapshot(table)).version
            await self.tables.join(table, ANNA, name=name, version=version, key=name)
        return table

    async def act(self, table: str) -> None:
        now = await self.tables.snapshot(table)
        action = next(str(one) for one in now.legal if not str(one).startswith("reroll"))
        seat = int(now.acting or 0) + 1
        await self.tables.act(table, ANNA, seat, action, version=now.version, key=f"{now.version}")


async def test_a_full_device_loses_nothing_and_says_so() -> None:
    device = Device()
    table = await device.begin()
    await device.act(table)
    before = (await device.tables.snapshot(table)).version
    device.full = True
    with pytest.raises(Refused) as refused:
        await device.act(table)
    assert (refused.value.code, refused.value.status) == ("no-storage", 507)
    assert (await device.tables.snapshot(table)).version == before
    device.full = False
    await device.act(table)
    device.tables = device.opened()
    assert (await device.tables.snapshot(table)).version == before + 1


async def test_a_finished_game_waits_for_the_server_from_its_last_move_on() -> None:
    device = Device()
    table = await device.begin()
    for _ in range(500):
        assert GAME + table not in device.kept
        await device.act(table)
        # An update comes in the middle of the game: the next app reads the same log.
        device.tables = device.opened()
        if (await device.tables.snapshot(table)).status == "over":
            break
    told = json.loads(device.kept[GAME + table])
    assert told["mine"] == [True, True]
    assert "winners:" in told["record"]
    assert json.loads(device.kept[TABLE + table])["status"] == "over"
    (played,) = await device.tables.page(ME, 5)
    assert [seat.name for seat in played.seats if seat] == ["Anna", "Ben"]


async def test_bots_answer_and_a_move_can_be_taken_back_before() -> None:
    device = Device()
    opening = Opening("dice-stars", ("open", "bot:greedy"))
    table = (await device.tables.open(ANNA, opening, key="one")).table
    await device.tables.join(table, ANNA, version=1, key="sit")
    while (await device.tables.snapshot(table)).acting == 0:
        await device.act(table)
    now = await device.tables.snapshot(table)
    assert now.undoable == 0
    await device.tables.undo(table, ANNA, 1, version=now.version, key="back")
    assert (await device.tables.snapshot(table)).acting == 0
    await device.act(table)
    await device.tables.press_on(table, ANNA, 1)
    while (await device.tables.snapshot(table)).waits_for_bot:
        await asyncio.sleep(0.01)
    assert any(move.seat == 1 for move in (await device.tables.snapshot(table)).moves)
