"""Play without a network: everything is downloaded once; then there is no network, no room, a newer release."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
from playwright.sync_api import BrowserContext, Frame, Page, expect

from starfrost.web.pages.puzzles import sets
from starfrost.web.pages.replays import pack
from starfrost.words import LANGUAGES
from tests.games.records import RECORDS
from tests.waiting import eventually
from tests.web.player import Player
from tests.web.test_learn import do, walk
from tests.web.test_puzzles import some

START = 120_000
"""Milliseconds that Python may take to start on a busy machine."""


class Here:
    """One person in a browser that has downloaded everything. Python starts once for all that they do."""

    def __init__(self, context: BrowserContext, site: str) -> None:
        self.context, self.site = context, site
        self.page: Page = context.new_page()

    @property
    def frame(self) -> Frame:
        """The frame with the pages of the device."""
        self.page.locator("#pages").wait_for(timeout=START)
        (frame,) = self.page.main_frame.child_frames
        return frame

    @property
    def player(self) -> Player:
        return Player(self.frame, self.site)  # type: ignore[arg-type]

    def download(self, path: str = "/here") -> None:
        self.page.goto(self.site + path)
        self.page.locator("#here-get").click()
        self.shows("#play-dicy-cards")

    def shows(self, what: str) -> None:
        """Wait until a page of the device shows something, after Python has started."""
        expect(self.page.frame_locator("#pages").locator(what)).to_be_visible(timeout=START)


# The connection costs nothing. The server has a newer release as soon as the page that plays here looks for one.
SETTING = """
Object.defineProperty(navigator, "connection", { value: { type: "wifi" } });
const real = window.fetch;
window.fetch = async (address, options) => {
  const answer = await real(address, options);
  if (options?.cache !== "no-store" || location.pathname !== "/here") return answer;
  const html = (await answer.text()).replace(/(release&#34;: &#34;)\\w+/, "$1newer");
  return new Response(html, { headers: { "Content-Type": "text/html" } });
};
"""
KEPT = """async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith("starfrost-here-"));
  const whole = async (name) => Boolean(await (await caches.open(name)).match("/here", { ignoreVary: true }));
  return [names.length, (await Promise.all(names.map(whole))).filter(Boolean).length, names.at(-1)];
}"""
STYLED = "() => Promise.all([...document.styleSheets].map(async ({ href }) => Boolean(await caches.match(href))))"


def bad_store(here: Here) -> None:
    """Go on while the browser clears its store and while it has no room: no move is lost, and the page says what is."""
    wire, one = here.context.new_cdp_session(here.page), here.player
    wire.send("Storage.clearDataForOrigin", {"origin": here.site, "storageTypes": "indexeddb"})
    assert one.my_turn()
    one.tap()
    assert one.my_turn()
    (python,) = here.page.workers
    python.evaluate("() => { self.put = IDBObjectStore.prototype.put; }")
    python.evaluate(
        "() => { IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') } }"
    )
    step = one.step
    one.choose()
    one.button.click()
    expect(one.page.locator("#line")).to_contain_text("perhaps it has no room left")
    assert one.step == step
    python.evaluate("() => { IDBObjectStore.prototype.put = self.put; }")


def lesson_and_puzzles(here: Here) -> None:
    """Take a chapter and answer ten puzzles."""
    walk(here.player.open("/learn/dicy-cards/1/1").page, "dicy-cards", "aim")
    for puzzle in (some(kit, number) for kit in sets().values() for number in range(3, 8)):
        page = here.player.open(f"/puzzles/{puzzle.id}").page
        do(page, str(puzzle.answer))
        expect(page.locator(".verdict")).to_contain_text("Right!")


def finished(here: Here) -> list[str]:
    """Return what the person's history on the server says of their games."""
    here.page.goto(f"{here.site}/me/games")
    return here.page.locator("main .list li, main tbody tr").all_inner_texts()


# A form's key is new every time, and only a server has a coach.
PASSING = re.compile(
    r'name="key" value="\w+"|<section class="panel pad judged".*?</section>|<p class="spot">.*?</p>', re.DOTALL
)


def scenes_are_those_of_the_server(here: Here) -> None:
    """Compare scenes of recorded games, drawn by Python in the browser and on the server, in every language."""
    for name in ("game-00", "game-01"):
        record = pack((RECORDS / f"{name}.sfr").read_text(encoding="utf-8"))
        for place, language in enumerate(LANGUAGES):
            path = f"/replay?record={record}&step={7 + 9 * place}&lang={language}"
            own = here.frame.evaluate("path => fetch(path, {headers: {'X-Fragment': 1}}).then(one => one.text())", path)
            theirs = httpx.get(here.site + path, headers={"X-Fragment": "1", "Accept": "text/html"}).text
            assert "<main" in own
            assert PASSING.sub("", own) == PASSING.sub("", theirs), path


def test_without_a_network(context: Callable[..., BrowserContext], site: str) -> None:
    person = context(service_workers="allow", errors=False)
    faults: list[str] = []
    person.on("weberror", lambda error: faults.append(str(error.error)))
    person.add_init_script(SETTING)
    here = Here(person, site)
    here.page.goto(site)
    eventually(lambda: here.page.evaluate(KEPT)[:2] == [1, 1])
    here.page.goto(f"{site}/here")
    scenes_are_those_of_the_server(here)
    one = here.player.setup("dicy-cards", goal=30, bot="planner")
    assert one.my_turn()
    one.tap()
    bad_store(here)
    # A newer release arrives in the middle of the game, whose pages keep their files until the next start.
    eventually(lambda: here.page.evaluate(KEPT) == [2, 1, "starfrost-here-newer"])
    assert all(one.page.evaluate(STYLED))
    table, step = one.table, one.step
    # The installed app starts at the start page, which leads to the pages of the device; a game goes on there.
    person.set_offline(True)
    here.page.goto(site)
    expect(here.page).to_have_url(f"{site}/here#/")
    one = here.player.open(f"/t/{table}")
    one.my_turn()
    assert one.step >= step
    assert here.page.evaluate(KEPT) == [1, 1, "starfrost-here-newer"]
    one.play_quickly()
    expect(one.page.locator(".podium .rank")).to_have_count(2)
    one.setup("dice-stars", bot="planner").play_quickly()
    # Three people pass the device on.
    three = here.player.open("/new/dicy-cards")
    form = three.page.locator("form.setup")
    form.locator("[name=who][value=device]").check()
    form.locator("[name=goal]").fill("20")
    for number, name in enumerate(("Anna", "Ben", "Cleo"), start=1):
        form.locator(f"[name=name{number}]").fill(name)
    form.locator(".go-for:visible").click()
    three.page.locator("main:not([data-me=''])").wait_for()
    assert three.play_on() > 5
    expect(three.page.locator(".podium .rank")).to_have_count(3)
    lesson_and_puzzles(here)
    # What a server alone can do says so; the rest is here.
    for path, there in (
        ("/daily", "This needs the server"),
        ("/me", "This needs the server"),
        ("/rules/dice-stars", "Dice Stars"),
        ("/puzzles", "Puzzles"),
    ):
        three.open(path)
        expect(three.main).to_contain_text(there)
    assert not faults, faults
    # With the network the games are in the history; none of them counts for the level.
    person.set_offline(False)
    here.page.goto(site)
    eventually(lambda: len(finished(here)) == 3)
    told = finished(here)
    assert sum("played on your device" in line for line in told) == 3, told
    # Whoever comes back to an empty store is told so.
    wire = person.new_cdp_session(here.page)
    wire.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "indexeddb"})
    here.page.goto(f"{site}/here")
    expect(here.page.locator("#here-says")).to_contain_text("has deleted the games", timeout=START)
    here.page.locator("#here-on").click()
    here.shows("#play-dicy-cards")


def test_a_site_without_a_server(context: Callable[..., BrowserContext], tmp_path: Path) -> None:
    folder = tmp_path / "some" / "place"
    told = subprocess.run([sys.executable, "-m", "starfrost", "site", folder], capture_output=True, check=True)
    assert str(folder).encode() in told.stdout
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = Here(context(service_workers="allow", errors=False), f"http://127.0.0.1:{server.server_port}/some/place")
        here.download("/")
        one = here.player.setup("dicy-cards", goal=20)
        one.play_quickly()
        one.page.locator(".won a[href*='/after/']").first.click()
        expect(one.main).to_contain_text("Your device rolled these dice itself")
        one.open("/learn/dice-stars").page.locator("main a[href*='/learn/dice-stars/1']").first.click()
        expect(one.page.locator("main[data-lesson]")).to_be_visible()
        one.open("/puzzles").page.locator("main a[href*='/puzzles/']").first.click()
        expect(one.page.locator("form.play")).to_be_visible()
        expect(here.page).to_have_url(re.compile(r"/some/place/#/puzzles/"))
        server.shutdown()
    # The web space is gone; everything is here.
    here.page.reload()
    here.shows("form.play")
