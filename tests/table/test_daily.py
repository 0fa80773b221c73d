"""The daily game: one deal for everybody, sealed until the day is over, and only the first attempt counts."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from starfrost.errors import RecordError, Refused
from starfrost.fair.proof import prove
from starfrost.games.registry import GAMES
from starfrost.table import Guest, Settings, TableService
from starfrost.table.daily.best_play import SEARCH, best_play
from starfrost.table.daily.days import GRACE, day_at, ends, opens, read_day, shifted, streaks
from starfrost.table.daily.games import Attempt
from tests.postgres import Postgres
from tests.table.helpers import empty_database, guests, play_out, running, settings_for

DAY = "2031-05-17"
NOON = datetime(2031, 5, 17, 12, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2031, 5, 18, tzinfo=UTC).timestamp()
SOLO, DUEL = "dice-stars", "dicy-cards"

SetClock = Callable[[float], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Return a function that sets the clock of this process; it stands still at noon of a day until then."""
    at = [NOON]
    monkeypatch.setattr(time, "time", lambda: at[0])

    def move(to: float) -> None:
        at[0] = to

    return move


@pytest.fixture
async def service(clock: SetClock, tmp_path: Path) -> AsyncIterator[TableService]:
    empty_database(tmp_path)
    async with running(settings_for(tmp_path)) as made:
        yield made


async def finish(service: TableService, guest: Guest, game: str = SOLO, day: str = DAY, key: str = "k") -> str:
    table = await service.daily.begin(guest, day, game, key=key)
    await play_out(service, table, [guest])
    return table


async def first(service: TableService, guest: Guest, game: str = SOLO) -> Attempt:
    found = await service.daily.attempt(guest, DAY, game)
    assert found is not None
    return found


def dice_of(record: str) -> list[str]:
    return [line for line in record.splitlines() if line.startswith("* ")]


@pytest.mark.parametrize("game", [SOLO, DUEL])
async def test_equal_play_gets_equal_dice(service: TableService, game: str) -> None:
    anna, ben = await guests(service, 2)
    records = [await service.record(await finish(service, guest, game)) for guest in (anna, ben)]
    assert len(dice_of(records[0])) > 8
    moves = [record.split("\n\n", 1)[1] for record in records]
    assert moves[0] == moves[1], "the same moves must bring the same dice and the same answers of the bot"
    own = [await service.daily.attempt(guest, DAY, game) for guest in (anna, ben)]
    assert own[0]
    assert own[1]
    assert own[0].counts
    assert own[0].scores == own[1].scores
    assert sum(own[0].gains) == own[0].scores[0]


async def test_every_day_and_every_game_has_dice_of_its_own(service: TableService, clock: SetClock) -> None:
    (anna,) = await guests(service, 1)
    today = {deal.game: deal.commitment for deal in await service.daily.deals.of(DAY)}
    assert list(today) == [name for name, kit in GAMES.items() if kit.daily]
    promised = {deal.game: deal.commitment for deal in await service.daily.deals.sealed_after(DAY)}
    before = await service.record(await finish(service, anna))
    clock(MIDNIGHT + 60)
    tomorrow = await service.daily.deals.of(shifted(DAY, 1))
    assert {deal.game: deal.commitment for deal in tomorrow} == promised, "the seal is published the day before"
    assert all(deal.sealed < MIDNIGHT for deal in tomorrow)
    after = await service.record(await finish(service, anna, day=shifted(DAY, 1), key="other"))
    assert dice_of(before)[0:3] != dice_of(after)[0:3]
    assert len({*today.values(), *promised.values()}) == 4


async def test_the_record_gets_its_seed_when_the_day_is_over(service: TableService, clock: SetClock) -> None:
    (anna,) = await guests(service, 1)
    table = await finish(service, anna)
    record = await service.record(table)
    assert "\nseed:" not in record
    assert "seed-opens: 2031-05-18T01:00Z" in record
    assert f"daily: {DAY}\n" in record
    with pytest.raises(RecordError, match="2031-05-18T01:00Z"):
        prove(record)
    clock(opens(DAY) - 1)
    assert (await service.view(table, anna)).seed is None
    assert (await service.daily.deals.one(DAY, SOLO)).seed is None
    clock(opens(DAY))
    proof = prove(await service.record(table))
    assert proof.finished
    assert proof.daily == DAY
    deal = await service.daily.deals.one(DAY, SOLO)
    assert deal.seed is not None
    assert deal.seed == (await service.view(table, anna)).seed


async def test_a_record_cannot_claim_the_dice_of_a_day(service: TableService, clock: SetClock) -> None:
    (anna,) = await guests(service, 1)
    table = await finish(service, anna)
    clock(opens(DAY))
    record = await service.record(table)
    assert prove(record.replace(f"daily: {DAY}", "daily: 2031-05-18")).daily == ""


async def test_a_closed_table_keeps_the_seed_too(service: TableService, clock: SetClock) -> None:
    (anna,) = await guests(service, 1)
    table = await service.daily.begin(anna, DAY, SOLO, key="k")
    version = (await service.view(table, anna)).version
    await service.close(table, anna, version=version, key="c")
    assert (await service.view(table, anna)).seed is None
    assert "\nseed:" not in await service.record(table)
    assert not (await first(service, anna)).counts
    clock(opens(DAY))
    assert (await service.view(table, anna)).seed


async def test_a_second_attempt_does_not_count(service: TableService) -> None:
    anna, ben = await guests(service, 2)
    with pytest.raises(Refused) as early:
        await service.daily.begin(anna, DAY, SOLO, practice=True, key="p")
    assert early.value.code == "daily-first"
    table = await service.daily.begin(anna, DAY, SOLO, key="a")
    assert await service.daily.begin(anna, DAY, SOLO, key="b") == table, "an unfinished attempt goes on"
    await play_out(service, table, [anna])
    result = await first(service, anna)
    with pytest.raises(Refused) as again:
        await service.daily.begin(anna, DAY, SOLO, key="c")
    assert again.value.code == "daily-once"
    practice = await service.daily.begin(anna, DAY, SOLO, practice=True, key="p")
    view = await service.view(practice, anna)
    assert view.daily
    assert not view.daily.counts
    assert practice != table
    while (view := await service.view(practice, anna)).status == "running":
        await service.act(practice, anna, 1, view.legal[-1], version=view.version, key=f"m{view.version}")
    assert await first(service, anna) == result
    assert f"daily: {DAY} practice" in await service.record(practice)
    standings = await service.daily.standings(DAY, SOLO)
    assert (standings.players, [place.name for place in standings.newcomers]) == (1, ["Guest 1"])
    with pytest.raises(Refused) as rematch:
        await service.rematch(table, anna, version=(await service.view(table, anna)).version, key="r")
    assert rematch.value.code == "daily-once"
    assert await service.daily.attempt(ben, DAY, SOLO) is None


async def test_a_form_sent_twice_opens_one_table(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    opened = await asyncio.gather(*(service.daily.begin(anna, DAY, SOLO, key=f"k{n % 2}") for n in range(6)))
    assert len(set(opened)) == 1
    assert len(await service.tables_of(anna)) == 1


async def test_a_game_begun_before_midnight_counts_for_its_day(service: TableService, clock: SetClock) -> None:
    anna, ben, eve = await guests(service, 3)
    clock(MIDNIGHT - 1)
    tables = {guest: await service.daily.begin(guest, DAY, SOLO, key="k") for guest in (anna, ben)}
    clock(MIDNIGHT + 1)
    with pytest.raises(Refused) as late:
        await service.daily.begin(eve, DAY, SOLO, key="k")
    assert late.value.code == "day-over"
    assert await service.daily.begin(anna, DAY, SOLO, key="again") == tables[anna], "it goes on after midnight"
    clock(opens(DAY) - 1)
    await play_out(service, tables[anna], [anna])
    assert (await first(service, anna)).counts
    clock(opens(DAY) + 1)
    await play_out(service, tables[ben], [ben])
    assert not (await first(service, ben)).counts, "the seed could be read by then"
    assert (await service.daily.standings(DAY, SOLO)).players == 1
    practice = await service.daily.begin(eve, DAY, SOLO, practice=True, key="p")
    assert (await service.view(practice, eve)).daily == (DAY, False, opens(DAY))


async def test_a_bot_that_plays_on_makes_a_result_that_does_not_count(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    table = await service.daily.begin(anna, DAY, SOLO, key="k")
    await service.resign(table, anna, 1, version=(await service.view(table, anna)).version, key="r")
    await play_out(service, table, [])
    assert not (await first(service, anna)).counts


def finish_before(service: TableService, guest: Guest, count: int) -> None:
    """Store results of games that a guest finished before."""
    row = {"seat": 1, "name": guest.name, "game": SOLO, "seats": 1, "against": "", "counts": True, "score": 1}
    row |= {"lead": 0, "share": 1.0, "turns": 9, "at": 0.0, "guest": guest.id}
    with closing(sqlite3.connect(service.settings.sqlite_path)) as database:
        for number in range(count):
            values = row | {"table_id": f"{guest.id[:20]}-{number}"}
            names, marks = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
            database.execute(f"INSERT INTO results ({names}) VALUES ({marks})", tuple(values.values()))
        database.commit()


async def test_results_are_ranked(service: TableService) -> None:
    people = await guests(service, 3)
    (stranger,) = await guests(service, 1)
    for guest in people:
        finish_before(service, guest, 3)
    finish_before(service, stranger, 2)
    for guest in (*people, stranger):
        await finish(service, guest)
    assert (await service.daily.standings(DAY, SOLO)).players == 4
    with closing(sqlite3.connect(service.settings.sqlite_path)) as database:
        told = ((False, 90), (True, 60), (True, 60), (True, 99))
        for guest, (won, points) in zip((*people, stranger), told, strict=True):
            query = "UPDATE daily_attempts SET won = ?, points = ? WHERE guest = ?"
            database.execute(query, (won, points, guest.id))
        database.commit()
    standings = await service.daily.standings(DAY, SOLO)
    places = [(place.rank, place.name) for place in standings.places]
    assert (sorted(places[:2]), places[2]) == ([(1, "Guest 2"), (1, "Guest 3")], (3, "Guest 1"))
    assert (standings.players, standings.ranked, standings.mean, standings.rank(False, 90)) == (4, 3, 77.25, 3)
    # Whoever knows the dice from another name wins nothing: the best result of all is listed apart.
    assert [(place.rank, place.attempt.guest) for place in standings.newcomers] == [(None, stranger.id)]
    assert [attempt.ranked for attempt in await service.daily.attempts_of(stranger)] == [False]


@pytest.mark.parametrize("day", ["", "today", "2031-5-17", "20310517", "2031-02-30", "2031-05-17 ", "0000-00-00"])
async def test_a_forged_day_is_refused(service: TableService, day: str) -> None:
    (anna,) = await guests(service, 1)
    for asked in (service.daily.deals.of(day), service.daily.begin(anna, day, SOLO, key="k")):
        with pytest.raises(Refused) as refused:
            await asked
        assert (refused.value.code, refused.value.status) == ("no-day", 404)
    assert not await service.tables_of(anna)


async def test_other_days_and_games_are_refused(service: TableService) -> None:
    (anna,) = await guests(service, 1)
    for day, game, code in (
        ("2031-05-18", SOLO, "day-to-come"),
        ("2031-05-16", SOLO, "no-deal"),
        (DAY, "chess", "no-daily"),
    ):
        with pytest.raises(Refused) as refused:
            await service.daily.begin(anna, day, game, key="k")
        assert (refused.value.code, refused.value.status) == (code, 404)
    assert not await service.tables_of(anna)


async def test_processes_agree_on_the_deal(postgres: Postgres, clock: SetClock) -> None:
    settings = Settings(database=postgres.database(), bot_pace=0.0, undo_grace=0.0, beat=0.2)
    async with running(settings) as one, running(settings) as other:
        found = await asyncio.gather(*(service.daily.deals.of(DAY) for service in (one, other) * 3))
        assert all(deals == found[0] for deals in found)
        anna = (await one.new_guest("Anna"))[0]
        begun = await asyncio.gather(*(s.daily.begin(anna, DAY, SOLO, key=f"k{n}") for n, s in enumerate((one, other))))
        assert begun[0] == begun[1], "two devices of one guest play one first attempt"


async def test_the_best_play_is_found_when_the_day_is_over(
    service: TableService, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starfrost.table.daily.deals._ROUND", 0.05)
    assert not (await service.daily.deals.one(DAY, SOLO)).best

    async def searched(row: dict[str, object]) -> dict[str, object]:
        assert time.time() >= opens(DAY)
        return {"search": {"won": True, "points": 99, "scores": [99]}}

    monkeypatch.setattr(service.daily.deals, "_searched", searched)
    clock(opens(DAY))
    for _ in range(200):
        if (deal := await service.daily.deals.one(DAY, SOLO)).best:
            break
        await asyncio.sleep(0.02)
    assert deal.best["search"]["points"] == 99


def test_the_search_knows_the_dice_and_beats_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    kit = GAMES[SOLO]
    assert kit.daily
    monkeypatch.setattr(
        "starfrost.table.daily.best_play.GAMES", {SOLO: replace(kit, daily=replace(kit.daily, tries=60))}
    )
    seats = list(kit.daily.seats)
    found = best_play("ab" * 32, f"daily-{DAY}", (("server", "daily"),), SOLO, {}, seats)
    bots = [found[bot] for bot in kit.daily.compared]
    assert all((found[SEARCH]["won"], found[SEARCH]["points"]) >= (bot["won"], bot["points"]) for bot in bots)
    assert found == best_play("ab" * 32, f"daily-{DAY}", (("server", "daily"),), SOLO, {}, seats)


def test_days_are_in_utc(clock: SetClock) -> None:
    clock(MIDNIGHT - 0.5)
    assert day_at(time.time()) == DAY
    assert read_day(DAY) == DAY
    clock(MIDNIGHT)
    assert day_at(time.time()) == "2031-05-18"
    assert (ends(DAY), opens(DAY)) == (MIDNIGHT, MIDNIGHT + GRACE)


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        ([], (0, 0)),
        (["2031-05-17"], (1, 1)),
        (["2031-05-16"], (1, 1)),
        (["2031-05-15"], (0, 1)),
        (["2031-05-14", "2031-05-15", "2031-05-17"], (1, 2)),
        (["2031-04-30", "2031-05-01", "2031-05-02", "2031-05-16", "2031-05-17"], (2, 3)),
    ],
)
def test_streaks(played: list[str], expected: tuple[int, int]) -> None:
    assert streaks(played, DAY) == expected
