"""How long another client's moves take while strangers abuse the server, on loopback, with the usual limits.

    python -m bench.abuse [--moves 500] [--nice 15] [--only floods]

Ten people move at five tables, each table up to ten times a second. Meanwhile come, from other addresses: slow senders
(500 connections that never finish a request), floods (pages and replays as fast as possible), solver abuse (guests ask
for ever new cards) and bot abuse (tables with the slowest bots), each alone and then all together. The attackers are
other machines in truth; here they share the cores with the server and the players, by default with a lower priority.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import httpx

from bench.server import free_port, wait_for
from bench.server_load import percentile
from starfrost.games.dicy_cards import CARDS
from starfrost.web.pages.replays import pack

ATTACKS = ("slow senders", "floods", "solver abuse", "bot abuse")
CARD_NAMES = sorted(CARDS)
PACE = 0.1
"""Seconds between two moves at a table."""
TABLES = 5
LONGEST = 180.0
"""Seconds after which a line ends, however few moves were made."""


def client(port: int, address: str) -> httpx.AsyncClient:
    """Return a client that comes from an address of the loopback network."""
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=100))
    return httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{port}", timeout=60)


async def guest(http: httpx.AsyncClient, name: str) -> dict[str, str]:
    """Make a guest and return its header."""
    made = (await http.post("/api/guests", json={"name": name})).json()
    return {"authorization": f"Bearer {made['token']}"}


# The attackers


async def slow_senders(port: int) -> None:
    async def one(number: int) -> None:
        while True:
            with suppress(OSError, TimeoutError):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(f"127.0.0.{20 + number % 4}", 0)
                )
                for letter in b"POST /api/guests HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"x" * 500:
                    writer.write(bytes([letter]))
                    await writer.drain()
                    await asyncio.sleep(1)
            await asyncio.sleep(0.5)

    await asyncio.gather(*(one(number) for number in range(500)))


async def floods(port: int) -> None:
    record = pack(_game(CARD_NAMES[:5]))
    paths = (
        "/",
        f"/replay?record={record}",
        "/healthz",
        "/me",
        f"/preview/replay.png?record={record}",
        "/rules/dice-stars",
    )

    async def one(number: int) -> None:
        http = client(port, f"127.0.0.{30 + number % 4}")
        for turn in count(number):
            with suppress(httpx.HTTPError):
                await http.get(paths[turn % len(paths)])

    await asyncio.gather(*(one(number) for number in range(40)))


def _game(cards: list[str]) -> str:
    head = f"starfrost: 1\ngame: dicy-cards\nplayers: A | B\ncards: {' '.join(cards)}\ngoal: 1\n\n"
    return head + "* 123456\n1 skip\n* 123456\n2 skip\n"


async def solver_abuse(port: int) -> None:
    random = Random(1)

    async def one(number: int) -> None:
        http = client(port, f"127.0.0.{40 + number}")
        head = await guest(http, "Eve")
        for turn in count():
            with suppress(httpx.HTTPError, KeyError):
                options = {"cards": " ".join(random.sample(CARD_NAMES, 5)), "goal": str(random.randint(20, 100))}
                wish = {"game": "dicy-cards", "seats": ["open", "bot:perfect"], "options": options, "key": f"k{turn}"}
                opened = await http.post("/api/tables", json=wish, headers=head)
                if opened.status_code == 201:
                    table = opened.json()["table"]
                    await http.post(f"/api/tables/{table}/join", json={"version": 1, "key": "j"}, headers=head)
                await http.get(f"/replay?coach=1&record={pack(_game(random.sample(CARD_NAMES, 5)))}", headers=head)
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one(number) for number in range(4)))


async def bot_abuse(port: int) -> None:
    async def one(number: int) -> None:
        http = client(port, f"127.0.0.{50 + number}")
        head = await guest(http, "Eve")
        tables: list[str] = []
        for turn in count():
            with suppress(httpx.HTTPError, KeyError, ValueError):
                seats = ["open", *["bot:planner"] * 3]
                wish = {
                    "game": "dicy-cards",
                    "seats": seats,
                    "options": {"mode": "glacial", "goal": "900"},
                    "key": f"k{turn}",
                }
                opened = await http.post("/api/tables", json=wish, headers=head)
                if opened.status_code == 201:
                    tables.append(opened.json()["table"])
                    await http.post(f"/api/tables/{tables[-1]}/join", json={"version": 1, "key": "j"}, headers=head)
                for table in tables[-20:]:
                    view = (await http.get(f"/api/tables/{table}", headers=head)).json()
                    if view.get("legal"):
                        move = {
                            "version": view["version"],
                            "key": f"m{view['version']}",
                            "seat": 1,
                            "action": view["legal"][0],
                        }
                        await http.post(f"/api/tables/{table}/act", json=move, headers=head)

    await asyncio.gather(*(one(number) for number in range(4)))


RUN: dict[str, Callable[[int], Awaitable[None]]] = {
    "slow senders": slow_senders,
    "floods": floods,
    "solver abuse": solver_abuse,
    "bot abuse": bot_abuse,
}


# The players


class Players:
    """Two players at one table, who move in turn."""

    def __init__(self, port: int, number: int) -> None:
        self._http = client(port, f"127.0.0.{5 + number}")
        self._heads: list[dict[str, str]] = []
        self._path = ""
        self._view: dict[str, Any] = {}

    async def sit_down(self) -> None:
        """Open the table and take both seats."""
        self._heads = [await guest(self._http, name) for name in ("Anna", "Ben")]
        wish = {
            "game": "dicy-cards",
            "seats": ["open", "open"],
            "options": {"mode": "glacial", "goal": "900"},
            "key": "o",
        }
        opened = (await self._http.post("/api/tables", json={**wish, "public": True}, headers=self._heads[0])).json()
        self._path = f"/api/tables/{opened['table']}"
        for seat, head in enumerate(self._heads, start=1):
            answer = await self._http.post(
                f"{self._path}/join", json={"version": seat, "key": "j", "seat": seat}, headers=head
            )
            answer.raise_for_status()

    async def play(self, moves: int) -> list[float]:
        """Make some moves; return how long each took."""
        took: list[float] = []
        end = perf_counter() + LONGEST
        while len(took) < moves and perf_counter() < end:
            for seat, head in enumerate(self._heads, start=1):
                view = (await self._http.get(self._path, headers=head)).json()
                if view.get("legal"):
                    move = {
                        "version": view["version"],
                        "key": f"m{view['version']}",
                        "seat": seat,
                        "action": view["legal"][0],
                    }
                    began = perf_counter()
                    answer = await self._http.post(f"{self._path}/act", json=move, headers=head)
                    took.append(perf_counter() - began)
                    answer.raise_for_status()
                    break
            await asyncio.sleep(PACE)
        return took


async def measure(port: int, moves: int, nice: int, only: str) -> bool:
    """Measure with every attack and print a line for each; return whether the goal is met."""
    met = True
    print(f"attackers on the same machine, nice {nice}")
    print("while …                moves   p50 ms   p99 ms   max ms")
    lines = {"nobody": (), **{one: (one,) for one in ATTACKS}, "all of them": ATTACKS}
    for name, attacks in lines.items():
        if only not in ("", name):
            continue
        # Games of their own: one for all of them would end on the way.
        pairs = [Players(port, number) for number in range(TABLES)]
        for pair in pairs:
            await pair.sit_down()
        command = [sys.executable, "-m", "bench.abuse", "--port", str(port), "--nice", str(nice), "--attack"]
        attackers = [subprocess.Popen([*command, one]) for one in attacks]
        try:
            await asyncio.sleep(3 if attackers else 0)
            found = await asyncio.gather(*(pair.play(moves // TABLES) for pair in pairs))
        finally:
            for attacker in attackers:
                attacker.kill()
                attacker.wait()
        took = [1000 * one for pair in found for one in pair]
        numbers = (percentile(took, 0.5), percentile(took, 0.99), max(took, default=float("nan")))
        print(f"{name:<20} {len(took):>7} {numbers[0]:>8.1f} {numbers[1]:>8.1f} {numbers[2]:>8.1f}", flush=True)
        met = met and numbers[1] < 250
    return met


def main() -> int:
    """Start a server, measure, and say whether p99 stays below 250 ms."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=500, help="for each line")
    parser.add_argument("--nice", type=int, default=15, help="how low the priority of the attackers is; 0 is the usual")
    parser.add_argument("--only", choices=("nobody", *ATTACKS, "all of them"), default="", help="one of the lines")
    parser.add_argument("--attack", choices=ATTACKS, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help="of a server that runs already")
    given = parser.parse_args()
    if given.attack:
        os.nice(given.nice)
        asyncio.run(RUN[given.attack](given.port))  # type: ignore[arg-type]
        return 0
    if given.port:
        return 0 if asyncio.run(measure(given.port, given.moves, given.nice, given.only)) else 1
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="starfrost-abuse-") as folder:
        environment = {**os.environ, "STARFROST_CACHE": folder, "STARFROST_LOG_LEVEL": "error"}
        environment.pop("STARFROST_SOLVE", None)
        command = [
            sys.executable,
            "-m",
            "starfrost",
            "serve",
            "--port",
            str(port),
            "--database",
            str(Path(folder) / "t.db"),
        ]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            met = asyncio.run(measure(port, given.moves, given.nice, given.only))
        finally:
            server.terminate()
            server.wait()
    print("p99 stays below 250 ms" if met else "p99 does not stay below 250 ms")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
