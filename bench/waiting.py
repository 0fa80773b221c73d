"""How long a person waits for bots: `python -m bench.waiting [--against ../other/src]`.

A real server with its usual pace and a real Chromium at the width of a phone. A person who takes half a second for each
decision plays some turns against bots; the rest of the time is waiting, until the page asks again. Printed are, for a
pace, the median of the seconds that a round of the bots takes on the page, the share of the whole time in which the
person waits for bots, and that share with the person's own dice, which roll before their result is shown. `--against`
measures another source tree in the same run.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from tests.serving import Server
from tests.web import chromium

GAMES = ("dicy-cards", "dice-stars")
PACES = ("calm", "brisk", "instant")
DECISION = 0.5
ASKED = "main[data-turn]:not([data-more]){0}, main[data-status=over]:not([data-more])"
# Sends the best-looking action by the form of the board, as its buttons do.
PLAY = """async () => {
  const main = document.getElementById("main");
  const { legal } = await (await fetch(`/api/tables/${main.dataset.table}`)).json();
  const wanted = ["roll", "score", "take", "put"];
  const action = wanted.map((word) => legal.find((text) => text.startsWith(word))).find(Boolean) ?? legal[0];
  const form = main.querySelector("form.play");
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "action", value: action });
  form.append(field);
  form.requestSubmit();
}"""


def open_game(page: Page, url: str, game: str, bots: int) -> None:
    """Open a game against bots of the usual strength."""
    page.goto(f"{url}/new/{game}")
    page.locator(f"[name=bots][value='{bots}']").check()
    page.locator(".go-for:visible").click()
    page.locator(ASKED.format("")).wait_for(state="attached")


def measure(browser: Browser, url: str, game: str, pace: str, bots: int, rounds: int) -> tuple[float, float, float]:
    """Play some rounds; return the seconds of the bots in a round, their share of the time, that of all waits."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, service_workers="block")
    context.add_cookies([{"name": "sf-pace", "value": pace, "url": url}])
    page = context.new_page()
    open_game(page, url, game, bots)
    waited, began, last = 0.0, time.monotonic(), ""
    of_bots: list[float] = []
    while len(of_bots) < rounds and page.locator("main[data-status=running]").count():
        page.wait_for_timeout(1000 * DECISION)
        step = page.locator("main").get_attribute("data-step")
        page.evaluate(PLAY)
        sent = time.monotonic()
        page.locator(ASKED.format(f":not([data-step='{step}'])")).wait_for(state="attached", timeout=120_000)
        took = time.monotonic() - sent
        waited += took
        # Bots have moved if the story now ends with one of them.
        told = page.locator(".story p").last.inner_text()
        if "bot" in told and told != last:
            of_bots.append(took)
        last = told
    whole = time.monotonic() - began
    context.close()
    return median(of_bots), sum(of_bots) / whole, waited / whole


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the src folder of another tree")
    parser.add_argument("--bots", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4)
    chosen = parser.parse_args()
    trees = {"this tree": Path(__file__).parent.parent / "src"}
    if chosen.against:
        trees["the other"] = chosen.against.resolve()
    print("| game | tree | pace | a round of the bots, s | waiting for bots | with the own dice |")
    print("|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        for game in GAMES:
            for name, source in trees.items():
                with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
                    os.environ["PYTHONPATH"] = str(source)
                    server = Server(f"{folder}/t.db", Path(folder) / "log")
                    # The times that bots wait are those that people have.
                    for setting in ("BOT_PACE", "UNDO_GRACE"):
                        server._environment.pop(f"STARFROST_{setting}", None)
                    with server:
                        for pace in PACES:
                            found = measure(browser, server.url, game, pace, chosen.bots, chosen.rounds)
                            seconds, bots, everything = found
                            line = f"| {game} | {name} | {pace} | {seconds:.2f} | {bots:.0%} | {everything:.0%} |"
                            print(line, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
