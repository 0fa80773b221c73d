"""How people are told of their turn besides their browsers: addresses, quiet hours, the reminder and the calendar."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from starfrost.errors import Refused
from starfrost.table import TableService
from starfrost.table.schema import tables
from starfrost.table.snapshot import Snapshot
from starfrost.table.subscriptions import Subscription
from starfrost.web.webpush import check_address
from tests.web.endpoint import PushService, Subscriber, push_service
from tests.web.test_outbox import until
from tests.web.test_push import Person, pass_the_turn, people, start


@pytest.fixture
def endpoint() -> Iterator[PushService]:
    with push_service() as service:
        yield service


async def told(person: Person, **fields: str) -> Any:
    return await person.client.post("/me/told", data=fields, headers=person.headers)


def service_of(person: Person) -> TableService:
    service: TableService = person.client._transport.app.state.service  # type: ignore[attr-defined]
    return service


async def test_an_address_gets_plain_messages(tmp_path: Path, endpoint: PushService) -> None:
    async with people(tmp_path, push_anywhere=True) as (_, anna, ben):
        for place in ("my-topic", "hooks/secret"):
            assert (await told(ben, address=f"{endpoint.url}/{place}")).status_code == 303
        await until(lambda: len(endpoint.messages) == 2)
        assert endpoint.messages[0].body == b"You will be told here when it is your turn."
        endpoint.messages.clear()
        table = await start(anna, ben)
        await pass_the_turn(anna, table)
        await until(lambda: len(endpoint.messages) == 2)
        topic, hook = sorted(endpoint.messages, key=lambda message: message.path, reverse=True)
        link = f"https://frost.example/t/{table}"
        assert (topic.headers["title"], topic.headers["click"]) == ("Your turn", link)
        assert topic.body == b"Dicy Cards with Anna"
        assert hook.headers["content-type"] == "application/json"
        sent = json.loads(hook.body)
        assert (sent["title"], sent["url"]) == ("Your turn", link)
        assert sent["text"] == sent["content"] == f"Your turn: Dicy Cards with Anna {link}"
        # The page lists both, and removes them.
        shown = (await ben.client.get("/me/told", headers=ben.headers)).text
        assert "/my-topic</span>" in shown
        for one in re.findall('name="remove" value="([^"]+)"', shown):
            await told(ben, remove=one)
        assert not service_of(ben).subscriptions.has((await ben.ask("GET", "/api/me"))["id"])


@pytest.mark.parametrize(
    "address",
    [
        "http://ntfy.sh/topic",
        "https://ntfy.sh:8080/topic",
        "https://me@ntfy.sh/topic",
        "https://[::1]/topic",
        "ftp://ntfy.sh/topic",
        "nonsense",
    ],
)
async def test_addresses_that_cannot_be_used(tmp_path: Path, address: str) -> None:
    with pytest.raises(Refused, match="begins with https://"):
        check_address(address, anywhere=False)
    assert check_address("https://NTFY.sh/topic", anywhere=False) == "https://ntfy.sh"


async def test_an_address_inside_the_hosts_network_is_never_connected_to(tmp_path: Path) -> None:
    with push_service() as inside:
        async with people(tmp_path) as (_, _anna, ben):
            # Whether a name leads there is known only when a connection is made.
            assert (await told(ben, address=f"https://127.0.0.1/{inside.port}")).status_code == 303
            count = service_of(ben).metrics.pushes.labels("refused")._value
            await until(lambda: count.get() == 1)
        assert not inside.connections


async def test_one_reminder_comes_before_time_runs_out(
    tmp_path: Path, endpoint: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of one day four hours are left, half a second after a move.
    monkeypatch.setattr(Snapshot, "deadline", lambda table, downtimes: table.moved_at + 4 * 3600 + 0.5)
    async with people(tmp_path, push_anywhere=True) as (_, anna, ben):
        browser = Subscriber(f"{endpoint.url}/ben")
        await ben.subscribe(browser)
        await pass_the_turn(anna, await start(anna, ben))
        await until(lambda: len(endpoint.messages) == 2)
        titles = [browser.read(message.body)["title"] for message in endpoint.messages]
        assert titles == ["Your turn", "Your turn: time is running out"]
        await asyncio.sleep(1.2)
        assert len(endpoint.messages) == 2


async def test_quiet_hours_keep_a_message_until_they_end(
    tmp_path: Path, endpoint: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with people(tmp_path, push_anywhere=True) as (_, anna, ben):
        browser = Subscriber(f"{endpoint.url}/ben")
        await ben.subscribe(browser)
        hour = int(time.time() // 3600 % 24)
        assert (await told(ben, **{"from": str((hour - 1) % 24), "to": str((hour + 3) % 24), "east": "0"})).is_redirect
        table = await start(anna, ben)
        await pass_the_turn(anna, table)

        async def due() -> float:
            async with service_of(ben).tables.store.read() as connection:
                found = (await connection.execute(select(tables.c.due).where(tables.c.id == table))).scalar()
            return float(found or 0.0)

        ends = 3600 * (time.time() // 3600 + 3)
        while abs(await due() - ends) > 1:
            await asyncio.sleep(0.02)
        assert not endpoint.messages
        # The next morning.
        monkeypatch.setattr(Subscription, "silence", lambda one, at: None)
        await service_of(ben).tables.store.set_due(0.0, [table])
        await until(lambda: bool(endpoint.messages))
        assert browser.read(endpoint.messages[0].body)["title"] == "Your turn"
        # Another browser keeps the same hours.
        await ben.subscribe(Subscriber(f"{endpoint.url}/phone"))
        found = await service_of(ben).subscriptions.of((await ben.ask("GET", "/api/me"))["id"])
        assert len({one.quiet for one in found}) == 1 < len(found)


async def test_a_reminder_that_would_fall_into_the_night_comes_before_it(
    tmp_path: Path, endpoint: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with people(tmp_path, push_anywhere=True) as (_, anna, ben):
        await ben.subscribe(Subscriber(f"{endpoint.url}/ben"))
        service, asked = service_of(ben), []

        async def look_again(table: Snapshot, at: float) -> None:
            asked.append(at)

        monkeypatch.setattr(service, "look_again", look_again)
        # Silence begins five hours before the end and lasts until ten hours after it.
        now = time.time()
        deadline = now + 86_400
        night = (deadline - 5 * 3600, deadline + 10 * 3600)
        monkeypatch.setattr(Subscription, "silence", lambda one, at: night if night[0] <= at < night[1] else None)
        await pass_the_turn(anna, await start(anna, ben))
        await until(lambda: bool(asked) and bool(endpoint.messages))
        assert asked == [night[0] - 1800]


def test_silence_lasts_over_midnight_where_the_guest_is() -> None:
    one = Subscription("g", "https://x.example/t", "", "", "en", "", "22-7", 120)
    day = 86_400 * 20_000
    assert one.silence(day + 3600 * 19.9) is None
    assert one.silence(day + 3600 * 20) == (day + 3600 * 20, day + 3600 * 29)
    assert one.silence(day + 3600 * 28.5) == (day + 3600 * 20, day + 3600 * 29)
    assert one.silence(day + 3600 * 5) is None
    assert one._replace(quiet="").silence(day) is None


@pytest.mark.parametrize("hours", ["7-7", "24-7", "x-7", "7-", "22-7-"])
async def test_hours_that_are_none(tmp_path: Path, hours: str) -> None:
    async with people(tmp_path) as (_, _anna, ben):
        first, _, last = hours.partition("-")
        answer = await told(ben, **{"from": first, "to": last, "east": "0"})
        assert answer.status_code == 422
        assert "different hours of the day" in answer.text


async def test_the_calendar_shows_turns_and_lets_nobody_in(tmp_path: Path) -> None:
    async with people(tmp_path) as (client, anna, ben):
        page = (await client.post("/me/told/calendar", headers=anna.headers)).text
        link = re.search(r'href="https://frost.example(/calendar/([^".]+)\.ics\?lang=en)"', page)
        assert link is not None
        table = await start(anna, ben, "3days")
        await start(anna, ben, "none")
        shown = (await client.get(link[1])).text
        assert shown.count("BEGIN:VEVENT") == 1
        assert "SUMMARY:Your turn: Dicy Cards with Ben" in shown
        assert f"URL:https://frost.example/t/{table}" in shown
        assert all(len(line.encode()) <= 75 for line in shown.split("\r\n"))
        await pass_the_turn(anna, table)
        assert "VEVENT" not in (await client.get(link[1])).text
        assert (await client.get("/calendar/unknown.ics")).status_code == 404
        # It is no way to become Anna, and ends with her.
        assert (await client.post("/me/device", data={"code": link[2]})).status_code == 404
        await client.post("/me/identity/delete", data={"sure": "yes"}, headers=anna.headers)
        assert (await client.get(link[1])).status_code == 404
