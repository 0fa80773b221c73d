"""What a page reads of a table: a move by form takes one snapshot, an idle poll takes no view; neither plays again."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.games.dicy_cards import DicyCards
from starfrost.table import Settings, Snapshot
from starfrost.table.host import TableHost
from starfrost.web.app import create_app
from tests.table.helpers import empty_database


async def test_a_move_by_form_reads_once_and_an_idle_poll_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def count(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, count)

    app = create_app(Settings(database=empty_database(tmp_path), moves_per_second=0.0))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://table.test") as client,
    ):
        token = (await client.post("/api/guests", json={"name": "Anna"})).json()["token"]
        client.headers["authorization"] = f"Bearer {token}"
        body = {"game": "dicy-cards", "seats": ["open", "open"], "key": "o"}
        table = (await client.post("/api/tables", json=body)).json()["table"]
        for seat in (1, 2):
            join = {"version": seat, "seat": seat, "key": f"j{seat}"}
            assert (await client.post(f"/api/tables/{table}/join", json=join)).status_code == 200
        for owner, name in ((TableHost, "load"), (Snapshot, "seen_by"), (DicyCards, "apply")):
            counted(owner, name)
        form = {"version": 3, "seat": 1, "do": "roll", "step": 0, "key": "f"}
        answer = await client.post(f"/t/{table}/act", data=form, headers={"x-fragment": "1"})
        assert 'data-step="1"' in answer.text
        # One read by the page, one by the command; one roll is played.
        assert calls == {"load": 2, "seen_by": 1, "apply": 1}
        calls.clear()
        assert (await client.get(f"/t/{table}/scene?after=1&version=4")).status_code == 204
        assert calls == {"load": 1}
        assert (await client.get(f"/t/{table}/scene?after=1&version=3")).status_code == 200
        assert calls == {"load": 2, "seen_by": 1}


async def test_an_open_stream_keeps_nothing_of_its_request(tmp_path: Path) -> None:
    """Streams last for hours: what the layers of the app hold for a request is gone while one is open."""
    app = create_app(Settings(database=empty_database(tmp_path)))
    begun, gone = asyncio.Event(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if b"event: version" in message.get("body", b""):
            begun.set()

    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table.test") as client,
    ):
        client.headers["authorization"] = (
            f"Bearer {(await client.post('/api/guests', json={'name': 'A'})).json()['token']}"
        )
        body = {"game": "dicy-cards", "seats": ["open", "open"], "public": True, "key": "o"}
        table = (await client.post("/api/tables", json=body)).json()["table"]
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": f"/api/tables/{table}/stream"}
        scope |= {"query_string": b"", "headers": [(b"host", b"table.test")], "scheme": "http", "client": ("::1", 1)}
        stream = asyncio.create_task(app(scope, receive, send))
        await asyncio.wait_for(begun.wait(), 60)
        assert scope.keys() <= {"type", "method", "path", "scheme", "client", "app", "route"}
        assert sum(app.state.limits.streams.values()) == 1
        gone.set()
        await asyncio.wait_for(stream, 60)
        assert not app.state.limits.streams
