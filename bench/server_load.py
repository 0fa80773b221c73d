"""Load for the table service: two players a table, each with an open stream, who move as soon as it is their turn.

Plain sockets and prepared requests: on one core the load must not be slower than the server it measures.
"""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import psutil

from starfrost.fair.dice import Line
from starfrost.games.registry import make_game

__all__ = ["Load", "percentile"]

HEADERS = {"cards": "any-two no-sixes odds straight two-pairs", "goal": "900000"}


def percentile(values: list[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


class Connection(asyncio.Protocol):
    """One keep-alive connection; answers come back in the order of the requests."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.waiting: list[asyncio.Future[tuple[int, bytes]]] = []
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end]).lower()
            at = head.index(b"content-length:") + 15
            stop = head.find(b"\r\n", at)
            length = int(head[at : stop if stop > 0 else None])
            if len(self.buffer) < end + 4 + length:
                return
            body = bytes(self.buffer[end + 4 : end + 4 + length])
            del self.buffer[: end + 4 + length]
            future = self.waiting.pop(0)
            if not future.done():
                future.set_result((int(head[9:12]), body))

    def request(self, method: str, path: str, token: str, body: bytes = b"") -> asyncio.Future[tuple[int, bytes]]:
        """Send a request."""
        future: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        self.transport.write(
            f"{method} {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        return future


class Stream(asyncio.Protocol):
    """One event stream; `heard` is called with the JSON of every message that carries events."""

    def __init__(self, path: str, token: str, heard: Callable[[Any], None]) -> None:
        self.path, self.token, self.heard = path, token, heard
        self.buffer = bytearray()
        self.transport: Any = None
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with the first byte: until then the connection may still wait to be accepted."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {self.token}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        if not self.begun.done():
            if not data.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(f"no stream: {data!r}")
            self.begun.set_result(None)
        self.buffer += data
        while (end := self.buffer.find(b"\n\n")) >= 0:
            message = bytes(self.buffer[:end])
            del self.buffer[: end + 2]
            at = message.find(b'data: {"version"')
            if at >= 0:
                self.heard(json.loads(message[at + 6 :]))


class BenchTable:
    """One table with its two players."""

    def __init__(self, load: "Load", table: str, tokens: list[str]) -> None:
        self.load = load
        self.id = table
        self.tokens = tokens
        self.line = Line.start(make_game("dicy-cards", 2, HEADERS))
        self.version = 3
        self.sent: dict[int, float] = {}
        self.connections: list[Connection] = []
        self.moves = 0
        self.stop = False
        self.turn = asyncio.Event()

    async def connect(self) -> None:
        """Open both players' connections and streams."""
        loop = asyncio.get_running_loop()
        for seat, token in enumerate(self.tokens):
            port = self.load.ports[seat % len(self.load.ports)]
            _, connection = await loop.create_connection(Connection, self.load.host, port)
            self.connections.append(connection)
            path = f"/api/tables/{self.id}/stream?with=events&after=3"

            def stream(path: str = path, token: str = token, seat: int = seat) -> Stream:
                return Stream(path, token, lambda news: self.hear(seat, news))

            _, opened = await loop.create_connection(stream, self.load.host, port)
            await opened.begun

    def hear(self, seat: int, news: Any) -> None:
        """A player's stream brings events: the other player's move has arrived."""
        now = time.perf_counter()
        for event in news["events"]:
            version = event["version"]
            if event["kind"] != "act":
                continue
            if event["seat"] - 1 != seat and version in self.sent:
                self.load.to_other.append(now - self.sent.pop(version))
            # Whoever hears of it first lets both know: they share one copy of the game.
            if version == self.version + 1:
                if event["action"] != "roll":
                    self.line = self.line.after(self.line.game.parse_action(event["action"]))
                for text in event["chance"]:
                    self.line = self.line.after(self.line.game.parse_action(text))
                self.version = version

    async def play(self, pause: float, offset: float) -> None:
        """Move, for whoever's turn it is, until told to stop."""
        await asyncio.sleep(offset)
        due = time.perf_counter()
        while not self.stop:
            game, state = self.line.game, self.line.state
            actor = game.actor(state)
            if actor < 0:
                seat, action = game.turn_of(state), "roll"
            else:
                seat, action = actor, str(game.legal_actions(state)[0])
            version = self.version
            body = b'{"version":%d,"key":"m%d","seat":%d,"action":"%s"}' % (version, version, seat + 1, action.encode())
            began = time.perf_counter()
            self.sent[version + 1] = began
            status, answer = await self.connections[seat].request(
                "POST", f"/api/tables/{self.id}/act", self.tokens[seat], body
            )
            now = time.perf_counter()
            if status != 200:
                raise RuntimeError(f"{status} {answer!r}")
            self.load.acknowledged.append((now, now - began))
            if self.version == version:
                event = json.loads(answer)["event"]
                self.hear(seat, {"events": [event]})
            if pause:
                due += pause
                await asyncio.sleep(max(0.0, due - time.perf_counter()))


class Load:
    """Tables, players, and what they measured."""

    def __init__(self, host: str, *ports: int) -> None:
        self.host, self.port = host, ports[0]
        self.ports = ports
        """The servers; the players of a table connect to one each."""
        self.tables: list[BenchTable] = []
        self.acknowledged: list[tuple[float, float]] = []
        self.to_other: list[float] = []

    async def open(self, count: int, connect: bool = True) -> None:
        """Open tables, seat two players at each and, unless told otherwise, connect them."""
        loop = asyncio.get_running_loop()
        _, control = await loop.create_connection(Connection, self.host, self.port)

        async def post(path: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
            status, answer = await control.request("POST", path, token, json.dumps(body).encode())
            if status not in (200, 201):
                raise RuntimeError(f"{path}: {status} {answer!r}")
            found: dict[str, Any] = json.loads(answer)
            return found

        for number in range(count):
            tokens = [(await post("/api/guests", "", {"name": f"P{seat}"}))["token"] for seat in range(2)]
            opening = {"game": "dicy-cards", "seats": ["open", "open"], "options": HEADERS, "public": True}
            table = (await post("/api/tables", tokens[0], {**opening, "key": f"t{number}"}))["table"]
            for token in tokens:
                await post(f"/api/tables/{table}/join", token, {"version": 1, "key": "join", "contribution": "b"})
            self.tables.append(BenchTable(self, table, tokens))
        if connect:
            for opened in self.tables[-count:]:
                await opened.connect()
        control.transport.close()

    async def run(self, seconds: float, pause: float, pids: list[int], warm_up: float = 1.0) -> dict[str, float]:
        """Play for some seconds and give what was measured after the warm-up; `pids` are those of the servers."""
        tasks = [
            asyncio.create_task(table.play(pause, pause * index / len(self.tables)))
            for index, table in enumerate(self.tables)
        ]
        await asyncio.sleep(warm_up)
        self.acknowledged.clear()
        self.to_other.clear()
        servers = [psutil.Process(pid) for pid in pids]
        servers += [worker for server in servers for worker in server.children(recursive=True)]
        began, busy = time.perf_counter(), sum(sum(server.cpu_times()[:2]) for server in servers)
        await asyncio.sleep(seconds)
        took = time.perf_counter() - began
        busy = sum(sum(server.cpu_times()[:2]) for server in servers) - busy
        acknowledged, to_other = list(self.acknowledged), list(self.to_other)
        for table in self.tables:
            table.stop = True
        await asyncio.gather(*tasks)
        answers = [latency for _, latency in acknowledged]
        return {
            "rate": len(acknowledged) / took,
            "server_us": 1e6 * busy / max(1, len(acknowledged)),
            **{f"ack_p{p}": 1000 * percentile(answers, p / 100) for p in (50, 95, 99)},
            **{f"other_p{p}": 1000 * percentile(to_other, p / 100) for p in (50, 95, 99)},
        }


def main() -> None:
    """Run one measurement and print it as JSON: host ports tables seconds pause pids [warm-up]; commas separate."""
    import gc
    import sys

    import uvloop

    # The load's own pauses are not the server's.
    gc.disable()

    host, ports, tables, seconds, pause, pids = sys.argv[1:7]
    warm_up = float(sys.argv[7]) if len(sys.argv) > 7 else 1.0

    async def measure() -> None:
        load = Load(host, *map(int, ports.split(",")))
        await load.open(int(tables))
        servers = [int(pid) for pid in pids.split(",")]
        print(json.dumps(await load.run(float(seconds), float(pause), servers, warm_up)), flush=True)

    uvloop.run(measure())


if __name__ == "__main__":
    main()
