"""A third game, defined in tests/pig alone, at a real table in the browser."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.pig.conftest import FOLDER
from tests.serving import Player as Guest
from tests.web.conftest import serving
from tests.web.player import Player

MakePlayer = Callable[..., Player]


INSTALLED = {"PYTHONPATH": os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server on which Pig is installed."""
    with serving(tmp_path_factory.mktemp("pig"), **INSTALLED) as address:
        yield address


def test_a_game_of_pig_from_the_start_page_to_the_result(player: MakePlayer) -> None:
    one = player().open("/")
    page = one.page
    expect(page.locator("#name-pig")).to_have_text("Pig")
    page.locator('[href="/new/pig"]').click()
    page.locator("[name=goal]").fill("30")
    page.locator(".go-for:visible").click()
    seen = set()
    for _ in range(400):
        if not one.my_turn():
            break
        total = int(page.locator(".board .num").inner_text())
        seen.add(total)
        step = one.step
        # Holds with 8 points, so that the game has short and long turns.
        button = "Roll" if total < 8 else f"Hold and score {total}"
        page.get_by_role("button", name=button, exact=True).click()
        page.locator(f"main:not([data-step='{step}'])").wait_for()
    expect(page.locator(".won")).to_contain_text(re.compile("You win!|You were|share the victory"))
    assert max(int(score) for score in page.locator(".podium .score").all_inner_texts()) >= 30
    assert 0 in seen
    assert len(seen) > 1
    page.locator("#look-back").click()
    expect(page.locator(".curve polyline")).to_have_count(2)
    page.locator("#check").click()
    expect(page.locator(".note.good")).to_contain_text("Yes.")
    # The game has no measured bots and no coach: the level uses defaults.
    one.open("/me")
    expect(page.get_by_role("heading", name="Results in Pig")).to_be_visible()
    expect(page.locator(".ladder .you")).to_be_visible()


def test_a_game_of_pig_in_words_and_its_replay(player: MakePlayer, site: str) -> None:
    one = player(cookies={"board": "text"}).open("/new/pig")
    page = one.page
    page.locator("[name=goal]").fill("15")
    page.locator(".go-for:visible").click()
    while one.my_turn():
        step = one.step
        actions = page.locator("#action option").evaluate_all("all => all.map(one => one.value)")
        page.locator("#action").select_option(actions[-1])
        page.locator("#go").click()
        page.locator(f"main:not([data-step='{step}'])").wait_for()
    expect(page.locator(".won")).to_be_visible()
    # The replay shows the game from its first move.
    page.goto(f"{site}/replay/{one.table}?step=0")
    expect(page.locator(".walked")).to_have_text(re.compile(r"^0 / [1-9]"))


def test_what_pig_does_not_have_is_not_offered(site: str) -> None:
    start = httpx.get(site).text
    assert "/learn/pig/1" not in start
    assert httpx.get(f"{site}/learn/pig/1").status_code == 404
    for game in ("dicy-cards", "dice-stars", "pig"):
        assert f"/rules/{game}" in start
    assert httpx.get(f"{site}/new/pig/knowing", params={"bot": "greedy"}).status_code == 204
    forged = {"game": "pig", "who": "bots", "goal": "abc", "mode": "custom", "cards": "x"}
    assert httpx.post(f"{site}/play", data=forged).status_code == 303


def test_a_table_of_pig_outlives_its_server(tmp_path: Path) -> None:
    # Pig has a decision called roll, which must not be taken for the wish to let waiting dice fall.
    with serving(tmp_path, **INSTALLED) as address:
        anna = Guest(address)
        table = anna.open("pig", ("open", "open"), options={"goal": "15"})
        anna.join(table, 1)
        anna.join(table, 2)
        for _ in range(9):
            anna.move(table)
        before = anna.get(f"/tables/{table}")
    with serving(tmp_path, **INSTALLED) as address:
        anna.http.base_url = httpx.URL(address)
        assert anna.get(f"/tables/{table}")["state"] == before["state"]
        while anna.get(f"/tables/{table}")["status"] != "over":
            legal = anna.get(f"/tables/{table}")["legal"]
            assert legal in (["roll"], ["roll", "hold"])
            anna.move(table, legal[-1])
