"""Seats: who plays, who begins, who left and comes back."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.conftest import serving
from tests.web.player import Player

MakePlayer = Callable[..., Player]


def test_bots_of_different_strength_sit_at_one_table_and_one_of_them_begins(player: MakePlayer) -> None:
    one = player().open("/new/dice-stars")
    form = one.page.locator("form.setup")
    # Every strength has a line that says how it plays.
    expect(form.locator(".strength-greedy")).to_contain_text("always takes the most points")
    expect(form.locator("[name=bot2]")).to_be_hidden()
    form.locator("[name=bots][value='2']").check()
    form.locator("[name=bot][value=strong]").check()
    form.locator("[name=bot2]").select_option("random")
    expect(form.locator("[name=bot3]")).to_be_hidden()
    expect(form.locator("[name=begins-bots][value='4']")).to_be_hidden()
    form.locator("[name=begins-bots][value='3']").check()
    form.locator(".go-for:visible").click()
    one.my_turn()
    expect(one.page.locator(".lane .who b")).to_have_text(["Easy bot", re.compile("You"), "Strong bot"])


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
    expect(host.page.locator(".lane .who b")).to_have_text(["Ben", re.compile("You")])


def test_games_that_run_are_at_the_top_of_the_start_page(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.my_turn()
    mine = one.table
    one.setup("dice-stars", who="friends")
    one.page.locator(".qr").wait_for()
    waiting = one.table
    page = one.open("/").page
    links = page.locator("section[aria-labelledby=mine] a")
    assert [link.get_attribute("href") for link in links.all()] == [f"/t/{mine}", f"/t/{waiting}"]
    expect(links.first.locator(".tag.hot")).to_have_text("your turn")
    games, list_of_mine = page.locator(".games").bounding_box(), page.locator("section.mine").first.bounding_box()
    assert games
    assert list_of_mine
    assert list_of_mine["y"] < games["y"]


def test_the_host_says_which_friend_begins(site: str) -> None:
    host = httpx.Client(base_url=site, follow_redirects=True)
    form = {"game": "dice-stars", "who": "friends", "seats": "3", "begins-friends": "3", "name": "Host"}
    table = host.post("/play", data=form).url.path.rpartition("/")[2]
    host.post(f"/t/{table}/join", data={"name": "Host", "version": "1", "key": "host"})
    link = host.get(f"/api/tables/{table}").json()["invitation"]
    for name in ("First", "Second"):
        guest = httpx.Client(base_url=site, follow_redirects=True)
        version = host.get(f"/api/tables/{table}").json()["version"]
        guest.post(f"/t/{table}/join", data={"name": name, "version": version, "key": name, "invitation": link})
    seats = host.get(f"/api/tables/{table}").json()["seats"]
    assert [seat["name"] for seat in seats] == ["Second", "Host", "First"]


def gather(player: MakePlayer, site: str, **opening: object) -> tuple[Player, Guest, str]:
    """Seat somebody at a page with somebody who plays over the JSON interface, and who has the first turn."""
    anna = Guest(site, "Anna")
    table = anna.open(**opening)  # type: ignore[arg-type]
    anna.join(table, 1)
    ben = player().open(f"/t/{table}")
    ben.page.locator("form[action$='/join'] [name=name]").fill("Ben")
    ben.page.locator("form[action$='/join'] button").click()
    ben.page.locator("main[data-status=running]").wait_for()
    return ben, anna, table


def leave(one: Player) -> None:
    # The id keeps it open when the page changes around it.
    one.page.locator("#leave-menu summary").click()
    one.page.get_by_role("button", name="Leave the table").click()


def test_whoever_leaves_comes_back_and_everybody_is_told(player: MakePlayer, site: str) -> None:
    ben, anna, table = gather(player, site, key="leave")
    watcher = player().open(f"/t/{table}")
    leave(ben)
    expect(ben.page.locator(".news")).to_contain_text("You left, so a bot plays for you.")
    # The others read it, and hear it.
    expect(watcher.page.locator(".story")).to_contain_text("Ben leaves; a bot takes over.")
    expect(watcher.page.locator("#said")).to_contain_text("Ben leaves; a bot takes over.")
    expect(watcher.page.locator("#lane-2 .stand-in")).to_be_visible()
    assert not watcher.page.get_by_role("button", name="Take your seat again").count()
    # The way back is on the start page too: one tap.
    ben.open("/").page.get_by_role("button", name="Take your seat again").click()
    expect(ben.page.locator("main[data-me='2']")).to_be_attached()
    expect(watcher.page.locator(".story")).to_contain_text("Ben is back and takes over from the bot.")
    assert anna.get(f"/tables/{table}")["seats"][1]["name"] == "Ben"


# Lets a test move the server's clock forward: the seconds are in a file.
CLOCK = """
import time, types
from pathlib import Path
from starfrost.table import scheduler
ahead = Path({path!r})
scheduler.time = types.SimpleNamespace(**vars(time) | {{"time": lambda: time.time() + float(ahead.read_text())}})
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Give a server where every wait would be a minute, and the file that moves its clock forward."""
    ahead = tmp_path_factory.mktemp("slow") / "ahead"
    ahead.write_text("0")
    with serving(ahead.parent, before=CLOCK.format(path=str(ahead)), STARFROST_BOT_PACE="60") as site:
        yield site, ahead


def test_a_time_out_is_explained_and_one_tap_leads_back(player: MakePlayer, slow: tuple[str, Path]) -> None:
    site, ahead = slow
    ben = player(cookies={"pace": "instant"})
    ben.site = site
    ben, anna, table = gather(lambda: ben, site, clock="30s", key="clock")
    watcher = player().page
    watcher.goto(f"{site}/t/{table}")
    # Anna, whose turn it is, does nothing, and then Ben does nothing: the table waits for one of them.
    ahead.write_text("31")
    expect(watcher.locator(".log")).to_contain_text("Anna ran out of time; a bot takes over.")
    expect(ben.page.locator(".news")).to_contain_text("Your time ran out, so a bot plays for you.")
    expect(ben.page.locator(".news")).to_contain_text("The game waits until somebody comes back.")
    expect(watcher.locator(".story")).to_contain_text("Ben ran out of time; a bot takes over.")
    ahead.write_text("0")
    version = anna.get(f"/tables/{table}")["version"]
    assert anna.get(f"/tables/{table}")["paused"]
    ben.page.get_by_role("button", name="Take your seat again").click()
    assert ben.my_turn()
    expect(ben.page.locator(".clock")).to_be_visible()
    assert anna.get(f"/tables/{table}")["version"] > version
    # The same for Anna, over the JSON interface.
    back = anna.post(f"/tables/{table}/join", version=version, key="back", seat=1)["event"]
    assert (back["back"], back["name"]) == (True, "Anna")


def test_the_plain_address_of_a_private_table_offers_only_what_it_gives(player: MakePlayer) -> None:
    host = player().setup("dice-stars", who="friends", seats=3)
    link = host.page.locator("[data-copy]").get_attribute("data-copy") or ""
    stranger = player().open(f"/t/{host.table}")
    expect(stranger.page.locator("#welcome")).to_contain_text("you need the invitation link")
    assert not stranger.page.locator("form[action$='/join']").count()
    guest = player()
    guest.page.goto(link)
    expect(guest.page.locator("#welcome")).to_contain_text("invites you to a game of")
    # The invitation is not lost when the page is refreshed in the background.
    host.page.get_by_role("button", name="Add a bot").last.click()
    expect(guest.page.locator(".seats li.free")).to_have_count(1)
    guest.page.locator("form[action$='/join'] button").click()
    expect(guest.page.locator("main[data-status=running]")).to_be_attached()
    # Who came without the invitation may watch.
    expect(stranger.page.get_by_text("You are watching")).to_be_visible()


def test_watchers_see_reactions_and_are_counted(player: MakePlayer, site: str) -> None:
    ben, anna, table = gather(player, site, key="watch")
    expect(ben.page.locator("[data-watchers]")).to_be_hidden()
    watcher = player().open(f"/t/{table}")
    expect(ben.page.locator(".watchers")).to_have_text("Watching: 1")
    # Nobody counts themselves.
    expect(watcher.page.locator(".watchers")).to_be_hidden()
    anna.http.post(f"/api/tables/{table}/reactions", json={"reaction": "wow"}).raise_for_status()
    for one in (ben, watcher):
        expect(one.page.locator("#said")).to_have_text("Anna: 😮 Wow!")
    watcher.page.context.close()
    expect(ben.page.locator(".watchers")).to_be_hidden()


def test_a_seat_is_offered_to_others_as_soon_as_it_is_free(player: MakePlayer, site: str) -> None:
    ben, anna, table = gather(player, site, key="free")
    watcher = player().open(f"/t/{table}")
    leave(ben)
    # The seat is kept for Ben for five minutes; the watcher's clock says that they are over.
    expect(watcher.page.locator("#lane-2 .stand-in")).to_be_visible()
    expect(watcher.page.locator("#take-over")).to_be_hidden()
    seat = anna.get(f"/tables/{table}")["seats"][1]
    assert (seat["takeable"], anna.get(f"/tables/{table}")["public"]) == (False, True)
    watcher.page.clock.install()
    watcher.page.reload()
    expect(watcher.page.locator("#take-over")).to_be_hidden()
    watcher.page.clock.fast_forward(301_000)
    expect(watcher.page.locator("#take-over")).to_be_visible()


def test_an_invitation_is_not_lost_at_a_table_that_plays(site: str) -> None:
    anna = Guest(site, "Anna")
    table = anna.open(seats=("open", "open"), public=False, key="kept")
    anna.join(table, 1)
    view = anna.get(f"/tables/{table}")
    ben = Guest(site, "Ben")
    ben.post(f"/tables/{table}/join", version=2, key="j", invitation=view["invitation"])
    ben.post(f"/tables/{table}/leave", version=3, key="l", seat=2)
    # Ben's seat is still kept for him; whoever comes by the link may have it later.
    page = httpx.get(f"{site}/i/{view['invitation']}")
    assert page.status_code == 200
    assert f'data-invitation="{view["invitation"]}"' in page.text
    assert "data-from=" in page.text
    scene = httpx.get(f"{site}/t/{table}/scene?after=0&version=1&invitation={view['invitation']}")
    assert f'name="invitation" value="{view["invitation"]}"' in scene.text
    # Who plays there is sent to the table.
    assert anna.http.get(f"/i/{view['invitation']}").headers["location"] == f"/t/{table}"


def test_whoever_was_away_at_the_end_asks_for_a_rematch(player: MakePlayer, site: str) -> None:
    goal = {"mode": "glacial", "goal": "5"}
    ben, anna, table = gather(player, site, options=goal, key="away")
    leave(ben)
    eventually(lambda: anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over")
    expect(ben.page.locator(".won")).to_be_visible()
    ben.page.locator("#rematch").click()
    ben.page.locator("main[data-status=waiting]").wait_for()
    rematch = ben.table
    # A kept seat that nobody takes can be given to a bot.
    expect(ben.page.locator(".seats")).to_contain_text("kept for Anna")
    ben.page.get_by_role("button", name="Add a bot").click()
    expect(ben.page.locator("main[data-status=running]")).to_be_attached()
    assert rematch == ben.table


def test_at_once_means_no_wait_on_the_server_and_none_on_the_page(player: MakePlayer, slow: tuple[str, Path]) -> None:
    one = player(pace="instant")
    one.site = slow[0]
    for game in ("dicy-cards", "dice-stars"):
        one.setup(game, bots=3)
        one.my_turn()
        # The page notes every scene that it would let stand.
        one.main.evaluate(
            "main => new MutationObserver(() => { if ('more' in main.dataset) document.body.dataset.stood = 'yes'; })"
            ".observe(main, { attributes: true })"
        )
        step = one.step
        while one.page.locator(f"main[data-turn][data-step='{step}']").count() or one.step < step + 8:
            one.my_turn()
            one.tap()
        one.my_turn()
        assert not one.page.locator("body").get_attribute("data-stood")


def test_a_friend_chooses_the_seat_that_begins_and_stands_up_again(player: MakePlayer) -> None:
    host = player().setup("dice-stars", who="friends", seats=3, **{"begins-friends": 2})
    link = host.page.locator("[data-copy]").get_attribute("data-copy") or ""
    guest = player()
    guest.page.goto(link)
    guest.page.locator("[name=at]").select_option("2")
    guest.page.get_by_role("button", name="Take a seat").click()
    expect(guest.page.locator(".seats li:nth-child(2)")).to_contain_text("you")
    expect(guest.page.locator(".seats li:nth-child(1)")).to_contain_text("begins")
    # Whoever stands up keeps the invitation.
    guest.page.get_by_role("button", name="Stand up").click()
    guest.page.get_by_role("button", name="Take a seat").click()
    expect(guest.page.locator(".seats li:nth-child(1)")).to_contain_text("you")
