"""How soon a browser shows a table: `python -m bench.first_paint [--against ../other/src]`.

A real server and a real Chromium at the width of a phone. Every load uses an empty cache. Printed are medians in ms of
the first contentful paint and of the server's part of it (until the first byte of the page). `--against` measures
another source tree in the same run, load by load in turns.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from tests.serving import Player, Server
from tests.web import chromium

GAMES = ("dicy-cards", "dice-stars")
PAINT = """() => new Promise((found) => new PerformanceObserver((list) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (paint) found([paint.startTime, performance.getEntriesByType("navigation")[0].responseStart]);
}).observe({ type: "paint", buffered: true }))"""


@contextmanager
def tables_of(source: Path) -> Iterator[tuple[str, dict[str, str], str]]:
    """Serve a source tree and open a table of each game; give the server, the tables and the guest's token."""
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        os.environ["PYTHONPATH"] = str(source)
        with Server(f"{folder}/t.db", Path(folder) / "log") as server:
            player = Player(server.url)
            tables = {}
            for game in GAMES:
                tables[game] = player.open(game, key=game)
                for seat in (1, 2):
                    path = f"/tables/{tables[game]}/join"
                    player.post(path, seat=seat, name=f"P{seat}", version=seat, key=f"{game}{seat}")
                player.move(tables[game])
            yield server.url, tables, player.token


def load(browser: Browser, url: str, token: str, table: str) -> tuple[float, float]:
    """Load a table with an empty cache; return the first paint and the first byte in ms."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_cookies([{"name": "starfrost_guest", "value": token, "url": url}])
    page = context.new_page()
    page.goto(f"{url}/t/{table}")
    paint, first_byte = page.evaluate(PAINT)
    context.close()
    return paint, first_byte


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the src folder of another tree")
    parser.add_argument("--loads", type=int, default=15, help="loads of each table, after three to warm up")
    chosen = parser.parse_args()
    trees = {"this tree": Path(__file__).parent.parent / "src"}
    if chosen.against:
        trees["the other"] = chosen.against.resolve()
    print("| table | tree | first paint ms | first byte ms |\n|---|---|---|---|")
    with ExitStack() as stack:
        served = {name: stack.enter_context(tables_of(source)) for name, source in trees.items()}
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        for game in GAMES:
            found: dict[str, list[tuple[float, float]]] = {name: [] for name in trees}
            for i in range(chosen.loads + 3):
                for name, (url, tables, token) in served.items():
                    times = load(browser, url, token, tables[game])
                    if i >= 3:
                        found[name].append(times)
            for name, times_of in found.items():
                paint, first_byte = (median(column) for column in zip(*times_of, strict=True))
                print(f"| {game} | {name} | {paint:.0f} | {first_byte:.1f} |")


if __name__ == "__main__":
    main()
