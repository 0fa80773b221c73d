"""Bots can be followed: every decision stands for a while, what it uses lights up first, and a tap hurries it."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from tests.waiting import eventually
from tests.web.player import Player

MakePlayer = Callable[..., Player]

# Notes the time of the page, the step and how much is lit whenever that changes.
WATCH = """() => {
  window.seen = [];
  const note = () => seen.push([Date.now(), Number(main.dataset.step), document.querySelectorAll(".lit").length]);
  const attributeFilter = ["data-step", "class"];
  new MutationObserver(note).observe(main, { subtree: true, attributes: true, attributeFilter });
}"""


def answered_by_bots(one: Player) -> Page:
    """Play a turn and let two bots answer it on the server, while the clock of the page stands still."""
    page = one.page
    page.clock.install()
    one.setup("dicy-cards", bots=2)
    one.my_turn()
    one.tap()
    one.my_turn()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    # Whoever touches something else has not tapped twice.
    page.locator("h1").dispatch_event("pointerdown")
    page.evaluate(WATCH)
    one.tap()
    table = f"{one.site}/api/tables/{one.table}"
    eventually(lambda: page.request.get(table).json()["acting"] == 1)
    return page


def turn(page: Page) -> bool:
    return page.locator("main[data-turn]:not([data-more])").count() > 0


@pytest.mark.parametrize(("pace", "time"), [("brisk", 900), ("calm", 1800)])
def test_every_decision_of_a_bot_stands_and_what_it_uses_lights_up_first(
    player: MakePlayer, pace: str, time: int
) -> None:
    page = answered_by_bots(one := player(pace=pace))
    # The reader's own move is on the page already.
    own = one.step

    def goes_on() -> bool:
        page.clock.run_for(time // 9)
        return turn(page)

    eventually(goes_on)
    seen = page.evaluate("seen")
    shown = {step: min(at for at, other, _ in seen if other == step) for _, step, _ in seen if step > own}
    lit = {step: min((at for at, other, many in seen if other == step and many), default=None) for step in shown}
    stood = [after - before for before, after in pairwise(shown.values())]
    assert len(stood) >= 3
    assert min(stood) >= time
    # The dice and the card of a score: half of the time before it, and as long.
    waits = [lit[step] - shown[step] for step in shown if lit[step]]
    assert len(waits) >= 2
    assert min(waits) >= time // 2


def test_a_tap_hurries_bots(player: MakePlayer) -> None:
    page = answered_by_bots(player(pace="calm"))
    # A page that is sending looks again in a moment.
    page.clock.run_for(60)
    before = page.evaluate("Date.now()")

    def hurried() -> bool:
        page.locator(".race").dispatch_event("pointerdown")
        return turn(page)

    eventually(hurried)
    assert page.evaluate("Date.now()") == before
    assert len({step for _, step, _ in page.evaluate("seen")}) > 4
