"""What a player notices of a move: `python -m bench.tap`.

A real server and a real Chromium at the size of a phone, with the processor slowed down four times and answers 150 ms
away. A person plays against a bot by taps; a trace of the browser tells

- the time from the tap on the large button to the first frame that shows a reaction to it;
- the longest task of the page's main thread from the tap until the answer is morphed into the page and drawn.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from bench.roll import CATEGORIES, GAMES
from bench.server_load import percentile
from tests.serving import Server
from tests.web import chromium
from tests.web.player import Player

SLOWER = 4
AWAY = 150
# Marks in the trace a tap, the frame in which the page has reacted, and the frame in which the answer is shown.
MARK = """() => {
  const next = (name) => requestAnimationFrame(() => performance.mark(name));
  document.addEventListener("click", ({ target }) => {
    if (!target.closest(".bar .btn")) return;
    performance.mark("tap");
    const seen = new MutationObserver(() => { seen.disconnect(); next("reaction"); });
    seen.observe(document.body, { subtree: true, attributes: true, childList: true });
  }, true);
  document.addEventListener("shown", () => next("shown"));
}"""


def read(events: Sequence[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Return the milliseconds from each tap to the frame that reacts, and its longest task until it is shown."""
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    known = sorted((event for event in events if "ts" in event), key=lambda event: event["ts"])
    frames = [event["ts"] for event in known if event["name"] == "Display::DrawAndSwap"]
    marks = [event for event in known if event["name"] in ("tap", "reaction", "shown") and event["ph"] != "e"]
    reactions, longest = [], []
    for number, tap in enumerate(marks):
        if tap["name"] != "tap":
            continue
        later = {mark["name"]: mark["ts"] for mark in reversed(marks[number + 1 :])}
        if len(later) < 2 or not any(frame > later["shown"] for frame in frames):
            continue
        reactions.append((next(frame for frame in frames if frame > later["reaction"]) - tap["ts"]) / 1000)
        tasks = [
            event.get("tdur", event["dur"]) / 1000
            for event in known
            if event["ph"] == "X"
            and event["name"] == "ThreadControllerImpl::RunTask"
            and event["pid"] == tap["pid"]
            and named.get((event["pid"], event["tid"]), "").startswith("CrRendererMain")
            and tap["ts"] <= event["ts"] + event["dur"]
            and event["ts"] <= later["shown"]
        ]
        longest.append(max(tasks, default=0.0))
    return reactions, longest


def measure(browser: Browser, url: str, game: str, taps: int) -> str:
    """Play some taps; return a line of figures."""
    context = browser.new_context(viewport={"width": 390, "height": 664}, device_scale_factor=2, locale="en")
    context.set_default_timeout(120_000)
    one = Player(context.new_page(), url).quick(game)
    one.my_turn()
    one.page.wait_for_load_state()
    session = context.new_cdp_session(one.page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": AWAY, "downloadThroughput": 200_000, "uploadThroughput": 94_000},
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    one.page.evaluate(MARK)
    browser.start_tracing(page=one.page, categories=CATEGORIES)
    for _ in range(taps):
        if not one.my_turn():
            break
        one.tap()
    one.page.wait_for_timeout(500)
    reactions, longest = read(json.loads(browser.stop_tracing())["traceEvents"])
    context.close()
    cells = [f"{percentile(times, share):.0f}" for times in (reactions, longest) for share in (0.5, 1.0)]
    return f"| {game} | {len(reactions)} | " + " | ".join(cells) + f" | {sum(one > 50 for one in longest)} |"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--taps", type=int, default=30, help="taps in each game")
    taps = parser.parse_args().taps
    path = chromium.find()
    assert path, "No Chromium here: `make browser` gets one."
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        with Server(f"{folder}/t.db", Path(folder) / "log") as server:
            print("| game | taps | reaction p50 ms | longest | longest task p50 ms | longest | over 50 ms |")
            print("|---|---|---|---|---|---|---|")
            for game in GAMES:
                print(measure(browser, server.url, game, taps), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
