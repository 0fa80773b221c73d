"""The deck: positions come back after growing intervals, also by real dates, and belong to their guest alone."""

import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from starfrost.table import Settings, TableService
from starfrost.table.deck import DAY, INTERVALS, MISTAKE, Card, Deck, after, put
from tests.postgres import Postgres
from tests.table.helpers import running, settings_for

MONDAY = datetime(2026, 11, 16, 18, 0, tzinfo=UTC).timestamp()


@pytest.fixture(params=["sqlite", "postgres"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TableService]:
    if request.param == "sqlite":
        settings = settings_for(tmp_path)
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        settings = Settings(database=postgres.database())
    async with running(settings) as running_service:
        yield running_service


def day(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC):%d %b}"


def test_the_intervals_grow_and_end() -> None:
    assert list(INTERVALS) == sorted(set(INTERVALS))
    box, waits = 0, []
    while True:
        box, days = after(box, right=True)
        if days is None:
            break
        waits.append(days)
    assert waits == list(INTERVALS[1:])
    assert after(4, right=False) == (0, INTERVALS[0])


async def test_a_missed_puzzle_comes_back_on_these_dates_until_it_is_known(service: TableService) -> None:
    book = service.puzzles
    decks = book.decks
    await book.answer("anna", "p1", "g", "skip", solved=True, shipped=1500.0, at=MONDAY)
    assert await decks.standing("anna", MONDAY) == Deck(), "what was solved is not in it"
    await book.answer("anna", "p2", "g", "skip", solved=False, shipped=1500.0, at=MONDAY)
    assert await decks.next("anna", MONDAY) is None
    dates, now = [], MONDAY
    for right in (True, True, False, True, True, True, True, True):
        card = await decks.card("anna", "p2")
        assert card is not None
        assert card.due is not None
        dates.append(day(card.due))
        # Ahead of time an answer changes nothing; on the day the position is the next one.
        assert await decks.answer("anna", card, right=right, at=card.due - 60) == card
        now = card.due
        assert await decks.next("anna", now - 60) is None
        assert await decks.next("anna", now) == "p2"
        assert await decks.standing("ben", now) == Deck()
        await decks.answer("anna", card, right=right, at=now)
    # A day, then 3 and 7; missed on the 27th, so that it starts again: 1, 3, 7, 16 and 35 days.
    assert dates == ["17 Nov", "20 Nov", "27 Nov", "28 Nov", "01 Dec", "08 Dec", "24 Dec", "28 Jan"]
    assert await decks.standing("anna", now) == Deck(known=1)
    assert await decks.next("anna", now + 1000 * DAY) is None


async def test_two_answers_to_one_showing_count_once(service: TableService) -> None:
    await service.puzzles.answer("anna", "p", "g", "skip", solved=False, shipped=1500.0, at=MONDAY)
    card = await service.puzzles.decks.card("anna", "p")
    assert card is not None
    for right in (True, False):
        await service.puzzles.decks.answer("anna", card, right=right, at=MONDAY + 2 * DAY)
    moved = await service.puzzles.decks.card("anna", "p")
    assert moved is not None
    assert (moved.box, day(moved.due)) == (1, "21 Nov")


async def test_a_deck_is_in_the_download_and_goes_with_its_guest(service: TableService) -> None:
    anna, _ = await service.new_guest("Anna")
    ben, _ = await service.new_guest("Ben")
    for guest in (anna, ben):
        await service._store.write(
            lambda connection, guest=guest: put(connection, guest.id, "g", MISTAKE, [("m", "{}"), ("m", "{}")], 0.0)
        )
    decks = service.puzzles.decks
    assert await decks.card(anna.id, "m") == Card("m", "g", MISTAKE, "{}", 0, INTERVALS[0] * DAY, 0.0)
    assert (await decks.standing(anna.id, time.time())).due == 1
    data = json.loads(
        next(text for name, text, _ in [one async for one in service.own_data.files(anna)] if name == "data.json")
    )
    assert [row["position"] for row in data["deck"]] == ["m"]
    await service.own_data.delete(anna)
    assert await decks.card(anna.id, "m") is None
    assert await decks.card(ben.id, "m") is not None
