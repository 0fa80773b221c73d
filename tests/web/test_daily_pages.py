"""The daily game in browsers and in the terminal, at a server whose clock stands at a noon far from midnight."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from rich.console import Console

from starfrost.terminal.remote import Server, daily_session
from starfrost.terminal.screen import Screen
from starfrost.words import LANGUAGES
from tests.web.conftest import serving
from tests.web.player import Player
from tests.web.test_access import serious
from tests.web.test_daily import NOON, SOLO

SHIFT = f"import time as t; shift = {NOON} - t.time(); real = t.time; t.time = lambda: real() + shift"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server for this file."""
    with serving(tmp_path_factory.mktemp("daily"), before=SHIFT, fresh=True) as address:
        yield address


def moves(record: str) -> list[str]:
    return record.split("\n\n", 1)[1].splitlines()


def in_terminal(site: str, folder: Path, game: str) -> list[str]:
    """Begin the daily game with the command, leave it, and go on with its first legal actions; return its events."""
    ran = subprocess.run(
        [sys.executable, "-m", "starfrost", "play", game, "--daily", site, "--players", "Tina", "--save-dir", folder],
        input="q\n",
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "XDG_DATA_HOME": str(folder), "LANG": "en_GB.UTF-8"},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Daily game" in ran.stdout
    assert "Your game waits at the server" in ran.stdout
    server = Server(site, folder / "starfrost" / "guests.json")
    session = daily_session(Screen("en", console=Console(file=StringIO())), server, game, folder=folder)
    while not session.is_over:
        if session.is_human(session.actor):
            session.apply(session.game.legal_actions(session.state)[0])
        else:
            session.apply(session.next_event())
    record = session.path.read_text(encoding="utf-8")
    assert "seed-opens" in record
    assert "players: Tina" in record
    return moves(record)


def test_two_browsers_and_the_terminal_get_the_same_dice(
    player: Callable[..., Player], site: str, tmp_path: Path
) -> None:
    there = in_terminal(site, tmp_path, SOLO)
    assert sum(event.startswith("* ") for event in there) > 8
    people = [player(), player()]
    for one in people:
        one.open("/").page.locator("#daily").click()
        one.page.locator(f"#play-{SOLO}").click()
        one.page.locator("main[data-step]").wait_for()
        for event in there:
            if event.startswith("* "):
                continue
            view = one.page.request.get(f"{site}/api/tables/{one.table}").json()
            while view["legal"] == ["roll"]:
                act(one, site, view, "roll")
                view = one.page.request.get(f"{site}/api/tables/{one.table}").json()
            act(one, site, view, event.partition(" ")[2])
    for one in people:
        record = one.page.request.get(f"{site}/api/tables/{one.table}/record").text()
        assert moves(record) == there
        one.page.reload()
        one.page.locator("#to-daily").click()
        expect(one.page.locator(f"#{SOLO} .leaders [aria-current]")).to_have_count(1)
        expect(one.page.locator(f"#{SOLO} .leaders")).to_contain_text("Tina")


def act(one: Player, site: str, view: dict[str, Any], action: str) -> None:
    """Send a move as the page's own form does."""
    form = {"seat": str(view["acting"]), "version": str(view["version"]), "action": action}
    answer = one.page.request.post(f"{site}/t/{one.table}/act", form=form, headers={"origin": site})
    assert answer.ok, answer.text()


def test_a_day_on_a_phone(player: Callable[..., Player], site: str) -> None:
    one = player(locale="de")
    one.open("/daily")
    page = one.page
    page.locator(f"#{SOLO} input[name=name]").fill("Vera Vermeulen")
    page.locator(f"#play-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    for _ in range(2):
        one.my_turn()
        one.tap()
    one.open("/daily")
    page.locator(f"#go-on-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    while (view := page.request.get(f"{site}/api/tables/{one.table}").json())["status"] == "running":
        act(one, site, view, view["legal"][0])
    page.reload()
    page.locator("#to-daily").click()
    mine = page.locator(f"#{SOLO} .leaders [aria-current]")
    expect(mine).to_contain_text("Vera Vermeulen")
    expect(page.locator(f"#{SOLO} [data-copy]")).to_have_count(1)
    for path in ("/daily", page.locator(f"#{SOLO} .share a").first.get_attribute("href") or ""):
        for language in (*LANGUAGES, "de"):
            page.context.add_cookies([{"name": "sf-language", "value": language, "url": site}])
            one.open(path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, language)
        assert not serious(page), path
    expect(page.locator("img")).to_have_js_property("naturalWidth", 1200)
    one.open("/daily")
    page.locator(f"#practise-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    view = page.request.get(f"{site}/api/tables/{one.table}").json()
    assert view["daily"]["counts"] is False


def test_reading_needs_no_script(player: Callable[..., Player], site: str) -> None:
    one = player(java_script_enabled=False)
    one.open("/daily")
    assert one.page.locator(".month a").count() >= 1
    expect(one.page.locator(".js-only:visible")).to_have_count(0)
    one.page.locator(f"#play-{SOLO}").click()
    expect(one.page.locator("main.table")).to_be_visible()
