"""How many tables strangers may open, and how long a game may become."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from starfrost.table import Settings, TableService
from starfrost.table.schema import tables
from starfrost.web.app import create_app
from starfrost.web.asking import address_of
from tests.table.helpers import empty_database

PLANNERS = {"game": "dicy-cards", "seats": ["bot:planner"] * 4}
PEOPLE = {"game": "dice-stars", "seats": ["open", "open"]}


class Stranger:
    """A program at an address that makes guests and opens tables."""

    def __init__(self, app: Any, address: str) -> None:
        transport = httpx.ASGITransport(app, client=(address, 1))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://table.test")
        self.heads: list[dict[str, str]] = []

    async def guest(self) -> None:
        answer = await self.http.post("/api/guests", json={"name": "Eve"})
        if answer.status_code == 201:
            self.heads.append({"authorization": f"Bearer {answer.json()['token']}"})

    async def open(self, number: int, body: dict[str, Any]) -> tuple[int, str]:
        head = self.heads[number % len(self.heads)]
        answer = await self.http.post("/api/tables", json={**body, "key": f"k{number}"}, headers=head)
        return answer.status_code, answer.json().get("code", "")


@asynccontextmanager
async def serving(path: Path, **changes: Any) -> AsyncIterator[Any]:
    settings = {"bot_pace": 0.0, "undo_grace": 0.0, "moves_per_second": 0, "requests_per_second": 0, **changes}
    app = create_app(Settings(database=empty_database(path), **settings))
    async with app.router.lifespan_context(app):
        yield app


async def test_one_address_cannot_fill_the_server(tmp_path: Path) -> None:
    """4,048 tables were opened in 90 seconds from one address, with many guests."""
    async with serving(tmp_path, tables_per_address=50) as app:
        eve, anna = Stranger(app, "203.0.113.1"), Stranger(app, "203.0.113.2")
        for _ in range(12):
            await eve.guest()
        answers = []
        for start in range(0, 1000, 250):
            answers += await asyncio.gather(*(eve.open(start + n, PEOPLE) for n in range(250)))
        assert answers.count((201, "")) == 50
        assert {code for status, code in answers if status != 201} == {"many-tables", "slow-down"}
        await anna.guest()
        assert await anna.open(1, PEOPLE) == (201, "")
        # A table that ends makes room.
        service: TableService = app.state.service
        async with service._store.read() as connection:
            rows = (await connection.execute(select(tables.c.id, tables.c.host, tables.c.origin))).all()
        origins = {row[2] for row in rows}
        assert len(origins) == 2
        assert not any("203" in str(origin) for origin in origins)
        await service.retention.close_old(time.time() + 400 * 86_400)
        async with service._store.read() as connection:
            assert set((await connection.execute(select(tables.c.origin))).scalars()) == {None}


async def test_the_rate_of_new_tables_is_limited_by_address_too(tmp_path: Path) -> None:
    async with serving(tmp_path, tables_per_address=0, opens_per_minute=3) as app:
        eve = Stranger(app, "203.0.113.1")
        while len(eve.heads) < 3:
            await eve.guest()
        # A guest who comes from elsewhere counts as well.
        other = Stranger(app, "203.0.113.9")
        for _ in range(3):
            await other.guest()
        eve.heads += other.heads
        answers = [await eve.open(number, PEOPLE) for number in range(18)]
        assert answers.count((201, "")) == 12


async def test_all_bot_tables_are_refused(tmp_path: Path) -> None:
    """330 tables of four planners, opened from one address, stopped the bots of everybody."""
    async with serving(tmp_path, opens_per_minute=0) as app:
        eve = Stranger(app, "203.0.113.1")
        await eve.guest()
        for number in range(330):
            assert await eve.open(number, PLANNERS) == (422, "no-person")
        assert await eve.open(331, {**PLANNERS, "seats": ["open", "bot:planner"]}) == (201, "")
        # Nor does a table become one when the host gives all its seats to bots.
        opened = await eve.http.post("/api/tables", json={**PEOPLE, "key": "x"}, headers=eve.heads[0])
        table = opened.json()["table"]
        for seat, status in ((1, 200), (2, 422)):
            body = {"seat": seat, "bot": "greedy", "version": seat, "key": f"b{seat}"}
            answer = await eve.http.post(f"/api/tables/{table}/bot", json=body, headers=eve.heads[0])
            assert answer.status_code == status
        assert answer.json()["code"] == "no-person"
    async with serving(tmp_path, bots_alone=True) as app:
        await eve.http.aclose()
        eve = Stranger(app, "203.0.113.1")
        await eve.guest()
        assert await eve.open(1, PLANNERS) == (201, "")


async def test_there_is_a_limit_in_total(tmp_path: Path) -> None:
    async with serving(tmp_path, tables_in_total=5, opens_per_minute=0) as app:
        many = [Stranger(app, f"203.0.113.{number}") for number in range(8)]
        for one in many:
            await one.guest()
        answers = await asyncio.gather(*(one.open(1, PEOPLE) for one in many))
        assert sorted(answers) == [*[(201, "")] * 5, *[(503, "full")] * 3]


async def test_a_game_that_becomes_too_long_is_closed(tmp_path: Path) -> None:
    async with serving(tmp_path, longest_game=40) as app:
        eve = Stranger(app, "203.0.113.1")
        await eve.guest()
        opened = await eve.http.post("/api/tables", json={**PEOPLE, "key": "x"}, headers=eve.heads[0])
        path = f"/api/tables/{opened.json()['table']}"
        statuses = []
        # Whoever joins and leaves for ever fills the log as well.
        for number in range(60):
            view = (await eve.http.get(path, headers=eve.heads[0])).json()
            verb = "leave" if number % 2 else "join"
            body = {"seat": 1, "version": view["version"], "key": f"k{number}"}
            statuses.append((await eve.http.post(f"{path}/{verb}", json=body, headers=eve.heads[0])).status_code)
        events = (await eve.http.get(f"{path}/events")).json()["events"]
        assert events[-1]["kind"] == "close"
        assert events[-1]["why"] == "length"
        assert 40 < len(events) <= 43
        assert set(statuses[43:]) == {409}


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("203.0.113.1", "203.0.113.1"),
        ("::ffff:203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_limits_count_households(host: str, address: str) -> None:
    class Request:
        client = type("Client", (), {"host": host})

    assert address_of(Request()) == address  # type: ignore[arg-type]
