"""Installing: the manifest and its icons, a worker that keeps nothing but the shell, the page for being offline."""

from collections.abc import Callable
from struct import unpack

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from starfrost.words import LANGUAGES, Words
from tests.web.player import Player
from tests.web.test_access import THEMES, serious


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_manifest(site: str, language: str) -> None:
    answer = httpx.get(f"{site}/manifest.webmanifest", headers={"accept-language": language})
    assert answer.headers["content-type"] == "application/manifest+json"
    facts, w = answer.json(), Words(language)
    assert facts["lang"] == language
    assert facts["description"] == w(
        "Two dice games for friends and bots: %(games)s.", games=w.all_of(["Dicy Cards", "Dice Stars"])
    )
    assert {icon.get("purpose") for icon in facts["icons"]} == {None, "maskable"}
    for icon in facts["icons"]:
        picture = httpx.get(site + icon["src"])
        assert picture.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            width, height = unpack(">II", picture.content[16:24])
            assert icon["sizes"] == f"{width}x{height}"
    for shortcut in facts["shortcuts"]:
        assert httpx.get(site + shortcut["url"]).status_code == 200


def test_the_worker_keeps_the_shell_and_nothing_else(context: Callable[..., BrowserContext], site: str) -> None:
    person = context(service_workers="allow", locale="nl", errors=False)
    one = Player(person.new_page(), site).quick("dicy-cards")
    one.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    one.page.reload()
    one.my_turn()
    one.tap()
    kept = one.page.evaluate(
        """async () => {
             const found = [];
             for (const name of await caches.keys())
               for (const request of await (await caches.open(name)).keys()) found.push(new URL(request.url).pathname);
             return [await caches.keys(), found];
           }"""
    )
    names, paths = kept
    assert len(names) == 1
    assert any(path.endswith("css/base.css") for path in paths)
    assert {path.split("/")[1] for path in paths} <= {"static", "offline", "offline-language"}
    # Without a connection the page says so in the reader's language, and leads back.
    address = one.page.url
    person.set_offline(True)
    one.page.goto(address)
    w = Words("nl")
    expect(one.page.get_by_role("heading")).to_have_text(w("No connection"))
    assert one.page.url == address
    assert one.page.evaluate("document.fonts.load('1rem Manrope').then(found => found.length)")
    person.set_offline(False)
    one.page.locator("#again").click()
    one.my_turn()


def test_the_worker_of_a_release_knows_its_own_files(site: str) -> None:
    script = httpx.get(f"{site}/sw.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "no-cache"
    assert "/api" in script.text
    page = httpx.get(site).text
    assert all(
        f'"{sheet[1:]}"' in script.text
        for sheet in page.split('"')
        if sheet.startswith("/static/") and sheet.endswith(".css")
    )


@THEMES
def test_axe(player: Callable[..., Player], theme: str) -> None:
    assert not serious(player(color_scheme=theme).open("/offline").page)
