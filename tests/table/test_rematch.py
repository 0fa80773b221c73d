"""A rematch whose table is closed makes room for another one."""

import asyncio

from starfrost.table import Guest, TableService, commands
from tests.table.helpers import guests, open_and_join, play_out, seen


async def over(service: TableService, people: list[Guest]) -> str:
    table = await open_and_join(service, people, options={"mode": "glacial", "goal": "5"})
    await play_out(service, table, people)
    return table


async def again(service: TableService, table: str, guest: Guest, key: str) -> str:
    version = (await seen(service, table, guest))["version"]
    new: str = (await service.rematch(table, guest, version=version, key=key)).event["table"]
    return new


async def test_a_rematch_that_was_closed_makes_room_for_one_other(service: TableService) -> None:
    anna, ben = people = await guests(service, 2)
    table = await over(service, people)
    first = await again(service, table, ben, "r1")
    assert (await seen(service, table, anna))["rematch"] == first
    reached = (await seen(service, table, anna))["version"]
    stream = service.watch(table, anna, reached)
    told = asyncio.create_task(anext(signal async for signal in stream if signal.kind == "version"))
    await service.close(first, ben, version=1, key="c")
    # The pages of the old table are told.
    assert (await asyncio.wait_for(told, 10)).version == reached + 1
    assert (await service.events(table))[-1]["table"] is None
    assert (await seen(service, table, anna))["rematch"] is None
    # Both ask at once: one opens it, the other is told which it is.
    answers = await asyncio.gather(
        *(service.rematch(table, guest, version=reached + 1, key="r2") for guest in people), return_exceptions=True
    )
    made = [answer.event["table"] for answer in answers if not isinstance(answer, BaseException)]
    named = [answer.detail["table"] for answer in answers if isinstance(answer, BaseException)]  # type: ignore[attr-defined]
    assert made == named
    assert made != [first]
    assert (await seen(service, table, anna))["rematch"] == made[0]
    # Whoever repeats the closing of the first does not touch the second.
    await service.close(first, ben, version=1, key="c")
    assert (await seen(service, table, anna))["rematch"] == made[0]


async def test_a_rematch_closed_by_the_service_or_during_its_game_counts_too(service: TableService) -> None:
    anna, ben = people = await guests(service, 2)
    table = await over(service, people)
    idle = await again(service, table, anna, "r1")
    assert await service.tables.close_unfinished(idle, "idle")
    begun = await again(service, table, ben, "r2")
    for number, guest in enumerate(people, start=1):
        await service.join(begun, guest, version=number, key="j")
    await service.close(begun, ben, version=3, key="c")
    assert await again(service, table, anna, "r3") not in (idle, begun)


async def test_a_rematch_that_was_closed_before_this_was_noted_is_withdrawn_by_whoever_asks(
    service: TableService,
) -> None:
    anna, ben = people = await guests(service, 2)
    table = await over(service, people)
    first = await again(service, table, anna, "r1")
    # As an older version closed it, or a process that died in between.
    await service.tables.submit(
        first, anna.id, "c", lambda loaded: commands.close(loaded.snapshot, anna.id, 1, "host"), {}
    )
    assert (await seen(service, table, ben))["rematch"] == first
    assert await service.rematch_of(table) is None
    assert await again(service, table, ben, "r2") != first
