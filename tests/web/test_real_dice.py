"""Real dice at the page: entered by large buttons or by plain fields, taken back, and marked in the record."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.player import Player

MakePlayer = Callable[..., Player]
SMALL = {"width": 320, "height": 568}


def start(one: Player, game: str, people: int = 2, *, goal: int = 0, pad: bool = False) -> Page:
    """Begin a game with real dice on one device, from the start page."""
    one.open("/")
    one.page.locator(f"#real-{game}").click()
    for number in range(1, people + 1):
        one.page.locator(f"[name=name{number}]").fill(f"P{number}")
    if goal:
        one.page.locator("[name=goal]").fill(str(goal))
    if pad:
        one.page.locator("[name=pad]").check()
    one.page.locator(".go-for:visible").click()
    one.page.locator("main:not([data-me=''])").wait_for()
    return one.page


def enter(page: Page, dice: list[str]) -> None:
    """Tap the dice and enter them."""
    step = page.locator("main").get_attribute("data-step")
    for die in dice:
        page.locator(f"[data-die='{die}']").click()
    page.locator("#go").click()
    page.locator(f"main:not([data-step='{step}'])").wait_for()


def test_a_phone_goes_round_a_real_table(player: MakePlayer) -> None:
    one = player(viewport=SMALL, has_touch=True, errors=False)
    page = start(one, "dicy-cards", goal=10)
    expect(page.locator("#question")).to_have_text("Roll all six dice and enter what they show.")
    # Six large buttons; the keys with the same digits press them, and what is missing is said.
    box = page.locator("[data-die='6']").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 40
    for key in "66531":
        one.press(key)
    page.locator("#go").click()
    expect(page.locator("[role=alert]:visible, #line:visible").first).to_contain_text("Enter what all 6 dice show.")
    page.locator("[data-entry-back]").click()
    for key in "116":
        one.press(key)
    assert page.locator(".slot select").evaluate_all("all => all.map(one => one.value).join('')") == "665311"
    page.locator("#go").click()
    # A reroll asks for these dice alone, and the wrong entry is taken back.
    page.locator("main[data-step='1']").wait_for()
    page.locator("[data-pick]").nth(0).check(force=True)
    page.locator("[data-pick]").nth(1).check(force=True)
    page.locator("[name=card][value=odds]").check(force=True)
    page.locator("#again").click()
    expect(page.locator("#question")).to_have_text("Roll the 2 dice again and enter what they show.")
    enter(page, ["5", "5"])
    page.locator("#undo").click()
    expect(page.locator(".slot")).to_have_count(2)
    enter(page, ["3", "5"])
    expect(page.locator(".tray .die")).to_have_count(6)
    page.locator("[name=card][value=any-two]").check(force=True)
    page.locator("#do-any-two").click()
    # The neighbour, who has the device now, freezes a card and skips; that ends the game, so it is confirmed.
    page.locator("#take-device").click()
    page.locator("[name=card][value=odds]").check(force=True)
    page.locator("#do-odds").click()
    expect(page.locator(".slot")).to_have_count(6)
    enter(page, list("654321"))
    page.locator("#skip").click()
    page.locator(".with-skip").click()
    # P1 had a frozen card to reset.
    page.locator("#take-device:visible").click()
    page.locator("[name=card]").first.check(force=True)
    page.locator(".with:visible").click()
    expect(page.locator(".asking")).to_be_visible()
    page.locator("#sure").click()
    expect(page.locator(".won")).to_be_visible()
    page.locator("#look-back").click()
    expect(page.locator("section", has=page.locator("#fair"))).to_contain_text("People rolled these dice themselves")
    record = page.request.get(f"{one.site}{page.locator('[download]').get_attribute('href')}").text()
    assert "\ndice: entered\n" in record
    assert "\n* 665311\n1 reroll 66 freeze odds\n* 53\n" in record


@pytest.mark.parametrize("board", ["picture", "text"])
def test_real_dice_need_no_script(player: MakePlayer, board: str) -> None:
    one = player(viewport=SMALL, java_script_enabled=False, cookies={"board": board}, errors=False)
    one.open("/new/dice-stars?who=device&dice=entered")
    one.page.locator(".go-for:visible").click()
    one.page.get_by_role("button", name="Take a seat").click()
    if board == "text":
        one.page.locator("#action").select_option("draw 3")
        one.page.locator("#go").click()
    else:
        one.page.locator("#draw-3").click()
    fields = one.page.locator("[name=die]")
    for n, die in enumerate(("black2", "black4", "black*")):
        fields.nth(n).select_option(die)
    one.page.locator("#go").click()
    expect(one.page.locator("[role=alert]")).to_have_text("There are not that many dice left: at most 2 (black).")
    for n, die in enumerate(("black2", "blue4", "black*")):
        fields.nth(n).select_option(die)
    one.page.locator("#go").click()
    expect(one.page.locator("main[data-step='2']")).to_be_visible()
    # Whoever shares the device sees what the coach says, so everybody may ask.
    expect(one.page.locator("#hint")).to_be_visible()


def test_a_score_pad_stays_with_one_person(player: MakePlayer) -> None:
    one = player()
    page = start(one, "dice-stars", 3, pad=True)
    page.locator("#draw-3").click()
    enter(page, ["blue4", "orange*", "black2"])
    expect(page.locator("#hint")).to_have_count(0)
    page.locator("[name=take][value='4']").check(force=True)
    page.locator("#do-4").click()
    # The next player's dice are asked for at once.
    expect(page.locator("#turn-now")).to_contain_text("P2")
    expect(page.locator("#handover")).to_have_count(0)
    page.locator("#draw-1").click()
    enter(page, ["purple6"])
