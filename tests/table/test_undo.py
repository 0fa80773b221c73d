import asyncio
from pathlib import Path

import pytest

from starfrost.errors import Refused
from starfrost.fair.proof import prove
from starfrost.table import Guest, Opening, TableService
from starfrost.table.tasks import end
from tests.table.helpers import acting_view, guests, move, open_and_join, play_out, running, seen, settings_for
from tests.table.test_service import refused


async def test_a_take_can_be_taken_back_until_dice_fall(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people, "dice-stars")
    await move(service, table, people, "draw 3")
    before = (await service.snapshot(table)).state
    assert await refused(service.undo(table, anna, 1, version=4, key="u")) == "nothing-to-undo"
    await move(service, table, people)
    view = await seen(service, table, anna)
    assert view["undo"] == [1]
    assert (await seen(service, table, bob))["undo"] == []
    # Not another's move.
    assert await refused(service.undo(table, bob, 2, version=5, key="u")) == "nothing-to-undo"
    undone = await service.undo(table, anna, 1, version=5, key="u")
    assert undone.event["of"] == 5
    assert await service.undo(table, anna, 1, version=5, key="u") == undone
    assert (await service.snapshot(table)).state == before
    # Once the next player has drawn, the move stands.
    await move(service, table, people)
    version = (await seen(service, table, bob))["version"]
    await service.act(table, bob, 2, (await seen(service, table, bob))["legal"][0], version=version, key="d")
    assert await refused(service.undo(table, anna, 1, version=version + 1, key="u2")) == "nothing-to-undo"


async def test_undo_never_changes_a_die(service: TableService) -> None:
    """Take, undo, take otherwise: the next roll is the one that was sealed for that place, whatever was undone."""
    people = await guests(service, 2)
    table = await open_and_join(service, people, "dicy-cards", {"mode": "glacial", "goal": "400"})
    for _ in range(30):
        view = await acting_view(service, table, people)
        if view["legal"] == ["roll"] or view["state"]["phase"] != "act":
            await move(service, table, people)
            continue
        guest = people[view["acting"] - 1]
        scores = [action for action in view["legal"] if action.startswith("score") and "any-two" not in action]
        choices = [scores[0] if scores else "skip", "skip"]
        for number, choice in enumerate(choices):
            seat, version = view["acting"], view["version"]
            answer = await service.act(table, guest, seat, choice, version=version, key=f"a{version}-{number}")
            assert answer.event["chance"] == []
            if number == 0 and choice != "skip":
                await service.undo(table, guest, seat, version=answer.version, key=f"u{version}")
                view = await seen(service, table, guest)
            else:
                break
    view = await seen(service, table, people[0])
    await service.close(table, people[0], version=view["version"], key="close")
    assert prove(await service.record(table)).rolls > 4


async def test_the_opponents_answer_protects_the_move(service: TableService) -> None:
    people = await guests(service, 2)
    anna, bob = people
    table = await open_and_join(service, people, options={"mode": "glacial", "goal": "400"})
    await move(service, table, people, "roll")
    view = await seen(service, table, anna)
    score = next(action for action in view["legal"] if action.startswith("score any-two"))
    await service.act(table, anna, 1, score, version=4, key="s")
    assert (await seen(service, table, anna))["undo"] == [1]
    await service.act(table, bob, 2, "freeze odds", version=5, key="f")
    assert (await seen(service, table, bob))["undo"] == [2]
    assert await refused(service.undo(table, anna, 1, version=6, key="u")) == "nothing-to-undo"
    await service.undo(table, bob, 2, version=6, key="u")
    await service.undo(table, anna, 1, version=7, key="u")
    assert (await seen(service, table, anna))["legal"] == view["legal"]


async def test_a_finished_game_stands(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, options={"mode": "glacial", "goal": "1"})
    while (view := await seen(service, table, None))["status"] == "running":
        await move(service, table, people)
    assert view["seed"] is not None
    for seat, guest in enumerate(people, start=1):
        assert (await seen(service, table, guest))["undo"] == []
        assert await refused(service.undo(table, guest, seat, version=view["version"], key="u")) == "not-running"


async def test_bots_wait_for_an_undo_until_the_person_goes_on(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, undo_grace=600.0)) as service:
        people = await guests(service, 2)
        anna, stranger = people
        service.wish_pace(anna, "calm")
        table = await open_and_join(service, [anna], "dice-stars", bots=("greedy",))
        looking = asyncio.create_task(_look(service, table, anna))
        await asyncio.sleep(0)
        await move(service, table, [anna], "draw 3")
        before = (await service.snapshot(table)).state
        await move(service, table, [anna])
        view = await service.view(table, anna)
        assert (view.undo, view.acting) == ((1,), 2)
        assert view.held == pytest.approx((await service.events(table))[-1]["at"] + 600)
        assert (await service.view(table, stranger)).held is None
        await asyncio.sleep(0.3)
        await service.undo(table, anna, 1, version=view.version, key="u")
        assert (await service.snapshot(table)).state == before
        # Taken back and played again, the bot still waits, until Anna wants to go on.
        await move(service, table, [anna])
        version = (await service.snapshot(table)).version
        with pytest.raises(Refused, match="not yours"):
            await service.press_on(table, stranger, 1)
        await service.press_on(table, anna, 1)
        while (view := await service.view(table, anna)).acting != 1:
            await asyncio.sleep(0.02)
        assert view.version > version
        assert view.undo == ()
        # Who does not look at the table cannot notice the undo, so the bot does not wait.
        await end([looking])
        await move(service, table, [anna])
        await move(service, table, [anna])
        while (await service.view(table, anna)).acting != 1:
            await asyncio.sleep(0.02)


async def _look(service: TableService, table: str, guest: Guest) -> None:
    async for _ in service.watch(table, guest):
        pass


async def test_bots_wait_for_no_undo_of_another_bot(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, undo_grace=600.0)) as service:
        (anna,) = await guests(service, 1)
        opening = Opening("dice-stars", ("bot:greedy", "bot:greedy"))
        table = (await service.open(anna, opening, key="bots")).table
        assert (await play_out(service, table, []))["status"] == "over"
