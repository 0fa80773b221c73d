"""Two hundred clients at once: exactly one event each, and no seat twice."""

import asyncio
from collections import Counter

from starfrost.table import Guest, Opening, Refused, TableService
from tests.table.helpers import guests, open_and_join, seen


async def outcome(awaitable: object) -> object:
    try:
        return await awaitable  # type: ignore[misc]
    except Refused as refusal:
        return refusal.code


async def test_the_same_move_two_hundred_times_is_one_event(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    answers = await asyncio.gather(
        *(outcome(service.act(table, people[0], 1, "roll", version=3, key="same")) for _ in range(200))
    )
    assert len(set(answers)) == 1
    assert answers[0].version == 4  # type: ignore[attr-defined]
    assert [event["kind"] for event in await service.events(table, 3)] == ["act"]


async def test_of_two_hundred_conflicting_moves_one_wins(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, "dice-stars")
    answers = await asyncio.gather(
        *(
            outcome(service.act(table, people[0], 1, f"draw {1 + number % 3}", version=3, key=f"k{number}"))
            for number in range(200)
        )
    )
    # The first draw must be of three dice (S3): the others are illegal or too late.
    counts = Counter(answer if isinstance(answer, str) else "won" for answer in answers)
    assert counts["won"] == 1
    assert set(counts) <= {"won", "stale", "illegal"}
    assert len(await service.events(table, 3)) == 1


async def test_simultaneous_joins_never_double_book(service: TableService) -> None:
    people = await guests(service, 200)
    table = (await service.open(people[0], Opening("dice-stars", ("open",) * 4, public=True), key="k")).table
    answers = await asyncio.gather(*(outcome(service.join(table, guest, version=1, key="j")) for guest in people))
    sat = [answer.event["seat"] for answer in answers if not isinstance(answer, str)]  # type: ignore[attr-defined]
    assert sorted(sat) == [1, 2, 3, 4]
    assert {answer for answer in answers if isinstance(answer, str)} <= {"no-free-seat", "stale", "seat-taken"}
    view = await seen(service, table, None)
    assert view["version"] == 5
    assert len({seat["contribution"] for seat in view["seats"]}) == 4


async def test_two_hundred_guests_want_the_same_seat(service: TableService) -> None:
    people = await guests(service, 200)
    table = (await service.open(people[0], Opening("dice-stars", ("open",) * 2, public=True), key="k")).table
    wishes = [outcome(service.join(table, guest, seat=2, version=1, key="j")) for guest in people]
    answers = await asyncio.gather(*wishes)
    assert sum(not isinstance(answer, str) for answer in answers) == 1
    assert (await seen(service, table, None))["version"] == 2


async def test_one_guest_opens_one_table_with_one_key(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    opening = Opening("dice-stars", ("open", "open"))
    answers = await asyncio.gather(*(service.open(anna, opening, key="k") for _ in range(50)))
    assert len(set(answers)) == 1
    assert len(await service.tables_of(anna)) == 1


async def test_tables_do_not_wait_for_each_other(service: TableService) -> None:
    """Commands of many tables share their transactions."""
    people = await guests(service, 2)
    tables = []
    for number in range(40):
        opened = await service.open(people[0], Opening("dice-stars", ("open", "open"), public=True), key=f"k{number}")
        tables.append(opened.table)
    before = _commits(service)

    async def sit(table: str, guest: Guest) -> None:
        await service.join(table, guest, version=1, key="j")

    await asyncio.gather(*(sit(table, people[0]) for table in tables))
    await asyncio.gather(*(sit(table, people[1]) for table in tables))
    assert _commits(service) - before < 40


def _commits(service: TableService) -> float:
    value = service.metrics.registry.get_sample_value("starfrost_commit_commands_count")
    assert value is not None
    return value
