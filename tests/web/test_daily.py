"""The daily game on the pages and in the JSON interface: the seed stays sealed, and everybody gets the same dice."""

import asyncio
import io
import re
import time
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from starfrost.fair.dice import Seed
from starfrost.fair.proof import prove
from starfrost.table import Settings
from starfrost.table.daily.days import opens
from starfrost.web.app import create_app
from starfrost.words import LANGUAGES
from tests.web.api.test_canary import CANARY, assert_silent

DAY = "2031-05-17"
NOON = datetime(2031, 5, 17, 12, tzinfo=UTC).timestamp()
SOLO, DUEL = "dice-stars", "dicy-cards"


class Clock:
    """The clock of this process, which the tests set."""

    now = NOON


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "time", lambda: made.now)
    return made


@pytest.fixture
async def app(clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FastAPI]:
    monkeypatch.setattr(Seed, "fresh", classmethod(lambda cls: cls(CANARY)))
    settings = Settings(
        database=str(tmp_path / "tables.db"), bot_pace=0.0, undo_grace=0.0, moves_per_second=0.0, opens_per_minute=0.0
    )
    made = create_app(settings)
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://table.test") as made:
        yield made


async def sign_in(client: httpx.AsyncClient, name: str = "Anna") -> dict[str, str]:
    token = (await client.post("/api/guests", json={"name": name})).json()["token"]
    return {"authorization": f"Bearer {token}"}


async def begin(
    client: httpx.AsyncClient, headers: dict[str, str], game: str = SOLO, day: str = DAY, **more: Any
) -> str:
    answer = await client.post(f"/api/daily/{day}/{game}", json={"key": f"k{day}", **more}, headers=headers)
    assert answer.status_code == 200, answer.text
    table: str = answer.json()["table"]
    return table


async def play(client: httpx.AsyncClient, headers: dict[str, str], table: str) -> None:
    """Play the first legal actions until the game is over."""
    while (view := (await client.get(f"/api/tables/{table}", headers=headers)).json())["status"] == "running":
        if view["legal"]:
            body = {"version": view["version"], "key": f"m{view['version']}", "seat": view["acting"]}
            await client.post(f"/api/tables/{table}/act", json={**body, "action": view["legal"][0]}, headers=headers)
        else:
            await asyncio.sleep(0.02)


async def test_nothing_shows_the_seed_before_the_day_is_over(
    client: httpx.AsyncClient, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = await sign_in(client)
    table = await begin(client, headers)

    async def everything() -> bytes:
        heard = b""
        for reader in (headers, {}):
            for path in (
                *(f"/api/tables/{table}{part}" for part in ("", "/events", "/record")),
                *("/api/daily", f"/api/daily/{DAY}", "/api/me/tables", "/api/tables", "/metrics"),
                *("/", "/daily", f"/daily/{DAY}", f"/t/{table}", f"/t/{table}/scene", f"/after/{table}?check=1"),
                *(f"/replay/{table}?step=0", "/api/openapi.json"),
            ):
                answer = await client.get(path, headers=reader)
                heard += str(answer.headers).encode() + answer.content
        return heard

    assert_silent(await everything(), "while it is played")
    await play(client, headers, table)
    practice = await begin(client, headers, practice=True, key="p")
    closing = {"version": 2, "key": "c"}
    assert (await client.post(f"/api/tables/{practice}/close", json=closing, headers=headers)).status_code == 200
    assert_silent(await everything(), "when it is finished")
    for path in ("/me/games.zip", "/me/identity/download"):
        answer = await client.get(path, headers=headers)
        with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
            held = b"".join(map(files.read, files.namelist()))
        assert b"seed-opens" in held, path
        assert_silent(held, path)
    assert_silent((await client.get(f"/api/tables/{practice}/record")).content, "a closed table")
    clock.now = opens(DAY) - 1
    assert_silent(await everything(), "at the last moment")
    shown = capsys.readouterr()
    assert_silent((shown.out + shown.err).encode(), "log")
    clock.now = opens(DAY)
    heard = await everything()
    assert heard.count(CANARY.hex().encode()) >= 8
    assert prove((await client.get(f"/api/tables/{table}/record")).text).daily == DAY


async def test_programs_and_pages_get_the_same_dice(client: httpx.AsyncClient) -> None:
    anna, ben = await sign_in(client), await sign_in(client, "Ben")
    tables = [await begin(client, headers, DUEL) for headers in (anna, ben)]
    for headers, table in zip((anna, ben), tables, strict=True):
        await play(client, headers, table)
    records = [(await client.get(f"/api/tables/{table}/record")).text.split("\n\n", 1)[1] for table in tables]
    assert records[0] == records[1]
    shown = (await client.get("/api/daily", headers=anna)).json()
    deal = next(deal for deal in shown["deals"] if deal["game"] == DUEL)
    assert [place["rank"] for place in deal["places"]] == [None, None]
    assert deal["attempt"]["result"]["scores"] == deal["places"][0]["scores"]
    stranger = (await client.get("/api/daily")).json()
    assert [(deal["players"], deal["places"]) for deal in stranger["deals"] if deal["game"] == DUEL] == [(2, None)]


async def test_the_page_tells_the_result_in_four_languages(client: httpx.AsyncClient, clock: Clock) -> None:
    headers = await sign_in(client)
    await play(client, headers, await begin(client, headers))
    attempt = (await client.get("/api/daily", headers=headers)).json()["deals"][-1]["attempt"]
    for language in LANGUAGES:
        for reader in (headers, {}):
            page = await client.get(f"/daily?lang={language}", headers=reader)
            assert page.status_code == 200
            assert f'lang="{language}"' in page.text
        told = (await client.get(f"/daily?lang={language}", headers=headers)).text
        assert str(attempt["result"]["points"]) in told
        assert re.search("[⬜🟦🟩🟨]{5,}", told)
        assert 'class="leaders"' in told
        share = re.search(r"/daily/result/([\w-]+)", told)
        assert share
        result = await client.get(f"/daily/result/{share[1]}?lang={language}")
        assert "Anna" in result.text
        assert attempt["table"] not in result.text, "the link must not lead to the dice"
    clock.now = opens(DAY)
    over = await client.get(f"/daily/{DAY}", headers=headers)
    assert "/replay/" in over.text
    assert CANARY.hex() in over.text


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/daily/2031-05-18", "has not come yet"),
        ("/daily/2031-05-16", "no daily game on this day"),
        ("/daily/2031-02-31", "no such day"),
        ("/daily/now", "no such day"),
        ("/daily/result/nobody", "no such result"),
        ("/daily/result/" + "x" * 60, "no such result"),
    ],
)
async def test_a_forged_day_gets_a_clear_page(client: httpx.AsyncClient, path: str, sentence: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert sentence in answer.text


@pytest.mark.parametrize(
    ("day", "game", "status"), [("2031-05-18", SOLO, 404), ("2031-05-16", SOLO, 404), (DAY, "chess", 404)]
)
async def test_a_forged_form_stores_nothing(client: httpx.AsyncClient, day: str, game: str, status: int) -> None:
    answer = await client.post(f"/daily/{day}/{game}", data={"key": "k"})
    assert answer.status_code == status
    assert "set-cookie" not in answer.headers, "no guest is made for it"
    headers = await sign_in(client)
    refused = await client.post(f"/api/daily/{day}/{game}", json={"key": "k"}, headers=headers)
    assert refused.status_code == status
    assert refused.json()["code"] in ("day-to-come", "no-deal", "no-daily")
    assert (await client.get("/api/me/tables", headers=headers)).json() == {"tables": []}


async def test_a_plain_form_begins_the_game(client: httpx.AsyncClient) -> None:
    page = (await client.get("/daily")).text
    form = re.search(rf'action="(/daily/{DAY}/{SOLO})".*?name="key" value="([^"]+)".*?name="name"', page, re.DOTALL)
    assert form
    answer = await client.post(form[1], data={"key": form[2], "name": "Vera"})
    assert answer.status_code == 303
    table = await client.get(answer.headers["location"])
    assert table.status_code == 200
    assert "Daily game" in table.text
    assert "Continue playing" in (await client.get("/daily")).text
    again = await client.post(form[1], data={"key": form[2]})
    assert again.headers["location"] == answer.headers["location"]


async def test_the_calendar_shows_what_was_played(client: httpx.AsyncClient, clock: Clock) -> None:
    headers = await sign_in(client)
    await play(client, headers, await begin(client, headers))
    clock.now += 86_400
    page = (await client.get("/daily", headers=headers)).text
    assert re.search(rf'href="/daily/{DAY}" aria-label="17 May 2031: [^"]+"', page)
    # One day is no row yet.
    assert "in a row" not in page
    await play(client, headers, await begin(client, headers, day="2031-05-18"))
    assert "2 days in a row" in (await client.get("/daily", headers=headers)).text
    clock.now += 20 * 86_400
    page = (await client.get("/daily", headers=headers)).text
    assert "in a row" not in page
    assert 'href="/daily/2031-06-07?month=2031-05#calendar"' in page
    assert f'href="/daily/{DAY}"' in (await client.get("/daily?month=2031-05", headers=headers)).text
