"""Seats: who plays, who begins, who left and comes back."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.serving import Player as Guest
from tests.web.player import Player

MakePlayer = Callable[..., Player]


def test_bots_of_different_strength_sit_at_one_table_and_one_of_them_begins(player: MakePlayer) -> None:
    one = player().open("/new/dice-stars")
    form = one.page.locator("form.setup")
    # Every strength has a line that says how it plays.
    expect(form.locator(".strength-greedy")).to_contain_text("takes the most points it sees")
    expect(form.locator("[name=bot2]")).to_be_hidden()
    form.locator("[name=bots][value='2']").check()
    form.locator("[name=bot][value=strong]").check()
    form.locator("[name=bot2]").select_option("random")
    expect(form.locator("[name=bot3]")).to_be_hidden()
    expect(form.locator("[name=begins-bots][value='4']")).to_be_hidden()
    form.locator("[name=begins-bots][value='3']").check()
    form.locator(".go-for:visible").click()
    one.my_turn()
    expect(one.page.locator(".lane .who b")).to_have_text(["Easy bot", re.compile("you"), "Strong bot"])


def test_a_bot_that_does_not_play_at_so_large_a_table_cannot_be_mixed_in(player: MakePlayer) -> None:
    form = player().open("/new/dicy-cards").page.locator("form.setup")
    form.locator("[name=bots][value='3']").check()
    expect(form.locator("[name=bot2] option")).to_have_text(
        ["as strong as the first", "Easy bot", "Quick bot", "Clever bot", "Master bot"]
    )


def test_somebody_at_this_device_begins(player: MakePlayer) -> None:
    one = player().open("/new/dicy-cards?who=device")
    for n, name in enumerate(("Anna", "Ben", "Cleo"), start=1):
        one.page.locator(f"[name=name{n}]").fill(name)
    one.page.locator("[name=begins-device][value='3']").check()
    one.page.locator(".go-for:visible").click()
    one.my_turn()
    expect(one.page.locator(".lane .who b")).to_have_text([re.compile(name) for name in ("Cleo", "Anna", "Ben")])


def test_a_friend_begins_if_the_host_wants_it(player: MakePlayer, site: str) -> None:
    host = player().setup("dicy-cards", who="friends", **{"begins-friends": 2})
    ben = Guest(site, "Ben")
    invitation = host.page.locator("[data-copy]").get_attribute("data-copy") or ""
    ben.post(f"/tables/{host.table}/join", version=2, key="j", invitation=invitation.rpartition("/")[2])
    host.page.locator("main[data-status=running]").wait_for()
    expect(host.page.locator(".lane .who b")).to_have_text(["Ben", re.compile("you")])


def test_games_that_run_are_at_the_top_of_the_start_page(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    mine, waiting = one.table, player
    one.setup("dice-stars", who="friends")
    waiting = one.table
    page = one.open("/").page
    links = page.locator("section[aria-labelledby=mine] a")
    assert [link.get_attribute("href") for link in links.all()] == [f"/t/{mine}", f"/t/{waiting}"]
    expect(links.first.locator(".tag.hot")).to_have_text("your turn")
    games, list_of_mine = page.locator(".games").bounding_box(), page.locator("section.mine").first.bounding_box()
    assert games and list_of_mine and list_of_mine["y"] < games["y"]
