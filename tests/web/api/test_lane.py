"""The fast lane: ordinary moves pass it, all others get from the app what they always got."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI
from uvicorn.config import Config
from uvicorn.server import ServerState

from starfrost.table.guests import hash_token
from starfrost.table.store import Conflict, Store, Unavailable
from starfrost.web.exchange import Exchange
from starfrost.web.lane import Lane
from starfrost.web.protocol import HttpConnection

CARDS = {"cards": "any-two no-sixes odds straight two-pairs"}


class Wire:
    """A connection to the app over a real socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.token = ""

    async def send(self, path: str, body: Any, *, whole: bool = True, method: str = "POST") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: table.test\r\nauthorization: Bearer {self.token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        )
        self._writer.write(head.encode() + (data if whole else b""))
        if not whole:
            # The app begins to answer before the body is here.
            await asyncio.sleep(0.01)
            self._writer.write(data)

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        # A request that is never answered fails its test, and does not stop the others.
        async with asyncio.timeout(20):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.split(": ", 1) for line in head[1:-2])
            body = await self._reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, json.loads(body)

    async def ask(self, path: str, body: Any, *, whole: bool = True) -> tuple[int, dict[str, str], Any]:
        await self.send(path, body, whole=whole)
        return await self.answer()

    def close(self) -> None:
        self._writer.close()


class Players:
    """Two players at a table, each with a connection."""

    def __init__(self, wires: list[Wire], table: str) -> None:
        self.wires, self.table = wires, table

    @property
    def path(self) -> str:
        return f"/api/tables/{self.table}/act"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """List for each request to a move whether the lane took it."""
    found: list[bool] = []
    take = Lane.take

    def watched(self: Lane, exchange: Exchange) -> bool:
        took = take(self, exchange)
        if exchange.scope["path"].endswith("/act"):
            found.append(took)
        return took

    monkeypatch.setattr(Lane, "take", watched)
    return found


@pytest.fixture
async def players(app: FastAPI) -> AsyncIterator[Players]:
    config = Config(app)
    config.load()
    config.loaded_app = app
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: HttpConnection(config, state, {}), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    wires = [Wire(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(2)]
    for wire in wires:
        wire.token = (await wire.ask("/api/guests", {"name": "Anna"}))[2]["token"]
    opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": CARDS, "public": True, "key": "t"}
    table = (await wires[0].ask("/api/tables", opening))[2]["table"]
    for seat, wire in enumerate(wires, start=1):
        await wire.ask(f"/api/tables/{table}/join", {"version": 1, "key": "join", "seat": seat})
    yield Players(wires, table)
    for wire in wires:
        wire.close()
    server.close()
    await server.wait_closed()


def roll(version: int = 3, key: str = "a", seat: int = 1) -> dict[str, Any]:
    return {"version": version, "key": key, "seat": seat, "action": "roll"}


async def test_a_move_is_answered_as_by_the_app(players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    status, headers, answer = await anna.ask(players.path, roll())
    skipped = {"version": 4, "key": "b", "seat": 1, "action": "skip"}
    same_status, same_headers, other = await anna.ask(players.path, skipped, whole=False)
    assert taken == [True]
    assert (status, same_status) == (200, 200)
    differs = {"date", "content-length"}
    assert {name: value for name, value in headers.items() if name not in differs} == {
        name: value for name, value in same_headers.items() if name not in differs
    }
    assert list(headers) == list(same_headers)
    assert (answer["version"], answer["event"]["action"], len(answer["event"]["chance"])) == (4, "roll", 1)
    assert (other["version"], other["event"]["action"]) == (5, "skip")
    # A repeated key gets the first answer.
    assert (await anna.ask(players.path, roll()))[2] == answer


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (roll(version=1), 409, "stale"),
        (roll(seat=2), 403, "not-your-seat"),
        ({**roll(), "action": "skip"}, 422, "illegal"),
        ({**roll(), "key": "no key!"}, 422, "bad-key"),
        ({**roll(), "more": 1}, 422, "bad-request"),
        (b"{", 422, "bad-request"),
        (b"\xff\xfe", 422, "bad-request"),
    ],
)
async def test_refusals_are_those_of_the_app(
    players: Players, taken: list[bool], body: Any, status: int, code: str
) -> None:
    found, _, answer = await players.wires[0].ask(players.path, body)
    assert (found, answer["code"]) == (status, code)
    assert taken == [False]
    # Nothing was counted or locked: the next move is an ordinary one.
    assert (await players.wires[0].ask(players.path, roll()))[0] == 200
    assert taken == [False, True]


async def test_strangers_and_unknown_tables_go_to_the_app(players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    assert (await anna.ask("/api/tables/nowhere/act", roll()))[0] == 404
    anna.token = "nobody"
    assert (await anna.ask(players.path, roll()))[0] == 401
    assert taken == [False, False]


async def test_moves_count_against_the_limits(app: FastAPI, players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    app.state.limits.command._per_second, app.state.limits.command.burst = 0.001, 2.0
    app.state.limits.command._levels.clear()
    for number, action in enumerate(("roll", "skip")):
        move = {"version": 3 + number, "key": f"k{number}", "seat": 1, "action": action}
        assert (await anna.ask(players.path, move))[0] == 200
    status, headers, _ = await anna.ask(players.path, roll(key="c"))
    assert status == 429
    assert int(headers["retry-after"]) > 1
    assert taken == [True, True, False]
    assert app.state.limits.under_way.count("127.0.0.1") == 0


async def test_requests_on_one_connection_stay_in_order(players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    await anna.send(players.path, roll())
    await anna.send(players.path, {"version": 4, "key": "b", "seat": 1, "action": "skip"})
    await anna.send(f"/api/tables/{players.table}", b"", method="GET")
    versions = [(await anna.answer())[2]["version"] for _ in range(3)]
    assert versions == [4, 5, 5]


@pytest.mark.parametrize(("error", "status"), [(Conflict(), 200), (Unavailable("full"), 503)])
async def test_a_write_that_fails_is_left_to_the_app(
    players: Players, taken: list[bool], monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    append = Store.append
    failures = [error] if status == 200 else [error, error]

    async def fail(self: Store, writes: Any) -> None:
        if failures:
            raise failures.pop()
        await append(self, writes)

    monkeypatch.setattr(Store, "append", fail)
    anna = players.wires[0]
    assert (await anna.ask(players.path, roll()))[0] == status
    assert taken == [True]
    assert not failures
    # Nothing is lost and nobody is locked out.
    status, _, answer = await anna.ask(players.path, roll())
    assert (status, answer["version"]) == (200, 4)


async def test_who_leaves_has_moved(app: FastAPI, players: Players, taken: list[bool]) -> None:
    anna, ben = players.wires
    await anna.send(players.path, roll())
    while not taken:
        await asyncio.sleep(0.001)
    anna.close()
    await ben.send(f"/api/tables/{players.table}", b"", method="GET")
    while (await ben.answer())[2]["version"] < 4:
        await ben.send(f"/api/tables/{players.table}", b"", method="GET")
    assert app.state.limits.under_way.count("127.0.0.1") <= 1


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """List the addresses of the requests that the parser sees."""
    found: list[bytes] = []
    parse = HttpConnection.on_headers_complete

    def watched(self: HttpConnection) -> None:
        found.append(self._url)
        parse(self)

    monkeypatch.setattr(HttpConnection, "on_headers_complete", watched)
    return found


SKIP = {"version": 4, "key": "skip", "seat": 1, "action": "skip"}


async def test_a_head_that_is_known_is_not_parsed_again(
    app: FastAPI, parsed: list[bytes], players: Players, taken: list[bool]
) -> None:
    anna, ben = players.wires
    parsed.clear()
    first = (await anna.ask(players.path, roll()))[1]
    assert len(parsed) == 1
    # Moves differ in their length; refusals are still the app's, and say the same.
    refused = {"version": 4, "key": "nine", "seat": 1, "action": "reset odds"}
    answers = [await anna.ask(players.path, body) for body in (refused, b"{", SKIP)]
    assert [(status, answer.get("code")) for status, _, answer in answers] == [
        (422, "illegal"),
        (422, "bad-request"),
        (200, None),
    ]
    assert answers[-1][1].keys() == first.keys()
    assert len(parsed) == 1
    assert taken == [True, False, False, True]
    # Another path, then another method, are not taken for it, and neither are two requests at once.
    assert (await anna.ask(f"/api/tables/{players.table}/resign", b"{}"))[0] == 422
    await anna.send(f"/api/tables/{players.table}", b"", method="GET")
    assert (await anna.answer())[2]["version"] == 5
    assert len(parsed) == 3
    assert (await anna.ask(players.path, roll(version=1, key="c")))[0] == 409
    assert len(parsed) == 3
    for _ in range(2):
        await anna.send(players.path, roll(version=1, key="c"))
    assert [(await anna.answer())[0] for _ in range(2)] == [409, 409]
    # Somebody else's connection knows nothing of it.
    assert (await ben.ask(players.path, roll(version=5, key="b", seat=2)))[0] == 200
    assert app.state.limits.under_way.count("127.0.0.1") == 0


async def test_a_known_head_in_pieces_is_parsed(parsed: list[bytes], players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    parsed.clear()
    await anna.ask(players.path, roll())
    status, _, answer = await anna.ask(players.path, SKIP, whole=False)
    assert (status, answer["version"]) == (200, 5)
    assert taken == [True]
    assert len(parsed) == 2


async def test_a_known_head_opens_no_way_past_limits(app: FastAPI, players: Players, taken: list[bool]) -> None:
    anna = players.wires[0]
    await anna.ask(players.path, roll())
    app.guard.largest_body = 100  # type: ignore[attr-defined]
    assert (await anna.ask(players.path, json.dumps(SKIP).encode() + b" " * 100))[0] == 413
    anna.close()
    other = players.wires[1]
    await other.ask(players.path, roll(version=4, seat=2))
    # Who is signed out elsewhere is nobody here, however often the token was good.
    service = app.state.service
    guest = service.guests.recent(hash_token(other.token))
    service.guests.forget(guest.id)
    await service.own_data.delete(guest)
    assert (await other.ask(players.path, roll(version=4, seat=2)))[0] == 401
