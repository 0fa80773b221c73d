"""Several services on one Postgres: what one writes the others see, and nobody writes twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from starfrost.errors import UsageError
from starfrost.fair.proof import prove
from starfrost.table import Opening, Refused, Settings, TableService
from starfrost.table.postgres_notify import PostgresNotifier
from tests.postgres import Postgres
from tests.table.helpers import guests, move, open_and_join, play_out, running, seen
from tests.table.test_conflicts import outcome


@pytest.fixture
async def pair(postgres: Postgres) -> AsyncIterator[tuple[TableService, TableService]]:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2, poll=0.2)
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


async def test_a_stream_hears_of_the_other_processs_moves(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    heard: list[int] = []

    async def watch() -> None:
        async for signal in second.watch(table, people[1], 3):
            if signal.kind == "version":
                heard.append(signal.version)
                if signal.version == 6:
                    return

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.3)
    for _ in range(3):
        await move(first, table, people)
    await asyncio.wait_for(watching, 10)
    assert heard[-1] == 6


async def test_presence_and_reactions_cross_over(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    await seen(second, table, None)
    await asyncio.sleep(0.3)

    async def watch() -> str:
        async for signal in second.watch(table, people[1], 3):
            if signal.kind == "reaction":
                return str(signal.data["reaction"])
        return ""

    watching = asyncio.create_task(watch())
    for _ in range(200):
        if (await seen(first, table, None))["seats"][1]["present"]:
            break
        await asyncio.sleep(0.05)
    assert (await seen(first, table, None))["seats"][1]["present"]
    await first.react(table, people[0], "clap")
    assert await asyncio.wait_for(watching, 10) == "clap"


@pytest.fixture
def lost_notifications(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresNotifier, "notify_version", lambda self, table_id, version: None)


@pytest.mark.usefixtures("lost_notifications")
async def test_a_lost_notification_costs_a_delay_and_no_move(pair: tuple[TableService, TableService]) -> None:
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    await seen(second, table, None)
    await move(first, table, people)
    await reaches(second, table, 4)


@pytest.mark.usefixtures("lost_notifications")
async def test_who_saw_a_move_first_may_answer_it_anywhere(pair: tuple[TableService, TableService]) -> None:
    """A client that read a move from one process acts through the other, which has not heard of it yet."""
    first, second = pair
    people = await guests(first, 2)
    table = await open_and_join(first, people)
    await seen(second, table, None)
    rolled = await first.act(table, people[0], 1, "roll", version=3, key="a")
    answer = await second.act(table, people[0], 1, "skip", version=rolled.version, key="b")
    assert answer.version == 5


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


async def test_a_dead_processs_bots_are_taken_over(postgres: Postgres) -> None:
    database = postgres.database()
    slow = Settings(database=database, bot_pace=300.0, beat=0.2, poll=0.2)
    async with (
        running(slow) as first,
        running(Settings(database=database, bot_pace=0.0, undo_grace=0.0, beat=0.2, poll=0.2)) as second,
    ):
        (anna,) = await guests(first, 1)
        table = (await first.open(anna, Opening("dicy-cards", ("bot:random",) * 2, {"goal": "20"}), key="k")).table
        # The first process would take five minutes: the second finds the table quiet and plays on.
        for _ in range(300):
            if (await seen(second, table, None))["status"] == "over":
                break
            await asyncio.sleep(0.1)
        assert (await seen(second, table, None))["status"] == "over"


async def test_a_database_that_is_not_there_is_told(postgres: Postgres) -> None:
    address = postgres.database() + "_not_there"
    with pytest.raises(UsageError, match="cannot be opened"):
        async with running(Settings(database=address)):
            pass


async def test_unknown_things_stay_unknown(pair: tuple[TableService, TableService]) -> None:
    with pytest.raises(Refused):
        await seen(pair[0], "nothing", None)
