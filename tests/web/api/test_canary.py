"""A known seed must not appear anywhere before the game is over."""

import asyncio
import base64
import hashlib
import logging
import multiprocessing.reduction
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from fastapi import FastAPI

from starfrost.fair.dice import Seed
from starfrost.table import Settings
from starfrost.table.bots import BotWorkers
from starfrost.web.app import create_app
from starfrost.web.logs import configure_logs
from tests.serving import Player, Server, messages
from tests.table.helpers import empty_database

CANARY = b"canary-canary-canary-canary-32b!"


def forms(secret: bytes) -> list[bytes]:
    """Return the seed in every encoding that could leak it."""
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        str(list(secret)).encode(),
        str(int.from_bytes(secret, "big")).encode(),
        repr(secret)[2:-1].encode(),
    ]


def assert_silent(text: bytes, where: str) -> None:
    for form in forms(CANARY):
        assert form not in text, where


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seed, "fresh", classmethod(lambda cls: cls(CANARY)))


@pytest.fixture
async def app(canary: None, tmp_path: Path) -> Any:
    made = create_app(
        Settings(database=empty_database(tmp_path), bot_pace=0.0, undo_grace=0.0, moves_per_second=0.0, bots_alone=True)
    )
    async with made.router.lifespan_context(made):
        yield made


async def test_no_answer_shows_the_seed_before_the_end(app: FastAPI, client: httpx.AsyncClient) -> None:
    heard: list[bytes] = []

    async def ask(method: str, path: str, **more: Any) -> Any:
        answer = await client.request(method, path, **more)
        heard.append(str(answer.headers).encode() + answer.content)
        assert_silent(heard[-1], path)
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    people = []
    for name in ("Anna", "Ben", "Eve"):
        made = await ask("POST", "/api/guests", json={"name": name})
        people.append({"authorization": f"Bearer {made['token']}"})
    opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": {"goal": "40"}, "public": True, "key": "o"}
    opened = await ask("POST", "/api/tables", json=opening, headers=people[0])
    table = opened["table"]
    assert opened["event"]["commitment"] == hashlib.sha256(CANARY).hexdigest()
    for headers in people[:2]:
        await ask("POST", f"/api/tables/{table}/join", json={"version": 1, "key": "j"}, headers=headers)
    while True:
        for headers in (*people, {}):
            for path in ("", "/events", "/record"):
                await client.get(f"/api/tables/{table}{path}", headers=headers)
            view = (await client.get(f"/api/tables/{table}", headers=headers)).json()
            if view["status"] == "over":
                break
            assert_silent(str(view).encode(), "view")
            if view["legal"]:
                body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
                await client.post(
                    f"/api/tables/{table}/act", json={**body, "action": view["legal"][0]}, headers=headers
                )
                # Faults must not tell either.
                for fault in ({**body, "action": "score"}, {**body, "version": 0, "action": "x"}, {"seed": 1}, [], 7):
                    await ask("POST", f"/api/tables/{table}/act", json=fault, headers=headers)
        if view["status"] == "over":
            break
        for path in ("/api/tables", "/api/games", "/metrics", "/readyz", f"/api/tables/{table}/events"):
            await ask("GET", path)
        record = await ask("GET", f"/api/tables/{table}/record")
        assert "seed:" not in record
    # Its time has come.
    assert view["seed"] == CANARY.hex()
    assert f"seed: {CANARY.hex()}" in (await client.get(f"/api/tables/{table}/record")).text


async def test_no_log_and_no_fault_shows_the_seed(
    canary: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even with every library chatting and the store failing in the middle of opening a table."""
    configure_logs("debug")
    for name in ("sqlalchemy", "sqlalchemy.engine", "sqlalchemy.pool", "aiosqlite", "alembic", "asyncio"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    try:
        app = create_app(Settings(database=str(tmp_path / "tables.db")))
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://table.test") as client:
                made = (await client.post("/api/guests", json={"name": "Anna"})).json()
                headers = {"authorization": f"Bearer {made['token']}"}
                opening = {"game": "dice-stars", "seats": ["open", "open"], "key": "a"}
                assert (await client.post("/api/tables", json=opening, headers=headers)).status_code == 201
                with closing(sqlite3.connect(tmp_path / "tables.db")) as database:
                    database.execute("ALTER TABLE events RENAME TO gone")
                answer = await client.post("/api/tables", json={**opening, "key": "b"}, headers=headers)
                assert answer.status_code == 503
                assert_silent(answer.content, "fault")
    finally:
        logging.getLogger().handlers.clear()
        structlog.reset_defaults()
        for name in ("sqlalchemy", "sqlalchemy.engine", "sqlalchemy.pool", "aiosqlite", "alembic", "asyncio"):
            logging.getLogger(name).setLevel(logging.NOTSET)
    shown = capsys.readouterr()
    assert "write failed" in shown.err
    assert_silent((shown.out + shown.err).encode(), "log")


async def test_no_bot_process_is_given_the_seed(
    app: FastAPI, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything that is sent to a worker is pickled: inspect all of it."""
    sent: list[bytes] = []
    dumps = multiprocessing.reduction.ForkingPickler.dumps

    def listen(thing: Any, protocol: Any = None) -> Any:
        data = dumps(thing, protocol)
        sent.append(bytes(data))
        return data

    monkeypatch.setattr(multiprocessing.reduction.ForkingPickler, "dumps", listen)
    made = (await client.post("/api/guests", json={"name": "Anna"})).json()
    headers = {"authorization": f"Bearer {made['token']}"}
    opening = {"game": "dice-stars", "seats": ["bot:random", "bot:greedy"], "key": "o"}
    table = (await client.post("/api/tables", json=opening, headers=headers)).json()["table"]
    while (await client.get(f"/api/tables/{table}")).json()["version"] < 12:
        await asyncio.sleep(0.05)
    assert any(b"think" in data for data in sent)
    for data in sent:
        assert_silent(data, "pickle")


def test_a_seed_cannot_be_pickled_at_all() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Seed(CANARY))
    assert "Seed" not in str(BotWorkers.choose.__annotations__)


CANARY_SEED = f"from starfrost.fair.dice import Seed; Seed.fresh = classmethod(lambda cls: cls({CANARY!r}))"


def test_no_stream_shows_the_seed_before_the_end(tmp_path: Path) -> None:
    with Server(str(tmp_path / "t.db"), tmp_path / "log", before=CANARY_SEED, LOG_LEVEL="debug") as server:
        anna = Player(server.url)
        table = anna.open(seats=("open", "bot:greedy"))
        with anna.http.stream("GET", f"/api/tables/{table}/stream?with=events") as stream:
            lines = stream.iter_lines()
            anna.join(table)
            heard = b""
            for _, _, data in messages(lines):
                if any(event.get("over") for event in data.get("events", [])):
                    break
                heard += str(data).encode()
                while anna.move(table):
                    pass
        assert len(heard) > 1000
        assert_silent(heard, "stream")
        assert anna.get(f"/tables/{table}")["seed"] == CANARY.hex()
        server.stop()
    assert_silent(server.log.read_bytes(), "log")
