"""Sends random requests to every route and fails at an answer of 500 or above.

    python -m tests.torture.fuzz                      # 50,000 requests
    python -m tests.torture.fuzz --requests 2000 --seed 7

The requests are built from what the routes expect: real tables, tokens and moves, mixed with wrong types, foreign
letters, huge numbers and cut bodies. The seed decides all of them, so that a failure can be repeated.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.web.api import router
from starfrost.web.app import App, create_app
from starfrost.web.logs import configure_logs
from starfrost.web.pages.replays import pack
from tests.games.records import GOOD

NO_LIMITS = dict.fromkeys(
    ("moves_per_second", "opens_per_minute", "requests_per_second", "page_seconds", "tables_per_address"), 0
)
ROUND = 500
"""Requests after which the guests and tables are made anew, because requests may delete them."""
LONGEST = 60.0
"""Seconds after which a request counts as stuck."""

TEXTS = (
    "", "0", "1", "2", "-1", "7", "99999999999999999999", "1e999", "NaN", "null", "true", "on", "x",
    "x" * 300, "x" * 5000,
    "\0", "\u202e", "é" * 30, "👩‍👩‍👧", "\ud800", "'\"--", "<b>", "{{7*7}}", "%s%n", "../../etc/passwd", "\r\nX: y",
    " ",
    "roll", "skip", "draw 3", "score odds 1", "open", "bot:greedy", "bot:perfect", "random", "dicy-cards", "dice-stars",
    "glacial", "b", "custom", "2min", "none", "bots", "device", "friends", "clap", "instant", "de", "nl", "dark",
    "2026-11-16", "1970-01-01", "9999-99-99", "today", "[1", "a | b", "starfrost: 1\ngame: dicy-cards\n\n* 111111\n",
)  # fmt: skip
FIELDS = [
    "version",
    "key",
    "seat",
    "action",
    "name",
    "name1",
    "name2",
    "contribution",
    "invitation",
    "game",
    "seats",
    "options",
    "clock",
    "public",
    "first",
    "practice",
    "bot",
    "bots",
    "who",
    "mode",
    "goal",
    "do",
    "card",
    "die",
    "dice",
    "row",
    "text",
    "file",
    "record",
    "step",
    "event",
    "table",
    "back",
    "theme",
    "pace",
    "sound",
    "confirm",
    "lang",
    "reaction",
    "phrase",
    "code",
    "device",
    "share",
    "endpoint",
    "keys",
    "p256dh",
    "auth",
    "subscription",
    "answer",
    "puzzle",
    "day",
    "begins-bots",
    "begins-",
    "device",
    "cards",
    "coach",
    "check",
    "better",
    "after",
    "number",
    "against",
    "sit",
    "only",
    "level",
    "sort",
    "page",
    "rules",
    "variant",
]
TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain", "")


def _routes(routes: Any, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the path and the methods of every route, those of included routers too."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            # The JSON interface is the one that is included under a prefix.
            yield from _routes(inner.routes, "/api" if inner is router or prefix else prefix)
        elif not route.path.startswith("/static"):
            yield prefix + route.path, sorted(getattr(route, "methods", None) or {"GET"})


class World:
    """What requests can speak of: tokens, tables and invitations that exist."""

    def __init__(self, tokens: list[str], words: list[str]) -> None:
        self.tokens = tokens
        self.words = words

    @classmethod
    async def make(cls, service: TableService, random: Random) -> "World":
        """Make guests, and tables that wait, are played, are over and are closed."""
        made = [await service.new_guest(f"Guest {number}") for number in range(3)]
        anna, ben = made[0][0], made[1][0]
        words = [pack(GOOD)]
        small = {"mode": "glacial", "goal": "1"}
        for number, (game, seats, options) in enumerate(
            (
                ("dicy-cards", ("open", "open"), small),
                ("dicy-cards", ("open", "bot:greedy"), {}),
                ("dice-stars", ("open", "bot:random"), {}),
                ("dice-stars", ("open", "open"), {}),
            )
        ):
            key = f"k{random.getrandbits(60)}"
            opened = await service.open(anna, Opening(game, seats, options, public=number == 3), key=key)
            words += [opened.table, str((await service.view(opened.table, anna)).invitation)]
            if number < 3:
                await service.join(opened.table, anna, version=1, key="join")
            if number == 0:
                await service.join(opened.table, ben, version=2, key="join", invitation=words[-1])
                await cls._play_out(service, opened.table)
        return cls([token for _, token in made], words)

    @staticmethod
    async def _play_out(service: TableService, table: str) -> None:
        while (snapshot := await service.snapshot(table)).status == "running":
            acting = int(snapshot.acting or 0)
            await service.act(
                table,
                Guest(str(snapshot.awaited), "x"),
                acting + 1,
                snapshot.legal[0],
                version=snapshot.version,
                key=f"m{snapshot.version}",
            )


class Fuzzer:
    """Random requests, and what became of them."""

    def __init__(self, app: App, random: Random) -> None:
        self.app = app
        self.random = random
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []
        self.routes = list(_routes(app.routes))

    def value(self, world: World) -> Any:
        """Return something that a field might be given."""
        random = self.random
        kind = random.random()
        if kind < 0.35:
            return random.choice(world.words)
        if kind < 0.85:
            return random.choice(TEXTS)
        return random.choice(
            [random.randint(-3, 40), 2**70, -1.5, None, True, [], [1, "x"], {}, {"goal": "1"}, ["open", "open"], [[[]]]]
        )

    def request(self, world: World) -> tuple[dict[str, Any], bytes]:
        """Return the scope and the body of a request."""
        random = self.random
        template, methods = random.choice(self.routes)
        path = "/".join(str(self.value(world)) if part.startswith("{") else part for part in template.split("/"))
        if random.random() < 0.03:
            path += random.choice(["/", "//", "/x", "%00", "?"])
        method = random.choice(methods) if random.random() < 0.9 else random.choice(["GET", "POST", "PUT", "HEAD"])
        given = {random.choice(FIELDS): self.value(world) for _ in range(random.randrange(7))}
        query = urlencode(given, doseq=True, errors="replace") if random.random() < 0.6 else ""
        sent = {random.choice(FIELDS): self.value(world) for _ in range(random.randrange(9))}
        if random.random() < 0.7:
            sent |= {
                "version": random.randint(0, 30),
                "key": f"k{random.getrandbits(40)}",
                "seat": random.randint(1, 2),
            }
        kind = TYPES[0] if path.startswith("/api/") else TYPES[1]
        kind = kind if random.random() < 0.85 else random.choice(TYPES)
        body = self._body(kind, sent) if method not in ("GET", "HEAD") else b""
        if random.random() < 0.05:
            body = body[: random.randrange(len(body) + 1)] + random.randbytes(random.randrange(20))
        headers = [(b"host", b"table.test"), (b"content-type", kind.encode())]
        if random.random() < 0.7:
            headers.append((b"authorization", f"Bearer {random.choice(world.tokens)}".encode()))
        elif random.random() < 0.5:
            headers.append((b"cookie", f"starfrost_guest={quote(str(self.value(world)), errors='replace')}".encode()))
        if random.random() < 0.2:
            odd = str(self.value(world)).encode("utf-8", "replace").replace(b"\n", b"")[:200]
            names = (b"accept-language", b"user-agent", b"x-requested-with", b"last-event-id", b"range", b"cookie")
            headers.append((random.choice(names), odd))
        raw = path.encode("utf-8", "replace")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": raw.decode(),
            "raw_path": quote(raw).encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "client": ("203.0.113.1", 1),
            "server": ("table.test", 80),
        }
        return scope, body

    def _body(self, kind: str, sent: dict[str, Any]) -> bytes:
        if kind.startswith("multipart"):
            parts = [
                f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\n{value}\r\n'
                for name, value in sent.items()
            ]
            return ("".join(parts) + "--b--\r\n").encode("utf-8", "replace")
        if kind == TYPES[1]:
            return urlencode(sent, doseq=True, errors="replace").encode()
        if self.random.random() < 0.02:
            return b"[" * 5000
        return json.dumps(sent).encode()

    async def send(self, world: World) -> None:
        """Send one request and note its status."""
        scope, body = self.request(world)
        status = 0
        told = False

        async def receive() -> dict[str, Any]:
            nonlocal told
            if told:
                # Whoever asked for a stream or for the coach goes after a moment.
                await asyncio.sleep(0.05)
                return {"type": "http.disconnect"}
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]

        fault = ""
        try:
            await asyncio.wait_for(self.app(scope, receive, send), LONGEST)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        self.statuses[status] += 1
        if fault or not status or status >= 500:
            what = f"{scope['method']} {scope['path']!r}?{scope['query_string']!r} {body[:300]!r} {scope['headers']}"
            self.faults.append(f"{status} {fault} {what}")


async def fuzz(folder: Path, requests: int, seed: int, tell: bool = False) -> Fuzzer:
    """Send random requests to a service with a database in a folder."""
    settings = Settings(
        database=str(folder / "tables.db"), bot_pace=0.0, undo_grace=0.0, log_level="critical", **NO_LIMITS
    )
    app = create_app(settings)
    random = Random(seed)
    async with app.router.lifespan_context(app):
        fuzzer = Fuzzer(app, random)
        began = time.monotonic()
        for start in range(0, requests, ROUND):
            world = await World.make(app.state.service, random)
            for some in range(start, min(start + ROUND, requests), 4):
                await asyncio.gather(*(fuzzer.send(world) for _ in range(min(4, requests - some))))
            if tell:
                done = min(start + ROUND, requests)
                print(f"{done} requests, {done / (time.monotonic() - began):.0f} a second, {len(fuzzer.faults)} faults")
    return fuzzer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fuzzer and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    os.environ["STARFROST_SOLVE"] = "never"
    configure_logs("critical")
    with tempfile.TemporaryDirectory(prefix="starfrost-fuzz-") as folder:
        found = asyncio.run(fuzz(Path(folder), given.requests, given.seed, tell=True))
    print("answers:", ", ".join(f"{count} × {status}" for status, count in sorted(found.statuses.items())))
    for fault in found.faults[:50]:
        print(fault)
    print(f"{sum(found.statuses.values())} requests, {len(found.faults)} answers of 500 or above")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
