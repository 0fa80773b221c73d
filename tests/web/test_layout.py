"""A stable layout: nothing moves while a game is played, nothing is cut off, nothing covers what it acts on.

Positions are drawn here and handed to one browser, which looks at each of them in every size.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from starfrost.words import LANGUAGES
from tests.web.player import Player
from tests.web.positions import LONG_NAMES, draw

MakePlayer = Callable[..., Player]

# The phones, the tablet, the desks, phones on their side, and a desk at 200 % zoom.
SIZES = ((320, 640), (390, 844), (820, 1180), (1440, 900), (844, 390), (640, 400))
GAMES = ("dicy-cards", "dice-stars")

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


# Sums what the browser reports as layout shift: all of it, and what the standard counts (not right after a tap).
SHIFTS = """
window.shifts = { all: 0, standard: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.shifts.all += entry.value;
    if (!entry.hadRecentInput) window.shifts.standard += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(
    ("game", "bots", "size"),
    [
        ("dicy-cards", 1, (390, 844)),
        ("dicy-cards", 3, (1280, 800)),
        ("dice-stars", 2, (390, 844)),
        ("dice-stars", 1, (1280, 800)),
    ],
)
def test_nothing_moves_during_a_game(player: MakePlayer, game: str, bots: int, size: tuple[int, int]) -> None:
    one = player(viewport={"width": size[0], "height": size[1]})
    one.page.context.add_init_script(SHIFTS)
    one.setup(game, bots=bots)
    one.play_on()
    shifts = one.page.evaluate("window.shifts")
    assert max(shifts.values()) < 0.1, shifts


def test_a_phone_on_its_side_shows_dice_and_choices_together(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    for game, parts in (("dicy-cards", ".dice, .card, .bar"), ("dice-stars", ".reserve, .take, .bar")):
        page.goto(f"{site}/position/de/{game}/3/asked")
        below = page.locator(f"form.play :is({parts})").evaluate_all(
            "all => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().bottom > innerHeight + 2)"
            ".map((one) => one.className)"
        )
        assert below == [], game


def test_menus_and_star_boxes(page: Page, site: str) -> None:
    page.goto(f"{site}/position/en/dice-stars/4/asked")
    page.evaluate(
        "document.querySelector('[name=take]').value = 'stars'; document.querySelector('[name=take]').checked = true"
    )
    dashes = "all => [...new Set(all.map((star) => getComputedStyle(star).strokeDasharray))]"
    assert page.locator(".others .box svg").evaluate_all(dashes) == ["none"]
    assert page.locator(".box:has(> input) svg").evaluate_all(dashes) != ["none"]
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".leave").evaluate("menu => { menu.open = true; menu.scrollIntoView({ block: 'nearest' }); }")
        inside = page.locator(".leave .drop").evaluate(
            "drop => { const box = drop.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth; }"
        )
        assert inside, (width, height)


def test_the_instruction_of_a_lesson_stays_in_view(page: Page, site: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{site}/learn/dice-stars/2/2")
        page.locator("form.play :is(input, button):visible").last.scroll_into_view_if_needed()
        expect(page.locator(".teacher")).to_be_in_viewport()
