"""The last round: everybody at a table is told of it and who brought it on, in four languages, until the end."""

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from starfrost.games.dicy_cards.words import mode_name
from starfrost.words import LANGUAGES, Words
from tests.serving import Player as Guest
from tests.web.conftest import DESK, PHONE

ANNOUNCED = {
    "en": "This is the last round.",
    "de": "Dies ist die letzte Runde.",
    "nl": "Dit is de laatste ronde.",
    "es": "Esta es la última ronda.",
}
REASONS = {
    "dicy-cards": {"en": "has", "de": "hat", "nl": "heeft", "es": "tiene"},
    "dice-stars": {"en": "has", "de": "hat", "nl": "heeft", "es": "ha"},
}


class Hosts(Guest):
    """A guest who plays every seat of a table over HTTP."""

    def __init__(self, site: str, game: str, options: dict[str, str]) -> None:
        super().__init__(site)
        self.rng = Random(1)
        for number in count():
            self.table = self.open(game, ("open",) * 3, options=options, key=f"open{number}")
            for seat in (1, 2, 3):
                joined = {"name": f"Player {seat}", "contribution": "mine", "seat": seat, "key": f"join{seat}"}
                self.post(f"/tables/{self.table}/join", version=seat, **joined)
            if self.reach_the_last_round():
                break

    @property
    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/tables/{self.table}")
        return found

    def play(self) -> dict[str, Any]:
        """Play an action, no reroll, and return the table after it."""
        legal = self.view["legal"]
        self.last = self.rng.choice([action for action in legal if not action.startswith("reroll")] or legal)
        self.move(self.table, self.last)
        return self.view

    def reach_the_last_round(self) -> bool:
        """Play until somebody brings on the last round, and take that move back; False if the game ended at once."""
        while (view := self.play())["status"] == "running":
            if view["last_round"] and self.view["undo"]:
                self.ender = view["last_round"]
                self.post(f"/tables/{self.table}/undo", version=view["version"], key="undo", seat=self.ender)
                return True
        return False


def announcement(page: Page) -> str:
    return page.locator("#last-round").inner_text().strip()


@pytest.mark.parametrize(
    ("game", "options"), [("dicy-cards", {"goal": "9", "mode": "interglacial"}), ("dice-stars", {})]
)
def test_everybody_is_told_until_the_end(
    context: Callable[..., BrowserContext], site: str, game: str, options: dict[str, str]
) -> None:
    table = Hosts(site, game, options)
    pages = {}
    for language, size in zip(LANGUAGES, (PHONE, DESK, PHONE, DESK), strict=True):
        cookies = {"language": language, **({"board": "text"} if language == "nl" else {})}
        pages[language] = context(locale=language, viewport=size, cookies=cookies).new_page()
        pages[language].goto(f"{site}/t/{table.table}")
        expect(pages[language].locator("main[data-step]")).to_be_visible()
        expect(pages[language].locator("#last-round")).to_have_count(0)
    table.move(table.table, table.last)
    assert table.view["last_round"] == table.ender
    who = f"Player {table.ender}"
    for language, page in pages.items():
        line = page.locator("#last-round")
        expect(line).to_be_visible()
        assert announcement(page).startswith(f"{who} {REASONS[game][language]} ")
        assert announcement(page).endswith(ANNOUNCED[language])
        # A screen reader says it, and the log keeps it.
        expect(page.locator("#said")).to_contain_text(announcement(page))
        expect(page.locator(".log li", has_text=ANNOUNCED[language])).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if game == "dicy-cards":
            expect(page.locator("#mode")).to_contain_text(mode_name(Words(language), "interglacial"))
            expect(page.locator("#mode")).to_be_visible()
    # It stays for whoever comes later, and through the moves of the others.
    late = context(cookies={"language": "en"}).new_page()
    late.goto(f"{site}/t/{table.table}")
    expect(late.locator("#last-round")).to_have_text(announcement(pages["en"]))
    while (view := table.play())["status"] == "running":
        expect(pages["en"].locator(f"main[data-version='{view['version']}']:not([data-more])")).to_be_visible()
        expect(pages["en"].locator("#last-round")).to_be_visible()
    for page in pages.values():
        expect(page.locator("main[data-status=over]:not([data-more])")).to_be_visible()
        expect(page.locator("#last-round")).to_have_count(0)
        expect(page.locator(".won")).to_be_visible()


def test_a_drawn_set_is_called_interglacial_and_a_rematch_keeps_goal_and_mode(site: str) -> None:
    anna = Guest(site)
    table = anna.open("dicy-cards", ("open", "open"), options={"mode": "interglacial", "goal": "2"}, key="drawn")
    waiting = anna.http.get(f"/t/{table}").text
    anna.join(table, 1)
    anna.post(f"/tables/{table}/join", version=2, key="two", seat=2, contribution="mine", name="Ben")
    shown = anna.http.get(f"/t/{table}").text
    while anna.get(f"/tables/{table}")["status"] == "running":
        anna.move(table)
    record = anna.http.get(f"/api/tables/{table}/record").text
    assert "\nmode: interglacial\n" in record
    replayed = anna.http.post("/replay", data={"text": record}, follow_redirects=True).text
    over = anna.get(f"/tables/{table}")
    new = anna.post(f"/tables/{table}/rematch", version=over["version"], key="again")["event"]["table"]
    again = anna.get(f"/tables/{new}")
    assert (again["mode"], again["headers"]["goal"]) == ("interglacial", "2")
    for page in (waiting, shown, replayed, anna.http.get(f"/replay/{table}").text, anna.http.get(f"/t/{new}").text):
        assert "Interglacial" in page
        assert "Custom" not in page


def test_the_size_of_the_solo_grid_is_chosen_on_the_page(context: Callable[..., BrowserContext], site: str) -> None:
    page = context().new_page()
    page.goto(f"{site}/new/dice-stars")
    boxes = page.locator("[name=solo-boxes]")
    expect(boxes).to_be_hidden()
    page.locator("[name=bots][value='0']").check(force=True)
    expect(boxes).to_have_value("30")
    boxes.fill("12")
    page.locator(".go-for:visible").click()
    expect(page.locator(".solo .num")).to_have_text("0 / 12")
    expect(page.locator(".solo")).to_contain_text("The grid stands at 0 points")
    page.locator(".asks[popovertarget=tells-solo]").click()
    expect(page.locator("#tells-solo")).to_contain_text("the last box loses the game")
