"""The server's CPU time for a move by form and for an idle poll: `python -m bench.form_move [--against ../other/src]`.

The whole app runs in one process as the server runs it, but is called without a network, with the form fields, the
cookie and the header that the page's script sends. One guest plays both seats of a long game of Dicy Cards; the cost of
a move is printed for the beginning of the game and for later stretches. `--against` measures another source tree in the
same run, in turns.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any
from urllib.parse import urlencode

MOVES = 400
STRETCH = 50
WARM_UP = 10
POLLS = 50
COOKIE = "starfrost_guest"


class Browser:
    """A browser's session with the app."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.token = ""

    async def request(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        """Send a request and return status and body."""
        path, _, query = path.partition("?")
        headers = [
            (b"host", b"bench"),
            (b"accept-language", b"en"),
            (b"x-fragment", b"1"),
            (b"accept-encoding", b"gzip"),
        ]
        headers += [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())] if body else []
        headers += [(b"cookie", f"{COOKIE}={self.token}".encode())] if self.token else []
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        status, found = 0, b""

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status, found
            status = message.get("status", status)
            found += message.get("body", b"")

        await self.app(scope, receive, send)
        if status >= 400:
            raise SystemExit(f"{method} {path}: {status} {unpacked(found)[:500]!r}")
        return status, found

    async def api(self, method: str, path: str, **body: Any) -> Any:
        """Call the JSON interface."""
        sent = json.dumps(body).encode() if body else b""
        return json.loads(unpacked((await self.request(method, f"/api{path}", sent, "application/json"))[1]))


def unpacked(body: bytes) -> bytes:
    """Return the body of an answer as it was before compression."""
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


def fields(action: str) -> list[tuple[str, str]]:
    """Fill in the board's form for an action in record notation."""
    do, *words = action.split()
    if do == "reroll":
        words = [words[2], words[0]]
    card, dice = [*words, "", ""][:2]
    return [("do", do), ("card", card), *(("die", die) for die in dice)]


async def measure() -> dict[str, list[float]]:
    """Play a long game by form; return the milliseconds of CPU time of each move and of polls in each stretch."""
    from starfrost.table import Settings
    from starfrost.web.app import calm_collector, create_app
    from starfrost.web.logs import configure_logs

    configure_logs("warning")
    with tempfile.TemporaryDirectory(prefix="starfrost-bench-") as folder:
        limits = {"moves_per_second": 0, "opens_per_minute": 0, "tables_per_address": 0, "requests_per_second": 0}
        app = create_app(Settings(database=f"{folder}/t.db", **limits))  # type: ignore[arg-type]
        calm_collector()
        async with app.router.lifespan_context(app):
            browser = Browser(app)
            browser.token = (await browser.api("POST", "/guests", name="Anna"))["token"]
            table = await browser.api(
                "POST", "/tables", game="dicy-cards", seats=["open", "open"], options={"goal": "900000"}, key="t"
            )
            path = f"/tables/{table['table']}"
            for seat in (1, 2):
                await browser.api("POST", f"{path}/join", seat=seat, name=f"P{seat}", version=seat, key=f"j{seat}")
            return await _play(browser, table["table"])


async def _play(browser: Browser, table: str) -> dict[str, list[float]]:
    rng, found = Random(1), {"moves": [0.0] * MOVES, "polls": []}
    step = "0"
    for number in range(MOVES):
        view = await browser.api("GET", f"/tables/{table}")
        # Rerolls are most of the legal actions; mostly scoring makes a game as people play it.
        legal = [action for action in view["legal"] if not action.startswith("reroll") or rng.random() < 0.01]
        sent = [("version", view["version"]), ("seat", view["acting"]), ("key", f"k{number}"), ("step", step)]
        form = urlencode([*sent, *fields(rng.choice(legal))]).encode()
        began = time.process_time()
        _, shown = await browser.request("POST", f"/t/{table}/act", form, "application/x-www-form-urlencoded")
        found["moves"][number] = 1000 * (time.process_time() - began)
        step = unpacked(shown).partition(b'data-step="')[2].partition(b'"')[0].decode()
        if number % STRETCH == STRETCH - 1:
            version = (await browser.api("GET", f"/tables/{table}"))["version"]
            began = time.process_time()
            for _ in range(POLLS):
                status, _body = await browser.request("GET", f"/t/{table}/scene?after=9999&version={version}")
                if status != 204:
                    raise SystemExit(f"A poll was answered with {status}.")
            found["polls"].append(1000 * (time.process_time() - began) / POLLS)
    return found


def child(source: Path) -> dict[str, list[float]]:
    """Measure a source tree in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, __file__, "--measure"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the src folder of another tree")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        import uvloop

        print(json.dumps(uvloop.run(measure())))
        return
    trees = {"this tree": Path(__file__).parent.parent / "src"}
    if chosen.against:
        trees["the other"] = chosen.against
    runs: dict[str, list[dict[str, list[float]]]] = {name: [] for name in trees}
    for _ in range(chosen.runs):
        for name, source in trees.items():
            runs[name].append(child(source))
    print("Median CPU time in ms (least of the runs)\n| moves played | " + " | ".join(trees) + " |")
    print("|---" * (len(trees) + 1) + "|")
    for start in range(0, MOVES, STRETCH):
        cells = [min(median(run["moves"][start : start + STRETCH]) for run in runs[name]) for name in trees]
        print(f"| {start} to {start + STRETCH} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    # The first moves load code and templates.
    cells = [min(mean(run["moves"][WARM_UP:]) for run in runs[name]) for name in trees]
    print("| mean of the game | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    for stretch in (0, -1):
        cells = [min(run["polls"][stretch] for run in runs[name]) for name in trees]
        when = "early" if stretch == 0 else "late"
        print(f"| an idle poll, {when} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
