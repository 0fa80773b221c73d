"""Everything that a decision needs is on the screen: in view, uncovered, large enough to read and to tap."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from starfrost.boards import board_of
from starfrost.words import LANGUAGES, Words
from tests.web.positions import draw, draw_replay
from tests.web.test_layout import SHOW, STILL, position

# A small phone, a phone as Safari leaves it between its bars, with them hidden, and on its side; a tablet, a laptop.
SIZES = ((320, 568), (390, 664), (390, 844), (844, 390), (768, 1024), (1280, 720))
# Every kind of position, and how many play: two with usual names, more with long ones.
KINDS = [
    *(("dicy-cards", seats, "asked") for seats in (2, 3, 4)),
    *(("dicy-cards", 4, moment) for moment in ("roll", "freeze", "reset", "stuck", "waiting")),
    *(("dice-stars", seats, "asked") for seats in (1, 2, 4)),
    *(("dice-stars", seats, "penalty") for seats in (2, 4)),
    *(("dice-stars", 4, moment) for moment in ("roll", "refill", "waiting")),
    ("dice-stars", 1, "roll"),
]
_script = (Path(__file__).parent / "js" / "needed.js").read_text(encoding="utf-8")
NEEDED = f"({_script.partition('export default ')[2]})({{ text: 12, target: 44 }})"
# Looks at the position as it is, then with the choice that has the longest sentence, then with picked dice.
LOOK = f"""() => {{
  const found = {NEEDED};
  const told = ({{ value }}) => document.querySelector(`.about-${{value}}, .for-${{value}}`);
  const of = (choice) => told(choice)?.textContent.length ?? 0;
  const choices = [...document.querySelectorAll("form.play :is([name=card], [name=take])")];
  const dice = [...document.querySelectorAll("form.play [name=die]")];
  for (const chosen of [choices.sort((a, b) => of(b) - of(a))[0], dice[0]].filter(Boolean)) {{
    chosen.click();
    found.push(...{NEEDED}.map((fault) => `${{chosen.value}} chosen: ${{fault}}`));
  }}
  for (const chosen of [...choices, ...dice]) chosen.checked = false;
  return [...new Set(found)];
}}"""
# Shows another position of a replay.
REPLACE = """html => document.getElementById("main").replaceWith(
  new DOMParser().parseFromString(html, "text/html").getElementById("main"))"""


@pytest.fixture(scope="module")
def phone(browser: Browser, site: str) -> Iterator[Callable[[str], Page]]:
    """Open pages of a phone, each of which loads its styles and scripts once."""
    context = browser.new_context(reduced_motion="reduce", locale="en", has_touch=True, bypass_csp=True)

    def opened(html: str) -> Page:
        page = context.new_page()
        page.goto(f"{site}/healthz")
        page.set_content(html)
        page.locator("html.js").wait_for()
        return page

    yield opened
    context.close()


@pytest.fixture(scope="module")
def pages(phone: Callable[[str], Page]) -> dict[str, Page]:
    """Give a page with a table of each game."""
    return {game: phone(draw("en", game, 2, "asked")) for game in ("dicy-cards", "dice-stars")}


def in_every_size(page: Page, what: str) -> list[str]:
    page.evaluate(STILL)
    page.evaluate("() => document.fonts.ready.then(() => true)")
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{what} {width}×{height}: {fault}" for fault in page.evaluate(LOOK)]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_decision_fits_into_the_window(pages: dict[str, Page], language: str) -> None:
    found = []
    for game, seats, moment in KINDS:
        page = pages[game]
        assert page.evaluate(SHOW, position(language, game, seats, moment))
        found += in_every_size(page, f"{language} {game} {seats} {moment}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_lessons_and_replays_fit_into_the_window(phone: Callable[[str], Page], site: str, game: str) -> None:
    """The steps with the longest texts, and a mistake with all that is said of it."""
    lesson, found = board_of(game).lesson, []
    assert lesson
    with httpx.Client(base_url=site) as client:
        learning, replaying = phone(client.get(f"/learn/{game}/1/1").text), phone(draw_replay("en", game))
        for language in LANGUAGES:
            w = Words(language)
            tasks, told = [], []
            for number, chapter in enumerate(lesson.chapters, 1):
                for at, step in enumerate(chapter.steps, 1):
                    long = len(w(step.say) + w(step.do))
                    (tasks if step.do else told).append((long, f"/learn/{game}/{number}/{at}"))
            client.cookies.set("sf-language", language)
            for _, path in (max(tasks), max(told)):
                assert learning.evaluate(SHOW, client.get(path).raise_for_status().text)
                found += in_every_size(learning, f"{language} {path}")
            replaying.evaluate(REPLACE, draw_replay(language, game))
            found += in_every_size(replaying, f"{language} replay of {game}")
    assert not found, "\n".join(found)
