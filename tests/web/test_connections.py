"""Connections: slow senders, many from one address, many at once."""

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from math import inf
from pathlib import Path

import httpx
import pytest

from starfrost.table import Settings
from starfrost.table.metrics import Metrics
from starfrost.web.accepting import Loop
from starfrost.web.app import create_app
from starfrost.web.connections import Connections
from starfrost.web.limits import Limits, network_of
from tests.serving import Player, Server
from tests.table.helpers import empty_database
from tests.waiting import eventually

POST = b"POST /api/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
GET = b"GET /healthz HTTP/1.1\r\nhost: x\r\n"
TOO_SLOW = b'{"code": "too-slow", "reason": "The request did not arrive in time."}'
MOST = 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with little patience, which does not take this machine for a proxy."""
    folder = tmp_path_factory.mktemp("connections")
    settings = {"REQUEST_SECONDS": "0.5", "IDLE_SECONDS": "0.5", "CONNECTIONS_PER_ADDRESS": str(MOST)}
    with Server(str(folder / "t.db"), folder / "log", **settings, TRUSTED_PROXIES="192.0.2.1") as running:
        yield running


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def until_closed(raw: socket.socket, piece: bytes) -> bytes:
    """Send a piece again and again until the server closes the connection; return its answer."""
    answer = b""
    raw.settimeout(0.1 if piece else 60)
    while True:
        try:
            if not (found := raw.recv(10_000)):
                return answer
            answer += found
        except TimeoutError:
            raw.sendall(piece)


@pytest.mark.parametrize(
    ("sent", "piece", "status"),
    [
        pytest.param(b"GET /healthz HTTP/1.1\r\n", b"x: y\r\n", b"408 Request Timeout", id="head"),
        pytest.param(b"G", b"", b"408 Request Timeout", id="one letter"),
        pytest.param(GET + b"\r\n" + GET, b"x: y\r\n", b"408 Request Timeout", id="second head"),
        pytest.param(POST + b"content-length: 9999\r\n\r\n{", b" ", b"408 Request Timeout", id="body"),
        pytest.param(POST + b"content-length: 9\r\n\r\n", b"", b"408 Request Timeout", id="no body"),
        pytest.param(POST + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n", b"408 Request Timeout", id="chunks"),
        pytest.param(GET + b"content-length: 999\r\n\r\n", b" ", b"200 OK", id="answered before its body"),
        pytest.param(GET + b"\r\n", b"", b"200 OK", id="idle after a request"),
        pytest.param(b"", b"", b"", id="idle from the beginning"),
        pytest.param(b"\r\n", b"\r\n", b"", id="empty lines"),
    ],
)
def test_nobody_takes_for_ever(server: Server, sent: bytes, piece: bytes, status: bytes) -> None:
    with connect(server) as raw:
        raw.sendall(sent)
        answer = until_closed(raw, piece)
    answers = answer.split(b"HTTP/1.1 ")[1:]
    assert len(answers) == (2 if sent.count(GET) == 2 else 1 if status else 0)
    if answers:
        assert answers[-1].startswith(status)
    if status.startswith(b"408"):
        assert b"\r\nconnection: close\r\n" in answer
        assert b"\r\nx-content-type-options: nosniff\r\n" in answer
        assert answer.endswith(TOO_SLOW)


def test_streams_are_not_idle(server: Server) -> None:
    anna = Player(server.url)
    table = anna.open()
    anna.join(table)
    with httpx.stream("GET", f"{server.url}/api/tables/{table}/stream", timeout=60) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        with connect(server) as idle:
            # Closed after its time, which the stream has then been open for as well.
            assert idle.recv(10) == b""
        anna.http.post(f"/api/tables/{table}/reactions", json={"reaction": "wow"}).raise_for_status()
        assert any("reaction" in line for line in lines)


def test_an_address_has_so_many_connections(server: Server) -> None:
    anna = Player(server.url)
    table = anna.open()
    anna.http.close()
    metrics = f"{server.url}/metrics"
    eventually(lambda: "\nstarfrost_connections 1.0\n" in httpx.get(metrics).text)
    with ExitStack() as stack:
        for _ in range(MOST):
            raw = stack.enter_context(connect(server))
            raw.sendall(f"GET /api/tables/{table}/stream HTTP/1.1\r\nhost: x\r\n\r\n".encode())
            assert raw.recv(10_000).startswith(b"HTTP/1.1 200 OK\r\n")
        with connect(server) as refused:
            answer = until_closed(refused, b"")
        assert answer.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
        assert b"\r\nretry-after: 5\r\n" in answer
        assert answer.endswith(b'"reason": "There are too many connections from this address."}')
    eventually(lambda: httpx.get(metrics).status_code == 200)
    assert "\nstarfrost_refused_connections_total " in httpx.get(metrics).text


class Waiting:
    """A connection that waits until a moment."""

    def __init__(self, deadline: float = inf) -> None:
        self.deadline = deadline
        self.ended = False

    def expire(self) -> None:
        self.ended = True


async def test_proxies_are_not_counted_and_ipv6_by_network() -> None:
    settings = Settings(database="x", connections_per_address=2, trusted_proxies="10.0.0.0/8, fd00::1")
    counted = Connections(settings, Metrics(), Limits(settings))
    assert all(counted.enter(Waiting(), address) for address in ["10.1.2.3", "fd00::1"] * 5)
    network = [Waiting() for _ in range(3)]
    assert [counted.enter(each, f"2001:db8::{number}") for number, each in enumerate(network)] == [True, True, False]
    assert counted.enter(Waiting(), "2001:db8:0:1::1")
    counted.leave(network[0])
    counted.leave(network[0])
    counted.leave(network[2])
    assert counted.enter(Waiting(), "2001:db8::f")
    # Beyond some more, nobody is told any more: that would cost as much as being served.
    answers = [counted.enter(Waiting(), "192.0.2.7") for _ in range(60)]
    assert answers == [True] * 2 + [False] * 50 + [None] * 8
    assert network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert network_of("unix") == "unix"


@pytest.mark.parametrize(
    ("said", "client"),
    [
        ([], "10.0.0.9"),
        ([b"198.51.100.7"], "198.51.100.7"),
        ([b"1.1.1.1, 198.51.100.7"], "198.51.100.7"),
        ([b"198.51.100.7, 10.0.0.2", b"10.0.0.3"], "198.51.100.7"),
        ([b"10.0.0.4, 10.0.0.2"], "10.0.0.4"),
        ([b"198.51.100.7:4711"], "198.51.100.7"),
        ([b"[2001:db8::1]:4711"], "2001:db8::1"),
        ([b"2001:db8::1"], "2001:db8::1"),
        ([b" , "], "10.0.0.9"),
        ([b"unknown"], "unknown"),
    ],
)
def test_a_proxy_tells_whom_it_speaks_for(said: list[bytes], client: str) -> None:
    settings = Settings(database="x", trusted_proxies="10.0.0.0/8")
    connections = Connections(settings, Metrics(), Limits(settings))
    headers = [(b"x-forwarded-proto", b"https"), *((b"x-forwarded-for", value) for value in said)]
    scope = {"client": ("10.0.0.9", 1), "scheme": "http", "headers": headers}
    connections.hear_proxy(scope)
    assert scope["client"][0] == client
    assert scope["scheme"] == "https"


async def test_behind_a_proxy_requests_are_counted_by_address(tmp_path: Path) -> None:
    app = create_app(Settings(database=empty_database(tmp_path), connections_per_address=3))
    reached, go_on = asyncio.Semaphore(0), asyncio.Event()

    @app.get("/slow")
    async def slow() -> str:
        reached.release()
        await go_on.wait()
        return "done"

    def client(address: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(address, 1)), base_url="http://x")

    async with client("192.0.2.1") as one, client("192.0.2.2") as other:
        slow_ones = [asyncio.create_task(one.get("/slow")) for _ in range(3)]
        for _ in slow_ones:
            await reached.acquire()
        assert (await one.get("/healthz")).status_code == 429
        assert (await other.get("/healthz")).status_code == 200
        go_on.set()
        assert [answer.status_code for answer in await asyncio.gather(*slow_ones)] == [200] * 3
        assert (await one.get("/healthz")).status_code == 200


def test_a_burst_of_connections_is_accepted_in_few_turns_of_the_loop() -> None:
    """After a restart everybody comes at once. uvloop by itself takes 2,000 turns for this."""
    burst = 2000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(2 * burst + 500, hard)), hard))
    made: list[asyncio.BaseTransport] = []
    turns = 0

    class Greeted(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            made.append(transport)

    async def accept(listening: socket.socket) -> None:
        nonlocal turns
        loop = asyncio.get_running_loop()
        door = await loop.create_server(Greeted, sock=listening, backlog=2 * burst)
        for number in range(burst):
            # Blocks the loop: nobody is accepted before all have come.
            clients.append(socket.create_connection(listening.getsockname()))
            assert not made, number
        while len(made) < burst:
            turns += 1
            await asyncio.sleep(0)
        door.close()
        for transport in made:
            transport.close()
        await door.wait_closed()

    clients: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening, asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(accept(listening))
    for client in clients:
        client.close()
    assert turns < burst / 20
