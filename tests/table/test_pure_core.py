"""The core runs wherever Python runs, also in a browser.

Rules, records, the bots up to the planner, and what decides about a table need the standard library alone; words need
Babel, and boards Jinja and the Markdown of the rules besides.
"""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from starfrost.web.bundle import PACKAGES

ALONE = """
import sys

class Only:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = top in {"starfrost", *ALLOWED, *sys.stdlib_module_names} or top.startswith("_sysconfigdata")
        # Here a package may be compiled that is plain Python in a browser.
        known = known or top.endswith("__mypyc")
        return self.finder.find_spec(name, path, target) if known else None

sys.meta_path[:] = map(Only, sys.meta_path)
"""

GAME = """
from random import Random
from starfrost.fair.dice import FairDice, Seed
from starfrost.games.registry import make_game
from starfrost.games.setup import Setup
from starfrost.table import commands
from starfrost.table.log import Event, TableRow, write_body
from starfrost.table.apply import apply, first_snapshot
from starfrost.table.view import Watchers

name, seed = sys.argv[1], Seed(bytes(32))
game = Setup(name, 2).make(Random(1))
body = {"game": name, "headers": dict(game.headers()), "seats": ["open", "open"]}
row = TableRow("T", "anna", "waiting", "none", True, "i", None, 0.0)
table = first_snapshot(row, seed.commitment, Event("T", 1, 0.0, "open", "anna", None, write_body(body)), body)
dice = None
while not table.ended:
    if table.status == "waiting":
        made = commands.join(table, "anna", None, "Anna", None, "mine", False, table.version, 1.0)
    else:
        dice = dice or FairDice(seed, table.dice_name, [seat.contribution for seat in table.seats])
        legal = [action for action in table.legal if not str(action).startswith("reroll")]
        made = commands.act(table, dice, "anna", table.acting + 1, legal[0], table.version)
    event = Event("T", table.version + 1, 1.0, made.kind, "anna", None, write_body(made.body))
    table = apply(table, event, made.body, made.outcome)
print(table.seen_by("anna", Watchers(frozenset(), 0), []).json()["status"])
"""


PLAY = """
import starfrost
from starfrost.words import LANGUAGES, Words
from starfrost.words.story import result, tell

name, names = sys.argv[1], ("Anna", "Ben")
record = starfrost.play(starfrost.make(name), ["planner", sys.argv[2]], seed=1)
assert starfrost.parse_record(starfrost.write_record(record)).events == record.events
replay, game = starfrost.replay(record), record.game
for language in LANGUAGES:
    w = Words(language)
    told = [tell(w, game, state, event.action, names) for state, event in zip(replay.states, record.events)]
    assert all(told) and result(w, game, replay.states[-1], names)
print(replay.finished)
"""

DRAW = """
from starfrost.boards import Position, board_of
from starfrost.boards.drawing import environment
from starfrost.table.view import SeatView

seats = [SeatView(n + 1, "person", names[n], yours=n == 0, present=True) for n in range(2)]
assert environment("de").get_template(board_of(name).template)
for state in replay.states:
    legal = game.legal_actions(state) if game.actor(state) >= 0 else ()
    assert board_of(name).draw(w, Position(game, state, names, seats, game.turn_of(state), legal))
"""

HERE = """
import asyncio, re
from urllib.parse import urlencode
from starfrost.here.app import Pages
from starfrost.web.pages.puzzles import sets
from starfrost.web.pages.replays import position_address

kept = {}

async def keep(texts):
    kept.update(texts)

async def main():
    pages = Pages(keep, {}, lambda table, version: None)

    async def ask(path, **form):
        method, heads = ("POST", {"content-type": "application/x-www-form-urlencoded"}) if form else ("GET", {})
        answer = await pages.answer(method, f"http://x.test{path}", heads, urlencode(form).encode())
        assert answer.status in (200, 303), (path, answer.status, answer.body)
        to = dict(answer.headers).get("location")
        return await ask(to) if to else (path, answer.body.decode())

    for game in ("dicy-cards", "dice-stars"):
        for path in ("new/{}", "rules/{}", "learn/{}", "learn/{}/1/1", "puzzles/today/{}", "puzzles?game={}"):
            await ask("/" + path.format(game))
        for puzzle in (sets()[game][place] for place in (1, 90, 180)):
            assert "Right!" in (await ask("/puzzles/" + puzzle.id, action=str(puzzle.answer)))[1]
        path, _ = await ask("/play", game=game, who="bots", bots="1", bot="planner", key="k" + game)
        table = path.partition("?")[0]
        await ask(table + "/join", name="Anna", version="1", key="join")
        while True:
            # Whoever opens the app again finds the game where it was.
            pages = Pages(keep, dict(kept), lambda table, version: None)
            _, html = await ask(table)
            if 'data-status="over"' in html:
                break
            snapshot = await pages._app.state.service.snapshot(table[3:])
            if snapshot.waits_for_bot:
                await asyncio.sleep(0.05)
                continue
            action = next(str(one) for one in snapshot.legal if not str(one).startswith("reroll"))
            if action != "roll":
                # The coach says what it would do, also in a position that is set up, and judges the last decision.
                place = position_address(snapshot.game, snapshot.state)
                mine = [number for number, move in enumerate(snapshot.moves) if move.seat == 0]
                asked = [(table + "/hint", {"x": 1}), (place, {}), (table + "/judge", {"event": (mine or [0])[-1]})]
                for path, form in asked[: 3 if mine else 2]:
                    assert 'class="note coach-note' in (await ask(path, **form))[1], path
            await ask(table + "/act", seat=snapshot.acting + 1, action=action, version=snapshot.version, sure=1)
            await ask(table + "/on", at=1)
            while (await pages._app.state.service.snapshot(table[3:])).waits_for_bot:
                await asyncio.sleep(0.01)
        await ask("/after" + table[2:])
        await ask("/replay" + table[2:])
    _, html = await ask("/")
    assert html.count("/after/") == 2 and sum(name.startswith("game:") for name in kept) == 2
    print("True")

asyncio.run(main())
"""

DRAWING = ("babel", "jinja2", "markupsafe", "markdown_it", "mdurl")


def run(program: str, *arguments: str, allowed: Sequence[str] = ()) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"ALLOWED = {list(allowed)}\n{ALONE}{program}", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["snapshot", "commands", "view", "coaching", "results", "records", "log"])
def test_it_loads_only_the_standard_library(module: str) -> None:
    run(f"import starfrost.table.{module}")


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_whole_game_is_decided_without_a_server(game: str) -> None:
    assert run(GAME, game) == "over"


@pytest.mark.parametrize("opponent", ["random", "greedy", "planner"])
@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_record_of_bots_is_played_told_and_read_again(game: str, opponent: str) -> None:
    assert run(PLAY, game, opponent, allowed=["babel"]) == "True"


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_every_position_is_drawn_without_a_server(game: str) -> None:
    assert run(PLAY + DRAW, game, "greedy", allowed=DRAWING) == "True"


def test_the_service_names_its_extra() -> None:
    program = """
from starfrost.errors import MissingExtra
try:
    from starfrost.table import TableService
except MissingExtra as missing:
    print(missing)
"""
    assert "starfrost[serve]" in run(program)


def test_whole_games_are_played_and_kept_on_the_pages_of_a_device() -> None:
    assert run(HERE, allowed=PACKAGES) == "True"
