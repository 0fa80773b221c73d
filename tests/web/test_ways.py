"""Other ways to play: every language, keys alone, without scripts, in words, with a question before every move."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from starfrost.words import LANGUAGES, Words
from tests.web.player import Player

MakePlayer = Callable[..., Player]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(player: MakePlayer, language: str) -> None:
    w = Words(language)
    one = player(locale=language).setup("dicy-cards")
    one.my_turn()
    expect(one.page.locator("html")).to_have_attribute("lang", language)
    expect(one.page.locator("#go")).to_have_text(w("Roll the dice"))
    one.tap()
    expect(one.page.locator("#question .now")).to_have_text(w("Score with a card, or tap dice to reroll them."))


def test_the_language_can_be_changed(player: MakePlayer) -> None:
    one = player().open("/")
    one.page.locator("#settings summary").click()
    one.page.locator("#settings [name=language]").select_option("de")
    expect(one.page.locator("h1")).to_have_text("Würfeln, einfrieren, strahlen.")


def test_dark_can_be_chosen(player: MakePlayer) -> None:
    one = player(color_scheme="light").open("/")
    one.page.locator("#settings summary").click()
    one.page.locator("#settings [name=theme][value=dark]").check()
    expect(one.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_keys_alone(player: MakePlayer) -> None:
    one = player()
    page = one.open("/").page
    page.locator("#play-dicy-cards").focus()
    one.press("Enter")
    one.my_turn()
    one.press("Enter")
    page.locator("[name=die]").first.wait_for(state="attached")
    one.press("5")
    one.press("6")
    expect(page.locator("[name=die]:checked")).to_have_count(2)
    expect(page.locator("#again")).to_be_disabled()
    one.press("q")
    expect(page.locator("#again")).to_be_enabled()
    one.press("Escape")
    expect(page.locator("[name=die]:checked")).to_have_count(0)
    one.press("6")
    one.press("q")
    one.press("Enter")
    expect(page.locator(".card.frozen")).to_have_count(1)
    step = one.step
    # Enter alone plays nothing: something must be chosen.
    one.press("Enter")
    one.press("6")
    one.press("q")
    one.press("Enter")
    expect(page.locator(".card.frozen")).to_have_count(2)
    assert one.step == step + 2


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_without_scripts(context: Callable[..., BrowserContext], site: str, game: str) -> None:
    page = context(java_script_enabled=False).new_page()
    one = Player(page, site).open()
    page.locator(f"#play-{game}").click()
    page.get_by_role("button", name="Take a seat").click()
    for _ in range(8):
        if not page.locator("main[data-turn]").count():
            page.reload()
            continue
        version = page.locator("main").get_attribute("data-version")
        one.tap()
        assert page.locator("main").get_attribute("data-version") != version


def test_a_reroll_without_scripts(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(java_script_enabled=False, errors=False).new_page()
    page.goto(site)
    page.locator("#play-dicy-cards").click()
    page.get_by_role("button", name="Take a seat").click()
    page.locator("#go").click()
    page.locator("#reroll").click()
    expect(page.get_by_role("alert")).to_have_text("Pick the dice to reroll.")
    page.locator("[name=die]").nth(5).check()
    page.locator("[name=card]").first.check()
    page.locator("#reroll").click()
    expect(page.locator(".card.frozen")).to_have_count(1)


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_the_table_in_words(player: MakePlayer, game: str) -> None:
    one = player(cookies={"board": "text"}).quick(game)
    for _ in range(6):
        if not one.my_turn():
            break
        assert one.page.locator("#action option").count() >= 1
        one.tap()
    expect(one.page.locator("table.wordy").first).to_be_visible()
    assert not one.page.locator(".die, .reserve .sd").count()


def test_a_question_before_every_move(player: MakePlayer) -> None:
    one = player(cookies={"confirm": "on"}).quick("dicy-cards")
    one.my_turn()
    one.tap()
    one.tap()
    expect(one.page.locator(".asking")).to_contain_text("You score")
    step = one.step
    one.page.locator("#sure").click()
    one.page.locator(f"main:not([data-step='{step}'])").wait_for()


def test_a_move_can_be_taken_back(player: MakePlayer) -> None:
    one = player().setup("dicy-cards", who="device", goal=100)
    one.my_turn()
    one.tap()
    step = one.step
    one.tap()
    one.page.locator("#handover [form=undo-form]").click()
    expect(one.page.locator(f"main[data-step='{step}'][data-turn]")).to_be_attached()


def test_picked_dice_change_the_points_and_the_button(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    one.tap()
    page = one.page
    one.choose()
    expect(page.locator(".die.counts").first).to_be_visible()
    two = page.locator("[name=die]")
    two.nth(4).check()
    two.nth(5).check()
    total = sum(int(two.nth(i).input_value()) for i in (4, 5))
    expect(page.locator("#card-1-any-two .pts")).to_have_text(str(total))
    expect(page.locator("#again")).to_have_text("Which card do you freeze?")
    page.locator("#card-1-any-two input").check()
    expect(page.locator("#again")).to_have_text("Roll 2 dice again, freeze Any two")
    expect(page.locator(".with:visible")).to_have_text(f"Score {total} with these")


def test_rolls_and_moves_are_announced(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    one.tap()
    expect(one.page.locator("#said")).to_contain_text("You roll")


def test_the_title_says_whose_turn_it_is(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    expect(one.page).to_have_title("Your turn · Starfrost")


def test_choosing_ones_own_five(player: MakePlayer) -> None:
    one = player(errors=False).open("/new/dicy-cards")
    page = one.page
    page.locator("[name=mode][value=custom]").check()
    for card in ("sixes", "same-fives", "odds", "straight"):
        page.locator(f"[name=cards][value={card}]").press("Space")
    page.locator(".go-for:visible").click()
    expect(page.locator("#line span")).to_have_text("Choose exactly five cards.")


def test_a_strength_is_always_chosen(player: MakePlayer) -> None:
    page = player().open("/new/dicy-cards").page
    for bots, bot in (("1", "perfect"), ("2", "master"), ("3", "master"), ("1", "perfect")):
        page.locator(f"[name=bots][value='{bots}']").check()
        if bots == "1":
            page.locator("[name=bot][value=perfect]").check()
        expect(page.locator("[name=bot]:checked")).to_have_value(bot)
        expect(page.locator(".strength-" + bot)).to_be_visible()


def test_a_card_turns_over_in_place(player: MakePlayer) -> None:
    one = player(reduced_motion="no-preference").quick("dicy-cards")
    one.my_turn()
    one.tap()
    # An element that is moved or made anew does not turn: its transition never runs.
    one.page.locator("#flip-1-any-two").evaluate(
        "flip => flip.addEventListener('transitionrun', () => { flip.ownerDocument.body.dataset.turned = 'yes'; })"
    )
    one.page.locator("[name=die]").first.check()
    one.page.locator("[name=card][value=any-two]").check()
    one.page.locator("#again").click()
    expect(one.page.locator(".card.frozen #flip-1-any-two")).to_be_attached()
    expect(one.page.locator("body")).to_have_attribute("data-turned", "yes")
