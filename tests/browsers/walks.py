"""The main walks in Firefox and WebKit: a game of each kind, a lesson, two people online, a site without a server.

`make browsers` runs them; `make test` needs neither browser.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from starfrost.boards import board_of
from starfrost.here.site import write_site
from tests.browsers.drivers import BROWSERS, PATIENCE, Browser, Failed
from tests.waiting import eventually
from tests.web.conftest import serving

# What a person would click next: a card or dice where nothing is chosen yet, then the button that plays it.
NEXT = """
  const seen = (one) => one.checkVisibility() && !one.disabled && one.getAttribute("aria-disabled") !== "true";
  const form = document.querySelector("main[data-turn]:not([data-more]) form.play:not([aria-busy])");
  if (!form) return null;
  const label = (input) =>
    [input.closest("label"), ...(input.labels ?? []), input].find((one) => one?.checkVisibility());
  const points = (input) => {
    const card = input.closest(".card");
    return card ? Number(card.querySelector(".pts").textContent) || -1 : 0;
  };
  const choices = [...form.querySelectorAll("[name=card], [name=take]")]
    .filter((input) => !input.disabled && label(input));
  const need = [...form.querySelectorAll(".bar [data-need]")].find((one) => one.checkVisibility());
  const rows = [...form.querySelectorAll("[name=row]")].filter((input) => !input.disabled);
  const go = [".bar .go:not([type=button])", ".bar .one-of"]
    .map((kind) => [...form.querySelectorAll(kind)].filter(seen).at(-1)).find(Boolean);
  let found = go;
  if (choices.length && !choices.some((input) => input.checked) && !(go && go.value === "roll"))
    found = label(choices.reduce((best, one) => (points(one) > points(best) ? one : best)));
  else if (need && rows.filter((input) => input.checked).length < Number(need.dataset.need))
    found = label(rows.find((input) => !input.checked));
  found?.scrollIntoView({ block: "center" });
  return found ?? null;
"""
CARD = """
  const card = document.querySelector(`[name=card][value="${arguments[0]}"]:not(:checked)`);
  return card && (card.closest("label") ?? card);
"""
STATE = "const main = document.querySelector('main'); return main && { ...main.dataset }"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("site")) as address:
        yield address


@pytest.fixture(params=list(BROWSERS))
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def play(people: list[Browser]) -> int:
    """Play for everybody by clicks until all pages show the result; return how many clicks that took."""
    clicks, end = 0, time.monotonic() + PATIENCE
    while not all(one.count(".won") for one in people):
        for one in people:
            if one.press(NEXT):
                clicks, end = clicks + 1, time.monotonic() + PATIENCE
        assert time.monotonic() < end, [one.run(STATE) for one in people]
        time.sleep(0.02)
    return clicks


def quick(browser: Browser, site: str) -> None:
    """Open the start page with bots that move at once."""
    browser.go(site)
    browser.cookie("sf-pace", "instant")
    browser.go(site)


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_game_against_a_bot(kind: str, site: str, tmp_path: Path, game: str) -> None:
    with BROWSERS[kind](tmp_path / "one") as browser:
        quick(browser, site)
        browser.click(f"[data-game={game}] .ways a[href='/new/{game}']")
        browser.wait("form.setup")
        if game == "dicy-cards":
            browser.fill("[name=goal]", "60")
        browser.click(".go-for")
        browser.wait("main[data-status=running]")
        assert play([browser]) > 3
        assert browser.count(".podium .rank") == 2


def test_a_lesson(kind: str, site: str, tmp_path: Path) -> None:
    lesson = board_of("dicy-cards").lesson
    assert lesson is not None
    chapter = lesson.chapters[0]
    with BROWSERS[kind](tmp_path / "one") as browser:
        browser.go(site)
        browser.click("#learn-dicy-cards")
        for number, step in enumerate(chapter.steps, 1):
            browser.wait(f"main[data-address$='/1/{number}']")
            assert (step.do or step.say) in browser.text(".teacher")
            verb, *rest = step.action.split()[:2] if step.action else ("", "")
            button = f".bar [value='{verb}']" if verb else "#go"
            # A button that has just changed its meaning takes no clicks for a moment.
            while browser.run("return document.querySelector('main').dataset.address").endswith(f"/1/{number}"):
                if rest:
                    browser.press(CARD, rest[0])
                if browser.count(button):
                    browser.click(button)
                time.sleep(0.3)
        browser.wait(f"main[data-address$='/1/{len(chapter.steps) + 1}']")
        assert chapter.end in browser.text(".teacher")


def test_two_people_online(kind: str, site: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        host, guest = (stack.enter_context(BROWSERS[kind](tmp_path / name)) for name in ("host", "guest"))
        for one in (host, guest):
            quick(one, site)
        host.go(f"{site}/new/dicy-cards?who=friends")
        host.fill("[name=goal]", "20")
        host.click(".go-for-friends")
        host.wait(".invite .link input")
        host.wait("main[data-me='1']")
        guest.go(host.run("return document.querySelector('.invite .link input').value"))
        guest.fill("form[action$='/come'] [name=name]", "Ben")
        guest.click("form[action$='/come'] .go")
        guest.wait("main[data-status=running][data-me='2']")
        # The game begins by itself on the page of the host, who also sees the reaction of the guest.
        host.wait("main[data-status=running]")
        guest.click(".cheering")
        guest.click("[data-reaction=clap]")
        host.wait(".cheer")
        play([host, guest])
        assert host.text(".podium") == guest.text(".podium")


@contextmanager
def web_space(folder: Path) -> Iterator[str]:
    """Serve a site without a server from a folder of a web space; yield its address."""
    write_site(folder / "some" / "place", "en")
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/some/place/"
        server.shutdown()


class Inside(Browser):
    """The pages in the frame of a browser. Scripts click, because drivers lose a frame that leads to another page."""

    FRAME = """
      const inside = document.getElementById("pages").contentWindow, values = [...arguments];
      if (!inside.document.querySelector("main")) throw new Error("no page");
      return ((document, location) => (function () { %s }).apply(null, values))(inside.document, inside.location);
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def run(self, script: str, *values: Any) -> Any:
        return self._browser.run(self.FRAME.replace("%s", script), *values)

    def press(self, script: str, *values: Any) -> bool:
        with suppress(Failed):
            found = f"const found = (function () {{ {script} }}).apply(null, arguments);"
            return bool(self.run(f"{found} found?.click(); return Boolean(found);", *values))
        return False

    def click(self, selector: str) -> None:
        find = "return [...document.querySelectorAll(arguments[0])].find((one) => one.checkVisibility());"
        eventually(lambda: self.press(find, selector))


def test_a_site_without_a_server(kind: str, tmp_path: Path) -> None:
    with BROWSERS[kind](tmp_path / "one") as browser:
        inside = Inside(browser)
        with web_space(tmp_path / "space") as address:
            browser.go(address)
            browser.click("#here-get")
            inside.click("[data-game=dicy-cards] .ways a[href$='/new/dicy-cards']")
            inside.wait("form.setup")
            inside.fill("[name=goal]", "20")
            inside.click(".go-for")
            inside.wait("main[data-status=running]")
            assert play([inside]) > 1
        # The web space is gone; what has been downloaded and played is here.
        browser.run("location.reload()")
        inside.wait(".podium .rank")
        inside.run("location.href = arguments[0]", f"{address}puzzles")
        inside.click("main a[href*='/puzzles/']")
        inside.wait("form.play")
