"""Several services on one Postgres: what one writes the others see, and nobody writes twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import insert

from starfrost.errors import UsageError
from starfrost.fair.proof import prove
from starfrost.table import Guest, Opening, Refused, Settings, Signal, TableService
from starfrost.table.append import Append
from starfrost.table.log import Event
from starfrost.table.own_data import NOBODY
from starfrost.table.schema import servers
from starfrost.table.store import Conflict, Store, Unavailable, Write
from starfrost.table.tasks import end
from tests.postgres import Postgres
from tests.table.helpers import guests, move, open_and_join, play_out, running, seen
from tests.table.test_conflicts import outcome
from tests.table.test_service import refused


@pytest.fixture
async def pair(postgres: Postgres) -> AsyncIterator[tuple[TableService, TableService]]:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2, bots_alone=True)
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


async def test_a_guest_of_one_process_is_known_to_the_other(pair: tuple[TableService, TableService]) -> None:
    guest, token = await pair[0].new_guest("Anna")
    assert await pair[1].find_guest(token) == guest


async def versions_heard(service: TableService, table: str, after: int, last: int) -> list[int]:
    """Return the versions that a stream signals up to one; fail after ten seconds."""
    heard: list[int] = []

    async def watch() -> None:
        async for signal in service.watch(table, None, after):
            heard.extend([signal.version] if signal.kind == "version" else [])
            if signal.version == last:
                return

    await asyncio.wait_for(watch(), 10)
    return heard


async def test_a_stream_hears_of_moves_of_the_other_process(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    watching = asyncio.create_task(versions_heard(second, table, 3, 6))
    while not first.streams.is_watched_elsewhere(table):
        await asyncio.sleep(0.01)
    for _ in range(3):
        await move(first, table, people)
    heard = await watching
    assert heard == sorted(set(heard))


async def test_what_nobody_told_is_found_by_asking(
    pair: tuple[TableService, TableService], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages between processes may be lost; streams and readers of a rewritten log do not depend on them."""
    first, second = pair
    monkeypatch.setattr(second.tables.fanout.pubsub, "_on_message", lambda *message: None)
    anna, _ = await first.new_guest("Annabella")
    people = [anna, *await guests(first, 1)]
    table = await open_and_join(first, people)
    assert (await second.view(table, None)).seats[0].name == "Annabella"
    watching = asyncio.create_task(versions_heard(second, table, 3, 5))
    await asyncio.sleep(0.1)
    for _ in range(2):
        await move(first, table, people)
    assert (await watching)[-1] == 5
    await first.own_data.delete(anna)
    assert (await second.view(table, None)).seats[0].name == NOBODY
    assert b"Annabella" not in b"".join(await second.raw_events(table))


async def test_a_command_on_an_old_copy_is_decided_again(
    pair: tuple[TableService, TableService], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    # The copy of the second process ends before the moves that are made now.
    assert (await second.snapshot(table)).version == 3
    rolled = await first.act(table, people[0], 1, "roll", version=3, key="r")
    action = str(rolled.snapshot.legal[0])
    # What this copy refuses, the stored table allows.
    played = await second.act(table, people[0], 1, action, version=4, key="s")
    assert played.version == 5
    # Its own copy would allow it, but the other process was first: nothing of its dice is told or stored.
    acting = (await second.snapshot(table)).acting
    assert acting is not None
    if played.snapshot.acting != 0:
        undone = await second.undo(table, people[0], 1, version=5, key="u")
        assert await refused(first.act(table, people[1], 2, "roll", version=5, key="late")) == "stale"
        assert (await first.snapshot(table)).version == undone.version
    # A repeat through the other process gets the stored answer.
    assert await first.act(table, people[0], 1, action, version=4, key="s") == played
    stored = await first.events(table)
    assert stored == await second.events(table)
    assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))


async def test_of_two_commands_decided_on_the_same_version_one_is_stored(
    pair: tuple[TableService, TableService],
) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people, "dice-stars")
    for service in pair:
        await service.snapshot(table)
    wishes = [service.act(table, people[0], 1, "draw 3", version=3, key=f"k{n}") for n, service in enumerate(pair * 5)]
    answers = [each for each in await asyncio.gather(*map(outcome, wishes)) if not isinstance(each, str)]
    assert len(answers) == 1
    assert [event["kind"] for event in await second.events(table, 3)] == ["act"]


async def test_reactions_and_presence_reach_the_other_process(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    here, there = first.watch(table, people[0], 3), second.watch(table, people[1], 3)
    signals = {}

    async def listen(name: str, stream: AsyncIterator[Signal], kind: str, data: dict[str, Any]) -> None:
        async for signal in stream:
            if signal.kind == kind and signal.data == data:
                signals[name] = signal
                return

    both = {"seats": [1, 2], "watchers": 0}
    await asyncio.wait_for(
        asyncio.gather(listen("here", here, "presence", both), listen("there", there, "presence", both)), 20
    )
    assert all(seat.present for seat in (await second.view(table, None)).seats)
    hearing = asyncio.create_task(listen("clap", there, "reaction", {"seat": 1, "reaction": "clap"}))
    await first.react(table, people[0], "clap")
    await asyncio.wait_for(hearing, 10)
    await here.aclose()
    await there.aclose()


async def test_whoever_watched_at_a_process_that_ends_is_away(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), beat=0.2)
    async with running(settings) as first:
        people = await guests(first, 2)
        table = await open_and_join(first, people)
        async with running(settings) as second:
            watching = asyncio.create_task(anext(second.watch(table, people[1], 0)))
            while not (await first.view(table, None)).seats[1].present:
                await asyncio.sleep(0.01)
            await watching
        async with asyncio.timeout(5):
            while (await first.view(table, None)).seats[1].present:
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("stored", [True, False])
async def test_after_a_commit_in_doubt_the_log_says_what_happened(
    pair: tuple[TableService, TableService], monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    append = first._store.append

    async def lost(writes: Any) -> list[bool]:
        if stored:
            await append(writes)
        raise Unavailable("the connection was lost")

    with monkeypatch.context() as broken:
        broken.setattr(first._store, "append", lost)
        answer = await outcome(first.act(table, people[0], 1, "roll", version=3, key="k"))
    repeated = await second.act(table, people[0], 1, "roll", version=3, key="k")
    assert answer == (repeated if stored else "storage")
    assert [event["kind"] for event in await second.events(table, 3)] == ["act"]


async def test_every_first_read_sees_what_the_other_process_has_stored(pair: tuple[TableService, TableService]) -> None:
    """Read your writes, whichever server answers."""
    first, second = pair
    (anna,) = await guests(first, 1)
    table = await open_and_join(first, [anna, anna], options={"mode": "glacial", "goal": "900000"})
    for _ in range(60):
        answer = await move(first, table, [anna])
        assert (await second.snapshot(table)).version == answer.version
    assert [view.version for view in await second.tables_of(anna)] == [answer.version]
    assert await second.events(table) == await first.events(table)
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


async def test_two_processes_that_move_the_same_bot_do_no_harm(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    (anna,) = await guests(first, 1)
    seats = ("bot:random", "bot:greedy")
    table = (await first.open(anna, Opening("dicy-cards", seats, {"mode": "glacial", "goal": "30"}), key="k")).table
    for _ in range(20):
        # The second process believes again and again that the bots are its own to play.
        copy = await second.tables.look(table)
        copy.own = True
        second._scheduler.wake_bot(copy.snapshot)
        await asyncio.sleep(0.02)
    view = await play_out(first, table, [])
    await reaches(second, table, view["version"])
    assert await first.record(table) == await second.record(table)
    assert prove(await second.record(table)).finished


async def test_go_on_reaches_the_process_whose_bots_wait(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=600.0, beat=0.2)
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
    """Yield a process that gives no sign of life, another one, and a table whose bots the first one plays."""
    database = postgres.database()
    slow = Settings(database=database, bot_pace=300.0, beat=0.2)
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
        # The first process would take five minutes.
        version = (await first.snapshot(table)).version
        await reaches(second, table, version + 1)


async def test_a_suspended_process_writes_nothing_that_is_too_late(postgres: Postgres) -> None:
    async with suspended(postgres, ("random", "random")) as (first, second, table):
        before = await first.tables.load(table)
        version = before.version
        await reaches(second, table, version + 1)
        stale = Event(table, version + 1, 0.0, "act", None, None, "{}")
        for status in (None, "running"):
            append = Append(stale, before.epoch, None, status)
            assert await first._store.append([Write(append)]) == [False]
            # Nor together with something else that is stored.
            assert await first._store.append([Write(append, results=({"table_id": table},)), Write(append)]) == [
                False,
                False,
            ]
        # What it is asked for now is decided on what is stored.
        anna = Guest((await first.snapshot(table)).host, "Anna")
        left = await first.leave(table, anna, 1, version=version, key="leave")
        stored = await second.events(table)
        assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))
        assert left.event in stored


async def test_a_stopped_process_leaves_its_bots_at_once(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, beat=60.0)
    async with running(settings) as second:
        async with running(settings.model_copy(update={"bot_pace": 300.0})) as first:
            (anna,) = await guests(first, 1)
            table = await open_and_join(first, [anna], bots=("random",))
            while (await first.snapshot(table)).acting == 0:
                version = (await move(first, table, [anna])).version
        await asyncio.wait_for(reaches(second, table, version + 1), 20)


async def test_servers_that_own_tables_are_shut_out(postgres: Postgres) -> None:
    """Versions before migration 0013 may still run when it is made: each of their writes needs their row."""
    store = Store(Settings(database=postgres.database()))
    await store.open()
    row = {"id": "old", "addresses": "", "until": 1e12}
    with pytest.raises(Conflict):
        await store.write(lambda connection: connection.execute(insert(servers), [row]))
    await store.close()


async def test_a_database_that_is_not_there_is_told(postgres: Postgres) -> None:
    address = postgres.database() + "_not_there"
    with pytest.raises(UsageError, match="cannot be opened"):
        async with running(Settings(database=address)):
            pass


async def test_unknown_things_stay_unknown(pair: tuple[TableService, TableService]) -> None:
    with pytest.raises(Refused):
        await seen(pair[0], "nothing", None)
