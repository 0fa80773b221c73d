"""Two servers on one Postgres: no table belongs to one of them, and both answer the same."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.fair.proof import prove
from tests.postgres import Postgres
from tests.serving import Player, Server, messages
from tests.waiting import eventually


@pytest.fixture(scope="module")
def pair(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    folder: Path = tmp_path_factory.mktemp("servers")
    database = postgres.database()
    with (
        Server(database, folder / "one.log") as one,
        Server(database, folder / "other.log") as other,
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


def test_every_first_read_on_the_other_server_sees_the_move(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    table = anna.table(options={"mode": "glacial", "goal": "900000"})
    fresh = 0
    for _ in range(300):
        version = anna.here.move(table)["version"]
        fresh += anna.get(f"/tables/{table}")["version"] == version
    assert fresh == 300
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


def test_players_of_both_servers_lose_and_double_nothing(pair: tuple[Server, Server]) -> None:
    """The same move goes to both at once, with refusals among them; each gets its own answer."""
    anna = Elsewhere(*pair)
    tables = [anna.table(key=f"many{number}", options={"mode": "glacial", "goal": "900000"}) for number in range(8)]

    def act(client: httpx.Client, table: str, **move: Any) -> tuple[int, Any]:
        answer = client.post(f"/api/tables/{table}/act", json=move)
        return answer.status_code, answer.json()

    def play(table: str) -> list[Any]:
        wrong = []
        clients = (anna.there, anna.here.http)
        with ThreadPoolExecutor(2) as threads:
            for number in range(30):
                shown = anna.get(f"/tables/{table}")
                move = {"version": 3 + number, "key": f"k{number}", "seat": shown["acting"]}
                move["action"] = shown["legal"][0]
                stale = act(clients[number % 2], table, **(move | {"version": 1, "key": "stale"}))
                first, same = threads.map(lambda client, move=move: act(client, table, **move), clients)
                again = act(clients[number % 2], table, **move)
                if (stale[0], first[0]) != (409, 200) or not first == again == same or first[1]["table"] != table:
                    wrong.append((stale, first, again, same))
        return wrong

    with ThreadPoolExecutor(8) as players:
        assert list(players.map(play, tables)) == [[]] * 8
    for table in tables:
        events = anna.here.get(f"/tables/{table}/events")["events"]
        assert [event["version"] for event in events] == list(range(1, 34))


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


def test_every_first_look_on_the_other_server_sees_the_guest_as_changed(pair: tuple[Server, Server]) -> None:
    anna = Elsewhere(*pair)
    clients = (anna.here.http, anna.there)
    for number in range(50):
        here, there = clients[:: 1 if number % 2 else -1]
        here.patch("/api/me", json={"name": f"Anna {number}"}).raise_for_status()
        assert there.get("/api/me").json()["name"] == f"Anna {number}"
    page = anna.here.http.get("/me/identity").text
    form = {"device": page.partition('name="device" value="')[2].partition('"')[0]}
    assert anna.here.http.post("/me/identity/devices", data=form).status_code == 303
    assert [client.get("/api/me").status_code for client in clients] == [401, 401]


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


def test_a_suspended_server_does_no_harm(pair: tuple[Server, Server]) -> None:
    one, other = pair
    anna = Elsewhere(one, other)
    table = anna.table(seats=("open", "bot:random"), people=1, options={"mode": "glacial", "goal": "60"})
    assert one.process is not None
    one.process.send_signal(signal.SIGSTOP)
    stuck: list[int] = []

    def ask() -> None:
        body = {"version": 2, "key": "stuck", "seat": 1, "action": "roll"}
        stuck.append(anna.here.http.post(f"/api/tables/{table}/act", json=body).status_code)

    # One request waits in the suspended server, whose bot it is to play, while the game goes on at the other one.
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
