"""Answers to puzzles: the first one counts, both sides are rated, streaks follow the answers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest

from starfrost.table import Settings, TableService
from starfrost.table.puzzle_standing import Attempt, Standing
from starfrost.table.ratings import START, UNKNOWN, Rating, met
from tests.postgres import Postgres
from tests.table.helpers import running, settings_for

DAY = 86_400.0
NOON = 20_000 * DAY + DAY / 2


@pytest.fixture(params=["sqlite", "postgres"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TableService]:
    if request.param == "sqlite":
        settings = settings_for(tmp_path)
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        settings = Settings(database=postgres.database())
    async with running(settings) as running_service:
        yield running_service


async def test_only_the_first_answer_counts_and_both_sides_are_rated(service: TableService) -> None:
    book = service.puzzles
    assert await book.answer("anna", "p1", "g", "skip", solved=True, shipped=1600.0, at=NOON)
    assert not await book.answer("anna", "p1", "g", "roll", solved=False, shipped=1600.0, at=NOON + 1)
    standing = await book.standing("anna")
    assert [attempt.action for attempt in standing.attempts] == ["skip"]
    assert standing.rating("g").value > START
    assert standing.rating("g").deviation < UNKNOWN
    assert standing.rating("another game") == Rating()
    assert standing.change("p1") == pytest.approx(standing.rating("g").value - START)
    puzzle = (await book.ratings())["p1"]
    assert puzzle.rating < 1600.0
    assert (puzzle.answers, puzzle.solved) == (1, 1)
    assert await book.answer("ben", "p1", "g", "roll", solved=False, shipped=1600.0, at=NOON)
    assert (await book.standing("ben")).rating("g").value < START
    after = (await book.ratings(["p1", "p2"]))["p1"]
    assert after.rating > puzzle.rating
    assert (after.answers, after.solved) == (2, 1)


async def test_answers_at_the_same_moment_are_all_counted(service: TableService) -> None:
    book = service.puzzles
    guests = [f"guest-{number}" for number in range(6)]
    stored = await asyncio.gather(
        *(book.answer(guest, "p", "g", "skip", solved=True, shipped=1500.0) for guest in [*guests, *guests])
    )
    assert sum(stored) == 6
    assert (await book.ratings())["p"].answers == 6


def standing(*answers: tuple[float, bool]) -> Standing:
    return Standing(
        [Attempt(str(n), "g", "", solved, NOON + day * DAY, START, UNKNOWN) for n, (day, solved) in enumerate(answers)]
    )


def test_rows_and_days() -> None:
    assert (Standing().row, Standing().best_row, Standing().days(date(2024, 10, 4))) == (0, 0, 0)
    some = standing((0, True), (0, True), (1, False), (2, True))
    assert (some.row, some.best_row, some.solved) == (1, 2, 3)
    assert standing((0, True), (1, False)).row == 0
    last = date.fromordinal(date(1970, 1, 1).toordinal() + 20_002)
    assert some.days(last) == 3
    assert some.days(last.replace(day=last.day + 1)) == 3, "today is not over yet"
    assert some.days(last.replace(day=last.day + 2)) == 0
    assert standing((-0.51, True), (0.49, True)).days(date.fromordinal(last.toordinal() - 2)) == 2, "midnight is UTC"


def test_ratings_move_the_right_way() -> None:
    strong, weak = Rating(1900.0, 60.0), Rating(1500.0, 60.0)
    assert met(strong, weak, 1)[0].value - 1900 < met(weak, strong, 1)[0].value - 1500, "an upset moves more"
    assert met(weak, weak, 0.5)[0].value == pytest.approx(1500.0)
    tenfold = [met(Rating(1900.0, 1.0), Rating(1500.0, 1.0), score)[0].value - 1900 for score in (1, 0)]
    assert tenfold[1] / tenfold[0] == pytest.approx(-10.0, rel=0.01), "400 points are tenfold odds"
