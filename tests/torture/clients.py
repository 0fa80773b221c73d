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

    def __init__(self, urls: list[str], tables: int, races: bool = False) -> None:
        self.urls = urls
        self.races = races
        """Whether moves also go to all servers at once, tables have bots, and streams are read at all servers."""
        self.size = tables
        self.acknowledged: dict[str, list[dict[str, Any]]] = {}
        self.moves = 0
        self.dice = 0
        """Dice of finished games that were computed again."""
        self.last_move = time.monotonic()
        self.last_begun = 0.0
        """When the newest of the acknowledged moves was sent for the first time."""
        self.refusals: dict[str, int] = {}
        self.raced = 0
        self.heard: dict[str, list[int]] = {}
        """The versions of which the stream of each table told, resumed at another server whenever it broke off."""
        self.resumed = 0
        self.stopping = False
        self._numbers = itertools.count()
        self._http = httpx.AsyncClient(timeout=10, limits=httpx.Limits(max_connections=200))
        self._moves = OnePiece()

    async def ask(
        self, method: str, path: str, token: str = "", body: Any = None, start: int = 0, or_stale: bool = False
    ) -> Any:
        """Ask until some server gives an answer that is not its own trouble; None for a move that came too late."""
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
            if or_stale and found["code"] == "stale":
                return None
            raise AssertionError(f"{method} {path}: {status} {found}")
        raise AssertionError(f"no server answers {method} {path}")

    async def play_tables(self, number: int) -> None:
        """Play one table after another until told to stop; the last one is finished."""
        while not self.stopping:
            await self._play_table(number)

    async def _play_table(self, number: int) -> None:
        token = (await self.ask("POST", "/api/guests", body={"name": f"P{number}"}))["token"]
        game, options = ("dice-stars", {}) if next(self._numbers) % 4 == 3 else ("dicy-cards", {"goal": "60"})
        bots = self.races and number % 3 == 2
        seats = ["open", "open", *(["bot:random"] * bots)]
        opening = {"game": game, "seats": seats, "options": options, "key": "open"}
        table = (await self.ask("POST", "/api/tables", token, opening))["table"]
        told = self.acknowledged.setdefault(table, [])
        for seat in (1, 2):
            body = {"version": 1, "key": f"join{seat}", "seat": seat, "contribution": f"c{number}"}
            told.append((await self.ask("POST", f"/api/tables/{table}/join", token, body))["event"])
        listening = asyncio.create_task(self._listen(table, number)) if self.races else None
        try:
            await self._play_on(table, token, told, number, bots)
        finally:
            if listening is not None:
                await self._stop_listening(listening, table)

    async def _play_on(self, table: str, token: str, told: list[dict[str, Any]], number: int, bots: bool) -> None:
        while True:
            start = number + len(told)
            # Whichever server answers, it knows our own last move.
            view = await self.ask("GET", f"/api/tables/{table}", token, start=start)
            assert view["version"] >= told[-1]["version"], "an acknowledged move is lost"
            assert bots or view["version"] == told[-1]["version"], "somebody else moved for us, or a move came twice"
            if view["status"] != "running":
                return
            if not view["legal"]:
                # A bot is to move.
                await asyncio.sleep(0.02)
                continue
            actions = [action for action in view["legal"] if not action.startswith("reroll")]
            body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
            body["action"] = actions[0]
            begun = time.monotonic()
            path = f"/api/tables/{table}/act"
            if self.races and len(told) % 4 == 0:
                answer = await self._race(path, token, body, start)
            else:
                answer = await self.ask("POST", path, token, body, start)
            self.last_begun = max(self.last_begun, begun)
            told.append(answer["event"])
            self.moves += 1
            self.last_move = time.monotonic()

    async def _race(self, path: str, token: str, body: Any, start: int) -> Any:
        """Send a move twice with the same key and once with another, at once and to all servers: one is stored."""
        others = body | {"key": f"race{body['version']}"}
        asked = [(body, start), (others, start + 1), (body, start + 1)]
        answers = await asyncio.gather(*(self.ask("POST", path, token, one, at, or_stale=True) for one, at in asked))
        assert answers[0] == answers[2], "a repeated move got another answer"
        assert (answers[0] is None) != (answers[1] is None), "of two moves not exactly one was stored"
        self.raced += 1
        return answers[0] or answers[1]

    async def _listen(self, table: str, start: int) -> None:
        """Read the stream of a table, at another server whenever it breaks off."""
        heard = self.heard.setdefault(table, [1])
        for attempt in itertools.count(start):
            url = f"{self.urls[attempt % len(self.urls)]}/api/tables/{table}/stream?with=events"
            try:
                async with self._http.stream("GET", url, headers={"last-event-id": str(heard[-1])}) as answer:
                    # A server that is suspended says nothing, not even every fifteen seconds.
                    async for line in answer.aiter_lines():
                        if line.startswith("data: ") and "events" in (data := json.loads(line[6:])):
                            heard += [event["version"] for event in data["events"]]
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            self.resumed += 1

    async def _stop_listening(self, listening: asyncio.Task[None], table: str) -> None:
        """Stop reading once everything acknowledged has been heard."""
        last = self.acknowledged[table][-1]["version"]
        for _ in range(6000):
            if self.heard.get(table, [0])[-1] >= last or listening.done():
                break
            await asyncio.sleep(0.01)
        if listening.done():
            listening.result()
        listening.cancel()

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
            assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))
            own = [event for event in stored[1:] if event["version"] in {event["version"] for event in told}]
            assert own == told, table
            bots = {seat for seat, word in enumerate(stored[0]["seats"], start=1) if word != "open"}
            assert all(event["seat"] in bots for event in stored[1:] if event not in told), table
            heard = self.heard.get(table, [1])
            assert heard == list(range(1, len(heard) + 1)), f"a stream skipped or repeated: {heard}"
            assert len(heard) == 1 or heard[-1] >= told[-1]["version"], "a stream ended early"
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
        raced = f", {self.raced:,} races, {self.resumed:,} streams resumed" if self.races else ""
        tables = f"{len(self.acknowledged):,} tables, {self.dice:,} dice verified"
        return f"{commands:,} acknowledged commands at {tables}{raced}"
