"""A stable layout: nothing moves while a game is played, nothing is cut off, nothing covers what it acts on.

Positions are drawn here and handed to one browser, which looks at each of them in every size.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from starfrost.words import LANGUAGES
from tests.web.player import Player
from tests.web.positions import LONG_NAMES, draw

MakePlayer = Callable[..., Player]

# The phones, the tablet, the desks, phones on their side, and a desk at 200 % zoom.
SIZES = ((320, 640), (390, 844), (820, 1180), (1440, 900), (844, 390), (640, 400))
GAMES = ("dicy-cards", "dice-stars")
SIDEWAYS = ((844, 390),)

# What is wrong with the page in the window as it is: a list of sentences.
_script = (Path(__file__).parent / "js" / "faults.js").read_text(encoding="utf-8")
FAULTS = f"({_script.partition('export default ')[2]})()"


@pytest.fixture
def page(context: Callable[..., BrowserContext], site: str) -> Iterator[Page]:
    """Give a page that looks at positions: `/position/LANGUAGE/GAME/SEATS/MOMENT`."""
    person = context(errors=False)

    def serve(route: Route) -> None:
        language, game, seats, moment = route.request.url.split("/position/")[1].split("?")[0].split("/")
        names = LONG_NAMES if int(seats) > 2 else ("Anna", "Ben")
        route.fulfill(body=draw(language, game, int(seats), moment, names=names), content_type="text/html")

    person.route("**/position/**", serve)
    return person.new_page()


def in_every_size(page: Page, address: str) -> list[str]:
    """Return what is wrong with a page, in every size."""
    page.goto(address)
    page.wait_for_load_state()
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{address.split('/', 3)[3]} {width}×{height}: {fault}" for fault in page.evaluate(FAULTS)]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_off_or_covered(page: Page, site: str, language: str) -> None:
    page.context.add_cookies([{"name": "sf-language", "value": language, "url": site}])
    found = []
    for game in GAMES:
        for seats, moment in ((2, "asked"), (4, "asked"), (3, "roll"), (4, "waiting"), (4, "over")):
            found += in_every_size(page, f"{site}/position/{language}/{game}/{seats}/{moment}")
        found += in_every_size(page, f"{site}/new/{game}?who=device")
        found += in_every_size(page, f"{site}/learn/{game}/2/2")
    found += in_every_size(page, f"{site}/new/dicy-cards?who=friends&mode=custom")
    assert not found, "\n".join(found)
