"""Pages about whole games are made in one thread, in turns between addresses, and within a budget."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from jinja2 import Template

from starfrost.table import Settings
from starfrost.web.app import create_app
from starfrost.web.limits import Rate, TooMany
from starfrost.web.pages import after, replays
from starfrost.web.pages.replays import pack
from tests.games.records import GOOD
from tests.table.helpers import empty_database

REPLAY = f"/replay?record={pack(GOOD)}&step=0"
HERS = pack(GOOD + "\n")


def client_of(app: FastAPI, address: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(address, 1)), base_url="http://table.test")


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FastAPI]:
    made = create_app(Settings(database=empty_database(tmp_path)))
    async with made.router.lifespan_context(made):
        yield made


class Watched:
    """Counts what is made, where and how many at once, and lets it wait until it may go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.threads: set[str] = set()
        self.records: list[str] = []
        self.now = self.most = 0

    def __call__(self, record: str) -> Any:
        assert threading.current_thread() is not threading.main_thread(), "everybody waits for this page"
        self.records.append(record)
        self.threads.add(threading.current_thread().name)
        self.now += 1
        self.most = max(self.most, self.now)
        self.go_on.wait(60)
        self.now -= 1
        return _view_of_link(record)


_view_of_link = replays._view_of_link


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    made = Watched()
    monkeypatch.setattr(replays, "_view_of_link", made)
    yield made
    made.go_on.set()


async def test_many_replays_leave_the_others_alone(app: FastAPI, watched: Watched) -> None:
    """300 small requests delayed another client's health check by 11.7 seconds."""
    eve, anna = client_of(app, "203.0.113.1"), client_of(app, "203.0.113.2")
    flood = [asyncio.create_task(eve.get(REPLAY)) for _ in range(300)]
    while sum(task.done() for task in flood) < 279:
        await asyncio.sleep(0.01)
    # One is being made and the next ones wait; the health check and other pages are answered meanwhile.
    assert {task.result().status_code for task in flood if task.done()} == {429}
    assert (await anna.get("/healthz")).status_code == 200
    assert (await anna.get("/rules/dice-stars")).status_code == 200
    hers = asyncio.create_task(anna.get(f"/replay?record={HERS}&step=0"))
    while not app.state.heavy._queue.waiting("203.0.113.2"):
        await asyncio.sleep(0.01)
    watched.go_on.set()
    assert (await hers).status_code == 200
    # Hers is made after the one that was under way, not behind all of the flood.
    assert watched.records.index(HERS) == 1
    assert [answer.status_code for answer in await asyncio.gather(*flood)].count(200) in (20, 21)
    assert watched.most == 1
    assert all(name.startswith("pages") for name in watched.threads)


async def test_whoever_used_up_the_time_waits(tmp_path: Path) -> None:
    app = create_app(Settings(database=empty_database(tmp_path), page_seconds=0.001))
    async with app.router.lifespan_context(app):
        eve, anna = client_of(app, "203.0.113.1"), client_of(app, "203.0.113.2")
        first, *others = [await eve.get(REPLAY) for _ in range(4)]
        assert first.status_code in (200, 429)
        for answer in others:
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 1
        assert (await eve.get("/healthz")).status_code == 200
        assert (await anna.get("/replay")).status_code == 200


@pytest.fixture
async def closed(app: FastAPI) -> tuple[httpx.AsyncClient, str]:
    """Close a table after two moves; return its host and its id."""
    anna = client_of(app, "203.0.113.1")
    made = await anna.post("/api/guests", json={"name": "Anna"})
    anna.headers["authorization"] = f"Bearer {made.json()['token']}"
    opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": {"mode": "glacial"}, "key": "open"}
    table = (await anna.post("/api/tables", json=opening)).json()["table"]
    commands: list[tuple[str, dict[str, Any]]] = [
        ("join", {"version": 1, "seat": 1}),
        ("join", {"version": 2, "seat": 2}),
        ("act", {"version": 3, "seat": 1, "action": "roll"}),
        ("act", {"version": 4, "seat": 1, "action": "skip"}),
        ("close", {"version": 5}),
    ]
    for command, body in commands:
        answer = await anna.post(f"/api/tables/{table}/{command}", json={**body, "key": f"k{body['version']}"})
        assert answer.status_code == 200, answer.text
    return anna, table


@pytest.mark.parametrize(
    "path", ["/me", "/me/games", REPLAY, "/replay/{}", "/replay/{}?step=1", "/after/{}", "/after/{}?check"]
)
async def test_pages_are_made_in_the_thread(
    closed: tuple[httpx.AsyncClient, str], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    anna, table = closed
    makers: list[str] = []

    def seen(work: Any) -> Any:
        def noted(*arguments: Any, **names: Any) -> Any:
            makers.append(threading.current_thread().name)
            return work(*arguments, **names)

        return noted

    monkeypatch.setattr(Template, "render", seen(Template.render))
    monkeypatch.setattr(after, "prove", seen(after.prove))
    monkeypatch.setattr(replays, "replay", seen(replays.replay))
    assert (await anna.get(path.format(table))).status_code == 200
    assert len(makers) == (2 if path.endswith("check") or path == REPLAY else 1)
    assert all(name.startswith("pages") for name in makers)


async def test_a_page_that_fails_is_an_error_of_that_page_alone(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    eve = client_of(app, "203.0.113.1")
    assert (await eve.get("/replay?record=nonsense")).status_code == 422
    assert (await eve.get(REPLAY)).status_code == 200


def test_a_debt_is_paid_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("starfrost.web.limits.time.monotonic", lambda: now)
    budget = Rate(1 / 2, 10)
    budget.check("eve")
    budget.pay("eve", 12)
    with pytest.raises(TooMany) as refusal:
        budget.check("eve")
    assert refusal.value.wait == 4
    budget.check("anna")
    now = 4.5
    budget.check("eve")
