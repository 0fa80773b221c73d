"""A crowd of readers waits for its turn, and the moves of others do not wait for the crowd."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import Message

from starfrost.table import Settings
from starfrost.web import turnstile
from starfrost.web.app import create_app
from starfrost.web.limits import TooMany
from starfrost.web.turnstile import PLACES, Turnstile, waits


class Readers:
    """Work that steps aside a few times, as a page does, and notes who is served when."""

    def __init__(self) -> None:
        self.door = Turnstile()
        self.order: list[str] = []
        self.inside = self.most = 0

    def work(self, name: str) -> Callable[[], Awaitable[None]]:
        async def read() -> None:
            self.inside += 1
            self.most = max(self.most, self.inside)
            for _ in range(3):
                await asyncio.sleep(0)
            self.inside -= 1
            self.order.append(name)

        return read

    def ask(self, address: str, name: str = "") -> "asyncio.Task[None]":
        return asyncio.create_task(self.door.passed(address, self.work(name or address)))


async def test_one_address_does_not_keep_another_waiting() -> None:
    readers = Readers()
    crowd = [readers.ask("flood") for _ in range(40)]
    await asyncio.sleep(0)
    await asyncio.gather(*crowd, readers.ask("reader"))
    assert readers.most == PLACES
    assert readers.order.index("reader") <= 2 * PLACES
    assert len(readers.order) == 41


async def test_whoever_only_waits_gives_the_place_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "LONGEST", 0.001)
    readers, never = Readers(), asyncio.Event()

    async def wait() -> None:
        await never.wait()

    stuck = [asyncio.create_task(readers.door.passed("slow", wait)) for _ in range(3 * PLACES)]
    await asyncio.gather(*(readers.ask("reader") for _ in range(5)))
    never.set()
    await asyncio.gather(*stuck, readers.ask("reader"))
    assert readers.order == ["reader"] * 6


async def test_a_reader_who_goes_away_leaves_no_place_empty() -> None:
    readers = Readers()
    crowd = [readers.ask("flood", str(number)) for number in range(20)]
    await asyncio.sleep(0)
    for number in (0, 5, 19):
        crowd[number].cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    assert len(readers.order) == 17
    await asyncio.gather(*(readers.ask("later") for _ in range(2 * PLACES)))
    assert readers.order[17:] == ["later"] * 2 * PLACES


async def test_only_so_many_of_an_address_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "MOST_WAITING", 5)
    readers = Readers()
    found = await asyncio.gather(*(readers.ask("flood") for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, TooMany) for one in found) == 20 - 5 - PLACES


@pytest.mark.parametrize(
    ("method", "path", "its_turn"),
    [
        ("GET", "/", True),
        ("GET", "/api/tables/T", True),
        ("GET", "/api/tables/T/stream", False),
        ("GET", "/healthz", False),
        ("GET", "/static/css/base.css", False),
        ("POST", "/api/tables", False),
    ],
)
def test_who_waits(method: str, path: str, its_turn: bool) -> None:
    assert waits({"method": method, "path": path}) is its_turn


async def test_a_move_overtakes_forty_pages(tmp_path: Path) -> None:
    app = create_app(Settings(database=str(tmp_path / "t.db")))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://t", headers={"accept-encoding": "identity"}
        ) as http:
            token = (await http.post("/api/guests", json={"name": "Anna"})).json()["token"]
            head = {"authorization": f"Bearer {token}"}
            wish = {"game": "dicy-cards", "seats": ["open", "open"], "options": {}, "key": "o"}
            path = f"/api/tables/{(await http.post('/api/tables', json=wish, headers=head)).json()['table']}"
            for seat in (1, 2):
                joined = {"version": seat, "key": f"j{seat}", "seat": seat}
                (await http.post(f"{path}/join", json=joined, headers=head)).raise_for_status()

            async def ask(method: str, path: str, body: bytes = b"") -> int:
                """Ask the app itself: a client in the same loop would take turns of its own."""
                scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http"}
                scope |= {"headers": [(b"authorization", head["authorization"].encode())], "client": ("::1", 1)}
                status: list[int] = []

                async def receive() -> Message:
                    return {"type": "http.request", "body": body}

                async def send(message: Message) -> None:
                    status.append(message.get("status", 0))

                await app(scope, receive, send)
                return status[0]

            assert await ask("GET", "/rules/dice-stars") == 200
            pages = [asyncio.create_task(ask("GET", "/rules/dice-stars")) for _ in range(40)]
            await asyncio.sleep(0)
            # A move that is refused: how long storing one takes is not the point here.
            move = {"version": 1, "key": "m", "seat": 1, "action": "roll"}
            assert await ask("POST", f"{path}/act", json.dumps(move).encode()) == 409
            before = sum(page.done() for page in pages)
            assert await asyncio.gather(*pages) == [200] * 40
    assert before <= 2 * PLACES
