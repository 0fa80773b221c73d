"""Several browsers at one table: invitations, moves that arrive by themselves, lost connections, reloads."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.web.player import Player, react

MakePlayer = Callable[..., Player]


def invite(host: Player) -> str:
    return host.page.locator(".link input").input_value()


def sit(guest: Player, link: str, name: str) -> None:
    guest.page.goto(link)
    guest.page.locator("form[action$='/join'] [name=name]").fill(name)
    guest.page.locator("form[action$='/join'] button").click()
    guest.page.locator("main:not([data-me=''])").wait_for()


def gather(player: MakePlayer, game: str, names: list[str], *, goal: int = 100, errors: bool = True) -> list[Player]:
    host = player(errors=errors).setup(game, who="friends", seats=len(names) + 1, goal=goal)
    host.page.locator(".qr svg").wait_for()
    people = [host]
    for name in names:
        guest = player(errors=errors)
        sit(guest, invite(host), name)
        people.append(guest)
    return people


def acting(people: list[Player]) -> Player | None:
    """Wait until somebody's page asks for a move; None once every page shows the result."""
    for _ in range(600):
        for one in people:
            if one.page.locator("main[data-turn]:not([data-more])").count():
                return one
        if all(one.status == "over" for one in people):
            return None
        people[0].page.wait_for_timeout(50)
    raise AssertionError("nobody is asked")


def test_two_browsers_play_a_game_to_its_result(player: MakePlayer) -> None:
    people = gather(player, "dicy-cards", ["Ben"], goal=20)
    host, ben = people
    expect(host.page.locator("#lane-2 .who b")).to_contain_text("Ben")
    for _ in range(200):
        one = acting(people)
        if one is None:
            break
        one.tap()
    for one in people:
        expect(one.page.locator(".podium .rank")).to_have_count(2)
    # A rematch takes both to the next table, without an invitation.
    host.page.locator("#rematch").click()
    host.page.locator("main[data-status=waiting]").wait_for()
    ben.page.get_by_text("Join the rematch").click()
    ben.page.locator("main[data-status=running]").wait_for()
    host.page.locator("main[data-status=running]").wait_for()
    assert host.table == ben.table


def play_turn(people: list[Player], one: Player) -> None:
    """Let one person play until somebody else is asked."""
    for _ in range(6):
        if acting(people) is not one:
            return
        one.tap()
    raise AssertionError("the turn does not end")


def play_until_ben(one: Player) -> None:
    """Let one person play until the table waits for Ben, who is away."""
    for _ in range(6):
        one.my_turn()
        one.tap()
        one.page.wait_for_timeout(300)
        if one.main.get_attribute("data-title") == "Ben is playing":
            return
    raise AssertionError("the turn does not end")


def test_four_browsers_one_offline_and_one_reloading(player: MakePlayer) -> None:
    host, ben, cleo, dirk = people = gather(player, "dice-stars", ["Ben", "Cleo", "Dirk"], errors=False)
    assert len({one.table for one in people}) == 1
    play_turn(people, host)
    play_turn(people, ben)
    ben.page.context.set_offline(True)
    assert acting(people) is cleo
    cleo.tap()
    # Reloading in the middle of a turn shows the same question again.
    version = cleo.main.get_attribute("data-version")
    cleo.page.reload()
    assert cleo.my_turn()
    assert cleo.main.get_attribute("data-version") == version
    play_turn([host, cleo, dirk], cleo)
    play_turn([host, cleo, dirk], dirk)
    play_until_ben(host)
    assert not ben.page.locator("main[data-turn]").count()
    expect(ben.page.locator("#line")).to_be_visible()
    # Whoever was away catches up without a reload.
    ben.page.context.set_offline(False)
    expect(ben.page.locator("main[data-turn]:not([data-more])")).to_be_attached()
    expect(ben.page.locator("#line")).to_be_hidden()
    play_turn(people, ben)
    assert acting(people) is cleo


def test_presence_and_reactions_reach_the_others(player: MakePlayer) -> None:
    host, ben = gather(player, "dicy-cards", ["Ben"], goal=20)
    expect(host.page.locator("#lane-2 .dot:not(.off)")).to_be_visible()
    react(ben.page, "clap")
    expect(host.page.locator(".cheer")).to_have_text("👏Well played!")
    ben.page.context.close()
    expect(host.page.locator("#lane-2 .dot.off")).to_be_visible()


def test_a_watcher_sees_moves_but_no_buttons(player: MakePlayer) -> None:
    host = player().quick("dicy-cards")
    host.my_turn()
    watcher = player().open(f"/t/{host.table}")
    expect(watcher.page.get_by_text("You are watching")).to_be_visible()
    assert not watcher.page.locator(".bar .btn").count()
    host.tap()
    expect(watcher.page.locator(".dice .die.fresh, .dice .die")).to_have_count(6)
    expect(watcher.page.locator(".story")).to_contain_text("rolls")


def test_whoever_leaves_can_come_back(player: MakePlayer) -> None:
    host, ben = gather(player, "dicy-cards", ["Ben"])
    host.my_turn()
    host.tap()
    host.page.locator("details.leave summary").click()
    host.page.get_by_role("button", name="Leave the table").click()
    host.page.get_by_role("button", name="Take your seat again").click()
    expect(host.page.locator("main[data-me='1']")).to_be_attached()
    # The bot may have finished the turn meanwhile; the game goes on with both of them.
    assert acting([host, ben]) is not None


def test_a_clock_runs_where_one_is_set(player: MakePlayer) -> None:
    host = player().open("/new/dicy-cards?who=friends")
    host.page.locator("[type=checkbox][name=room]").uncheck()
    host.page.locator("[name=clock]").select_option("2min")
    host.page.locator(".go-for:visible").click()
    host.page.locator(".qr").wait_for()
    sit(player(), invite(host), "Ben")
    expect(host.page.locator(".clock")).to_have_text(re.compile(r"^(2:00|1:\d\d)$"))


def test_bots_fill_the_waiting_room(player: MakePlayer) -> None:
    host = player().setup("dice-stars", who="friends", seats=3)
    expect(host.page.get_by_label("How strong?")).to_have_count(2)
    host.page.get_by_label("How strong?").first.select_option("strong")
    for left in (2, 1):
        expect(host.page.get_by_role("button", name="Add a bot")).to_have_count(left)
        host.page.get_by_role("button", name="Add a bot").first.click()
    assert host.my_turn()
    expect(host.page.locator(".lane .who b")).to_have_text([re.compile("You"), "Strong bot", "Quick bot"])


def test_only_bots_that_play_at_so_large_a_table_are_offered(player: MakePlayer) -> None:
    for seats, strongest in ((2, "Perfect bot"), (3, "Master bot")):
        host = player().setup("dicy-cards", who="friends", seats=seats)
        offered = host.page.get_by_label("How strong?").first.locator("option")
        expect(offered).to_have_text(["Easy bot", "Quick bot", "Clever bot", strongest])


def test_an_open_table_is_found_on_the_start_page(player: MakePlayer) -> None:
    host = player().open("/new/dicy-cards?who=friends")
    host.page.locator("[name=public]").check()
    host.page.locator(".go-for:visible").click()
    host.page.locator(".qr").wait_for()
    guest = player().open("/")
    guest.page.locator(f"a[href='/t/{host.table}']").click()
    guest.page.locator("form[action$='/join'] button").click()
    host.page.locator("main[data-status=running]").wait_for()
    # The table is now among the games of both.
    expect(guest.open("/").page.locator(f"section[aria-labelledby=mine] a[href='/t/{host.table}']")).to_be_visible()


def test_moves_of_others_are_shown_one_after_the_other(player: MakePlayer) -> None:
    one = player(pace="brisk").quick("dice-stars")
    one.my_turn()
    # The page itself notes every scene that it shows.
    one.main.evaluate(
        "main => new MutationObserver(() => { main.ownerDocument.body.dataset.seen += ' ' + main.dataset.step; })"
        ".observe(main, { attributes: true, attributeFilter: ['data-step'] })"
    )
    one.tap()
    one.my_turn()
    one.tap()
    one.my_turn()
    seen = [int(step) for step in (one.page.locator("body").get_attribute("data-seen") or "").split()[1:]]
    # A draw with its dice, a take; the bot's draw with its dice, its take: nobody skips over one of them.
    assert seen[:4] == [2, 3, 5, 6], seen
