"""How smoothly the dice roll: `python -m bench.roll`.

A real server and a real Chromium at the size of a phone, at full speed and with the processor slowed down four times.
While dice move, a trace of the browser tells

- the frames that were drawn per second and the longest time without a new one. Without a graphics card the processor
  draws them, so a busy machine draws fewer;
- the processor time that each frame took in the page's main thread and in its compositor, which does not depend on
  other programs: 60 frames per second leave 16.7 ms for each of the two. The browser slows down only the main thread;
  the time of the compositor is multiplied here;
- the time that drawing a frame took, which a phone leaves to its graphics card.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tests.serving import Server
from tests.web import chromium
from tests.web.player import PLAY, Player

GAMES = ("dicy-cards", "dice-stars")
CATEGORIES = ["devtools.timeline", "toplevel", "blink.user_timing", "viz"]
# Marks in the trace when dice begin to move and when they have landed.
MARK = """() => {
  window.rolls = 0;
  new MutationObserver(() => {
    if (document.documentElement.dataset.phase !== "tumbling") return;
    const rolling = document.querySelector(".rolling .cube").getAnimations()[0];
    rolling.ready.then(() => performance.mark("dice move"));
    rolling.finished.then(() => { performance.mark("dice landed"); rolls += 1; });
  }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-phase"] });
}"""
# Plays as the tests do, but looks at the page so rarely that this costs nothing.
SLOWLY = PLAY.replace("setTimeout(look, 4)", "setTimeout(look, 100)")


class Rolls(NamedTuple):
    """What a trace tells of the time in which dice moved; times in milliseconds."""

    number: int
    time: float
    frames: int
    longest: float
    main: float
    compositor: float
    drawing: float


def read(events: Sequence[dict[str, Any]]) -> Rolls:
    """Read the events of a trace."""
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    known = sorted((event for event in events if "ts" in event), key=lambda event: event["ts"])
    marks = [event for event in known if event["name"] in ("dice move", "dice landed") and event["ph"] != "e"]
    spans = [(a, b) for a, b in pairwise(marks) if (a["name"], b["name"]) == ("dice move", "dice landed")]
    drawn, longest, busy = 0, 0.0, {"CrRendererMain": 0.0, "Compositor": 0.0, "VizCompositorThread": 0.0}
    for begin, end in spans:
        inside = [event for event in known if begin["ts"] <= event["ts"] <= end["ts"] and event["ph"] == "X"]
        frames = [event["ts"] for event in inside if event["name"] == "Display::DrawAndSwap"]
        drawn += len(frames)
        longest = max([longest, *(later - earlier for earlier, later in pairwise(frames))])
        for event in inside:
            thread = named.get((event["pid"], event["tid"]), "").split("/")[0]
            own = event["pid"] == begin["pid"] or thread == "VizCompositorThread"
            if event["name"] == "ThreadControllerImpl::RunTask" and own and thread in busy:
                busy[thread] += event.get("tdur", event["dur"])
    time = sum(end["ts"] - begin["ts"] for begin, end in spans)
    return Rolls(len(spans), time / 1000, drawn, longest / 1000, *(spent / 1000 for spent in busy.values()))


def measure(browser: Browser, url: str, game: str, slower: int, turns: int) -> str:
    """Play until some dice have rolled; return a line of figures about their rolls."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, locale="en")
    context.add_cookies([{"name": "sf-pace", "value": "brisk", "url": url}])
    context.set_default_timeout(120_000)
    one = Player(context.new_page(), url).quick(game)
    one.my_turn()
    one.page.wait_for_load_state()
    context.new_cdp_session(one.page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    one.page.evaluate(MARK)
    browser.start_tracing(page=one.page, categories=CATEGORIES)
    one.page.evaluate(f"() => {{ ({SLOWLY})(); }}")
    while one.page.evaluate("rolls") < turns:
        one.page.wait_for_timeout(500)
    found = read(json.loads(browser.stop_tracing())["traceEvents"])
    context.close()
    frames = found.frames
    rate = 1000 * frames / found.time
    parts = (found.main / frames, slower * found.compositor / frames, found.drawing / frames)
    times = " | ".join(f"{part:.1f} ms" for part in parts)
    return f"| {game} | {slower}x | {found.number} | {rate:.1f} | {found.longest:.0f} ms | {times} |"


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
            print("| game | slower | rolls | frames/s | longest gap | main thread a frame | compositor | drawing |")
            print("|---|---|---|---|---|---|---|---|")
            for game in GAMES:
                for slower in (1, 4):
                    print(measure(browser, server.url, game, slower, turns), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
