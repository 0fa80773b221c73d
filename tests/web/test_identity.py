"""One name on two devices, in two browsers: a phrase from one, used in the other, and deleting everything."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.web.conftest import DESK

Contexts = Callable[..., BrowserContext]


def name_of(page: Page, site: str) -> str:
    page.goto(f"{site}/me/identity")
    return page.locator("[name=name]").input_value()


def use(page: Page, site: str, phrase: str) -> None:
    """Type a phrase, found from the settings as people do."""
    page.goto(site)
    page.locator("#settings > summary").click()
    page.locator("#settings a[href='/me/identity']").click()
    page.locator("a[href='/me/device']").click()
    page.locator("[name=phrase]").fill(phrase)
    page.locator("main .btn.go").click()


def test_a_phrase_carries_name_and_games_to_another_browser(context: Contexts, site: str) -> None:
    # The phone runs no scripts: every step is a plain form. Its refusals are no faults of the page.
    desk = context(viewport=DESK).new_page()
    phone = context(java_script_enabled=False, errors=False, locale="de").new_page()
    desk.goto(f"{site}/new/dicy-cards")
    desk.locator("[name=name]").fill("Annabella")
    desk.locator(".go-for:visible").click()
    desk.locator("main[data-step]").wait_for()
    table = desk.url.split("?")[0].removeprefix(site)

    desk.goto(f"{site}/me/identity")
    desk.locator("form[action$='/phrase'] button").click()
    words = desk.locator(".phrase li")
    expect(words).to_have_count(8)
    phrase = " ".join(words.all_inner_texts())

    use(phone, site, phrase)
    expect(phone.locator("[name=name]")).to_have_value("Annabella")
    expect(phone.locator(".devices li")).to_have_count(2)
    phone.goto(site)
    assert phone.locator(f"a[href^='{table}']").count()
    use(phone, site, phrase)
    expect(phone.get_by_role("alert")).to_contain_text("Annabella")
    assert phone.url.endswith("/me/device")

    # A name that the phone changes is changed on the desk, which then signs the phone out.
    phone.goto(f"{site}/me/identity")
    phone.locator("[name=name]").fill("Bella")
    phone.locator("form[action$='/name'] button").click()
    assert name_of(desk, site) == "Bella"
    desk.locator(".devices button").nth(1).click()
    expect(desk.locator(".devices li")).to_have_count(1)
    assert name_of(phone, site) == ""

    # With a link in place of a phrase.
    desk.locator("form[action$='/link'] button").click()
    expect(desk.locator(".qr svg")).to_be_visible()
    phone.goto(desk.locator(".link a").get_attribute("href") or "")
    phone.locator("main .btn.go").click()
    expect(phone.locator("[name=name]")).to_have_value("Bella")

    # Everything is deleted only after a confirmation, and the next visit is somebody new.
    desk.goto(f"{site}/me/identity")
    desk.locator("a[href$='/delete']").click()
    desk.locator("button.bad").click()
    expect(desk).to_have_url(re.compile("/delete$"))
    expect(desk.locator("[name=sure]")).to_be_visible()
    desk.locator("[name=sure]").check()
    desk.locator("button.bad").click()
    expect(desk.locator("h1")).to_have_text("Everything is deleted")
    assert not [cookie for cookie in desk.context.cookies() if cookie["name"] == "starfrost_guest"]
    assert name_of(desk, site) == name_of(phone, site) == ""
    assert phone.goto(site + table).status == 404  # type: ignore[union-attr]
