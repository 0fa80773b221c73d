"""The page of the reader's name and devices, without a browser: what each form does, and what it refuses."""

import io
import re
import zipfile

import httpx
import pytest
from fastapi import FastAPI

from starfrost.table import TableService
from starfrost.web.guests import COOKIE, device_label
from starfrost.words import LANGUAGES
from tests.table.helpers import guests, open_and_join

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile Safari/604.1"


def browser(app: FastAPI, agent: str = FIREFOX, **headers: str) -> httpx.AsyncClient:
    """Return a person's browser with cookies of its own."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(
        transport=transport,
        base_url="http://table.test",
        headers={"user-agent": agent, "accept": "text/html", **headers},
        follow_redirects=True,
    )


def words(page: str) -> str:
    """Return the phrase that a page shows."""
    return " ".join(re.findall(r"<li>([a-z]+)</li>", page))


async def test_one_name_on_two_devices(app: FastAPI) -> None:
    service: TableService = app.state.service
    async with browser(app) as desk, browser(app, IPHONE) as phone:
        page = (await desk.post("/me/identity/name", data={"name": "Annabella"})).text
        assert 'value="Annabella"' in page
        assert "Firefox, Linux" in page
        anna = await service.find_guest(desk.cookies[COOKIE])
        assert anna is not None
        table = await open_and_join(service, [anna], bots=("random",))
        made = await desk.post("/me/identity/phrase")
        assert made.headers["cache-control"] == "no-store"
        phrase = words(made.text)
        assert len(phrase.split()) == 8
        assert phrase not in words((await desk.get("/me/identity")).text)
        # The phone has a name already, but no games: nothing is lost when it becomes Annabella's.
        await phone.post("/me/identity/name", data={"name": "Lynx"})
        page = (await phone.post("/me/device", data={"phrase": phrase.upper()})).text
        assert 'value="Annabella"' in page
        assert "Safari, iPhone" in page
        assert f"/t/{table}" in (await phone.get("/")).text
        assert phone.cookies[COOKIE] != desk.cookies[COOKIE]
        again = await phone.post("/me/device", data={"phrase": phrase})
        assert (again.status_code, "already belongs to Annabella" in again.text) == (409, True)
        # The phone is signed out from the desk, and stays so.
        ids = re.findall(r'name="device" value="(\w+)"', (await desk.get("/me/identity")).text)
        assert len(ids) == 2
        page = (await desk.post("/me/identity/devices", data={"device": ids[1]})).text
        assert "iPhone" not in page
        assert "iPhone" not in (await phone.get("/me/identity")).text
        assert (await phone.post("/me/device", data={"phrase": phrase})).status_code == 404


async def test_a_link_for_one_device(app: FastAPI) -> None:
    async with browser(app) as desk, browser(app, IPHONE) as phone, browser(app) as third:
        await desk.post("/me/identity/name", data={"name": "Annabella"})
        page = (await desk.post("/me/identity/link")).text
        assert "<svg" in page
        (link,) = set(re.findall(r'href="(http://table.test/me/device/[^"]+)"', page))
        asked = (await phone.get(link)).text
        assert "Play as Annabella" in asked
        code = link.rsplit("/", 1)[1]
        assert 'value="Annabella"' in (await phone.post("/me/device", data={"code": code})).text
        assert (await third.get(link)).status_code == 404
        assert (await third.post("/me/device", data={"code": code})).status_code == 404
        assert COOKIE not in third.cookies


async def test_a_device_with_games_asks_before_it_changes_hands(app: FastAPI) -> None:
    service: TableService = app.state.service
    (anna,) = await guests(service, 1)
    phrase = await service.devices.new_phrase(anna)
    async with browser(app) as device:
        await device.post("/me/identity/name", data={"name": "Lynx"})
        lynx = await service.find_guest(device.cookies[COOKIE])
        assert lynx is not None
        await open_and_join(service, [lynx], bots=("random",))
        asked = await device.post("/me/device", data={"phrase": phrase})
        assert asked.status_code == 409
        assert "as Lynx" in asked.text
        assert await service.find_guest(device.cookies[COOKIE]) == lynx
        page = await device.post("/me/device", data={"phrase": phrase, "replace": "yes"})
        assert f'value="{anna.name}"' in page.text


async def test_guessing_is_limited(app: FastAPI) -> None:
    async with browser(app) as thief, browser(app) as other:
        await other.post("/me/identity/name", data={"name": "Annabella"})
        guess = "acorn bridge copper dolphin eagle forest garden harbor"
        statuses = [(await thief.post("/me/device", data={"phrase": guess})).status_code for _ in range(14)]
        assert statuses[0] == 404
        assert set(statuses[10:]) == {429}
        assert (await thief.get("/me/device/abcdef")).status_code == 429
        # Everything else still works.
        assert (await thief.get("/me/identity")).status_code == 200


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        ({"phrase": "acorn bridge"}, 422, "8 words"),
        ({"phrase": "xylophone " * 8}, 422, "xylophone"),
        ({"phrase": "<b>bold</b> " * 8}, 422, "is not a word"),
        ({}, 422, "8 words"),
        ({"code": "x" * 5000}, 404, "has been used"),
        ({"phrase": "\0"}, 422, "8 words"),
    ],
)
async def test_bad_phrases_get_one_clear_sentence(app: FastAPI, data: dict[str, str], status: int, said: str) -> None:
    async with browser(app) as person:
        answer = await person.post("/me/device", data=data)
    assert answer.status_code == status
    assert said in answer.text
    assert "<b>bold" not in answer.text
    assert COOKIE not in person.cookies


async def test_strangers_have_nothing_to_change(app: FastAPI) -> None:
    async with browser(app) as person:
        for path in ("phrase", "link", "devices", "delete"):
            assert (await person.post(f"/me/identity/{path}")).status_code == 403
        for path in ("download", "delete"):
            assert (await person.get(f"/me/identity/{path}")).status_code == 403
        assert (await person.post("/me/identity/name", data={"name": "\u200b"})).status_code == 422
        assert COOKIE not in person.cookies


async def test_another_site_cannot_delete_anything(app: FastAPI) -> None:
    async with browser(app) as person:
        await person.post("/me/identity/name", data={"name": "Annabella"})
        for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.test"}):
            answer = await person.post("/me/identity/delete", data={"sure": "yes"}, headers=headers)
            assert answer.status_code == 403
        assert 'value="Annabella"' in (await person.get("/me/identity")).text


@pytest.mark.parametrize(
    ("language", "nobody"), list(zip(LANGUAGES, ("a guest", "ein Gast", "een gast", "un invitado"), strict=True))
)
async def test_download_and_delete(app: FastAPI, language: str, nobody: str) -> None:
    service: TableService = app.state.service
    (ben,) = await guests(service, 1)
    async with browser(app, **{"accept-language": language}) as person:
        await person.post("/me/identity/name", data={"name": "Annabella"})
        anna = await service.find_guest(person.cookies[COOKIE])
        assert anna is not None
        table = await open_and_join(service, [anna, ben])
        answer = await person.get("/me/identity/download")
        assert answer.headers["content-disposition"] == 'attachment; filename="starfrost.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert len([name for name in archive.namelist() if name.endswith(".sfr")]) == 1
        assert nobody in (await person.get("/me/identity/delete")).text
        assert (await person.post("/me/identity/delete")).status_code == 422
        assert await service.find_guest(person.cookies[COOKIE]) == anna
        assert "Annabella" in (await person.get(f"/replay/{table}")).text
        assert (await person.post("/me/identity/delete", data={"sure": "yes"})).status_code == 200
        assert COOKIE not in person.cookies
        for address in (f"/t/{table}", f"/replay/{table}"):
            shown = (await person.get(address)).text
            assert nobody in shown
            assert "Annabella" not in shown
        await person.post("/me/identity/name", data={"name": "Cleo"})
        new = await service.find_guest(person.cookies[COOKIE])
        assert new is not None
        assert new.id != anna.id


def test_devices_are_named_so_that_people_know_them() -> None:
    assert device_label(FIREFOX) == "Firefox, Linux"
    assert device_label(IPHONE) == "Safari, iPhone"
    assert device_label("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36") == (
        "Chrome, Android"
    )
    assert device_label("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140") == (
        "Edge, Windows"
    )
    assert device_label("<script>") == ""
