"""axe-core finds nothing serious on any page, in light and dark."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.web.conftest import DESK, PHONE
from tests.web.player import Player

MakePlayer = Callable[..., Player]

# The Content-Security-Policy keeps page scripts out; axe comes in through the browser's own door.
OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}


def serious(page: Page) -> list[str]:
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@THEMES
def test_pages_without_a_game(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme, errors=False)
    for path in ("/", "/new/dicy-cards", "/new/dice-stars?who=friends", "/t/nowhere"):
        one.open(path)
        assert not serious(one.page), path
    one.open("/").page.locator("#settings summary").click()
    assert not serious(one.page), "settings"


@THEMES
def test_the_waiting_room(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme).setup("dicy-cards", who="friends", seats=3)
    one.page.locator(".qr").wait_for()
    assert not serious(one.page)


@THEMES
@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_table_at_every_question(player: MakePlayer, game: str, theme: str) -> None:
    one = player(color_scheme=theme, viewport=PHONE if theme == "dark" else DESK).quick(game)
    for _ in range(3):
        one.my_turn()
        assert not serious(one.page), one.page.locator("#question").inner_text()
        one.tap()


@THEMES
def test_the_result_and_the_table_in_words(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme).setup("dicy-cards", goal=1)
    one.play_on()
    assert not serious(one.page)
    wordy = player(color_scheme=theme, cookies={"board": "text"}).quick("dice-stars")
    wordy.my_turn()
    assert not serious(wordy.page)
