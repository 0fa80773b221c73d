"""What stands around every request."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.errors import Refused
from starfrost.table import Settings, TableService
from starfrost.web.app import create_app
from starfrost.web.guard import SECURITY_HEADERS, address_in, crosses_sites
from starfrost.web.limits import Limits, TooMany
from tests.serving import Server
from tests.table.helpers import empty_database

OWN = "http://table.test"

# Origin, Sec-Fetch-Site, refused?
MATRIX = [
    (None, None, False),
    (OWN, None, False),
    (OWN, "same-origin", False),
    (None, "same-origin", False),
    (None, "none", False),
    (OWN, "cross-site", True),
    (OWN, "same-site", True),
    (None, "cross-site", True),
    (None, "same-site", True),
    (None, "nonsense", True),
    ("https://evil.example", None, True),
    ("https://evil.example", "same-origin", True),
    ("https://evil.example", "cross-site", True),
    ("http://sub.table.test", None, True),
    ("http://table.test:8080", None, True),
    ("http://table.test.evil.example", None, True),
    ("http://table.test@evil.example", None, True),
    ("null", None, True),
    ("", None, True),
    ("http://[", None, True),
]
WRITES = [("POST", "/api/guests"), ("POST", "/api/tables/x/act"), ("PATCH", "/api/me"), ("POST", "/anything")]


def sent(origin: str | None, site: str | None) -> dict[str, str]:
    headers = {"origin": origin, "sec-fetch-site": site}
    return {name: value for name, value in headers.items() if value is not None}


@pytest.mark.parametrize(("origin", "site", "refused"), MATRIX)
async def test_cross_site_writes_are_refused(
    client: httpx.AsyncClient, origin: str | None, site: str | None, refused: bool
) -> None:
    for method, path in WRITES:
        answer = await client.request(method, path, json={"name": "Anna"}, headers=sent(origin, site))
        assert (answer.status_code == 403 and answer.json()["code"] == "cross-site") is refused, (method, path)
    # Reading is not a write: the browser itself keeps other sites from the answer.
    assert (await client.get("/api/tables", headers=sent(origin, site))).status_code == 200


def test_every_method_that_can_write_is_judged() -> None:
    headers = {b"origin": b"https://evil.example", b"host": b"table.test"}
    assert all(crosses_sites(method, headers) for method in ("POST", "PUT", "PATCH", "DELETE", "PROPFIND", "post"))
    assert not any(crosses_sites(method, headers) for method in ("GET", "HEAD", "OPTIONS"))


async def test_headers_on_every_answer(client: httpx.AsyncClient) -> None:
    for method, path in [
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/api/tables"),
        ("GET", "/api/nothing"),
        ("GET", "/api/tables/unknown"),
        ("POST", "/api/tables/unknown/act"),
        ("POST", "/api/guests"),
        ("PUT", "/api/guests"),
        ("GET", "/api/openapi.json"),
    ]:
        answer = await client.request(method, path)
        for name, value in SECURITY_HEADERS.items():
            assert answer.headers[name] == value, (method, path, name)
        if path.startswith("/api/"):
            assert answer.headers["cache-control"] == "no-store"
    policy = SECURITY_HEADERS["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert SECURITY_HEADERS["x-content-type-options"] == "nosniff"


async def test_no_other_site_is_let_in_by_cors(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/tables", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_large_bodies_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/guests", content=b'{"name":"' + b"x" * 20_000 + b'"}')
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")

    async def pieces() -> object:
        for _ in range(40):
            yield b"x" * 1000

    # Without a length only counting helps.
    json_body = {"content-type": "application/json"}
    answer = await client.post("/api/guests", content=pieces(), headers=json_body)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
    token = (await client.post("/api/guests", json={"name": "Anna"})).json()["token"]
    headers = {**json_body, "authorization": f"Bearer {token}"}
    answer = await client.post("/api/tables/x/act", content=pieces(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


async def test_bodies_that_nest_too_deeply_are_refused(client: httpx.AsyncClient) -> None:
    for path in ("/here/games", "/push", "/api/guests"):
        assert (await client.post(path, content=b"[" * 5000)).status_code in (400, 401, 422), path


async def test_large_headers_and_addresses_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/tables", headers={"x-long": "x" * 20_000})
    assert answer.status_code == 431
    assert (await client.get("/api/tables?" + "x" * 5000)).status_code == 414


async def test_rate_limits_say_when_to_come_back(tmp_path: Path) -> None:
    app = create_app(Settings(database=empty_database(tmp_path), moves_per_second=1.0, opens_per_minute=4.0))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=OWN) as client:
        made = [await client.post("/api/guests", json={"name": "A"}) for _ in range(5)]
        assert [answer.status_code for answer in made] == [201] * 4 + [429]
        assert 1 <= int(made[-1].headers["retry-after"]) <= 60
        assert made[-1].json()["code"] == "slow-down"
        headers = {"authorization": f"Bearer {made[0].json()['token']}"}
        body = {"version": 1, "key": "k", "seat": 1, "action": "roll"}
        acts = [await client.post("/api/tables/x/act", json=body, headers=headers) for _ in range(4)]
        assert [answer.status_code for answer in acts] == [404] * 3 + [429]
        assert 1 <= int(acts[-1].headers["retry-after"]) <= 3
        # Another guest is not held up.
        other = {"authorization": f"Bearer {made[1].json()['token']}"}
        assert (await client.post("/api/tables/x/act", json=body, headers=other)).status_code == 404
        # Guessing tokens is slowed down by address.
        guesses = [await client.get("/api/me", headers={"authorization": f"Bearer {n}"}) for n in range(18)]
        assert guesses[0].status_code == 401
        assert guesses[-1].status_code == 429


async def test_one_address_cannot_ask_without_end(tmp_path: Path) -> None:
    app = create_app(Settings(database=empty_database(tmp_path), requests_per_second=5.0))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=OWN) as client:
        statuses = [(await client.get("/api/tables/nobody")).status_code for _ in range(40)]
        assert statuses[0] == 404
        assert statuses[-1] == 429
        assert 1 <= int((await client.get("/healthz")).headers["retry-after"]) <= 4


async def test_health_and_metrics(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).text == "ok\n"
    assert (await client.get("/readyz")).status_code == 200
    await client.post("/api/guests", json={"name": "Anna"})
    text = (await client.get("/metrics")).text
    assert 'starfrost_requests_total{method="POST",status="201"} 1.0' in text
    assert "starfrost_commit_commands_bucket" in text


@asynccontextmanager
async def served(tmp_path: Path, address: str, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Serve with these settings; yield a client at an address."""
    app = create_app(Settings(database=empty_database(tmp_path), **settings))
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=OWN) as client:
        yield client


async def test_heads_of_health_routes_and_pages(client: httpx.AsyncClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics", "/", "/rules/dicy-cards", "/puzzles"):
        assert (await client.head(path)).status_code == 200, path
    assert (await client.head("/nothing")).status_code == 404


@pytest.mark.parametrize(
    ("address", "sent", "status"),
    [
        *[(here, "", 200) for here in ("127.0.0.1", "127.8.9.10", "::1")],
        *[(there, "", 403) for there in ("192.0.2.1", "10.0.0.1", "2001:db8::1", "unix", "")],
        ("192.0.2.1", "Bearer sesame", 200),
        ("192.0.2.1", "Bearer open", 403),
        ("192.0.2.1", "Bearer ", 403),
        ("192.0.2.1", "Bearer sésame", 403),
    ],
)
async def test_metrics_are_for_this_machine_and_the_token(tmp_path: Path, address: str, sent: str, status: int) -> None:
    token = "sesame" if sent else ""
    async with served(tmp_path, address, metrics_token=token) as client:
        headers = {"authorization": sent.encode()} if sent else {}
        answer = await client.get("/metrics", headers=headers)
        assert answer.status_code == status
        assert ("starfrost_commands" in answer.text) is (status == 200)
        assert (await client.get("/healthz")).status_code == 200


async def test_only_allowed_hosts_are_answered(tmp_path: Path) -> None:
    async with served(tmp_path, "192.0.2.1", allowed_hosts="table.test, *.example.org, ::1") as client:
        for host in ("table.test", "TABLE.test:8000", "a.example.org", "a.b.example.org.", "[::1]:8000"):
            assert (await client.get("/api/tables", headers={"host": host})).status_code == 200, host
        for host in ("", "other.test", "example.org", "badexample.org", "table.test.evil.example", "a.example.org@x"):
            answer = await client.get("/api/tables", headers={"host": host})
            assert (answer.status_code, answer.json()["code"]) == (421, "bad-host"), host
            assert (await client.post("/api/guests", json={"name": "A"}, headers={"host": host})).status_code == 421
            # A load balancer asks by address.
            assert (await client.get("/readyz", headers={"host": host})).status_code == 200
        page = await client.get("/", headers={"host": "other.test", "accept": "text/html", "accept-language": "de"})
        assert page.status_code == 421
        assert "Dieser Server antwortet nicht für other.test." in page.text


async def test_https_stays_https(tmp_path: Path) -> None:
    name = "strict-transport-security"
    async with served(tmp_path, "192.0.2.1") as client:
        assert name not in (await client.get("/")).headers
        for path in ("/", "/api/tables", "/nothing"):
            assert (await client.get(f"https://table.test{path}")).headers[name] == "max-age=15552000"


def test_only_trusted_proxies_speak_for_others(tmp_path: Path) -> None:
    """This test is the proxy: its headers count only if its address is listed."""
    forwarded = {"x-forwarded-for": "198.51.100.7, 192.0.2.1", "x-forwarded-proto": "https"}
    for trusted, status in (("127.0.0.0/8", 403), ("10.0.0.0/8", 200)):
        with Server(empty_database(tmp_path), tmp_path / "log", TRUSTED_PROXIES=trusted) as server:
            answer = httpx.get(f"{server.url}/metrics", headers=forwarded)
            assert answer.status_code == status
            assert ("strict-transport-security" in answer.headers) is (status == 403)


def test_a_household_with_ipv6_counts_as_one_address() -> None:
    home, next_door = ("2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1"), ("192.0.2.1", "192.0.2.2")
    assert len({address_in({"client": (address, 1)}) for address in home}) == 2
    assert len({address_in({"client": (address, 1)}) for address in next_door}) == 2


def test_one_address_cannot_open_streams_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starfrost.web.limits._STREAMS", 1)
    limits = Limits(Settings(database="x"))
    with ExitStack() as streams:
        for _ in range(19):
            streams.enter_context(limits.stream("a", None))
        with limits.stream("a", None):
            with pytest.raises(TooMany):
                streams.enter_context(limits.stream("a", None))
            streams.enter_context(limits.stream("b", "anna"))
            with pytest.raises(Refused):
                streams.enter_context(limits.stream("b", "anna"))
        streams.enter_context(limits.stream("a", "ben"))
    assert not limits.streams


async def test_the_host_gives_some_other_limits(tmp_path: Path) -> None:
    """A school's network may make more guests; others get what everybody gets."""
    limits = {"opens_per_minute": 4.0, "tables_per_address": 2}
    async with served(tmp_path, "192.0.2.9", **limits) as client:
        service: TableService = client._transport.app.state.service  # type: ignore[attr-defined]
        decisions = service.upkeep.moderation
        for network in ("192.0.2.0/24", "2001:db8::/32"):
            await decisions.put(replace(await decisions.about(network), times=3.0))
        await decisions.refresh()
        made = [await client.post("/api/guests", json={"name": "A"}) for _ in range(13)]
        assert [answer.status_code for answer in made] == [201] * 12 + [429]
        client.headers["authorization"] = f"Bearer {made[0].json()['token']}"
        opening = {"game": "dice-stars", "seats": ["open", "open"], "options": {}}
        opened = []
        for number in range(7):
            # Each guest opens one, so that only the address counts.
            client.headers["authorization"] = f"Bearer {made[number].json()['token']}"
            opened.append(await client.post("/api/tables", json={**opening, "key": "k"}))
        assert [answer.status_code for answer in opened] == [201] * 6 + [409]
    assert decisions.times("2001:db8:1:2::/64") == 3
    assert decisions.times("2001:db9::/64") == 1
    assert decisions.times("192.0.3.1") == 1
