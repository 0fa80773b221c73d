"""How smoothly the dice roll: `python -m bench.roll`.

A real server and a real Chromium at the size of a phone, at full speed and with the processor slowed down four times.
Printed are, while dice tumble, the frames per second, the share of frames that took longer than 25 ms, and how often
the browser worked out a layout per roll. Without a graphics card Chromium draws with the processor, which costs frames.
"""

import argparse
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.serving import Server
from tests.web import chromium
from tests.web.player import PLAY, Player

GAMES = ("dicy-cards", "dice-stars")
# Notes the times of the frames that the page shows while dice tumble.
FRAMES = """() => {
  window.rolls = [];
  let times = null;
  const frame = (now) => {
    if (document.documentElement.dataset.phase === "tumbling") (times ??= []).push(now);
    else if (times) { rolls.push(times); times = null; }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def layouts(session: Any) -> int:
    """Return how many layouts the page has worked out so far."""
    found = session.send("Performance.getMetrics")["metrics"]
    return int(next(metric["value"] for metric in found if metric["name"] == "LayoutCount"))


def measure(browser: Browser, url: str, game: str, slower: int, turns: int) -> str:
    """Play until some dice have rolled; return a line of figures about their rolls."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, locale="en")
    context.add_cookies([{"name": "sf-pace", "value": "brisk", "url": url}])
    context.set_default_timeout(120_000)
    one = Player(context.new_page(), url).quick(game)
    one.my_turn()
    one.page.wait_for_load_state()
    session = context.new_cdp_session(one.page)
    session.send("Performance.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    one.page.evaluate(FRAMES)
    before = layouts(session)
    one.page.evaluate(f"() => {{ ({PLAY})(); }}")
    while one.page.evaluate("rolls.length") < turns:
        one.page.wait_for_timeout(500)
    done = layouts(session) - before
    rolls: list[list[float]] = one.page.evaluate("rolls")
    context.close()
    gaps = [later - earlier for times in rolls for earlier, later in pairwise(times)]
    rate, late = 1000 * len(gaps) / sum(gaps), 100 * sum(gap > 25 for gap in gaps) / len(gaps)
    return f"{game:12} {slower:6}x {len(rolls):6} {rate:9.1f} {late:11.1f} % {done / len(rolls):8.1f}"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rolls", type=int, default=8, help="rolls of each game")
    turns = parser.parse_args().rolls
    path = chromium.find()
    assert path, "No Chromium here: `make browser` gets one."
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        with Server(f"{folder}/t.db", Path(folder) / "log") as server:
            print("game         slower  rolls  frames/s  over 25 ms  layouts per roll")
            for game in GAMES:
                for slower in (1, 4):
                    print(measure(browser, server.url, game, slower, turns), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
