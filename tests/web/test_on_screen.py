"""Everything that a decision needs is on the screen: in view, uncovered, large enough to read and to tap."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from starfrost.words import LANGUAGES
from tests.web.positions import draw
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


@pytest.fixture(scope="module")
def pages(browser: Browser, site: str) -> Iterator[dict[str, Page]]:
    """Give a page of a phone for each game, which has loaded its styles and scripts once."""
    context = browser.new_context(reduced_motion="reduce", locale="en", has_touch=True, bypass_csp=True)
    found = {}
    for game in ("dicy-cards", "dice-stars"):
        page = found[game] = context.new_page()
        page.goto(f"{site}/healthz")
        page.set_content(draw("en", game, 2, "asked"))
        page.locator("html.js").wait_for()
    yield found
    context.close()


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
