"""What a move costs that people make: `python -m bench.page [--against ../other [--runs 5]]`.

Every player, and a spectator where asked for, is a browser without a screen: a connection with the guest's cookie and
an event stream. Whose turn it is fills in the form of the page (whatever buttons it has: rolls, choices, effects) and
posts it; the answer is the mover's new screen. Everybody else is told by their stream and fetches their scenes. A move
is over once all have seen it. Games are played to their end, one after another. The server runs on one core and the
load on another; tables alternate between both games, and between English and German.

Printed are the server's processor time for a move with all its screens, moves per second, the time from the tap to the
mover's and to the last other's new screen, and the bytes of a move on the wire. boardgame.io in memory, whose clients
draw for themselves, moves in the same run: a counter. `--against` measures the server of another tree, in turns.
"""

import argparse
import asyncio
import gc
import json
import random
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psutil

from bench.server import HERE, measure, pinned, serving, set_up
from bench.server_load import percentile

TABLES = (10, 50, 200)
GAMES = ("dicy-cards", "dice-stars")
LANGUAGES = ("en", "de")
WARM_UP = 100
"""Moves that load code and templates."""
HEAD = (
    "| server | tables | people | moves | server µs a move | moves/s | own screen p50 ms | p95 | p99 "
    "| other screen p50 ms | p95 | p99 | bytes a move |"
)

_MAIN = re.compile(r"<main[^>]*>")
_BUTTON = re.compile(r"<button[^>]*>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_HIDDEN = re.compile(r'<input type="hidden" name="(version|seat|key|step)" value="([^"]*)">')
_TOLD = re.compile(rb'event: version\ndata: {"version":(\d+)')
_PICK = re.compile(r'<input type="(?:radio|checkbox)"[^>]* name="(card|die|row)" value="([^"]*)"')


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag that have a value."""
    return dict(_ATTRIBUTE.findall(tag))


class Wire(asyncio.Protocol):
    """A browser's connection: answers come back in the order of the requests, packed; a stream never ends."""

    def __init__(self, browser: "Browser", heard: Callable[[int], None] | None = None) -> None:
        self.browser, self.heard = browser, heard
        self.buffer = bytearray()
        self.waiting: list[asyncio.Future[tuple[int, str]]] = []
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.browser.load.bytes += len(data)
        self.buffer += data
        if self.heard and not self.waiting:
            return self._read_stream()
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self.buffer[:end]).lower() + b"\r\n"
            status, _, after = int(head[9:12]), *head.partition(b"content-length: ")[1:]
            length = int(after[: after.index(b"\r")]) if after else 0
            if len(self.buffer) < end + 4 + length:
                return None
            body = bytes(self.buffer[end + 4 : end + 4 + length])
            del self.buffer[: end + 4 + length]
            if b"content-encoding: gzip" in head:
                body = zlib.decompress(body, 31)
            self.waiting.pop(0).set_result((status, "" if self.heard else body.decode()))
            if self.heard:
                return self._read_stream()
        return None

    def _read_stream(self) -> None:
        *messages, rest = self.buffer.split(b"\n\n")
        self.buffer = rest
        for message in messages:
            if self.heard and (told := _TOLD.search(message)):
                self.heard(int(told[1]))

    async def ask(self, method: str, path: str, body: bytes = b"", kind: str = "", more: str = "") -> tuple[int, str]:
        """Send a request; return the status and the text of the answer."""
        if self.transport.is_closing():
            # As a browser does when the server has closed an idle connection.
            await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.browser.load.port)
        answer: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        sent = (
            f"{method} {path} HTTP/1.1\r\nhost: bench\r\ncookie: {self.browser.cookie}\r\n"
            f"accept-language: {self.browser.language}\r\naccept-encoding: gzip\r\naccept: text/html\r\n{more}"
            + (f"content-type: {kind}\r\ncontent-length: {len(body)}\r\n" if body else "")
            + "\r\n"
        ).encode() + body
        self.browser.load.bytes += len(sent)
        self.transport.write(sent)
        status, text = await answer
        if status >= 400:
            raise SystemExit(f"{method} {path}: {status} {text[:500]}")
        return status, text


class Browser:
    """One person's page of a table."""

    def __init__(self, load: "Load", language: str) -> None:
        self.load, self.language, self.cookie = load, language, ""
        self.screen = ""
        self.main: dict[str, str] = {}
        self.known = 0
        """The version that the stream told of."""
        self.told = asyncio.Event()
        self.wire: Wire

    async def connect(self) -> None:
        """Open the connection of pages and forms."""
        loop = asyncio.get_running_loop()
        _, self.wire = await loop.create_connection(lambda: Wire(self), "127.0.0.1", self.load.port)

    async def api(self, path: str, **body: Any) -> Any:
        """Call the JSON interface."""
        _, text = await self.wire.ask("POST", f"/api{path}", json.dumps(body).encode(), "application/json")
        return json.loads(text)

    async def look(self, table: str) -> None:
        """Open a table's page and its stream."""
        self.show((await self.wire.ask("GET", f"/t/{table}"))[1])
        self.known = int(self.main["data-version"])

        def hear(version: int) -> None:
            self.known = max(self.known, version)
            self.told.set()

        loop = asyncio.get_running_loop()
        _, stream = await loop.create_connection(lambda: Wire(self, hear), "127.0.0.1", self.load.port)
        await stream.ask("GET", f"/api/tables/{table}/stream?after={self.main['data-version']}&looking=true")

    def show(self, text: str) -> None:
        """Show a screen, as it was answered."""
        found = _MAIN.search(text)
        if not found:
            raise SystemExit(f"This is no table: {text[:500]}")
        self.screen = text[found.start() :]
        self.main = attributes(found[0])
        self.more = " data-more" in found[0]
        self.turn = " data-turn" in found[0]

    async def tap(self, table: str, fields: list[tuple[str, str]]) -> None:
        """Post the form; the answer is shown."""
        body = urlencode(fields).encode()
        form = "application/x-www-form-urlencoded"
        self.show((await self.wire.ask("POST", f"/t/{table}/act", body, form, "x-fragment: 1\r\n"))[1])

    async def follow(self, table: str, version: int) -> None:
        """Wait until the stream tells of a version, and fetch scenes up to the present."""
        while self.known < version:
            self.told.clear()
            await self.told.wait()
        while int(self.main["data-version"]) < version or self.more:
            seen = f"after={self.main['data-step']}&version={self.main['data-version']}"
            status, text = await self.wire.ask("GET", f"/t/{table}/scene?{seen}", more="x-fragment: 1\r\n")
            if status == 204:
                return
            self.show(text)


def fill(screen: str, rng: random.Random) -> list[tuple[str, str]]:
    """Fill in the form of a screen with something that its buttons offer."""
    fields = list(dict(_HIDDEN.findall(screen)).items())
    buttons = [attributes(tag) for tag in _BUTTON.findall(screen) if ' name="do"' in tag and " hidden" not in tag]
    picks: dict[str, list[str]] = {}
    for name, value in _PICK.findall(screen):
        # To skip is chosen like a card.
        if value != "skip":
            picks.setdefault(name, []).append(value)
    usual = [one for one in buttons if one["value"] not in ("skip", "reroll")]
    button = rng.choice(usual if usual and rng.random() < 0.8 else buttons)
    do, _, choice = button["value"], *button.get("id", "").partition("do-")[1:]
    fields.append(("do", do))
    if do in ("take", "penalty"):
        fields.append(("take", choice))
    elif do == "reroll":
        fields.append(("card", rng.choice(picks["card"])))
        fields += [("die", die) for die in rng.sample(picks["die"], rng.randint(1, len(picks["die"])))]
    elif choice:
        fields.append(("card", choice))
    fields += [("row", row) for row in rng.sample(picks.get("row", []), int(button.get("data-need", 0)))]
    return fields


class Load:
    """Games at one server, and what was measured of them."""

    def __init__(self, port: int, people: int, watched: bool) -> None:
        self.port, self.people, self.watched = port, people, watched
        self.bytes = 0
        self.own: list[float] = []
        self.other: list[float] = []
        self.rng = random.Random(1)

    async def seat(self, number: int) -> tuple[str, list[Browser]]:
        """Open a table and seat its people; one person plays both sides, or solo."""
        game, language = GAMES[number % 2], LANGUAGES[number // 2 % 2]
        browsers = [Browser(self, language) for _ in range(self.people + self.watched)]
        for browser in browsers:
            await browser.connect()
            browser.cookie = f"starfrost_guest={(await browser.api('/guests', name='Anna'))['token']}"
        host, seats = browsers[0], max(self.people, 2 if game == "dicy-cards" else 1)
        opened = await host.api("/tables", game=game, seats=["open"] * seats, public=True, key="open")
        table = opened["table"]
        for seat in range(seats):
            body = {"version": 1 + seat, "seat": 1 + seat, "key": f"join{seat}", "name": f"P{seat}"}
            await browsers[min(seat, self.people - 1)].api(f"/tables/{table}/join", **body)
        for browser in browsers:
            await browser.look(table)
        return table, browsers

    async def play(self, games: list[tuple[str, list[Browser]]]) -> None:
        """Play games to their end, one after another."""
        for table, browsers in games:
            await asyncio.gather(*(one.follow(table, int(browsers[0].main["data-version"])) for one in browsers))
            while browsers[0].main["data-status"] == "running":
                (mover,) = [one for one in browsers if one.turn]
                began = time.perf_counter()
                await mover.tap(table, fill(mover.screen, self.rng))
                self.own.append(time.perf_counter() - began)
                others = [one for one in browsers if one is not mover]
                if others:
                    await asyncio.gather(*(one.follow(table, int(mover.main["data-version"])) for one in others))
                    self.other.append(time.perf_counter() - began)


class Measured(NamedTuple):
    """What a run measured; times in milliseconds but for the server's, which is in microseconds."""

    moves: int
    server: float
    rate: float
    own: list[float]
    other: list[float]
    bytes: float

    def cells(self) -> list[str]:
        """Return it as the cells of a table."""
        times = [f"{one:.1f}" for one in (*self.own, *self.other)]
        return [f"{self.moves:,.0f}", f"{self.server:,.0f}", f"{self.rate:,.0f}", *times, f"{self.bytes:,.0f}"]


async def play(port: int, pid: int, tables: int, seconds: float, people: int, watched: bool) -> Measured:
    """Play at many tables, for some seconds or until all games are over."""
    load, server = Load(port, people, watched), psutil.Process(pid)
    games = [await load.seat(number) for number in range(max(tables, 30))]
    tasks = [asyncio.create_task(load.play(games[slot::tables])) for slot in range(tables)]
    while len(load.own) < WARM_UP:
        await asyncio.sleep(0.01)
    load.own.clear()
    load.other.clear()
    load.bytes = 0
    began, busy = time.perf_counter(), sum(server.cpu_times()[:2])
    done, _ = await asyncio.wait(tasks, timeout=seconds)
    took, busy, moves = time.perf_counter() - began, sum(server.cpu_times()[:2]) - busy, len(load.own)
    for task in done:
        task.result()
    for task in tasks:
        task.cancel()
    shares = (0.5, 0.95, 0.99)
    own, other = ([1000 * percentile(times, share) for share in shares] for times in (load.own, load.other))
    return Measured(moves, 1e6 * busy / moves, moves / took, own, other, load.bytes / moves)


def measure_tree(tree: Path, tables: int, seconds: float, people: int, watched: bool) -> Measured:
    """Serve a tree and play there."""
    with serving("starfrost", tree / "src") as (port, pid):
        command = [sys.executable, "-m", "bench.page", "--load", str(port), str(pid), "--seconds", str(seconds)]
        command += ["--tables", str(tables), "--people", str(people), *(["--watched"] if watched else [])]
        done = subprocess.run(
            pinned(1, command), cwd=HERE.parent, capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        return Measured(*json.loads(done.stdout))


def middle(runs: list[Measured]) -> Measured:
    """Return the median of each figure."""
    columns: list[Any] = []
    for values in zip(*runs, strict=True):
        many = isinstance(values[0], list)
        columns.append([median(each) for each in zip(*values, strict=True)] if many else median(values))
    return Measured(*columns)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another tree, such as a worktree of an older commit")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0, help="the longest time of a run")
    parser.add_argument("--tables", type=int, nargs="*", default=list(TABLES))
    parser.add_argument("--people", type=int, nargs="*", default=[2])
    parser.add_argument("--watched", action="store_true", help="a spectator at every table")
    parser.add_argument("--no-boardgame", action="store_true")
    parser.add_argument("--load", type=int, nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.load:
        import uvloop

        # The load's own pauses are not the server's.
        gc.disable()
        found = uvloop.run(play(*chosen.load, chosen.tables[0], chosen.seconds, chosen.people[0], chosen.watched))
        print(json.dumps(found))
        return
    trees = {"this tree": HERE.parent} | ({"the other": chosen.against.resolve()} if chosen.against else {})
    if not chosen.no_boardgame:
        set_up()
    print(f"Medians of {chosen.runs} runs\n{HEAD}\n" + "|---" * HEAD.count(" |") + "|", flush=True)
    for people, tables in ((people, tables) for people in chosen.people for tables in chosen.tables):
        runs: dict[str, list[Measured]] = {name: [] for name in trees}
        counters: list[dict[str, float]] = []
        for _ in range(chosen.runs):
            for name, tree in trees.items():
                runs[name].append(measure_tree(tree, tables, chosen.seconds, people, chosen.watched))
            if not chosen.no_boardgame and people == 2:
                counters.append(measure("memory", tables, min(4.0, chosen.seconds), 0))
        shown = f"{people}, watched" if chosen.watched else str(people)
        for name, found in runs.items():
            print("| " + " | ".join([name, str(tables), shown, *middle(found).cells()]) + " |", flush=True)
        if counters:
            times = [median(run[f"{who}_p{p}"] for run in counters) for who in ("ack", "other") for p in (50, 95, 99)]
            rate, server = (median(run[figure] for run in counters) for figure in ("rate", "server_us"))
            cells = ["boardgame.io, a counter", str(tables), "2", "", f"{server:,.0f}", f"{rate:,.0f}"]
            print("| " + " | ".join([*cells, *(f"{one:.1f}" for one in times), ""]) + " |", flush=True)
        if chosen.against:
            pairs = zip(*(runs[name] for name in trees), strict=True)
            print("  µs in pairs: " + ", ".join(f"{a.server:.0f}/{b.server:.0f}" for a, b in pairs), flush=True)


if __name__ == "__main__":
    main()
