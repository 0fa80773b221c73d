"""Several services on one Postgres: what one writes the others see, and nobody writes twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from starfrost.errors import UsageError
from starfrost.fair.proof import prove
from starfrost.table import Guest, Opening, Refused, Settings, TableService
from starfrost.table.guests import hash_token
from starfrost.table.store import Event, Fenced, Write
from starfrost.table.tasks import end
from tests.postgres import Postgres
from tests.table.helpers import guests, move, open_and_join, play_out, running, seen
from tests.table.test_conflicts import outcome


@pytest.fixture
async def pair(postgres: Postgres) -> AsyncIterator[tuple[TableService, TableService]]:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2, poll=0.2, bots_alone=True)
    async with running(settings) as first, running(settings) as second:
        yield first, second


async def reaches(service: TableService, table: str, version: int) -> None:
    for _ in range(400):
        if (await service.snapshot(table)).version >= version:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"the other process never hears of version {version}")


async def test_a_game_played_through_two_processes(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    await seen(second, table, None)
    for number in range(200):
        service = pair[number % 2]
        version = (await seen(pair[1 - number % 2], table, None))["version"]
        await reaches(service, table, version)
        if await move(service, table, people) is None:
            break
    await reaches(first, table, version)
    await reaches(second, table, version)
    assert await seen(first, table, None) == await seen(second, table, None)
    assert (await seen(second, table, None))["status"] == "over"
    assert prove(await second.record(table)).finished


async def test_the_history_is_the_same_in_both_processes(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    anna, ben = await guests(first, 2)
    table = await open_and_join(first, [anna, ben], options={"mode": "glacial", "goal": "20"}, bots=("random",))
    scores = (await play_out(first, table, [anna, ben]))["scores"]
    while (bests := await second.history.bests(anna.id, "dicy-cards")) is None or bests.rated < 1:
        await asyncio.sleep(0.02)
    assert (bests.score.number, bests.score.table_id) == (scores[0], table)
    for service in pair:
        (one,) = await service.history.sums(anna.id)
        assert (one.games, one.seats, one.points, one.against) == (1, 3, scores[0], "people+random")
        (played,) = await service.history.page(anna.id, 5)
        assert [row.score for row in played.seats if row] == scores
        assert await service.history.count(anna.id, "dicy-cards", one.against) == 1
        (point,) = await service.history.trend(anna.id, "dicy-cards", 5)
        assert point.level is not None
        (group,) = await service.history.opponents(ben.id, 5)
        assert group.names == (anna.name,)
        assert await service.history.invitations(ben.id) == []
    new = await first.invite_again(table, anna, key="again")
    assert await second.invite_again(table, anna, key="other") == new
    assert [view.id for view in await second.tables_to_play(ben)] == [new]
    await second.history.decline(ben.id, new)
    assert await first.tables_to_play(ben) == []


async def test_busy_guests_are_looked_up_together_before_they_must_be(
    pair: tuple[TableService, TableService], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renames and devices that were signed out are seen within five seconds, even if no message says so."""
    first, second = pair

    def wait(seconds: float) -> None:
        recent = second.guests._recent
        for hashed, known in recent.items():
            recent[hashed] = known._replace(until=known.until - seconds)

    monkeypatch.setattr("starfrost.table.guests._GATHER", 0.0)
    monkeypatch.setattr(first.tables, "forget_guest", lambda guest: None)
    made = [await first.new_guest(f"Guest {number}") for number in range(3)]
    hashes = [hash_token(token) for _, token in made]
    for _, token in made:
        await second.find_guest(token)
    looks: list[Any] = []
    read = second.guests._store.read

    def watched() -> Any:
        looks.append(1)
        # One that is forgotten while it is looked up was changed, and what is read may be older.
        second.guests.forget(known[2].id)
        return read()

    monkeypatch.setattr(second.guests, "_store", SimpleNamespace(read=watched))
    known = [guest for guest, _ in made]
    assert [second.guests.recent(each) for each in hashes] == known
    await end_of_looking(second)
    assert not looks
    await first.rename_guest(known[0], "Anna")
    await first.own_data.delete(known[1])
    wait(3)
    assert [second.guests.recent(each) for each in hashes] == known
    await end_of_looking(second)
    assert len(looks) == 1
    for seconds in (0, 3):
        wait(seconds)
        assert [second.guests.recent(each) for each in hashes] == [Guest(known[0].id, "Anna"), None, None]
    await end_of_looking(second)
    wait(5)
    assert [second.guests.recent(each) for each in hashes] == [None, None, None]


async def end_of_looking(service: TableService) -> None:
    while any(task.get_name() == "guests" for task in service.tables._tasks):
        await asyncio.sleep(0.01)


async def test_a_guest_of_one_process_is_known_to_the_other(pair: tuple[TableService, TableService]) -> None:
    guest, token = await pair[0].new_guest("Anna")
    assert await pair[1].find_guest(token) == guest


async def test_a_stream_ends_when_its_table_moves_and_the_reader_finds_it_again(
    pair: tuple[TableService, TableService],
) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    heard: list[int] = []

    async def watch() -> None:
        while 6 not in heard:
            async for signal in second.watch(table, people[1], heard[-1] if heard else 3):
                heard.extend([signal.version] if signal.kind == "version" else [])
                if signal.version == 6:
                    break

    watching = asyncio.create_task(watch())
    for _ in range(3):
        await move(first, table, people)
    await asyncio.wait_for(watching, 10)
    assert heard == sorted(set(heard))
    assert heard[-1] == 6


async def test_every_first_read_sees_what_the_other_process_has_stored(pair: tuple[TableService, TableService]) -> None:
    """Read your writes, without taking the table from its owner."""
    first, second = pair
    (anna,) = await guests(first, 1)
    table = await open_and_join(first, [anna, anna], options={"mode": "glacial", "goal": "900000"})
    leases = first._tables.leases
    assert leases is not None
    for _ in range(60):
        answer = await move(first, table, [anna])
        assert (await second.snapshot(table)).version == answer.version
    assert [view.version for view in await second.tables_of(anna)] == [answer.version]
    assert await second.events(table) == await first.events(table)
    owner = await leases.owner(table)
    assert owner is not None
    assert owner.server == leases.server
    await first.close(table, anna, version=answer.version, key="close")
    record = await second.record(table)
    assert "seed:" in record
    assert record == await first.record(table)


async def test_conflicts_across_processes_have_one_winner(pair: tuple[TableService, TableService]) -> None:
    first, _ = pair
    people = await guests(first, 100)
    table = (await first.open(people[0], Opening("dice-stars", ("open",) * 4, public=True), key="k")).table
    wishes = [
        outcome(pair[number % 2].join(table, guest, version=1, key="j", seat=1 + number % 4))
        for number, guest in enumerate(people)
    ]
    answers = await asyncio.gather(*wishes)
    seats = Counter(answer.event["seat"] for answer in answers if not isinstance(answer, str))  # type: ignore[attr-defined]
    assert seats == {1: 1, 2: 1, 3: 1, 4: 1}
    for service in pair:
        await reaches(service, table, 5)
    holders = [seat["name"] for seat in (await seen(first, table, None))["seats"]]
    assert len(set(holders)) == 4
    # The same move with the same key through both: one event, one answer.
    owner = next(guest for guest in people if guest.name == holders[0])
    repeated = await asyncio.gather(
        *(outcome(pair[number % 2].act(table, owner, 1, "draw 3", version=5, key="same")) for number in range(50))
    )
    assert len(set(repeated)) == 1, Counter(map(str, repeated))
    await asyncio.sleep(0.3)
    for service in pair:
        assert [event["kind"] for event in await service.events(table, 5)] == ["act"]


async def test_two_processes_never_both_move_a_bot(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    (anna,) = await guests(first, 1)
    seats = ("bot:random", "bot:greedy")
    table = (await first.open(anna, Opening("dicy-cards", seats, {"mode": "glacial", "goal": "30"}), key="k")).table
    # The second process believes that it has to wake the bots, too.
    second._scheduler.wake_bot(await second.snapshot(table))
    view = await play_out(first, table, [])
    await reaches(second, table, view["version"])
    assert await first.record(table) == await second.record(table)
    assert prove(await second.record(table)).finished


async def test_go_on_reaches_the_process_whose_bots_wait(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=600.0, beat=0.2, poll=0.2)
    async with running(settings) as first, running(settings) as second:
        (anna,) = await guests(first, 1)
        table = await open_and_join(first, [anna], "dice-stars", bots=("greedy",))
        looking = first.watch(table, anna)
        await anext(looking)
        await move(first, table, [anna], "draw 3")
        version = (await move(first, table, [anna])).version
        assert (await first.view(table, anna)).held is not None
        await reaches(second, table, version)
        await second.press_on(table, anna, 1)
        await reaches(first, table, version + 1)
        assert (await second.view(table, anna)).held is None
        await looking.aclose()


@asynccontextmanager
async def suspended(postgres: Postgres, bots: tuple[str, ...]) -> AsyncIterator[tuple[TableService, TableService, str]]:
    """Yield a process that no longer renews its lease, another one, and a table of the first."""
    database = postgres.database()
    slow = Settings(database=database, bot_pace=300.0, beat=0.2, lease=0.6)
    async with running(slow) as first, running(slow.model_copy(update={"bot_pace": 0.0, "undo_grace": 0.0})) as second:
        (anna,) = await guests(first, 1)
        table = await open_and_join(first, [anna], bots=bots, options={"mode": "glacial", "goal": "20"})
        while (await first.snapshot(table)).acting == 0:
            await move(first, table, [anna])
        await end(first._scheduler._tasks)
        first._scheduler._tasks = []
        yield first, second, table


async def test_a_dead_processs_bots_are_taken_over(postgres: Postgres) -> None:
    async with suspended(postgres, ("random",)) as (first, second, table):
        # The first process would take five minutes, but its lease ends: the second finds the table and plays on.
        version = (await first.snapshot(table)).version
        await reaches(second, table, version + 1)
        assert await second._scheduler._beat(9)
        assert any(ended > began for began, ended in second._scheduler.downtimes), "no clock is charged for it"


async def test_an_owner_that_lost_its_lease_writes_nothing(postgres: Postgres) -> None:
    async with suspended(postgres, ("random", "random")) as (first, second, table):
        version = (await first.snapshot(table)).version
        await reaches(second, table, version + 1)
        assert first._tables.leases is not None
        # It has been suspended and does not know yet how late it is.
        first._tables.leases._good_until = float("inf")
        before = await second.events(table)
        stale = Event(table, len(before) + 1, 0.0, "act", None, None, "{}")
        for status in (None, (table, "running")):
            with pytest.raises(Fenced):
                await first._store.append([Write((stale,), status=status)])
        anna = Guest((await first.snapshot(table)).host, "Anna")
        with pytest.raises(Refused) as refusal:
            await first.leave(table, anna, 1, version=version, key="leave")
        assert refusal.value.code == "storage"
        stored = await second.events(table)
        assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))
        assert not any(event["kind"] == "bot" for event in stored)
        # From then on it goes on under a new name, and the same command with the same key is carried out once.
        left = await first.leave(table, anna, 1, version=(await first.snapshot(table)).version, key="leave")
        assert await second.events(table, left.version - 1) == [left.event]


async def test_a_stopped_process_leaves_its_tables_at_once(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, lease=60.0)
    async with running(settings) as second:
        async with running(settings) as first:
            (anna,) = await guests(first, 1)
            table = await open_and_join(first, [anna, anna])
        answer = await asyncio.wait_for(move(second, table, [anna]), 10)
        assert answer.version == 4


async def test_a_database_that_is_not_there_is_told(postgres: Postgres) -> None:
    address = postgres.database() + "_not_there"
    with pytest.raises(UsageError, match="cannot be opened"):
        async with running(Settings(database=address)):
            pass


async def test_unknown_things_stay_unknown(pair: tuple[TableService, TableService]) -> None:
    with pytest.raises(Refused):
        await seen(pair[0], "nothing", None)
