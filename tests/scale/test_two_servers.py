"""Two servers on one Postgres: each table has one owner, and every server answers as the owner does."""

import json
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.fair.proof import prove
from tests.postgres import Postgres
from tests.serving import Player, Server, messages
from tests.waiting import eventually

LEASE = "2"


@pytest.fixture(scope="module")
def pair(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    folder: Path = tmp_path_factory.mktemp("servers")
    database = postgres.database()
    with (
        Server(database, folder / "one.log", LEASE=LEASE) as one,
        Server(database, folder / "other.log", LEASE=LEASE) as other,
    ):
        yield one, other


class Elsewhere:
    """A player who also asks the other server."""

    def __init__(self, here: Server, there: Server, name: str = "Anna") -> None:
        self.here = Player(here.url, name)
        self.there = httpx.Client(base_url=there.url, timeout=30)
        self.there.headers["authorization"] = f"Bearer {self.here.token}"

    def table(self, seats: tuple[str, ...] = ("open", "open"), people: int = 2, **more: Any) -> str:
        table = self.here.open(seats=seats, **more)
        for seat in range(1, people + 1):
            self.here.join(table, seat)
        return table

    def get(self, path: str) -> Any:
        return self.there.get(f"/api{path}").raise_for_status().json()


def forwarded(server: Server) -> float:
    text = httpx.get(f"{server.url}/metrics").text
    return float(next(line for line in text.splitlines() if line.startswith("starfrost_forwarded_total")).split()[1])


def test_every_first_read_on_the_other_server_sees_the_move(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table(options={"mode": "glacial", "goal": "900000"})
    before = forwarded(pair[1])
    fresh = 0
    for _ in range(300):
        version = anna.here.move(table)["version"]
        fresh += anna.get(f"/tables/{table}")["version"] == version
    assert fresh == 300
    # The owner is asked directly as well, so the table stays where it is.
    assert forwarded(pair[1]) >= before + 300
    anna.here.post(f"/tables/{table}/close", version=version, key="close")
    record = anna.there.get(f"/api/tables/{table}/record").text
    assert "seed: " in record
    assert record == anna.here.http.get(f"/api/tables/{table}/record").text


def test_a_stream_of_the_other_server_repeats_nothing(pair: tuple[Server, Server]) -> None:
    """Each stream is resumed after the newest event, which the reader knows from the server that stored it."""
    anna = Elsewhere(*pair)
    table = anna.table(options={"mode": "glacial", "goal": "900000"})
    # The other server has looked at the table before: it must not go on from what it saw then.
    anna.get(f"/tables/{table}")
    for _ in range(8):
        known = anna.here.move(table)["version"]
        told: list[int] = []
        after = {"last-event-id": str(known)}
        with anna.there.stream("GET", f"/api/tables/{table}/stream?with=events", headers=after) as answer:
            news = messages(answer.iter_lines())
            for _ in range(2):
                anna.here.move(table)
            while not told or told[-1] < known + 2:
                name, number, data = next(news)
                if name == "version":
                    assert number == str(data["version"])
                    told += [event["version"] for event in data["events"]]
        assert told == [known + 1, known + 2]


class OnePiece:
    """A connection that sends each request in one piece, as the fast lane wants it."""

    def __init__(self, server: Server, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self._answers = self._socket.makefile("rb")
        self._token = token

    def act(self, table: str, **body: Any) -> tuple[int, Any]:
        text = json.dumps(body).encode()
        head = (
            f"POST /api/tables/{table}/act HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {self._token}\r\n"
            f"content-length: {len(text)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + text)
        status = int(self._answers.readline().split()[1])
        length = 0
        while (line := self._answers.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return status, json.loads(self._answers.read(length))

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


def test_moves_in_one_piece_are_forwarded_until_the_table_moves(pair: tuple[Server, Server]) -> None:
    """The stream and the moves go to the other server; after 40 of them it owns the table, and nobody notices."""
    anna = Elsewhere(*pair)
    table = anna.table(options={"mode": "glacial", "goal": "900000"})
    before = forwarded(pair[1])
    told: list[int] = []

    def listen() -> None:
        with anna.there.stream("GET", f"/api/tables/{table}/stream?with=events&after=3") as answer:
            for name, _, data in messages(answer.iter_lines()):
                if name == "version":
                    told.extend(event["version"] for event in data["events"])
                    if told[-1] >= 63:
                        return

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    piece = OnePiece(pair[1], anna.here.token)
    for number in range(60):
        shown = anna.get(f"/tables/{table}")
        move = {"version": 3 + number, "key": f"k{number}", "seat": shown["acting"], "action": shown["legal"][0]}
        first = piece.act(table, **move)
        assert first[0] == 200, first
        # A repeated move gets the first answer.
        assert piece.act(table, **move) == first
    listening.join(60)
    assert told == list(range(4, 64))
    assert forwarded(pair[1]) >= before + 40
    piece.close()


def test_many_players_of_the_other_server_lose_and_double_nothing(pair: tuple[Server, Server]) -> None:
    """Their moves travel in batches with refusals and repeated keys among them; each gets its own answer."""
    anna = Elsewhere(*pair)
    tables = [anna.table(key=f"many{number}", options={"mode": "glacial", "goal": "900000"}) for number in range(8)]
    wrong: list[Any] = []

    def play(table: str) -> None:
        pieces = [OnePiece(pair[1], anna.here.token), OnePiece(pair[0], anna.here.token)]
        for number in range(40):
            shown = anna.get(f"/tables/{table}")
            move = {"version": 3 + number, "key": f"k{number}", "seat": shown["acting"], "action": shown["legal"][0]}
            stale = pieces[0].act(table, **(move | {"version": 1, "key": "stale"}))
            first = pieces[0].act(table, **move)
            again = pieces[0].act(table, **move)
            # The owner is asked as well, so that the table stays there.
            same = pieces[1].act(table, **move)
            if (stale[0], first[0]) != (409, 200) or not first == again == same or first[1]["table"] != table:
                wrong.append((stale, first, again, same))
        for piece in pieces:
            piece.close()

    playing = [threading.Thread(target=play, args=[table]) for table in tables]
    for thread in playing:
        thread.start()
    for thread in playing:
        thread.join(120)
    assert not wrong
    for table in tables:
        events = anna.here.get(f"/tables/{table}/events")["events"]
        assert [event["version"] for event in events] == list(range(1, 44))


OLDER = """
from starfrost.web.lane import PeerLane

PeerLane.take = lambda self, exchange: False
"""
"""A server of a version that takes forwarded moves one by one: it answers a batch with 421, as every unknown path."""


def test_players_notice_nothing_of_a_rolling_upgrade(pair: tuple[Server, Server], tmp_path: Path) -> None:
    """Their server is new; the owner of their tables is older, stops in the middle and comes back upgraded."""
    older = Server(pair[0].database, tmp_path / "older.log", LEASE=LEASE, before=OLDER)
    newer = Server(pair[0].database, tmp_path / "newer.log", LEASE=LEASE, port=older.port)
    upgraded = threading.Event()

    def play(table: str) -> list[tuple[int, Any]]:
        piece = OnePiece(pair[0], anna.here.token)
        answers: list[tuple[int, Any]] = []
        after = 0
        while after < 5:
            after += upgraded.is_set()
            shown = anna.get(f"/tables/{table}")
            move = {"version": 3 + len(answers), "key": f"k{len(answers)}", "seat": shown["acting"]}
            answers.append(piece.act(table, **move, action=shown["legal"][0]))
        piece.close()
        return answers

    with older, ExitStack() as later, ThreadPoolExecutor(6) as threads:
        anna = Elsewhere(older, pair[0])
        tables = [anna.table(key=f"old{number}", options={"mode": "glacial", "goal": "900000"}) for number in range(6)]
        before = forwarded(pair[0])
        playing = threads.map(play, tables)

        def enough() -> bool:
            # The owner is asked as well, so that the tables stay there.
            for table in tables:
                anna.here.get(f"/tables/{table}")
            return forwarded(pair[0]) >= before + 60

        try:
            eventually(enough)
            older.stop()
            later.enter_context(newer)
        finally:
            upgraded.set()
        for table, answers in zip(tables, playing, strict=True):
            assert {status for status, _ in answers} == {200}, answers
            events = anna.here.get(f"/tables/{table}/events")["events"]
            assert [answer["event"] for _, answer in answers] == events[3:]
            assert [event["version"] for event in events] == list(range(1, len(events) + 1))


def test_presence_reactions_and_names_are_the_same_on_both(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table()
    heard: list[tuple[str, Any]] = []

    def watch(client: httpx.Client) -> None:
        with client.stream("GET", f"/api/tables/{table}/stream") as answer:
            for name, _, data in messages(answer.iter_lines()):
                heard.append((name, data))
                if name == "reaction":
                    return

    strangers = [httpx.Client(base_url=server.url, timeout=30) for server in pair]
    watching = [threading.Thread(target=watch, args=[client]) for client in (anna.there, *strangers)]
    for thread in watching:
        thread.start()
    shown = {"seats": [1, 2], "watchers": 2}
    eventually(lambda: heard.count(("presence", shown)) >= 3)
    for view in (anna.get(f"/tables/{table}"), anna.here.get(f"/tables/{table}")):
        assert [seat["present"] for seat in view["seats"]] == [True, True]
        assert view["watchers"] == 2
    anna.there.post(f"/api/tables/{table}/reactions", json={"reaction": "clap"}).raise_for_status()
    for thread in watching:
        thread.join(10)
    assert heard.count(("reaction", {"seat": 1, "reaction": "clap"})) == 3
    anna.here.http.patch("/api/me", json={"name": "Berta"}).raise_for_status()
    assert anna.get("/me")["name"] == "Berta"
    anna.there.patch("/api/me", json={"name": "Carla"}).raise_for_status()
    assert anna.here.get("/me")["name"] == "Carla"


def test_a_page_is_played_on_the_other_server(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table()
    page = anna.there.get(f"/t/{table}", headers={"accept-encoding": "gzip"})
    assert page.status_code == 200
    assert page.headers.get_list("content-security-policy") != []
    assert len(page.headers.get_list("x-frame-options")) == 1
    form = {"version": "3", "key": "k", "seat": "1", "action": "roll"}
    assert anna.there.post(f"/t/{table}/act", data=form).status_code == 303
    assert anna.here.get(f"/tables/{table}")["version"] == 4
    assert anna.there.get("/t/nothing").status_code == 404
    too_long = anna.there.post(f"/api/tables/{table}/act", content=b"x" * 20_000)
    assert (too_long.status_code, too_long.json()["code"]) == (413, "too-large")


def test_a_table_moves_to_the_server_that_is_asked_for_it(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table()
    told: list[int] = []
    with anna.there.stream("GET", f"/api/tables/{table}/stream") as answer:
        news = messages(answer.iter_lines())
        before = forwarded(pair[1])
        for _ in range(60):
            anna.get(f"/tables/{table}")
        assert forwarded(pair[1]) - before < 50, "after some requests in a row the table is here"
        # The stream has moved with it.
        anna.here.move(table)
        for name, _, data in news:
            told += [data["version"]] if name == "version" else []
            if told and told[-1] == 4:
                break
    assert told == [3, 4]


def test_guesses_count_on_both_servers_together(pair: tuple[Server, Server]) -> None:
    clients = [httpx.Client(base_url=server.url, timeout=30) for server in pair]

    def guess(number: int) -> int:
        return clients[number % 2].post("/me/device", data={"phrase": f"no such phrase {number}"}).status_code

    tried = 0
    # A message takes a moment, so that some more than ten may get through; apart they would be twenty.
    while guess(tried) != 429:
        tried += 1
        assert tried < 19
    assert tried >= 10
    eventually(lambda: guess(0) == guess(1) == 429)


def test_open_streams_count_on_both_servers_together(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    both = [(anna.here.http, anna.here.open(key="o1")), (anna.there, anna.here.open(key="o2"))]

    def stream(at: int) -> AbstractContextManager[httpx.Response]:
        client, table = both[at]
        return client.stream("GET", f"/api/tables/{table}/stream")

    def refused(at: int) -> bool:
        with stream(at) as answer:
            return answer.status_code == 429

    with ExitStack() as open_ones:
        # Each server has half of what a guest may have (20).
        assert {open_ones.enter_context(stream(number % 2)).status_code for number in range(20)} == {200}
        eventually(lambda: refused(0) and refused(1))
    eventually(lambda: not refused(0) and not refused(1))


def test_a_forged_forward_is_refused(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table()
    folder = Path(next(line for line in socket_files()))
    transport = httpx.HTTPTransport(uds=str(folder))
    with httpx.Client(transport=transport, base_url="http://peer") as client:
        assert client.get(f"/api/tables/{table}").status_code == 403
        forged = {"x-starfrost-peer": "secret someone http 127.0.0.1"}
        assert client.get(f"/api/tables/{table}", headers=forged).status_code == 403
    # On the public port the header means nothing.
    assert anna.there.get(f"/api/tables/{table}", headers=forged).status_code == 200


def socket_files() -> list[str]:
    with open("/proc/net/unix", encoding="utf-8") as lines:
        return [line.split()[-1] for line in lines if "/starfrost-" in line and line.split()[-1].endswith(".sock")]


def test_a_suspended_owner_never_writes_twice(pair: tuple[Server, Server]) -> None:
    one, other = pair
    anna = Elsewhere(one, other)
    table = anna.table(seats=("open", "bot:random"), people=1, options={"mode": "glacial", "goal": "60"})
    assert one.process is not None
    one.process.send_signal(signal.SIGSTOP)
    stuck: list[int] = []

    def ask() -> None:
        body = {"version": 2, "key": "stuck", "seat": 1, "action": "roll"}
        stuck.append(anna.here.http.post(f"/api/tables/{table}/act", json=body).status_code)

    # One request waits in the suspended server while the other one takes the table over and plays the game.
    waiting = threading.Thread(target=ask)
    waiting.start()
    ben = Player.__new__(Player)
    ben.http, ben.token = anna.there, anna.here.token
    try:
        eventually(lambda: _move_or_retry(ben, table))
        for _ in range(20):
            _move_or_retry(ben, table)
    finally:
        one.process.send_signal(signal.SIGCONT)
    waiting.join(30)
    # The roll that waited was carried out before, after that it is stale.
    assert stuck[0] in (409, 503), stuck
    while ben.get(f"/tables/{table}")["status"] == "running":
        _move_or_retry(ben, table)
        if ben.get(f"/tables/{table}")["status"] == "running":
            _move_or_retry(anna.here, table)
    stored = anna.here.get(f"/tables/{table}/events")["events"]
    assert [event["version"] for event in stored] == list(range(1, len(stored) + 1))
    assert stored == ben.get(f"/tables/{table}/events")["events"]
    assert prove(anna.here.http.get(f"/api/tables/{table}/record").text).finished


def _move_or_retry(player: Player, table: str) -> bool:
    with suppress(httpx.HTTPStatusError):
        return player.move(table) is not None
    return False
