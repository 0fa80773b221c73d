"""Notifications: push messages at a push service that the test runs, and what the browser does with them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect
from py_vapid.utils import b64urldecode

from starfrost.table import Settings
from starfrost.web import outbox
from starfrost.web.app import create_app
from starfrost.web.guests import COOKIE
from tests.serving import DICY
from tests.serving import Player as Guest
from tests.table.helpers import empty_database
from tests.waiting import eventually
from tests.web.conftest import serving
from tests.web.endpoint import PushService, Subscriber, claims, push_service


@pytest.fixture
def endpoint() -> Iterator[PushService]:
    with push_service() as service:
        yield service


class Person:
    """A guest of the JSON interface who can subscribe."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        self.client = client
        self.headers = {"authorization": f"Bearer {token}"}

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = await self.client.request(method, path, headers=self.headers, **options)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    async def subscribe(self, subscriber: Subscriber, language: str = "en") -> httpx.Response:
        headers = {**self.headers, "accept-language": language}
        return await self.client.post("/push", json=subscriber.json, headers=headers)

    async def move(self, table: str) -> Any:
        """Play the first legal action; return the table."""
        view = await self.ask("GET", f"/api/tables/{table}")
        body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
        await self.ask("POST", f"/api/tables/{table}/act", json={**body, "action": view["legal"][0]})
        return await self.ask("GET", f"/api/tables/{table}")


@asynccontextmanager
async def people(path: Path, **settings: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Person, Person]]:
    """Run the app with Anna and Ben."""
    app = create_app(Settings(database=empty_database(path), **settings))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://frost.example") as client:
            tokens = [
                (await client.post("/api/guests", json={"name": name})).json()["token"] for name in ("Anna", "Ben")
            ]
            yield client, *(Person(client, token) for token in tokens)


async def start(anna: Person, ben: Person, clock: str = "1day", key: str = "") -> str:
    """Open a table and let both sit down; Anna begins."""
    body = {
        "game": "dicy-cards",
        "seats": ["open", "open"],
        "options": DICY,
        "public": True,
        "key": key or clock,
        "clock": clock,
    }
    table: str = (await anna.ask("POST", "/api/tables", json=body))["table"]
    for version, one in enumerate((anna, ben), 1):
        await one.ask("POST", f"/api/tables/{table}/join", json={"version": version, "key": "j", "contribution": "c"})
    return table


async def pass_the_turn(anna: Person, table: str) -> None:
    """Let Anna play until it is Ben's turn."""
    view = await anna.ask("GET", f"/api/tables/{table}")
    while view["acting"] == 1:
        view = await anna.move(table)


async def arrived(endpoint: PushService, count: int) -> None:
    while len(endpoint.messages) < count:
        await asyncio.sleep(0.01)
    # Whatever else is on its way would come now.
    await asyncio.sleep(0.2)
    assert len(endpoint.messages) == count


async def test_a_turn_is_told_once_in_the_subscribers_language(tmp_path: Path, endpoint: PushService) -> None:
    async with people(tmp_path, push_anywhere=True) as (client, anna, ben):
        browser = Subscriber(f"{endpoint.url}/ben?x=1")
        assert (await ben.subscribe(browser, "de")).status_code == 204
        table = await start(anna, ben)
        await pass_the_turn(anna, table)
        await arrived(endpoint, 1)
        message = endpoint.messages[0]
        assert browser.read(message.body) == {
            "title": "Du bist dran",
            "body": "Dicy Cards mit Anna",
            "url": f"/t/{table}",
            "tag": table,
        }
        assert message.path == "/ben?x=1"
        assert message.headers["content-encoding"] == "aes128gcm"
        assert 86_000 < int(message.headers["ttl"]) <= 86_400
        claim = claims(message, (await client.get("/push")).text)
        assert (claim["aud"], claim["sub"]) == (endpoint.url, "https://frost.example")
        assert time.time() < claim["exp"] <= time.time() + 86_400
        # Anna has not subscribed; Ben's own moves tell nobody.
        await ben.move(table)
        await arrived(endpoint, 1)


@pytest.mark.parametrize("looking", [True, False])
async def test_a_page_of_a_fast_game_tells_by_itself_only_while_somebody_sees_it(
    tmp_path: Path, endpoint: PushService, looking: bool
) -> None:
    async with people(tmp_path, push_anywhere=True) as (client, anna, ben):
        await ben.subscribe(Subscriber(f"{endpoint.url}/ben"))
        service = client._transport.app.state.service  # type: ignore[attr-defined]
        guest = await service.find_guest(ben.headers["authorization"].split()[1])
        table = await start(anna, ben, "none")
        watching = service.watch(table, guest, looking=looking)
        page = asyncio.create_task(anext(watching))
        await asyncio.sleep(0)
        await pass_the_turn(anna, table)
        await arrived(endpoint, 0 if looking else 1)
        # Once the page is closed, a message is sent for a fast game too.
        page.cancel()
        await asyncio.gather(page, return_exceptions=True)
        await watching.aclose()
        other = await start(anna, ben, "2min")
        await pass_the_turn(anna, other)
        await arrived(endpoint, 1 if looking else 2)


async def test_an_invitation_to_play_again_is_told(tmp_path: Path, endpoint: PushService) -> None:
    async with people(tmp_path, push_anywhere=True) as (client, anna, ben):
        table = await start(anna, ben)
        version = (await ben.ask("GET", f"/api/tables/{table}"))["version"]
        await anna.ask("POST", f"/api/tables/{table}/close", json={"version": version, "key": "c"})
        browser = Subscriber(f"{endpoint.url}/ben")
        await ben.subscribe(browser, "de")
        for _ in range(2):
            answer = await client.post("/me/again", data={"table": table}, headers=anna.headers)
            assert answer.status_code == 303
        await arrived(endpoint, 1)
        told = browser.read(endpoint.messages[0].body)
        assert told["title"] == "Anna möchte noch einmal spielen"
        assert told["url"] in answer.headers["location"]


@pytest.mark.parametrize("status", [404, 410])
async def test_a_browser_that_is_gone_is_forgotten(tmp_path: Path, endpoint: PushService, status: int) -> None:
    async with people(tmp_path, push_anywhere=True) as (client, anna, ben):
        await ben.subscribe(Subscriber(f"{endpoint.url}/old"))
        await ben.subscribe(Subscriber(f"{endpoint.url}/new"))
        endpoint.statuses = [status]
        await pass_the_turn(anna, await start(anna, ben))
        await arrived(endpoint, 2)
        gone = endpoint.messages[0].path
        table = await start(anna, ben, "3days")
        await pass_the_turn(anna, table)
        await arrived(endpoint, 3)
        assert endpoint.messages[2].path != gone
        assert 'starfrost_pushes_total{result="gone"} 1.0' in (await client.get("/metrics")).text


async def test_a_push_service_that_is_down_is_asked_again(
    tmp_path: Path, endpoint: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_PAUSES", (0.01, 0.02, 0.03))
    async with people(tmp_path, push_anywhere=True) as (client, anna, ben):
        await ben.subscribe(Subscriber(f"{endpoint.url}/ben"))
        endpoint.statuses = [503, 429]
        await pass_the_turn(anna, await start(anna, ben))
        await arrived(endpoint, 3)
        assert 'starfrost_pushes_total{result="sent"} 1.0' in (await client.get("/metrics")).text


async def test_unsubscribing(tmp_path: Path, endpoint: PushService) -> None:
    async with people(tmp_path, push_anywhere=True) as (_, anna, ben):
        browser = Subscriber(f"{endpoint.url}/ben")
        await ben.subscribe(browser)
        # Nobody else can end a subscription.
        await anna.ask("DELETE", "/push", content=json.dumps(browser.json))
        await pass_the_turn(anna, await start(anna, ben))
        await arrived(endpoint, 1)
        await ben.ask("DELETE", "/push", content=json.dumps(browser.json))
        table = await start(ben, anna)
        await anna.subscribe(browser)
        await pass_the_turn(ben, table)
        await arrived(endpoint, 2)


async def test_the_server_keeps_its_key(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        async with people(tmp_path) as (client, *_):
            keys.append((await client.get("/push")).text)
    assert keys[0] == keys[1]
    assert len(b64urldecode(keys[0].encode())) == 65


@pytest.mark.parametrize("keys", [{}, {"p256dh": "AA", "auth": "AA"}, {"p256dh": "?", "auth": 7}, None])
async def test_subscriptions_without_keys_are_refused(tmp_path: Path, keys: object) -> None:
    async with people(tmp_path, push_anywhere=True) as (client, anna, _):
        body = {"endpoint": "http://127.0.0.1/x", "keys": keys}
        assert (await client.post("/push", json=body, headers=anna.headers)).status_code == 422


# In a browser

STUB = """
  const { endpoint, keys } = %s;
  let subscribed = null;
  const made = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => !(subscribed = null) };
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly || options.applicationServerKey.length !== 87) throw new TypeError("wrong options");
    return (subscribed = made);
  };
  PushManager.prototype.getSubscription = async () => subscribed;
  // As on Android: only the service worker may show notifications.
  window.Notification = class extends Notification { constructor() { throw new TypeError("Illegal constructor"); } };
"""
SHOWN = """navigator.serviceWorker.getRegistration().then(one => one.getNotifications())
  .then(all => all.map(({title, body, tag, data}) => ({title, body, tag, data})))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("push"), STARFROST_PUSH_ANYWHERE="true") as address:
        yield address


def test_the_setting_subscribes_and_a_turn_arrives(
    context: Callable[..., BrowserContext], site: str, endpoint: PushService
) -> None:
    browser = Subscriber(f"{endpoint.url}/anna")
    anna, ben = Guest(site), Guest(site, "Ben")
    person = context(service_workers="allow", permissions=["notifications"])
    person.add_init_script(STUB % json.dumps(browser.json))
    person.add_cookies([{"name": COOKIE, "value": anna.token, "url": site}])
    page = person.new_page()
    page.goto(site)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.locator("#settings summary").click()
    page.locator("#settings [name=notify]").check()
    expect(page.locator("html[data-notify=on]")).to_be_attached()
    table = ben.open(clock="1day")
    ben.join(table)
    anna.post(f"/tables/{table}/join", version=2, key="a", contribution="x")
    page.goto(f"{site}/t/{table}")
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    while ben.get(f"/tables/{table}")["acting"] == 1:
        ben.move(table)
    eventually(lambda: bool(endpoint.messages))
    payload = browser.read(endpoint.messages[0].body)
    assert payload["body"].startswith("Dicy Cards with Ben · until ")
    # The open page that nobody looks at tells too, through the worker; both are one notification.
    eventually(lambda: bool(page.evaluate(SHOWN)))
    assert page.evaluate(SHOWN)[0]["data"] == f"/t/{table}"
    page.goto(site)
    push(page.context, site, payload)
    eventually(lambda: [one["title"] for one in page.evaluate(SHOWN)] == ["Your turn"])
    assert page.evaluate(SHOWN) == [{**{k: payload[k] for k in ("title", "body", "tag")}, "data": f"/t/{table}"}]
    # Whoever opens the table needs no notification of it any more.
    page.goto(f"{site}/t/{table}")
    eventually(lambda: not page.evaluate(SHOWN))
    push(page.context, site, payload)
    page.wait_for_timeout(300)
    assert not page.evaluate(SHOWN)
    page.locator("#settings summary").click()
    page.locator("#settings [name=notify]").uncheck()
    expect(page.locator("html[data-notify=off]")).to_be_attached()


def test_a_hidden_page_of_a_fast_game_does_not_silence_the_phone(
    context: Callable[..., BrowserContext], site: str, endpoint: PushService
) -> None:
    phone = Subscriber(f"{endpoint.url}/phone")
    anna, ben = Guest(site), Guest(site, "Ben")
    httpx.post(f"{site}/push", json=phone.json, headers={"authorization": f"Bearer {anna.token}"}).raise_for_status()
    table = ben.open(clock="2min")
    ben.join(table)
    anna.post(f"/tables/{table}/join", version=2, key="a", contribution="x")
    person = context()
    person.add_cookies([{"name": COOKIE, "value": anna.token, "url": site}])
    page = person.new_page()
    with page.expect_response(lambda answer: "/stream?" in answer.url and "looking=true" in answer.url):
        page.goto(f"{site}/t/{table}")
    with page.expect_response(lambda answer: "/stream?" in answer.url and "looking" not in answer.url):
        page.evaluate(
            """Object.defineProperty(document, "hidden", { get: () => true });
            document.dispatchEvent(new Event("visibilitychange"));"""
        )
    while ben.get(f"/tables/{table}")["acting"] == 1:
        ben.move(table)
    eventually(lambda: bool(endpoint.messages))
    assert phone.read(endpoint.messages[0].body)["title"] == "Your turn"


def push(person: BrowserContext, site: str, payload: object) -> None:
    """Hand a message to the browser's service worker, as its push service would."""
    session = person.new_cdp_session(person.pages[0])
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    eventually(lambda: bool(found) or person.pages[0].wait_for_timeout(20))
    session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": site, "registrationId": found[-1], "data": json.dumps(payload)},
    )


def test_a_browser_that_refuses_is_told_beside_the_setting(context: Callable[..., BrowserContext], site: str) -> None:
    for script, says in (
        ("Notification.requestPermission = async () => 'denied'", "Your browser blocks notifications of this site."),
        ("delete window.Notification", "This browser cannot show notifications."),
    ):
        person = context(service_workers="allow")
        person.add_init_script(script)
        page = person.new_page()
        page.goto(site)
        page.locator("#settings summary").click()
        page.locator("#settings [name=notify]").click()
        expect(page.locator("#notify-says")).to_contain_text(says)
        expect(page.locator("#settings [name=notify]")).not_to_be_checked()
        expect(page.locator("html[data-notify=off]")).to_be_attached()


def test_a_browser_without_a_push_service_tells_while_the_page_is_open(
    context: Callable[..., BrowserContext], site: str
) -> None:
    person = context(service_workers="allow", permissions=["notifications"], errors=False)
    person.add_init_script("PushManager.prototype.subscribe = async () => { throw new Error('no push service') }")
    page = person.new_page()
    page.goto(site)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.locator("#settings summary").click()
    page.locator("#settings [name=notify]").check()
    expect(page.locator("html[data-notify=on]")).to_be_attached()
    expect(page.locator("#notify-says")).to_contain_text("Only while this page is open")
