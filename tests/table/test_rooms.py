"""Rooms: who gets a seat, who waits, what the standings say, and who may not come in."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from starfrost.games.record import parse_record, replay
from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.table.phrase import new_code, read_code, word_list
from starfrost.table.rooms.book import Room
from starfrost.table.rooms.line_up import like
from starfrost.table.rooms.standings import Person, standings
from starfrost.table.schema import room_members, rooms
from tests.postgres import Postgres
from tests.table.helpers import guests, open_and_join, play_out, running, seen
from tests.table.test_own_data import everything
from tests.table.test_service import refused

SHORT = Opening("dicy-cards", ("open", "open"), {"mode": "glacial", "goal": "5"})


def of(seats: int, **changes: Any) -> Opening:
    return Opening(SHORT.game, ("open",) * seats, SHORT.options, **changes)


async def room_of(service: TableService, people: list[Guest], opening: Opening = SHORT) -> Room:
    """Make a room to which all of these people belong."""
    room = await service.rooms.create(people[0], opening)
    for guest in people[1:]:
        assert await service.rooms.come(room, guest) is None
    return room


keys: Iterator[str] = (f"k{number}" for number in range(10**9))


async def begin(service: TableService, room: Room, people: list[Guest]) -> str:
    """Open the next game and let these people come; return its table."""
    table = await service.rooms.next(room, people[0], key=next(keys))
    for guest in people:
        assert await service.rooms.come(room, guest) == table
    return table


async def seated(service: TableService, table: str) -> list[str]:
    return [seat.name if seat.kind == "person" else seat.kind for seat in (await service.snapshot(table)).seats]


def test_a_code_can_be_said_aloud_and_has_thirty_one_bits() -> None:
    assert len(word_list()) ** 2 * 900 > 2**31
    code = new_code()
    one, two, number = code.split("-")
    assert read_code(code) == read_code(f" {one.upper()} {two}, {number}. ") == code
    # A slip behind the fourth letter does no harm.
    assert read_code(f"{one[:4]}xx{two}{number}") is None
    assert read_code(f"{one[:4]} {two[:4]} {number}") == code
    for wrong in (
        "",
        "frost",
        "frost-owl",
        "frost-owl-42",
        "frost-owl-0417",
        "frost-owl-4170",
        "qqqq-owl-417",
        "1-2-3",
    ):
        assert read_code(wrong) is None


async def test_a_fifth_friend_waits_and_plays_in_the_next_game(service: TableService) -> None:
    people = await guests(service, 3)
    room = await room_of(service, people)
    first = await begin(service, room, people)
    assert await seated(service, first) == ["Guest 1", "Guest 2"]
    (waiting, *_) = await service.rooms.members(room)
    assert (waiting.name, waiting.waits is not None) == ("Guest 3", True)
    view = await service.view(first, people[2])
    around = await service.rooms.around(view, people[2])
    assert around is not None
    assert around.waits
    await play_out(service, first, people)
    # Whoever was first the last time makes room.
    second = await begin(service, room, people)
    assert await seated(service, second) == ["Guest 2", "Guest 3"]
    await play_out(service, second, people)
    third = await begin(service, room, people)
    assert await seated(service, third) == ["Guest 3", "Guest 1"]
    around = await service.rooms.around(await service.view(first, people[0]), people[0])
    assert around is not None
    assert (around.next, around.by) == (third, "Guest 1")


async def test_two_who_press_at_once_get_the_same_table_and_a_closed_one_can_be_opened_again(
    service: TableService,
) -> None:
    anna, ben = people = await guests(service, 2)
    room = await room_of(service, people)
    opened = await asyncio.gather(*(service.rooms.next(room, guest, key=next(keys)) for guest in people * 2))
    assert len(set(opened)) == 1
    first = await begin(service, room, people)
    assert first == opened[0]
    await play_out(service, first, people)
    offers = asyncio.create_task(
        anext(signal async for signal in service.watch(first, ben, 10**6) if signal.kind == "offer")
    )
    await asyncio.sleep(0)
    both = await asyncio.gather(*(service.rooms.next(room, guest, key=next(keys)) for guest in people * 2))
    assert len(set(both)) == 1
    # Whoever still looks at the result is told, by a signal and in the view of programs.
    assert (await asyncio.wait_for(offers, 10)).data == {"table": both[0]}
    assert (await seen(service, first, ben))["rematch"] == both[0]
    closed = await service.snapshot(both[0])
    assert (
        await refused(service.close(closed.id, ben if closed.host == anna.id else anna, version=1, key="c"))
        == "not-host"
    )
    await service.close(closed.id, anna if closed.host == anna.id else ben, version=1, key="c")
    again = await asyncio.gather(*(service.rooms.next(room, guest, key=next(keys)) for guest in people))
    assert len({*again, both[0]}) == 2
    # The command of a program opens the game of the room, too, or says which one it is.
    view = await seen(service, first, anna)
    assert await refused(service.rematch(first, anna, version=view["version"], key="r")) == "rematch-open"
    await service.rooms.come(room, anna)
    await service.rooms.come(room, ben)
    await play_out(service, again[0], people)
    answer = await service.rematch(again[0], ben, version=0, key="again")
    assert (await service.rooms.find(room.code) or room).table_id == answer.event["table"]


async def test_the_host_changes_the_game_while_it_waits(service: TableService) -> None:
    anna, ben, cleo = people = await guests(service, 3)
    room = await room_of(service, people, of(4))
    waits = await begin(service, room, [anna, ben])
    assert await refused(service.rooms.play(room, ben, of(3), key="no")) == "not-room-host"
    fresh = await service.rooms.play(room, anna, of(3, clock="2min"), key="three")
    table = await service.snapshot(fresh)
    assert (await service.snapshot(waits)).status == "closed"
    assert (table.status, table.clock, len(table.seats), [seat.name for seat in table.seats][:2]) == (
        "waiting",
        "2min",
        3,
        ["Guest 1", "Guest 2"],
    )
    assert table.seats[1].guest == ben.id
    # A seat that is kept for somebody who stays away is given to whoever comes.
    await service.rooms.come(room, anna)
    await service.rooms.come(room, cleo)
    assert (await service.snapshot(fresh)).status == "running"
    # A game that runs is not stopped: the change is for the next one.
    stars = Opening("dice-stars", ("open", "open"))
    assert await service.rooms.play(room, anna, stars, key="stars") == fresh
    assert (await service.rooms.get(room.id) or room).opening.game == "dice-stars"


async def test_nobody_blocks_a_seat_that_is_kept_for_them(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben, cleo = people = await guests(service, 3)
    room = await room_of(service, [anna, ben])
    first = await begin(service, room, [anna, ben])
    await play_out(service, first, people)
    second = await service.rooms.next(room, anna, key="second")
    assert [seat.reserved for seat in (await service.snapshot(second)).seats] == [ben.id, anna.id]
    await service.rooms.come(room, anna)
    await service.rooms.come(room, cleo)
    assert await seated(service, second) == ["open", "Guest 1"]
    ahead = service._store._ahead
    monkeypatch.setattr(service._store, "_ahead", ahead + 130)
    assert await service.rooms.come(room, cleo) == second
    assert await seated(service, second) == ["Guest 3", "Guest 1"]


async def test_who_is_removed_stays_out_and_a_closed_room_takes_nobody(service: TableService) -> None:
    anna, ben, cleo, dora = people = await guests(service, 4)
    room = await room_of(service, people[:3], of(3))
    table = await begin(service, room, [anna, ben])
    assert await refused(service.rooms.remove(room, ben, anna.id)) == "not-room-host"
    await service.rooms.remove(room, anna, ben.id)
    assert await seated(service, table) == ["Guest 1", "open", "open"]
    invitation = (await service.snapshot(table)).invitation
    assert await refused(service.join(table, ben, version=3, key="b", invitation=invitation)) == "removed"
    assert await refused(service.rooms.come(room, ben)) == "no-room"
    assert await refused(service.rooms.next(room, ben, key="b")) == "no-room"
    assert await service.rooms.of_member(ben) == []
    room = await service.rooms.change(room, anna, closed=True)
    assert await refused(service.rooms.come(room, dora)) == "no-room"
    assert await service.rooms.come(room, cleo) == table
    room = await service.rooms.change(room, anna, closed=False, code="", name=" Friday\n night ")
    assert await service.rooms.find(room.code) == room._replace(table_id=table)
    assert room.name == "Friday night"
    assert await service.rooms.come(room, dora) == table
    room = await service.rooms.change(room, anna, host=dora.id)
    assert await refused(service.rooms.change(room, anna, name="Mine")) == "not-room-host"
    assert await refused(service.rooms.change(room, dora, host=ben.id)) == "no-room"


async def test_ten_games_with_people_coming_and_going(service: TableService) -> None:
    """The standings equal those that are computed from the records alone."""
    people = await guests(service, 5)
    room = await room_of(service, people[:2], of(4))
    chance = Random(31)
    tables = []
    for _ in range(10):
        seats = chance.choice([2, 3, 4])
        game = chance.choice([of(seats), Opening("dice-stars", ("open",) * seats)])
        room = await service.rooms.change(room, people[0], usual=game)
        table = await service.rooms.next(room, people[0], key=next(keys))
        for guest in chance.sample(people, 5):
            await service.rooms.come(room, guest)
        if chance.random() < 0.5:
            gone = chance.choice([seat.guest for seat in (await service.snapshot(table)).seats])
            await service.rooms.leave(room, next(one for one in people[1:] if one.id != gone))
        await play_out(service, table, people)
        tables.append(table)
    members = await service.rooms.members(room)
    found = await service.rooms.standings(room, members)
    games: Counter[str] = Counter()
    won: dict[str, float] = defaultdict(float)
    points: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    ahead: Counter[tuple[str, str]] = Counter()
    for table in tables:
        record = parse_record(await service.record(table))
        names, game, end = record.players, record.game, replay(record).final
        scores, winners = game.scores(end), game.winners(end)
        for seat, name in enumerate(names):
            games[name] += 1
            won[name] += (seat in winners) / len(winners)
            points[name, game.name, len(names)].append(scores[seat])
            for other, beaten in enumerate(names):
                ahead[name, beaten] += (seat in winners, scores[seat]) > (other in winners, scores[other])
    assert found.games == found.evening == 10
    assert {line.name: line.all.games for line in found.lines.values()} == games
    assert {line.name: line.all.won for line in found.lines.values()} == pytest.approx(won)
    for line in found.lines.values():
        assert line.evening == line.all
        for (game_id, size), sums in line.kinds.items():
            assert sums.average == pytest.approx(sum(points[line.name, game_id, size]) / sums.games)
    names_of = {person: line.name for person, line in found.lines.items()}
    for (one, other), (left, right, _) in found.pairs.items():
        assert (left, right) == (ahead[names_of[one], names_of[other]], ahead[names_of[other], names_of[one]])
    assert list(found.lines) == sorted(found.lines, key=lambda one: -found.lines[one].all.won)
    # A guest who is deleted leaves the standings, and the others keep theirs.
    before = {person: line.all for person, line in found.lines.items() if person.guest != people[0].id}
    await service.own_data.delete(people[0])
    text = await everything(service)
    assert people[0].id not in text
    assert people[0].name not in text
    room = await service.rooms.get(room.id) or room
    assert room.host != people[0].id
    members = await service.rooms.members(room)
    assert {person: line.all for person, line in (await service.rooms.standings(room, members)).lines.items()} == before


async def test_another_evening_begins_after_a_long_pause(service: TableService) -> None:
    people = await guests(service, 2)
    room = await room_of(service, people)
    for _ in range(3):
        await play_out(service, await begin(service, room, people), people)
    rows = [row._replace(at=float(100_000 * (row.at > 0) + 1000)) for row in await results_of_room(service, room)]
    moved = [row._replace(at=0.0) if row.table_id == rows[0].table_id else row for row in rows]
    found = standings(moved, {})
    assert (found.games, found.evening, found.began) == (3, 2, 101_000.0)
    assert all(line.evening.games == 2 for line in found.lines.values())


async def results_of_room(service: TableService, room: Room) -> list[Any]:
    from starfrost.table.rooms import book as module

    query = select(*module._RESULT).where(module.results.c.room == room.id)
    return [module.Result(*row) for row in await service._store.rows(query)]


async def test_people_who_share_a_device_have_lines_of_their_own(service: TableService) -> None:
    anna, ben = people = await guests(service, 2)
    room = await room_of(service, people, of(3))
    table = await begin(service, room, people)
    invitation = (await service.snapshot(table)).invitation
    await service.join(table, ben, name="Bea", version=3, key="bea", invitation=invitation)
    await play_out(service, table, people)
    found = await service.rooms.standings(room, await service.rooms.members(room))
    assert set(found.lines) == {Person(anna.id), Person(ben.id), Person(ben.id, "Bea")}
    # The next game keeps seats for both.
    after = await service.snapshot(await service.rooms.next(room, anna, key="after"))
    assert sorted(seat.name for seat in after.seats) == ["Bea", "Guest 1", "Guest 2"]


async def test_a_group_that_has_played_can_be_kept(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, options={"mode": "interglacial", "goal": "20"}, clock="2min")
    await play_out(service, table, people)
    ended = await service.snapshot(table)
    room = await service.rooms.create(people[1], like(ended), ended)
    assert {member.guest for member in await service.rooms.members(room)} == {guest.id for guest in people}
    opening = room.opening
    assert (opening.game, len(opening.seats), opening.clock) == ("dicy-cards", 2, "2min")
    assert dict(opening.options) == {"mode": "interglacial", "goal": "20"}


async def test_the_last_who_leaves_takes_the_room_along(service: TableService) -> None:
    anna, ben = people = await guests(service, 2)
    room = await room_of(service, people)
    await service.rooms.leave(room, anna)
    assert (await service.rooms.get(room.id) or room).host == ben.id
    await service.own_data.delete(ben)
    for table in (rooms, room_members):
        async with service._store.read() as connection:
            assert (await connection.execute(select(table))).all() == []
    assert await service.rooms.find(room.code) is None


async def test_two_servers_agree_about_a_room(postgres: Postgres) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2)
    async with running(settings) as first, running(settings) as second:
        people = await guests(first, 3)
        room = await room_of(first, people[:2])
        for number in range(3):
            opened = await asyncio.gather(
                *(
                    service.rooms.next(room, guest, key=next(keys))
                    for service in (first, second)
                    for guest in people[:2]
                )
            )
            assert len(set(opened)) == 1
            (table,) = set(opened)
            await asyncio.gather(
                *(
                    service.rooms.come(room, guest)
                    for service, guest in zip((first, second, first), people, strict=True)
                )
            )
            assert (await second.snapshot(table)).status == "running", number
            await play_out(second if number % 2 else first, table, people)
        told = [await service.rooms.standings(room, await service.rooms.members(room)) for service in (first, second)]
        assert told[0] == told[1]
        assert told[0].games == 3
        await first.rooms.change(room, people[0], name="Friday")
        assert (await second.rooms.find(room.code) or room).name == "Friday"
