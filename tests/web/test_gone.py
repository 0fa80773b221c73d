"""Somebody who vanishes, and a rematch that is closed, do not stop the others."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.conftest import serving
from tests.web.player import Player

MakePlayer = Callable[..., Player]
SMALL = {"width": 390, "height": 664}

# Lets a test move the clock forward by which people are gone: the seconds are in a file.
CLOCK = """
import time, types
from pathlib import Path
from starfrost.table import presence
ahead = Path({path!r})
presence.time = types.SimpleNamespace(time=lambda: time.time() + float(ahead.read_text()))
"""


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Give a server, and the file that moves its clock forward."""
    ahead = tmp_path_factory.mktemp("later") / "ahead"
    ahead.write_text("0")
    with serving(ahead.parent, before=CLOCK.format(path=str(ahead))) as site:
        yield site, ahead


def gather(player: MakePlayer, site: str, *, script: bool = True) -> tuple[Player, Player]:
    """Seat Anna, whose turn it is, and Ben at a table without a clock, each at a page."""
    anna, ben = player(), player(viewport=SMALL, java_script_enabled=script)
    anna.site = ben.site = site
    anna.setup("dicy-cards", who="friends", seats=2)
    ben.page.goto(anna.page.locator(".link input").input_value())
    ben.page.locator("form[action$='/join'] [name=name]").fill("Ben")
    ben.page.locator("form[action$='/join'] button").click()
    ben.page.locator("main[data-status=running]").wait_for()
    return anna, ben


def look(page: Page) -> None:
    """Have a page look now, as it does every twenty seconds."""
    page.evaluate("dispatchEvent(new Event('online'))")


def tall(button: Locator) -> None:
    button.wait_for()
    box = button.bounding_box()
    assert box
    assert box["height"] >= 44
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SMALL["width"]


def test_a_bot_plays_for_somebody_who_is_gone_until_they_return(player: MakePlayer, later: tuple[str, Path]) -> None:
    site, ahead = later
    ahead.write_text("0")
    anna, ben = gather(player, site)
    name = ben.page.locator("#lane-1 .who b").inner_text()
    dot = ben.page.locator("#lane-1 .dot")
    expect(dot).to_have_attribute("aria-label", "here")
    watcher = player()
    watcher.page.goto(f"{site}/t/{ben.table}")
    anna.page.goto("about:blank")
    for told in ("title", "aria-label"):
        expect(dot).to_have_attribute(told, "away")
    expect(ben.page).to_have_title(f"{name} is playing · Starfrost")
    ahead.write_text("125")
    for one in (ben, watcher):
        look(one.page)
        expect(one.page.locator("#gone")).to_contain_text(f"{name} has been away for a while.")
        expect(one.page.locator("#turn-now")).to_have_text(f"{name} is away")
        expect(one.page.locator("#said")).to_have_text(f"{name} has been away for a while.")
    # Who only watches cannot do anything.
    assert not watcher.page.locator("#gone button").count()
    button = ben.page.get_by_role("button", name=f"Let a bot play for {name} until they return")
    tall(button)
    button.click()
    expect(ben.page.locator("#gone")).to_have_count(0)
    expect(ben.page.locator(".log")).to_contain_text(f"{name} is away; a bot takes over.")
    assert ben.my_turn()
    # Anna comes back: one tap, and the seat is hers again.
    anna.page.goto(f"{site}/t/{ben.table}")
    expect(anna.page.locator(".news")).to_contain_text("You were away, so a bot plays for you.")
    anna.page.get_by_role("button", name="Take your seat again").click()
    expect(anna.page.locator("main[data-me='1']")).to_be_attached()
    expect(ben.page.locator(".story")).to_contain_text(f"{name} is back and takes over from the bot.")
    expect(dot).to_have_attribute("aria-label", "here")


def test_whoever_comes_back_in_time_plays_on(player: MakePlayer, later: tuple[str, Path]) -> None:
    site, ahead = later
    ahead.write_text("0")
    anna, ben = gather(player, site)
    table = ben.table
    anna.page.goto("about:blank")
    expect(ben.page.locator("#lane-1 .dot.off")).to_be_attached()
    ahead.write_text("125")
    look(ben.page)
    button = ben.page.locator("#gone button").first
    expect(button).to_be_visible()
    form: dict[str, str | float | bool] = {
        "version": ben.main.get_attribute("data-version") or "",
        "at": "1",
        "key": "late",
    }
    anna.page.goto(f"{site}/t/{table}")
    # The offer goes by itself, and the server does not take it any more.
    expect(button).to_have_count(0)
    assert ben.page.request.post(f"{site}/t/{table}/stand-in", form=form).status == 409
    assert anna.my_turn()


def test_without_scripts_a_bot_may_play_too(player: MakePlayer, later: tuple[str, Path]) -> None:
    site, ahead = later
    ahead.write_text("0")
    anna, ben = gather(player, site, script=False)
    anna.page.goto("about:blank")
    ahead.write_text("125")
    # The page refreshes itself.
    button = ben.page.locator("#gone button").first
    tall(button)
    button.click()
    expect(ben.page.locator("#gone")).to_have_count(0)
    expect(ben.page.locator("#lane-1 .stand-in")).to_be_attached()


@pytest.mark.parametrize("script", [True, False])
def test_a_rematch_that_is_closed_does_not_block_the_group(player: MakePlayer, site: str, script: bool) -> None:
    anna = Guest(site, "Anna")
    table = anna.open(options={"mode": "glacial", "goal": "5"}, key=f"closed-{script}")
    anna.join(table, 1)
    ben = player(viewport=SMALL, java_script_enabled=script).open(f"/t/{table}")
    ben.page.locator("form[action$='/join'] [name=name]").fill("Ben")
    ben.page.locator("form[action$='/join'] button").click()
    ben.page.locator("main[data-status=running]").wait_for()
    # A bot plays for Ben to the end.
    ben.page.request.post(f"{site}/t/{table}/leave", form={"version": "3", "at": "2", "key": "leave"})
    eventually(lambda: anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over")
    if not script:
        ben.page.goto(f"{site}/t/{table}")
    expect(ben.page.locator("#rematch")).to_be_visible()
    version = anna.get(f"/tables/{table}")["version"]
    first = anna.post(f"/tables/{table}/rematch", version=version, key="first")["event"]["table"]
    if not script:
        ben.page.reload()
    expect(ben.page.locator("#to-rematch")).to_be_visible()
    anna.post(f"/tables/{first}/close", version=1, key="close")
    if not script:
        ben.page.reload()
    # A page that was open meanwhile is told; one that is loaded shows it too.
    tall(ben.page.locator("#rematch"))
    # The closed table leads on as well, and so does the game before it: to one new table.
    ben.page.goto(f"{site}/t/{first}")
    expect(ben.page.locator("h1").first).to_have_text("This table is closed")
    tall(ben.page.locator("#rematch"))
    ben.page.locator("#rematch").click()
    ben.page.locator("main[data-status=waiting]").wait_for()
    late = anna.http.post(f"/t/{table}/rematch", data={"key": "late", "version": "3"})
    assert late.headers["location"] == f"/t/{ben.table}?sit="
    assert ben.table not in (table, first)
    assert anna.get(f"/tables/{table}")["rematch"] == ben.table
