"""axe-core finds nothing serious on any page, in light and dark."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

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


# What somebody sees of an element: its ground, a line or an outline around it, and whether its text differs from them.
SEEN = """one => {
    const [own, page] = [getComputedStyle(one), getComputedStyle(document.body)];
    const ground = own.backgroundImage === "none" ? own.backgroundColor : own.backgroundImage;
    return {
        ground,
        lined: own.borderTopStyle !== "none" && parseFloat(own.borderTopWidth) > 0 && own.borderTopColor === page.color,
        line: own.borderTopStyle,
        wide: parseFloat(own.borderTopWidth),
        outlined: own.outlineStyle !== "none",
        legible: !ground.includes(own.color),
    };
}"""


def seen(found: Locator) -> list[dict[str, Any]]:
    looks: list[dict[str, Any]] = [one.evaluate(SEEN) for one in found.all()]
    assert looks
    return looks


@THEMES
def test_dice_stars_in_forced_colours(player: MakePlayer, theme: str) -> None:
    """Dice and column heads keep their colours and shapes; a choice, its space and a ticked star are marked."""
    one = player(color_scheme=theme, forced_colors="active", viewport=PHONE if theme == "dark" else DESK)
    page = one.quick("dice-stars").page
    takes = page.locator("form.play [name=take]")
    while one.my_turn() and not takes.count():
        one.tap()
    heads = page.locator(".sheet:not(.small) thead .sd")
    colours = [str(name) for name in heads.evaluate_all("all => all.map(one => one.classList[2])")]
    grounds = dict(zip(colours, (look["ground"] for look in seen(heads)), strict=True))
    assert len(set(grounds.values())) == len(grounds) == 4
    assert all(look["lined"] for look in seen(heads))
    for die in page.locator(".reserve .sd").all():
        (look,) = seen(die)
        assert look["lined"]
        assert look["ground"] == grounds[str(die.get_attribute("data-colour"))]
        assert die.locator(".shape").evaluate("one => getComputedStyle(one).fill") == "rgb(255, 255, 255)"
    chosen = page.locator(".take:has([name=take])").first
    assert not seen(chosen)[0]["outlined"]
    takes.first.check()
    assert seen(chosen)[0]["outlined"]
    star = page.locator(".sheet:not(.small) .cell .box:not(.ticked) svg").first.element_handle()
    free = star.evaluate("one => getComputedStyle(one).fill")
    star.evaluate("one => one.parentElement.classList.add('ticked')")
    page.wait_for_function("([one, free]) => getComputedStyle(one).fill !== free", arg=[star, free])
    assert seen(one.button)[0]["legible"]


@THEMES
def test_dicy_cards_in_forced_colours(player: MakePlayer, theme: str) -> None:
    """Cards, chips and dice have lines, a frozen card other ones, and what is picked has a mark."""
    one = player(color_scheme=theme, forced_colors="active", viewport=PHONE if theme == "dark" else DESK)
    page = one.quick("dicy-cards").page
    die = page.locator(".die:has(input)").first
    while one.my_turn() and not die.count():
        one.tap()
    for kind in (".die", ".card .front", ".card .back", ".chip", ".card .pip"):
        assert all(look["lined"] for look in seen(page.locator(kind))), kind
    assert seen(page.locator(".card .front"))[0]["line"] != seen(page.locator(".card .back"))[0]["line"]
    before = seen(die)[0]["wide"]
    die.locator("input").check()
    assert seen(die)[0]["wide"] > before
    card = page.locator(".card:has(> input)").last
    card.locator("input").check()
    assert seen(card.locator(".front"))[0]["outlined"]
    assert seen(one.button)[0]["legible"]
