"""Clients that play on whatever happens, and remember every move that was acknowledged to them."""

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from starfrost.fair.proof import prove
from tests.torture.verifier import verify

PATIENCE = 600.0
"""Seconds after which a client gives up: far longer than any of the troubles."""


class _Line(NamedTuple):
    """A connection to a server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class OnePiece:
    """Sends each request in one piece, so that it takes the fast lane; httpx sends head and body apart."""

    def __init__(self) -> None:
        self._idle: dict[str, list[_Line]] = {}

    async def post(self, url: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        """Return the status and the JSON of the answer. Raises OSError and EOFError if there is none."""
        parts, text = urlsplit(url), json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: {parts.netloc}\r\nauthorization: Bearer {token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n"
        )
        idle = self._idle.setdefault(url, [])
        async with asyncio.timeout(10):
            line = idle.pop() if idle else _Line(*await asyncio.open_connection(parts.hostname, parts.port))
            try:
                line.writer.write(head.encode() + text)
                answer = (await line.reader.readuntil(b"\r\n\r\n")).lower()
                length = int(answer.split(b"\r\ncontent-length: ")[1].split(b"\r\n")[0])
                found = json.loads(await line.reader.readexactly(length))
            except BaseException:
                line.writer.transport.abort()
                raise
        if b"\r\nconnection: close\r\n" in answer:
            line.writer.close()
        else:
            idle.append(line)
        return int(answer.split()[1]), found

    def close(self) -> None:
        """Close the connections that are not in use."""
        for line in itertools.chain(*self._idle.values()):
            line.writer.close()
        self._idle.clear()


class Crowd:
    """Tables full of players who keep moving; `urls` are the servers, any of which will do."""

    def __init__(self, urls: list[str], tables: int, stretch: int = 1) -> None:
        self.urls = urls
        self.stretch = stretch
        """Moves of a table that go to one server before it is another's turn."""
        self.size = tables
        self.acknowledged: dict[str, list[dict[str, Any]]] = {}
        self.moves = 0
        self.dice = 0
        """Dice of finished games that were computed again."""
        self.last_move = time.monotonic()
        self.last_begun = 0.0
        """When the newest of the acknowledged moves was sent for the first time."""
        self.refusals: dict[str, int] = {}
        self.stopping = False
        self._numbers = itertools.count()
        self._http = httpx.AsyncClient(timeout=10, limits=httpx.Limits(max_connections=200))
        self._moves = OnePiece()

    async def ask(self, method: str, path: str, token: str = "", body: Any = None, start: int = 0) -> Any:
        """Ask until some server gives an answer that is not its own trouble."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        end = time.monotonic() + PATIENCE
        for attempt in itertools.count():
            if time.monotonic() > end:
                break
            url = self.urls[(start + attempt) % len(self.urls)]
            try:
                if path.endswith("/act"):
                    status, found = await self._moves.post(url, path, token, body)
                else:
                    answer = await self._http.request(method, url + path, json=body, headers=headers)
                    status = answer.status_code
                    found = answer.text if path.endswith("/record") and status < 400 else answer.json()
            except (httpx.TransportError, OSError, EOFError):
                await asyncio.sleep(0.05)
                continue
            if status < 400:
                return found
            self.refusals[found["code"]] = self.refusals.get(found["code"], 0) + 1
            if status in (429, 503):
                await asyncio.sleep(0.05)
                continue
            raise AssertionError(f"{method} {path}: {status} {found}")
        raise AssertionError(f"no server answers {method} {path}")

    async def play_tables(self, number: int) -> None:
        """Play one table after another until told to stop; the last one is finished."""
        while not self.stopping:
            await self._play_table(number)

    async def _play_table(self, number: int) -> None:
        token = (await self.ask("POST", "/api/guests", body={"name": f"P{number}"}))["token"]
        game, options = ("dice-stars", {}) if next(self._numbers) % 4 == 3 else ("dicy-cards", {"goal": "60"})
        opening = {"game": game, "seats": ["open", "open"], "options": options, "key": "open"}
        table = (await self.ask("POST", "/api/tables", token, opening))["table"]
        told = self.acknowledged.setdefault(table, [])
        for seat in (1, 2):
            body = {"version": 1, "key": f"join{seat}", "seat": seat, "contribution": f"c{number}"}
            told.append((await self.ask("POST", f"/api/tables/{table}/join", token, body))["event"])
        while True:
            start = number + len(told) // self.stretch
            # Whichever server answers, it knows our own last move.
            view = await self.ask("GET", f"/api/tables/{table}", token, start=start)
            assert view["version"] >= told[-1]["version"], "an acknowledged move is lost"
            assert view["version"] == told[-1]["version"], "somebody else moved for us, or a move came twice"
            if view["status"] != "running":
                return
            actions = [action for action in view["legal"] if not action.startswith("reroll")]
            body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
            body["action"] = actions[0]
            begun = time.monotonic()
            answer = await self.ask("POST", f"/api/tables/{table}/act", token, body, start)
            self.last_begun = max(self.last_begun, begun)
            told.append(answer["event"])
            self.moves += 1
            self.last_move = time.monotonic()

    async def run(self, trouble: Callable[[], Awaitable[None]]) -> None:
        """Play while there is trouble, then to the end of every table."""
        players = [asyncio.create_task(self.play_tables(number)) for number in range(self.size)]
        try:
            making = asyncio.create_task(trouble())
            await asyncio.wait([making, *players], return_when=asyncio.FIRST_COMPLETED)
            if making.done():
                making.result()
            self.stopping = True
            await asyncio.gather(*players, making)
        finally:
            for player in players:
                player.cancel()

    async def moved_since(self, moment: float, limit: float = 60.0) -> float:
        """Wait until a move made after a moment has been acknowledged; gives the seconds from then."""
        # Counted in steps, so that it does not matter if everything here is suspended together.
        for _ in range(int(limit / 0.01)):
            if self.last_move > moment:
                break
            await asyncio.sleep(0.01)
        assert self.last_move > moment, "the clients do not resume"
        return self.last_move - moment

    async def check(self) -> int:
        """No acknowledged move is lost or doubled, and every finished game verifies; gives the number of games."""
        finished = 0
        for table, told in self.acknowledged.items():
            if not told:
                continue
            stored = (await self.ask("GET", f"/api/tables/{table}/events"))["events"]
            assert stored[1:] == told, table
            assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))
            if stored[-1].get("over"):
                record = await self.ask("GET", f"/api/tables/{table}/record")
                assert prove(record).finished
                self.dice += verify(record)
                finished += 1
        await self._http.aclose()
        self._moves.close()
        return finished

    @property
    def told(self) -> str:
        """What the crowd has gone through."""
        commands = sum(map(len, self.acknowledged.values()))
        return f"{commands:,} acknowledged commands at {len(self.acknowledged):,} tables, {self.dice:,} dice verified"
