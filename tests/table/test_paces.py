"""The pace of bots: how long the server waits before their moves, counted instead of waited for."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from starfrost.table import Guest, Settings, TableService, scheduler
from starfrost.table.paces import PACES
from tests.table.helpers import guests, move, open_and_join, running, seen, settings_for

GAMES = ("dicy-cards", "dice-stars")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note every wait before a bot's move instead of waiting."""
    noted: list[float] = []

    async def note(seconds: float) -> None:
        noted.append(seconds)

    monkeypatch.setattr(scheduler, "pause", note)
    return noted


@pytest.fixture
async def paced(tmp_path: Path) -> AsyncIterator[TableService]:
    async with running(settings_for(tmp_path, bot_pace=1.0)) as service:
        yield service


async def play_turn(service: TableService, table: str, people: list[Guest]) -> None:
    """Play until the bots have moved and it is a person's turn again."""
    bots_moved = False
    for _ in range(2000):
        view = await seen(service, table, None)
        bots_moved |= view["turn"] > len(people)
        if bots_moved and view["turn"] == 1:
            return
        if await move(service, table, people) is None:
            await asyncio.sleep(0.01)
    raise AssertionError("the bots do not move")


@pytest.mark.parametrize("game", GAMES)
async def test_calm_brisk_and_at_once_differ(paced: TableService, game: str, waits: list[float]) -> None:
    lengths = {}
    for pace in ("calm", "brisk", "instant"):
        (anna,) = people = await guests(paced, 1)
        paced.wish_pace(anna, pace)
        options = {"mode": "glacial", "goal": "900"} if game == "dicy-cards" else {}
        table = await open_and_join(paced, people, game, options, bots=("greedy",) * 3)
        waits.clear()
        await play_turn(paced, table, people)
        assert len(waits) >= 3
        lengths[pace] = max(waits)
    assert lengths == {"calm": 1.0, "brisk": pytest.approx(0.5), "instant": 0.0}


@pytest.mark.parametrize(("clock", "longest"), [("none", 0.0), ("2min", 4.5)])
async def test_the_fastest_wish_counts_and_with_a_clock_the_slowest(
    paced: TableService, waits: list[float], clock: str, longest: float
) -> None:
    people = await guests(paced, 2)
    for guest, pace in zip(people, ("calm", "instant"), strict=True):
        paced.wish_pace(guest, pace)
    table = await open_and_join(paced, people, options={"goal": "900"}, bots=("greedy",), clock=clock)
    await play_turn(paced, table, people)
    assert max(waits) == longest


async def test_a_bot_thinks_while_it_waits(paced: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice is asked for before the wait: a wait that ends never starts the thinking."""
    order: list[str] = []
    choose = paced._scheduler._bots.choose

    async def thinking(*arguments: object) -> str:
        order.append("think")
        return await choose(*arguments)  # type: ignore[arg-type]

    async def waiting(seconds: float) -> None:
        # Lets the task that thinks begin, as every wait does.
        await asyncio.sleep(0)
        order.append("wait")

    monkeypatch.setattr(paced._scheduler._bots, "choose", thinking)
    monkeypatch.setattr(scheduler, "pause", waiting)
    people = await guests(paced, 1)
    table = await open_and_join(paced, people, "dice-stars", bots=("greedy",))
    await play_turn(paced, table, people)
    assert order[:2] == ["think", "wait"]


async def test_the_time_for_an_undo_follows_the_pace_too(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, undo_grace=100.0)) as service:
        left = {}
        for pace in ("calm", "brisk", "instant"):
            (anna,) = await guests(service, 1)
            service.wish_pace(anna, pace)
            table = await open_and_join(service, [anna], "dice-stars", bots=("greedy",))
            stream = service.watch(table, anna)
            await anext(stream)
            await move(service, table, [anna], "draw 3")
            moved = (await move(service, table, [anna])).event["at"]
            held = (await service.view(table, anna)).held
            assert held is not None
            left[pace] = round(held - moved)
            await stream.aclose()
        assert left == {"calm": 100, "brisk": 85, "instant": 25}
    # At once: a round of bots with the usual time for an undo takes less than a second.
    assert PACES["instant"].grace * Settings.model_fields["undo_grace"].default < 0.5


async def test_nobody_waits_for_an_undo_of_a_move_that_was_the_only_one(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, undo_grace=600.0)) as service:
        (anna,) = await guests(service, 1)
        options = {"mode": "glacial", "goal": "900"}
        table = await open_and_join(service, [anna], options=options, bots=("random",))
        stream = service.watch(table, anna)
        await anext(stream)
        choices = set()
        while len(choices) < 2:
            state = await service.snapshot(table)
            if state.acting != 0:
                choices.add(state.had_choice)
                assert (await service.view(table, anna)).held is None or state.had_choice
                await service.press_on(table, anna, 1)
                await asyncio.sleep(0.01)
            else:
                await move(service, table, [anna])
        await stream.aclose()
