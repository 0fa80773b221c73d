"""A closed house: an entry code for everybody, and people whom a proxy has signed in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.table import Settings
from starfrost.web.app import create_app
from tests.table.helpers import empty_database

OWN = "http://table.test"


@asynccontextmanager
async def served(tmp_path: Path, **settings: Any) -> AsyncIterator[Any]:
    """Serve with these settings; yield a function that makes a client at an address."""
    app = create_app(Settings(database=empty_database(tmp_path), **settings))

    def client(address: str = "192.0.2.1", **more: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(address, 1)), base_url=OWN, **more)

    async with app.router.lifespan_context(app):
        yield client


async def test_only_whoever_knows_the_code_comes_in(tmp_path: Path) -> None:
    async with served(tmp_path, entry_code="Schneeball 7") as client, client(headers={"accept": "text/html"}) as eve:
        for path in ("/", "/t/abc", "/rules/dicy-cards", "/daily", "/me"):
            shut = await eve.get(path, headers={"accept-language": "de"})
            assert shut.status_code == 403
            assert 'action="/enter"' in shut.text
            assert "Gib den Zugangscode dieses Servers ein" in shut.text
        assert (await eve.post("/api/guests", json={"name": "Eve"})).json()["code"] == "entry-code"
        assert (await eve.get("/api/openapi.json")).status_code == 403
        assert (await eve.get("/healthz")).status_code == 200
        wrong = await eve.post("/enter", data={"code": "Schneeball 8", "back": "/daily"})
        assert (wrong.status_code, "sf-entry" in eve.cookies) == (403, False)
        # The way back is kept for the next try.
        assert 'value="/daily"' in wrong.text
        right = await eve.post("/enter", data={"code": " Schneeball 7 ", "back": "/daily"})
        assert (right.status_code, right.headers["location"]) == (303, "/daily")
        assert (await eve.get("/daily")).status_code == 200
        away = await eve.post("/enter", data={"code": "Schneeball 7", "back": "//elsewhere.example"})
        assert away.headers["location"] == "/"
        async with client(headers={"X-Entry-Code": "Schneeball 7"}) as program:
            assert (await program.post("/api/guests", json={"name": "Bot"})).is_success


async def test_codes_cannot_be_guessed_quickly(tmp_path: Path) -> None:
    async with served(tmp_path, entry_code="x") as client, client() as eve:
        codes = [(await eve.post("/enter", data={"code": str(number)})).status_code for number in range(12)]
    assert codes == [403] * 10 + [429] * 2


@pytest.mark.parametrize("trusted", [True, False])
async def test_people_whom_a_proxy_signed_in(tmp_path: Path, trusted: bool) -> None:
    """They are the same guest everywhere; without a trusted proxy the header is as if it were not sent."""
    settings = {"entry_code": "sesame", "user_header": "Remote-User", "trusted_proxies": "192.0.2.9"}
    signed_in = {"Remote-User": "anna", "X-Forwarded-For": "198.51.100.7"}
    async with served(tmp_path, **settings) as client:
        names = []
        for _device in range(2):
            async with client("192.0.2.9" if trusted else "192.0.2.1", headers=signed_in) as anna:
                first = await anna.get("/me/identity", headers={"accept": "text/html"})
                names.append((first.status_code, "anna" in first.text))
        assert names == [(200, True) if trusted else (403, False)] * 2
        if trusted:
            async with client("192.0.2.9", headers=signed_in) as phone, client("192.0.2.9", headers=signed_in) as desk:
                opened = await phone.post("/play", data={"game": "dicy-cards", "who": "bots", "bots": "1"})
                assert opened.status_code == 303
                assert opened.headers["location"].partition("?")[0] in (await desk.get("/")).text
            async with client("192.0.2.9", headers={**signed_in, "Remote-User": "ben"}) as ben:
                assert "anna" not in (await ben.get("/me/identity")).text
