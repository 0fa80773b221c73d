"""Makes the database of an older version that `test_old_database.py` opens: every kind of table, over HTTP.

    PYTHONPATH=CHECKOUT/src:. python -m tests.table.old_database NAME

runs the server of that checkout and writes `fixtures/NAME.db.gz` (the SQLite file as the server left it) and
`fixtures/NAME.json.gz` (the guests' tokens, commands that were answered, and every answer to a read).
"""

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.serving import Player, Server

FIXTURES = Path(__file__).parent / "fixtures"
NEVER = "86400"
"""A bot pace at which no bot moves before the server stops."""
NAMES = ("Anna", "Zoë", "Łukasz Ğ", "🎲 Dora")

Pick = Callable[[list[str]], str]


def soon(legal: list[str]) -> str:
    """Return an action that lets the game go on: a score or a take if there is one, never a reroll."""
    points = [action for action in legal if action.startswith(("score", "take"))]
    return (points or [action for action in legal if not action.startswith("reroll")] or legal)[0]


class Scenes:
    """The tables of one run and who sits at them."""

    def __init__(self, url: str) -> None:
        self.people = [Player(url, name) for name in NAMES]
        self.tables: dict[str, str] = {}
        self.answered: list[dict[str, Any]] = []

    def reconnect(self, url: str) -> None:
        for player in self.people:
            player.http.base_url = url

    def command(self, player: Player, table: str, verb: str, **body: Any) -> Any:
        """Send a command with the version as it is, and remember the answer for the same key."""
        version = player.get(f"/tables/{table}")["version"]
        body = {"version": version, "key": f"{verb}-{version}", **body}
        answer = player.post(f"/tables/{table}/{verb}", **body)
        call = {"guest": self.people.index(player), "path": f"/api/tables/{table}/{verb}", "body": body}
        self.answered.append({**call, "answer": answer})
        return answer

    def open(self, name: str, game: str, seats: tuple[str, ...], joined: int, **more: Any) -> str:
        """Open a table and seat the first people; the second of them leaves the randomness to the server."""
        table = self.people[0].open(game, seats, key=f"open{len(self.tables)}", **more)
        self.tables[name] = table
        invitation = self.people[0].get(f"/tables/{table}")["invitation"]
        free = [number for number, seat in enumerate(seats, start=1) if seat == "open"]
        for player, seat in zip(self.people[:joined], free, strict=False):
            contribution = {} if player is self.people[1] else {"contribution": f"mine{seat}"}
            self.command(player, table, "join", seat=seat, invitation=invitation, **contribution)
        return table

    def move(self, table: str, pick: Pick = soon) -> Any:
        """Play for the person whose turn it is; wait for a bot. Return None once the game is over."""
        while self.people[0].get(f"/tables/{table}")["status"] == "running":
            for player in self.people:
                view = player.get(f"/tables/{table}")
                if view["legal"]:
                    return self.command(player, table, "act", seat=view["acting"], action=pick(view["legal"]))
            time.sleep(0.02)
        return None

    def move_until(self, table: str, happened: Callable[[dict[str, Any]], bool]) -> None:
        """Play until a person's view of the table fits."""
        while not any(happened(player.get(f"/tables/{table}")) for player in self.people):
            assert self.move(table) is not None, "the game ended first"

    def wait(self, table: str, happened: Callable[[dict[str, Any]], bool]) -> None:
        while not happened(self.people[0].get(f"/tables/{table}")):
            time.sleep(0.1)


def play(scenes: Scenes) -> None:
    """Play everything that needs bots that move at once."""
    anna, zoe = scenes.people[:2]
    clocked = scenes.open("clocked out", "dicy-cards", ("open", "open"), 2, clock="30s", options={"mode": "d"})
    free = ("open",)
    scenes.open("undo pending", "dicy-cards", free * 2, 2, options={"mode": "b", "goal": "60"})
    taken_back = scenes.open("taken back", "dice-stars", free * 2, 2, clock="1day")
    solo = scenes.open("solo", "dice-stars", free, 1, options={"solo-boxes": "9"})
    scenes.open("bot to move", "dicy-cards", ("open", "bot:greedy", "open"), 2, options={"mode": "interglacial"})
    cards = "any-two two-pairs double-pair distinct-fours forty-minus"
    four = scenes.open("stand-ins", "dicy-cards", free * 4, 4, options={"cards": cards, "goal": "50"})
    mixed = scenes.open("mixed", "dice-stars", ("open", "bot:random", "open", "bot:planner"), 2, clock="3days")
    over = scenes.open("over", "dice-stars", ("open", "open", "bot:greedy"), 2)
    short = scenes.open("over, rematch", "dicy-cards", ("open", "bot:planner", "open"), 2, options={"goal": "25"})
    closed = scenes.open("closed", "dicy-cards", free * 2, 2, options={"goal": "90"})
    invited = scenes.open("waiting, invited", "dicy-cards", free * 4, 2, public=False, options={"goal": "30"})
    scenes.open("waiting", "dice-stars", ("open", "open", "bot:greedy"), 1, clock="2min")
    unused = scenes.open("closed unused", "dice-stars", free * 2, 1)
    both = scenes.open("own both seats", "dicy-cards", free * 2, 0, options={"goal": "60"})

    for seat, name in ((1, "Mum"), (2, "Dad")):
        scenes.command(anna, both, "join", seat=seat, name=name, contribution=name)
    for table in (four, mixed, closed, solo):
        for _ in range(9):
            scenes.move(table)
    for _ in range(4):
        scenes.move(both)
    for table in (over, short):
        while scenes.move(table) is not None:
            pass
    scenes.tables["rematch"] = scenes.command(zoe, short, "rematch")["event"]["table"]
    scenes.command(zoe, scenes.tables["rematch"], "join")
    scenes.command(anna, invited, "bot", seat=4, bot="greedy")
    for table in (closed, unused):
        scenes.command(anna, table, "close")
    scenes.command(scenes.people[2], four, "leave", seat=3)
    scenes.command(scenes.people[3], four, "resign", seat=4)
    scenes.move_until(taken_back, lambda view: bool(view["undo"]))
    for player in scenes.people:
        for seat in player.get(f"/tables/{taken_back}")["undo"]:
            scenes.command(player, taken_back, "undo", seat=seat)
    scenes.move(taken_back, lambda legal: legal[-1])
    # The clock needs its thirty seconds; then the bot plays Anna's seat and Zoë hers.
    scenes.wait(clocked, lambda view: view["seats"][0]["kind"] == "bot")


def leave_unfinished(scenes: Scenes) -> None:
    """Leave tables in the middle of something: bots do not move any more."""
    scenes.move_until(scenes.tables["undo pending"], lambda view: bool(view["undo"]))
    for name in ("clocked out", "bot to move"):
        table = scenes.tables[name]
        while (view := scenes.people[0].get(f"/tables/{table}"))["seats"][view["acting"] - 1]["kind"] != "bot":
            scenes.move(table)


def reads(scenes: Scenes) -> dict[str, str]:
    """Return the answer to every read: by guest number (- for a stranger) and path."""
    found = {}
    for number, player in [("-", None), *enumerate(scenes.people)]:
        http = player.http if player else scenes.people[0].http
        headers = None if player else {"authorization": ""}
        paths = ["/api/tables"] + [f"/api/tables/{table}" for table in scenes.tables.values()]
        if player is None:
            paths += [
                f"/api/tables/{table}/{what}" for table in scenes.tables.values() for what in ("events", "record")
            ]
        else:
            paths += ["/api/me", "/api/me/tables"]
        for path in paths:
            found[f"{number} {path}"] = http.get(path, headers=headers).raise_for_status().text
    return found


def main(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database, log = Path(folder) / "tables.db", Path(folder) / "log"
        with Server(str(database), log) as server:
            scenes = Scenes(server.url)
            play(scenes)
            server.stop()
        with Server(str(database), log, BOT_PACE=NEVER) as server:
            scenes.reconnect(server.url)
            leave_unfinished(scenes)
            answers = reads(scenes)
            server.stop()
        assert sorted(path.name for path in Path(folder).glob("tables.db-*")) == []
        known = {
            "tokens": [player.token for player in scenes.people],
            "tables": scenes.tables,
            "answered": scenes.answered,
            "reads": answers,
        }
        text = json.dumps(known, ensure_ascii=False, indent=1)
        for kind, data in (("db", database.read_bytes()), ("json", text.encode())):
            (FIXTURES / f"{name}.{kind}.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
