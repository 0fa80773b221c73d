"""Set-up forgets nothing, and settings apply without a reload."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.web.player import Player

MakePlayer = Callable[..., Player]
SIX = ["any-two", "odds", "straight", "sixes", "two-pairs", "no-sixes"]


def ticked(html: str, name: str) -> list[str]:
    """Return the values of the ticked boxes of a name in a page."""
    fields = [tag.split(">")[0] for tag in html.split("<input")[1:]]
    return [
        tag.split('value="')[1].split('"')[0] for tag in fields if f'name="{name}"' in tag and tag.endswith("checked")
    ]


def test_a_refused_form_keeps_what_was_entered(site: str) -> None:
    form = {"game": "dicy-cards", "who": "device", "mode": "custom", "cards": SIX, "goal": "70", "name1": "Anna"}
    form |= {"name2": "", "name3": "Cleo", "bots": "2", "bot": "planner", "seats": "4", "public": "1", "clock": "2min"}
    answer = httpx.post(f"{site}/play", data=form)
    assert answer.status_code == 422
    assert "Choose exactly five cards." in answer.text
    assert "6 of 5 cards chosen" in answer.text
    assert sorted(ticked(answer.text, "cards")) == sorted(SIX)
    one_each = {"who": "device", "mode": "custom", "bots": "2", "bot": "planner", "seats": "4", "public": "1"}
    assert {name: ticked(answer.text, name) for name in one_each} == {name: [one] for name, one in one_each.items()}
    for field in ('name="goal" value="70"', 'value="Anna"', 'value="Cleo"', 'value="2min" selected'):
        assert field in answer.text
    assert 'name="back" value="/new/dicy-cards"' in answer.text


def test_without_scripts_the_settings_keep_the_form(player: MakePlayer) -> None:
    page = player(java_script_enabled=False).open("/new/dicy-cards?who=device").page
    expect(page.locator("#settings")).to_be_hidden()
    page.locator("[name=name1]").fill("Anna & Ben")
    page.locator("[name=mode][value=custom]").check()
    for card in SIX:
        page.locator(f"[name=cards][value={card}]").check()
    page.locator("[name=goal]").fill("60")
    menu = page.locator("form.setup details", has=page.locator("[name=language]"))
    menu.locator("summary").click()
    menu.locator("[name=language]").select_option("de")
    menu.locator("[name=theme][value=dark]").check()
    menu.locator("button").click()
    expect(page.locator("html[lang=de][data-theme=dark]")).to_be_attached()
    expect(page.locator("[name=name1]")).to_have_value("Anna & Ben")
    expect(page.locator("[name=goal]")).to_have_value("60")
    expect(page.locator("[name=cards]:checked")).to_have_count(6)
    expect(page.locator("[name=who]:checked")).to_have_value("device")


@pytest.fixture
def stays(player: MakePlayer) -> Callable[..., Player]:
    """Give a maker of people whose page must not be loaded again; `still` tells."""

    def make(path: str, **options: object) -> Player:
        one = player(**options).open(path)
        one.page.evaluate("window.still = true")
        return one

    return make


def choose(page: Page, name: str, value: str) -> None:
    """Change a setting in the menu, which is open or not."""
    menu = page.locator("#settings")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    field = menu.locator(f"[name={name}]")
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/settings")):
        if name == "language":
            field.select_option(value)
        else:
            menu.locator(f"[name={name}][value={value}]").check()


def test_settings_keep_the_form_and_the_page(stays: Callable[..., Player]) -> None:
    page = stays("/new/dicy-cards?who=device", color_scheme="light").page
    page.locator("[name=name1]").fill("Anna")
    page.locator("[name=mode][value=custom]").check()
    for card in SIX[:5]:
        page.locator(f"[name=cards][value={card}]").check()
    expect(page.locator(".many")).to_have_text("5 of 5 cards chosen")
    expect(page.locator(f"[name=cards][value={SIX[5]}]")).to_be_disabled()
    page.locator("[name=goal]").fill("60")
    choose(page, "theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    choose(page, "pace", "calm")
    expect(page.locator("html")).not_to_have_attribute("data-pace", "0")
    choose(page, "language", "de")
    expect(page.locator(".many")).to_have_text("5 von 5 Karten gewählt")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("[name=name1]")).to_have_value("Anna")
    expect(page.locator("[name=name2]")).to_have_value("Person 2")
    expect(page.locator("[name=goal]")).to_have_value("60")
    expect(page.locator("[name=cards]:checked")).to_have_count(5)
    expect(page.locator("[name=mode][value=custom]")).to_be_checked()
    expect(page.locator("#settings")).to_have_attribute("open", "")
    page.locator(f"[name=cards][value={SIX[0]}]").uncheck()
    expect(page.locator(".many")).to_have_text("4 von 5 Karten gewählt")
    expect(page.locator(f"[name=cards][value={SIX[5]}]")).to_be_enabled()
    assert page.evaluate("window.still")


def test_names_in_the_waiting_room_stay(stays: Callable[..., Player], player: MakePlayer) -> None:
    host = player().setup("dicy-cards", who="friends", seats=3)
    link = host.page.locator(".link input").input_value().replace(host.site, "")
    guest = stays(link)
    guest.page.locator("[name=name]").fill("Bennet")
    choose(guest.page, "language", "nl")
    expect(guest.page.locator("html")).to_have_attribute("lang", "nl")
    expect(guest.page.locator("[name=name]")).to_have_value("Bennet")
    # Somebody else sits down while the name is typed.
    other = player().open(link)
    other.page.get_by_role("button", name="Take a seat").click()
    expect(guest.page.locator(".seats .free")).to_have_count(1)
    expect(guest.page.locator("[name=name]")).to_have_value("Bennet")
    assert guest.page.evaluate("window.still")


def test_the_table_in_words_comes_and_goes_without_a_reload(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    page = one.page
    page.evaluate("window.still = true")
    choose(page, "board", "text")
    expect(page.locator("#action")).to_be_visible()
    page.locator("#settings [name=board]").uncheck()
    expect(page.locator(".tray")).to_be_visible()
    page.locator("#settings summary").click()
    one.tap()
    assert one.my_turn()
    assert page.evaluate("window.still")
