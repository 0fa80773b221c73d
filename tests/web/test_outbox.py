"""The queue of push messages and the requests to push services: what strangers cannot make the server do."""

import asyncio
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpcore
import pytest

from starfrost.errors import Refused
from starfrost.table.metrics import Metrics
from starfrost.table.subscriptions import Subscription
from starfrost.web import outbox
from starfrost.web.outbox import Letter, Outbox
from starfrost.web.webpush import PushClient, is_public, origin_of
from tests.web.endpoint import NAME, PushService, Subscriber, certificate, push_service, silent_service
from tests.web.test_push import Person, pass_the_turn, people, start

PUBLIC = ["93.184.216.34", "1.1.1.1", "192.0.1.1", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1"]
# fmt: off
NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.1.2.3", "169.254.169.254", "172.16.0.1",
    "192.0.0.8", "192.0.0.9", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
    "::10.1.2.3", "::93.184.216.34", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::ffff:0:127.0.0.1",
    "64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b:1::a9fe:a9fe", "100::1", "2001::1", "2001:0:7f00:1::",
    "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1",
    "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fec0::1%1", "ff02::1",
    "ff05::2", "ff0e::1",
]
# fmt: on
BAD_ENDPOINTS = [
    *(f"https://{f'[{address}]' if ':' in address else address}/x" for address in NOT_PUBLIC + PUBLIC),
    "https://localhost/x",
    "https://0/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://no-such-host.invalid/x",
    "https://example.org/x",
    "https://fcm.googleapis.com.example.org/x",
    "https://evil-fcm.googleapis.com/x",
    "https://xnotify.windows.com/x",
    "https://push.apple.com@127.0.0.1/x",
    "https://fcm.googleapis.com:pass@127.0.0.1/x",
    "https://127.0.0.1\\@fcm.googleapis.com/x",
    "https://fcm.googleapis.com\\@127.0.0.1/x",
    "https://127.0.0.1#fcm.googleapis.com/x",
    "https://127.0.0.1?fcm.googleapis.com/x",
    "https://fcm.googleapis.com./x",
    "https://fcm.googleapis.com:80/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com:22/x",
    "https://fcm.googleapis.com:/x",
    "http://fcm.googleapis.com/x",
    "http://fcm.googleapis.com:443/x",
    "ftp://fcm.googleapis.com/x",
    "//fcm.googleapis.com/x",
    "https:fcm.googleapis.com/x",
    "https://fcm.googleapis.com/x y",
    "https://fcm.googleapis.com/x\r\nx: y",
    "https://fcm.googleapis.com/ü",
    "https://fcm.googleapis.com/x\n",
    f"https://fcm.googleapis.com/{'x' * 1000}",
    "nonsense",
    "",
]
GOOD_ENDPOINTS = [
    "https://fcm.googleapis.com/fcm/send/a:b-c_d",
    "https://FCM.googleapis.com:443/fcm/send/a?b=c",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
    "https://wns2-par02p.notify.windows.com/w/?token=a%3d%3d",
    "https://web.push.apple.com/QGuQ",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_no_plain_public_ones(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


async def test_only_endpoints_of_the_browsers_push_services_can_be_subscribed(tmp_path: Path) -> None:
    async with people(tmp_path, moves_per_second=0) as (_, anna, _ben):
        for endpoint in BAD_ENDPOINTS:
            assert (await anna.subscribe(Subscriber(endpoint))).status_code == 422, endpoint
        for endpoint in GOOD_ENDPOINTS:
            assert (await anna.subscribe(Subscriber(endpoint))).status_code == 204, endpoint


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[threading.Thread]:
    """Let every name lead to these addresses; return the threads in which names are looked up."""
    asked = []

    def look(host: str, port: int, *rest: Any, **more: Any) -> list[tuple[Any, ...]]:
        asked.append(threading.current_thread())
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look)
    return asked


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Connect to nothing; return the addresses that connections would go to."""
    asked: list[str] = []

    async def connect(self: object, host: str, port: int, *options: object, **named: object) -> None:
        asked.append(host)
        raise httpcore.ConnectError("nobody is there")

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    return asked


@asynccontextmanager
async def push_client(anywhere: bool = False) -> AsyncIterator[PushClient]:
    client = PushClient(20, anywhere)
    yield client
    await client.close()


@pytest.mark.parametrize(
    "bad", ["127.0.0.1", "::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "fec0::1", "ff02::1"]
)
async def test_a_name_with_one_bad_address_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch, connected: list[str], bad: str
) -> None:
    async with push_client() as client:
        resolve_to(monkeypatch, "93.184.216.34", bad)
        with pytest.raises(Refused, match="public network"):
            await client.post(GOOD_ENDPOINTS[0], {}, b"")
        assert not connected


async def test_connections_go_to_the_checked_addresses(monkeypatch: pytest.MonkeyPatch, connected: list[str]) -> None:
    async with push_client() as client:
        asked = resolve_to(monkeypatch, "2606:4700::1111", "93.184.216.34")
        with pytest.raises(OSError, match="no answer"):
            await client.post(GOOD_ENDPOINTS[0], {}, b"")
        assert connected == ["2606:4700::1111", "93.184.216.34"]
        assert len(asked) == 1


async def test_a_name_server_that_is_silent_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *rest, **more: answered.wait())
    monkeypatch.setattr("starfrost.web.webpush._NAME_PATIENCE", 0.05)
    async with push_client() as client:
        asks = [client.post(f"https://{number}.notify.windows.com/", {}, b"") for number in range(20)]
        results = await asyncio.gather(*asks, return_exceptions=True)
        assert all(isinstance(result, OSError) for result in results)
        answered.set()


@asynccontextmanager
async def tls_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PushService]:
    file = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with push_service(file) as service:
        yield service


async def until(happened: Callable[[], bool]) -> None:
    while not happened():
        await asyncio.sleep(0.01)


async def test_one_tls_context_and_one_connection_for_many_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make = [], ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda *a, **b: made.append(1) or make(*a, **b))
    async with (
        tls_service(tmp_path, monkeypatch) as service,
        people(tmp_path, push_anywhere=True) as (client, anna, ben),
    ):
        asked = resolve_to(monkeypatch, "127.0.0.1")
        browser = Subscriber(f"{service.url}/ben")
        assert (await ben.subscribe(browser)).status_code == 204
        for number in range(6):
            await pass_the_turn(anna, await start(anna, ben, ["1day", "3days"][number % 2], key=str(number)))
            await until(lambda number=number: len(service.messages) > number)
        assert [browser.read(message.body)["title"] for message in service.messages] == ["Your turn"] * 6
        assert service.names == [NAME]
        assert service.connections == 1
        assert len(made) == 1
        assert len(asked) == 1
        assert threading.current_thread() not in asked
        await until(lambda: _pushes(client)["sent"] == 6)
        assert _pushes(client) == {"queued": 6, "sent": 6, "dropped": 0, "failed": 0, "gone": 0, "refused": 0}


def _pushes(client: Any) -> dict[str, float]:
    metrics: Metrics = client._transport.app.state.service.metrics
    return {
        one.labels["result"]: one.value for one in next(iter(metrics.pushes.collect())).samples if "total" in one.name
    }


async def test_a_certificate_of_another_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with tls_service(tmp_path, monkeypatch) as service, push_client(anywhere=True) as client:
        resolve_to(monkeypatch, "127.0.0.1")
        with pytest.raises(OSError, match="no answer"):
            await client.post(f"https://other.example:{service.port}/", {}, b"")
        assert not service.messages


async def test_a_target_that_is_silent_keeps_few_connections_and_nobody_waits(tmp_path: Path) -> None:
    free = {"moves_per_second": 0, "opens_per_minute": 0, "tables_per_address": 0}
    async with silent_service() as (url, open_now, counts):
        async with people(tmp_path, push_anywhere=True, **free) as (client, anna, ben):
            for person in (anna, ben):
                for number in range(10):
                    await person.subscribe(Subscriber(f"{url}/{number}{person.headers['authorization'][-8:]}"))
            others = await newcomers(client)
            played = number = 0
            while played < 500:
                number += 1
                played += await play(anna, ben, await start(anna, ben, "3days", key=f"n{number}"), 40)
                # Tables of others go on.
                assert await play(*others, await start(*others, key=f"n{number}"), 4) == 4
            await until(lambda: bool(counts))
            assert max(counts) <= 4
            assert len(open_now) <= 4
            assert len(counts) <= 40
            told = _pushes(client)
            assert told["queued"] > 100
            assert told["dropped"] + told["failed"] + 60 >= told["queued"]
        await until(lambda: not open_now)


async def newcomers(client: Any) -> tuple[Person, Person]:
    tokens = [(await client.post("/api/guests", json={"name": name})).json()["token"] for name in ("Cleo", "Dan")]
    return Person(client, tokens[0]), Person(client, tokens[1])


async def play(anna: Person, ben: Person, table: str, most: int) -> int:
    """Play a game, at most so many moves of it; return how many were played."""
    played, person = 0, anna
    while played < most:
        view = await person.ask("GET", f"/api/tables/{table}")
        if not view["acting"]:
            break
        if person is not (anna, ben)[view["acting"] - 1]:
            person = (anna, ben)[view["acting"] - 1]
            continue
        move = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
        await person.ask("POST", f"/api/tables/{table}/act", json={**move, "action": view["legal"][0]})
        played += 1
    return played


# The queue alone


class Post:
    """Push services that answer as a test says; counts what is under way."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.answers: list[int | Exception] = []
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, letter: Letter) -> tuple[int, str]:
        names = ("all", letter.to.id, letter.to.guest, letter.origin)
        self.sent.append(letter.text)
        self.now.update(names)
        self.most |= self.now
        try:
            await self.go.wait()
        finally:
            self.now.subtract(names)
        answer = self.answers.pop(0) if self.answers else 201
        if isinstance(answer, Exception):
            raise answer
        return answer, ""


class Queue:
    """An outbox with its push services and its counts."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self.post = Post()
        self.outbox = Outbox(self.metrics, self.post)

    def put(
        self, text: str, guest: str = "anna", path: str = "1", table: str = "t", host: str = "push.example"
    ) -> None:
        endpoint = f"https://{host}/{guest}/{path}"
        to = Subscription(guest, endpoint, "key", "", "en", "")
        self.outbox.put(Letter(to, origin_of(endpoint, True), table, text, time.time() + 100))

    def count(self, result: str) -> float:
        return self.metrics.pushes.labels(result)._value.get()

    async def done(self) -> None:
        """Wait until every message has come to an end."""
        ends = ("sent", "dropped", "failed", "gone", "refused")
        await until(lambda: sum(map(self.count, ends)) == self.count("queued"))


@pytest.fixture
async def queue(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Queue]:
    monkeypatch.setattr(outbox, "_PAUSES", (0.0, 0.0, 0.0))
    made = Queue()
    yield made
    await made.outbox.stop()


async def test_few_requests_are_under_way_at_a_time(queue: Queue) -> None:
    queue.post.go.clear()
    for number in range(400):
        queue.put("x", f"guest{number // 10}", str(number % 5), f"t{number}", f"{number % 3}.example")
    await until(lambda: queue.post.now["all"] == 20)
    queue.post.go.set()
    await queue.done()
    most = queue.post.most
    assert most.pop("all") == 20
    assert max(count for name, count in most.items() if name.startswith("https:")) <= 10
    assert max(count for name, count in most.items() if name.startswith("guest")) == 2
    assert max(count for name, count in most.items() if not name.startswith(("guest", "https:"))) == 1
    assert queue.count("sent") == 400


async def test_the_newest_message_about_a_table_replaces_one_that_waits(queue: Queue) -> None:
    queue.post.go.clear()
    queue.put("first")
    await until(lambda: queue.post.sent == ["first"])
    for text in ("second", "third", "fourth"):
        queue.put(text)
    queue.put("other", table="u")
    queue.post.go.set()
    await queue.done()
    assert sorted(queue.post.sent) == ["first", "fourth", "other"]
    assert (queue.count("queued"), queue.count("sent"), queue.count("dropped")) == (5, 3, 2)


async def test_the_newest_message_replaces_one_that_is_to_be_sent_again(queue: Queue) -> None:
    queue.post.answers = [503]
    queue.post.go.clear()
    queue.put("first")
    await until(lambda: queue.post.sent == ["first"])
    queue.put("second")
    queue.post.go.set()
    await queue.done()
    assert queue.post.sent == ["first", "second"]
    assert (queue.count("sent"), queue.count("dropped")) == (1, 1)


async def test_a_guest_has_a_budget_and_others_have_theirs(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    # Time stands still.
    monkeypatch.setattr("starfrost.web.limits.time", SimpleNamespace(time=lambda: 1.0))
    for number in range(100):
        queue.put("anna", "anna", table=str(number))
        queue.put("other", f"guest{number % 10}", table=str(number))
        if number % 10 == 9:
            await queue.done()
    assert Counter(queue.post.sent) == {"anna": 60, "other": 100}
    assert queue.count("dropped") == 40


@pytest.mark.parametrize(("hosts", "most"), [(1, 250), (100, 500)])
async def test_an_origin_and_the_server_have_budgets(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, hosts: int, most: int
) -> None:
    # Time stands still.
    monkeypatch.setattr("starfrost.web.limits.time", SimpleNamespace(time=lambda: 1.0))
    for number in range(700):
        queue.put("x", f"guest{number}", host=f"{number % hosts}.example")
        if number % 100 == 99:
            await queue.done()
    assert queue.count("sent") == most


async def test_messages_that_wait_are_counted(queue: Queue) -> None:
    queue.post.go.clear()
    for number in range(100):
        queue.put("x", "anna", table=str(number))
    # Nothing has been sent yet.
    assert queue.count("dropped") == 80
    for number in range(2000):
        queue.put("x", f"guest{number}")
    assert queue.count("queued") - queue.count("dropped") == 1000


async def test_an_origin_that_does_not_answer_is_left_alone(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(outbox, "time", SimpleNamespace(monotonic=lambda: now[0], time=time.time))
    queue.post.answers = [OSError() for _ in range(5)]
    for number in range(3):
        queue.put("bad", f"guest{number}")
    await queue.done()
    assert len(queue.post.sent) == 5
    queue.put("other", host="other.example")
    await queue.done()
    assert queue.post.sent[5:] == ["other"]
    # After a while one request tries; it fails, and so the origin is left alone again.
    queue.post.answers = [OSError()]
    now[0] += 61
    for number in range(3):
        queue.put("try", f"guest{number}", table="u")
    await queue.done()
    assert queue.post.sent[6:] == ["try"]
    now[0] += 61
    queue.put("well", table="v")
    await queue.done()
    for number in range(3):
        queue.put("more", f"guest{number}", table="w")
    await queue.done()
    assert queue.post.sent[7:] == ["well", "more", "more", "more"]


async def test_bad_answers_to_one_do_not_keep_an_origin_from_others(queue: Queue) -> None:
    queue.post.answers = [500] * 12
    for number in range(3):
        queue.put("bad", f"guest{number}")
    await queue.done()
    assert queue.count("failed") == 3
    queue.put("good")
    await queue.done()
    assert queue.count("sent") == 1


async def test_subscriptions_from_before_the_check_are_forgotten(tmp_path: Path) -> None:
    async with people(tmp_path) as (client, anna, ben):
        old = Subscriber("https://93.184.216.34/x").json
        service = client._transport.app.state.service
        guest = await service.find_guest(ben.headers["authorization"].split()[1])
        await service.subscriptions.add(Subscription(guest.id, old["endpoint"], **old["keys"], language="en", site="s"))
        await pass_the_turn(anna, await start(anna, ben))
        await until(lambda: not service.subscriptions.has(guest.id))
        assert _pushes(client)["refused"] == 1
