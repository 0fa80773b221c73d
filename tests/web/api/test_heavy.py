"""Pages about whole games are made in a thread, one at a time and only so many for one address."""

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
from starfrost.web.pages import after, replays
from starfrost.web.pages.replays import pack
from tests.games.records import GOOD
from tests.table.helpers import empty_database

REPLAY = f"/replay?record={pack(GOOD)}&step=0"


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
        self.now = self.most = 0

    def __call__(self, record: str) -> Any:
        assert threading.current_thread() is not threading.main_thread(), "everybody waits for this page"
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
    while sum(task.done() for task in flood) < 99:
        await asyncio.sleep(0.01)
    # One is being made and the next ones wait; the health check and other pages are answered meanwhile.
    assert {task.result().status_code for task in flood if task.done()} == {429}
    assert (await anna.get("/healthz")).status_code == 200
    assert (await anna.get("/rules/dice-stars")).status_code == 200
    watched.go_on.set()
    assert [answer.status_code for answer in await asyncio.gather(*flood)].count(200) in (200, 201)
    assert watched.most == 1


async def test_one_address_has_so_many_pages_a_minute(tmp_path: Path) -> None:
    app = create_app(Settings(database=empty_database(tmp_path), requests_per_second=2.5))
    async with app.router.lifespan_context(app):
        eve, anna = client_of(app, "203.0.113.1"), client_of(app, "203.0.113.2")
        answers = [await eve.get(REPLAY) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429]
        assert int(answers[-1].headers["retry-after"]) > 1
        assert (await eve.get("/healthz")).status_code == 200
        assert (await anna.get(REPLAY)).status_code == 200


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
    makers: list[threading.Thread] = []

    def seen(work: Any) -> Any:
        def noted(*arguments: Any, **names: Any) -> Any:
            makers.append(threading.current_thread())
            return work(*arguments, **names)

        return noted

    monkeypatch.setattr(Template, "render", seen(Template.render))
    monkeypatch.setattr(after, "prove", seen(after.prove))
    monkeypatch.setattr(replays, "replay", seen(replays.replay))
    assert (await anna.get(path.format(table))).status_code == 200
    assert len(makers) == (2 if path.endswith("check") or path == REPLAY else 1)
    assert threading.main_thread() not in makers


async def test_a_page_that_fails_is_an_error_of_that_page_alone(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    eve = client_of(app, "203.0.113.1")
    assert (await eve.get("/replay?record=nonsense")).status_code == 422
    assert (await eve.get(REPLAY)).status_code == 200
