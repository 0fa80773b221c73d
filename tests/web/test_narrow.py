"""The narrowest phones: no page has to be moved sideways, in any language."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from starfrost.games.kit import LONGEST_NAME
from starfrost.words import LANGUAGES
from tests.web.player import Player

NARROW = {"width": 320, "height": 640}
PAGES = (
    "/",
    "/new/dicy-cards",
    "/new/dicy-cards?who=friends",
    "/new/dice-stars?who=device",
    "/replay",
    "/rules/dicy-cards",
    "/rules/dice-stars",
    "/learn/dicy-cards",
    "/learn/dicy-cards/2/1",
    "/learn/dice-stars/4/1",
    "/t/nowhere",
)


def too_wide(page: Page) -> list[str]:
    """List the elements beyond the right edge of a page that scrolls sideways."""
    return page.evaluate(  # type: ignore[no-any-return]
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
             .filter((one) => one instanceof HTMLElement && one.getBoundingClientRect().right > innerWidth + 1)
             .map((one) => `${one.tagName} ${one.className}`)"""
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_reaches_over_the_edge(
    player: Callable[..., Player], finished: Callable[[str], str], language: str
) -> None:
    one = player(viewport=NARROW, locale=language, errors=False)
    games = ("dicy-cards", "dice-stars")
    looks = [f"/after/{finished(game)}?check=1" for game in games] + [f"/replay/{finished(game)}" for game in games]
    for path in (*PAGES, *looks):
        assert not too_wide(one.open(path).page), path
    one.open("/new/dicy-cards?who=friends").page.locator("[name=name]").fill("W" * LONGEST_NAME)
    one.page.locator("[name=seats][value='3']").check()
    one.page.locator(".go-for:visible").click()
    one.page.locator(".qr").wait_for()
    assert not too_wide(one.page), "waiting room"
    for game in games:
        one.setup(game, bots=3)
        for _ in range(2):
            one.my_turn()
            assert not too_wide(one.page), f"{game}, four seats"
            one.tap()
