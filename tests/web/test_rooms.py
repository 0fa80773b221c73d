"""Rooms in browsers: a link that stays, late friends, offers that everybody sees, and what strangers cannot do."""

import itertools
import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from starfrost.words import Words
from tests.serving import Player as Program
from tests.waiting import eventually
from tests.web.conftest import DESK
from tests.web.player import Player, react
from tests.web.test_access import serious

MakePlayer = Callable[..., Player]
NARROW = {"width": 320, "height": 568}


def program(one: Player) -> Program:
    """Return the guest of a browser as a program, to play on without taps."""
    found = Program.__new__(Program)
    token = next(cookie["value"] for cookie in one.page.context.cookies() if cookie["name"] == "starfrost_guest")
    found.http = httpx.Client(base_url=one.site, timeout=30, headers={"authorization": f"Bearer {token}"})
    return found


def play_out(table: str, people: list[Player]) -> None:
    programs = [program(one) for one in people]

    def over() -> bool:
        for one in programs:
            one.move(table)
        return bool(programs[0].get(f"/tables/{table}")["status"] == "over")

    eventually(over)


def come(one: Player, link: str, name: str) -> None:
    one.page.goto(link)
    one.page.locator("[name=name]").fill(name)
    one.page.locator("form[action$='/come'] button").click()
    one.page.locator("main[data-table]").wait_for()


def fits(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= page.evaluate("innerWidth"), page.url


def test_a_room_keeps_a_group_together(player: MakePlayer) -> None:
    """Four people in four languages: one without scripts, one late, one whose browser is closed."""
    words = {language: Words(language) for language in ("de", "nl", "es")}
    anna = player(viewport=DESK).open("/me/identity")
    anna.page.locator("[name=name]").fill("Anna")
    anna.press("Enter")
    anna.page.locator("#other-head").wait_for()
    anna.setup("dicy-cards", who="friends", seats=3, goal=5, room=True)
    link = anna.page.locator(".link input").input_value()
    code = link.rpartition("/")[2]
    expect(anna.page.locator(".say")).to_have_text(code)
    expect(anna.page.locator("#terms")).to_contain_text("to 5 points")
    ben, cleo, dora = (
        player(locale="de", viewport=NARROW),
        player(locale="nl", java_script_enabled=False),
        player(locale="es", color_scheme="dark"),
    )
    ben.page.goto(link)
    expect(ben.page.locator("main")).to_contain_text(words["de"]("A seat is free for you."))
    fits(ben.page)
    come(ben, link, "Ben")
    come(cleo, link, "Cleo")
    anna.page.locator("main[data-status=running]").wait_for()
    first = anna.table
    # Whoever is late is told so, may react, and plays in the next game.
    come(dora, link, "Dora")
    told = f"{words['es']('The table is full: you are watching.')} {words['es']('You play in the next game.')}"
    expect(dora.page.locator("#watching")).to_have_text(told)
    react(dora.page, "clap")
    expect(anna.page.locator(".cheer")).to_contain_text("Well played!")
    expect(anna.page.locator("#said")).to_contain_text("Dora")
    play_out(first, [anna, ben, cleo])
    # A page without scripts has stopped to look by itself.
    expect(cleo.page.locator("main[data-status=over]")).to_be_attached()
    # The offer is seen by name, also by somebody who has put the result aside.
    ben.page.locator(".close").click()
    anna.page.locator("#rematch").click()
    anna.page.locator(f"main:not([data-table='{first}'])").wait_for()
    # Anna was the first, and makes room for Dora, who has waited longest.
    expect(anna.page.locator("#welcome")).to_contain_text("you play in the next game")
    offer = words["de"]("%(name)s wants to play again", name="Anna")
    expect(ben.page.locator("#offered")).to_contain_text(offer)
    expect(ben.page.locator("#said")).to_have_text(offer)
    dora.page.locator("#to-rematch").click()
    expect(dora.page.locator("main:not([data-me=''])")).to_be_attached()
    ben.page.context.close()
    cleo.page.reload()
    cleo.page.locator("#to-rematch").click()
    second = dora.table
    assert cleo.page.url.endswith(second)
    # The room: who is there, the standings, and the way back, also without scripts.
    anna.page.goto(link)
    row = anna.page.locator("section[aria-labelledby=standings] tbody").first.locator("tr")
    expect(row).to_have_count(3)
    expect(row.locator("td:nth-child(2)")).to_have_text(["1", "1", "1"])
    expect(anna.page.locator(".duels tr")).to_have_count(3)
    assert not serious(anna.page)
    cleo.page.goto(f"{cleo.site}/")
    cleo.page.locator(f"a[href='/r/{code}']").click()
    expect(cleo.page.locator("#to-table")).to_be_visible()
    dora.page.goto(link)
    dora.page.set_viewport_size(NARROW)
    fits(dora.page)
    assert not serious(dora.page)
    # By keyboard: the host's page, a new name, and the next evening from the start page.
    anna.page.locator("#to-host").focus()
    anna.press("Enter")
    anna.page.locator("input[name=name]").fill("Friday night")
    anna.press("Enter")
    expect(anna.page.locator("h1")).to_have_text("Friday night")
    assert not serious(anna.page)
    expect(player().open(f"/r/{code.replace('-', ' ').upper()}").page.locator("h1")).to_have_text("Friday night")


def test_two_people_at_one_device_and_one_person_at_two(player: MakePlayer) -> None:
    anna = player().setup("dice-stars", who="friends", seats=3, room=True)
    link = anna.page.locator(".link input").input_value()
    anna.page.locator("#second summary").click()
    anna.page.locator("#second [name=name]").fill("Bea")
    anna.page.locator("#second button").click()
    expect(anna.page.locator(".seats")).to_contain_text("Bea")
    ben = player()
    come(ben, link, "Ben")
    anna.page.locator("main[data-status=running]").wait_for()
    # The same person in another browser: a link or a QR code of the table brings the seat along.
    ben.page.locator("#carry").click()
    other = player()
    other.page.goto(ben.page.locator("#made a").get_attribute("href") or "")
    other.page.get_by_role("button", name="Play as Ben").click()
    expect(other.page.locator("main[data-me='3']")).to_be_attached()
    assert other.table == anna.table
    # Nobody tells themselves that it is their turn, and a newer reaction takes the place of an older one.
    for _ in range(3):
        ben.page.goto(f"{ben.site}/t/{anna.table}")
        react(ben.page, "hurry")
    expect(anna.page.locator(".cheer")).to_have_count(1)
    expect(anna.page.locator("[data-reaction=hurry]")).to_be_hidden()


# What a table shows on a television, and whether all of it lies in the window and can be read from three metres.
PARTS = ".turn-now, .side > *, .board > *, .lane > *, .sheet, .way-in > *"
FITS = f"""() => document.documentElement.scrollHeight <= innerHeight
  && [...document.querySelectorAll("{PARTS}")].every((one) => {{
    const box = one.getBoundingClientRect();
    return !box.width || (box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1);
  }})"""
SIZE = "one => parseFloat(getComputedStyle(one).fontSize)"


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_television_shows_the_play_without_scrolling(player: MakePlayer, game: str) -> None:
    anna = player().setup(game, who="friends", seats=2, room=True)
    link, table = anna.page.locator(".link input").input_value(), anna.table
    screen = player(viewport={"width": 1920, "height": 1080}, pace="brisk")
    # The browser of somebody who belongs to the room shows how to join; what is played it shows as to everybody.
    screen.page.context.add_cookies(
        [cookie for cookie in anna.page.context.cookies() if cookie["name"] == "starfrost_guest"]  # type: ignore[misc]
    )
    screen.open(f"/t/{table}/show")
    expect(screen.page.locator(".way-in .say")).to_have_text(link.rpartition("/")[2])
    ben = player()
    come(ben, link, "Ben")
    screen.page.locator("main[data-status=running]").wait_for()
    program(anna).move(table)
    screen.page.locator("main[data-step]:not([data-step='0'])").wait_for()
    for text in (".lane .who b", ".story p", ".question", ".turn-now b"):
        assert screen.page.locator(text).first.evaluate(SIZE) >= 28, text
    for width, height in ((1920, 1080), (1280, 720)):
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.page.wait_for_function(FITS)
    assert not screen.page.locator("form.play .bar button:visible").count()
    assert screen.main.get_attribute("data-me") == ""


Door = Callable[..., "Visitor"]


@pytest.fixture
def door(site: str) -> Iterator[Door]:
    made: list[Visitor] = []

    def make(name: str = "") -> Visitor:
        made.append(Visitor(site, name))
        return made[-1]

    yield make
    for one in made:
        one.http.close()


class Visitor:
    """A browser without scripts, as fast as its requests."""

    count = itertools.count(1)

    def __init__(self, site: str, name: str) -> None:
        # Attempts are counted by address.
        address = {"x-forwarded-for": f"203.0.113.{next(self.count)}"}
        self.http = httpx.Client(base_url=site, timeout=60, follow_redirects=True, headers=address)
        self.name = name

    def post(self, path: str, **fields: object) -> httpx.Response:
        return self.http.post(path, data={**fields, **({"name": self.name} if self.name else {})})

    def room(self, **fields: object) -> str:
        """Open a room; give the path to it."""
        chosen = {"game": "dicy-cards", "who": "friends", "seats": "2", "room": "new", "goal": "5", **fields}
        return "/r/" + re.findall(r'class="say"[^>]*>([a-z0-9-]+)<', self.post("/play", **chosen).text)[0]


def test_a_host_decides_and_strangers_do_not(door: Door) -> None:
    anna, ben, eve = door("Anna"), door("Ben"), door("Eve")
    room = anna.room()
    assert "Anna" in eve.http.get(room).text
    for path, fields in (("/next", {}), ("/change", {"do": "close"}), ("/leave", {})):
        assert eve.post(room + path, **fields).status_code in (401, 404), path
    assert eve.http.get(f"{room}/host").status_code in (401, 404)
    ben.post(f"{room}/come")
    assert "Friday" not in ben.http.post(f"{room}/change", data={"do": "name", "name": "Friday"}).text
    # Another game, for more people, with a clock: whoever sits there is taken along.
    code = room.rpartition("/")[2]
    page = anna.post("/play", game="dice-stars", who="friends", seats="3", clock="2min", room=code).text
    assert "2 minutes a turn" in page
    assert "Ben" in page
    members = re.findall(r'name="who" value="(\w+)"', anna.http.get(f"{room}/host").text)
    anna.http.post(f"{room}/change", data={"do": "remove", "who": members[0]})
    assert ben.http.get(room).status_code == 404
    anna.http.post(f"{room}/change", data={"do": "close"})
    assert anna.http.get(room).status_code == 200
    closed, unknown = eve.http.get(room), eve.http.get("/r/frost-frost-999")
    # Nobody learns whether a code leads anywhere.
    strip = re.compile(r"[a-z]+-[a-z]+-\d{3}")
    assert closed.status_code == unknown.status_code == 404
    assert strip.sub("", closed.text) == strip.sub("", unknown.text)
    assert eve.post(f"{room}/come").status_code == 404


def test_codes_cannot_be_tried_fast(door: Door) -> None:
    eve = door("Eve")
    answers = [eve.http.get(f"/r/frost-owl-{number}").status_code for number in range(100, 150)]
    assert set(answers) == {404, 429}
    assert answers[-1] == 429
