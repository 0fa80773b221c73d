"""A stable layout: nothing moves while a game is played, nothing is cut off, nothing covers what it acts on.

Positions are drawn here and handed to one browser, which looks at each of them in every size.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from starfrost.games.kit import LONGEST_NAME
from starfrost.words import LANGUAGES
from tests.serving import Player as Guest
from tests.web.player import Player
from tests.web.positions import LONG_NAMES, draw

MakePlayer = Callable[..., Player]

# The phones, the tablet, the desks, phones on their side, and a desk at 200 % zoom.
SIZES = ((320, 640), (390, 844), (820, 1180), (1440, 900), (844, 390), (1920, 1080), (640, 400))
# The language with the longest words is looked at in all of them, the others in the first five.
LONGEST = "de"
GAMES = ("dicy-cards", "dice-stars")
POSITIONS = ((2, "asked"), (4, "asked"), (3, "roll"), (4, "waiting"), (4, "over"))
# Pages of which only the width is looked at, in the narrowest window.
PAGES = (
    "/",
    "/replay",
    "/rules/dicy-cards",
    "/rules/dice-stars",
    "/learn/dicy-cards",
    "/learn/dicy-cards/2/1",
    "/position/dice-stars",
)
PAGES += ("/learn/dice-stars/4/1", "/t/nowhere", "/api", "/me/told", "/r", "/daily", "/practice", "/puzzles", "/atlas")

# What is wrong with the page in the window as it is: a list of sentences.
_script = (Path(__file__).parent / "js" / "faults.js").read_text(encoding="utf-8")
FAULTS = f"({_script.partition('export default ')[2]})()"
# Without transitions a page has its final shape as soon as its window has a size: nothing has to be drawn.
STILL = """() => {
  const css = "<style id=still>*, *::before, *::after { transition: none !important; animation: none !important; }";
  if (!document.getElementById("still")) document.head.insertAdjacentHTML("beforeend", css);
}"""
# Shows another position on a page, as the answer to a move is shown.
SHOW = """html => import(document.querySelector("script[src*='js/main']").src).then(({ show }) => show(html))"""


# Shows the offer of sound and, one after another, the longest sentences about the line; returns what they cover.
COVERED = """() => {
  const [line, offer] = ["line", "offer"].map((id) => document.getElementById(id));
  const [text, button] = line.children;
  const of = (names) => Object.entries(line.dataset).filter(([name]) => names.includes(name)).map(([, text]) => text);
  const longest = (names) => of(names).sort((a, b) => b.length - a.length)[0];
  line.hidden = offer.hidden = button.hidden = false;
  const buttons = ["cancel", "stop", "close"];
  text.textContent = longest(Object.keys(line.dataset).filter((name) => ![...buttons, "state"].includes(name)));
  button.textContent = longest(buttons);
  scrollTo(0, 0);
  const kept = [...document.querySelectorAll(".lane > *, .story, .dice, .card, .take, .reserve, .bar .btn")];
  const found = [line, offer].flatMap((over) => {
    const a = over.getBoundingClientRect();
    return kept.filter((one) => one.checkVisibility()).filter((one) => {
      const b = one.getBoundingClientRect();
      return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    }).map((one) => `${over.id} covers ${one.className}`);
  });
  line.hidden = offer.hidden = true;
  return found;
}"""
# All of that at once, and on a page of a game what is covered: every question to a browser takes its time.
LOOK = f"() => [...{FAULTS}, ...(document.querySelector('main[data-turn] ~ #offer') ? ({COVERED})() : [])]"


@pytest.fixture(scope="module")
def page(browser: Browser, site: str) -> Iterator[Page]:
    """Give one page for all tests that look at positions: it has loaded styles and scripts once."""
    context = browser.new_context(reduced_motion="reduce", locale="en", service_workers="block", bypass_csp=True)
    page = context.new_page()
    page.goto(f"{site}/healthz")
    yield page
    context.close()


def position(language: str, game: str, seats: int, moment: str) -> str:
    """Return a page of a position; larger tables have long names."""
    return draw(language, game, seats, moment, names=LONG_NAMES if seats > 2 else ("Anna", "Ben"))


def in_every_size(page: Page, language: str, what: str) -> list[str]:
    """Return what is wrong with a page, in every size."""
    found = []
    page.evaluate(STILL)
    for width, height in SIZES if language == LONGEST else SIZES[:5]:
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{language} {what} {width}×{height}: {fault}" for fault in page.evaluate(LOOK)]
    return found


@pytest.fixture(scope="module")
def rooms(site: str) -> Callable[[str], str]:
    """Give the invitation to a table that waits for players, one with the longest name sitting there."""
    anna = Guest(site, "W" * LONGEST_NAME)
    made = {game: anna.open(game, ("open",) * 3, key=game) for game in GAMES}
    for table in made.values():
        anna.join(table)
    return lambda game: f"/i/{anna.get(f'/tables/{made[game]}')['invitation']}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_off_or_covered(page: Page, site: str, rooms: Callable[[str], str], language: str) -> None:
    page.context.add_cookies([{"name": "sf-language", "value": language, "url": site}])
    found = []
    for game in GAMES:
        for place, (seats, moment) in enumerate(POSITIONS):
            html = position(language, game, seats, moment)
            if place:
                assert page.evaluate(SHOW, html)
            else:
                page.set_content(html)
            found += in_every_size(page, language, f"{game} {seats} {moment}")
    paths = [f"/new/{game}?who=device" for game in GAMES] + [f"/learn/{game}/2/2" for game in GAMES]
    paths += ["/new/dicy-cards?who=friends&mode=custom", *map(rooms, GAMES)]
    for path in paths:
        page.goto(site + path)
        found += in_every_size(page, language, path)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_has_to_be_moved_sideways(page: Page, site: str, finished: Callable[[str], str], language: str) -> None:
    page.context.add_cookies([{"name": "sf-language", "value": language, "url": site}])
    page.set_viewport_size({"width": 320, "height": 640})
    seen = [f"/after/{finished(game)}?check=1" for game in GAMES] + [f"/replay/{finished(game)}" for game in GAMES]
    for path in (*PAGES, *seen):
        page.goto(site + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


# The buttons of the bar that another one covers.
COVERED_BUTTONS = """() => {
  const all = [...document.querySelectorAll(".bar .btn")].filter((one) => one.checkVisibility());
  return all.filter((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const at = [0.1, 0.5, 0.9].map((part) => document.elementFromPoint(left + part * width, top + height / 2));
    return at.some((hit) => hit && hit.closest(".btn") && hit.closest(".btn") !== one);
  }).map((one) => one.textContent);
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_take_back_covers_no_other_button(page: Page, language: str) -> None:
    """Pass and play: the next player draws, and the last one may still take back."""
    page.set_content(draw(language, "dice-stars", 4, "draws", undo=4))
    for width, height in ((390, 844), (1024, 720), (1100, 800), (1280, 720), (1366, 650), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#undo").scroll_into_view_if_needed()
        assert page.evaluate(COVERED_BUTTONS) == [], f"{width}×{height}"


# The words of the names in the race that are broken into two lines.
BROKEN = """() => [...document.querySelectorAll(".lane .who b")].filter((name) => {
  const range = document.createRange();
  const text = name.firstChild;
  range.setStart(text, 0);
  range.setEnd(text, text.data.search(/\\s|$/));
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
}).map((name) => name.textContent)"""


def test_usual_names_are_not_broken(page: Page) -> None:
    for game in GAMES:
        for seats in (2, 3, 4):
            page.set_content(
                draw("de", game, seats, "asked", names=("Maximilian", "Konstantin", "Sebastian Ax", "Ben"))
            )
            for width in (390, 1280):
                page.set_viewport_size({"width": width, "height": 844})
                page.evaluate("() => document.fonts.ready.then(() => true)")
                assert page.evaluate(BROKEN) == [], f"{game} {seats} {width}"


def test_the_table_in_words_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for game in GAMES:
        page.set_content(draw("en", game, 2, "asked", names=("Anna", "Ben"), board="text"))
        wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
        assert page.locator(".in-words .board .panel").evaluate_all(wide) == []


# Sums what the browser reports as layout shift, and notes what moved. Dice of the reserve that close the gap of a taken
# one are not counted: how often that happens is a matter of the luck of the game and of the frames that are drawn.
SHIFTS = """
window.shifts = { all: 0, moved: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const name = ({ node }) => node?.id || node?.className || node?.nodeName;
    const closing = entry.value < 0.1 && entry.sources.every((one) => /^res-kept-/.test(name(one)));
    if (!closing) window.shifts.all += entry.value;
    window.shifts.moved.push(`${entry.value.toFixed(4)} ${entry.sources.map(name).join(", ")}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(
    ("game", "bots", "size"),
    [
        ("dicy-cards", 1, (390, 844)),
        ("dicy-cards", 3, (1280, 800)),
        ("dice-stars", 3, (390, 844)),
        ("dice-stars", 2, (320, 640)),
        ("dice-stars", 1, (1280, 800)),
    ],
)
def test_nothing_moves_during_a_game(player: MakePlayer, game: str, bots: int, size: tuple[int, int]) -> None:
    one = player(viewport={"width": size[0], "height": size[1]})
    one.page.context.add_init_script(SHIFTS)
    one.setup(game, bots=bots)
    # The game has taken the place of the form and of the waiting room.
    one.my_turn()
    one.page.evaluate("shifts.all = 0; shifts.moved = []")
    one.play_quickly()
    shifts = one.page.evaluate("window.shifts")
    # Also what moves right after a tap counts.
    assert shifts["all"] < 0.1, shifts


def test_a_phone_on_its_side_shows_dice_and_choices_together(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    for game, parts in (("dicy-cards", ".dice, .card, .bar"), ("dice-stars", ".reserve, .take, .bar")):
        page.set_content(position("de", game, 3, "asked"))
        below = page.locator(f"form.play :is({parts})").evaluate_all(
            "all => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().bottom > innerHeight + 2)"
            ".map((one) => one.className)"
        )
        assert below == [], game


def test_menus_and_star_boxes(page: Page, site: str) -> None:
    page.set_content(position("en", "dice-stars", 4, "asked"))
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
    page.goto(f"{site}/learn/dice-stars/2/2")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.locator("form.play :is(input, button):visible").last.scroll_into_view_if_needed()
        expect(page.locator(".teacher")).to_be_in_viewport()
