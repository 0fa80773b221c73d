"""Sends random requests to every route and fails at an answer of 500 or above.

    python -m tests.torture.fuzz                      # 50,000 requests
    python -m tests.torture.fuzz --requests 2000 --seed 7

The requests are built from what the routes expect: real tables, tokens and moves, mixed with wrong types, foreign
letters, huge numbers and cut bodies; some are broken anywhere, their first line and headers included. They travel over
sockets, as those of a stranger do. The seed decides all of them, so that a failure can be repeated.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from uvicorn import Config, Server

from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.web.api import router
from starfrost.web.app import App, create_app
from starfrost.web.logs import configure_logs
from starfrost.web.pages.replays import pack
from starfrost.web.routing import Site
from tests.games.records import GOOD
from tests.serving import free_port

NO_LIMITS = dict.fromkeys(("moves_per_second", "opens_per_minute", "requests_per_second", "tables_per_address"), 0)
ROUND = 500
"""Requests after which the guests and tables are made anew, because requests may delete them."""
LONGEST = 60.0
"""Seconds after which a request counts as stuck."""
OF_PROXIES = {501, 505}
"""What a proxy says by itself about methods, encodings and versions of HTTP that it does not know."""
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n")

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
        elif isinstance(route, Site):
            yield from _routes(route.routes)
        elif not route.path.startswith("/static"):
            yield prefix + route.path, sorted(getattr(route, "methods", None) or {"GET"})


class Line(NamedTuple):
    """A connection to the server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


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

    def __init__(self, app: App, port: int, random: Random) -> None:
        self.port = port
        self.random = random
        self._lines: list[Line] = []
        """Connections that can be used again."""
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []
        self.routes = list(_routes(app.routes))

    def not_caught(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note what failed outside the app, in a connection for example."""
        # Without an exception it is SQLAlchemy, which drops the connection of a reader who left during a query.
        if "exception" in context:
            self.faults.append(f"not caught: {context}")

    def close(self) -> None:
        """Close the connections."""
        for line in self._lines:
            line.writer.transport.abort()

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

    def request(self, world: World) -> tuple[str, bytes]:
        """Return the method of a request and the request as it travels."""
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
        headers = [(b"host", b"table.test"), (b"x-forwarded-for", b"203.0.113.1"), (b"content-type", kind.encode())]
        if random.random() < 0.7:
            headers.append((b"authorization", f"Bearer {random.choice(world.tokens)}".encode()))
        elif random.random() < 0.5:
            headers.append((b"cookie", f"starfrost_guest={quote(str(self.value(world)), errors='replace')}".encode()))
        if random.random() < 0.2:
            odd = str(self.value(world)).encode("utf-8", "replace").replace(b"\n", b"")[:200]
            names = (b"accept-language", b"user-agent", b"x-requested-with", b"last-event-id", b"range", b"cookie")
            headers.append((random.choice(names), odd))
        target = quote(path.encode("utf-8", "replace"), safe="/%") + ("?" + query if query else "")
        lines = [f"{method} {target} HTTP/1.1".encode(), *(b"%b: %b" % header for header in headers)]
        return method, b"\r\n".join([*lines, b"content-length: %d" % len(body), b"", body])

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
        method, data = self.request(world)
        broken = self.random.random() < 0.03
        if broken:
            at = self.random.randrange(len(data))
            data = (
                data[:at] + self.random.randbytes(self.random.randrange(1, 4)) + data[at + self.random.randrange(3) :]
            )
        fault, status = "", 0
        try:
            async with asyncio.timeout(LONGEST):
                status = await self._ask(data, method, broken)
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as error:
            # Half a request may get no answer; a whole one always gets one.
            fault = "" if broken and isinstance(error, EOFError | OSError) else f"{type(error).__name__}: {error}"
        self.statuses[status] += 1
        if fault or (not status and not broken) or (status >= 500 and status not in OF_PROXIES):
            self.faults.append(f"{status} {fault} {data[:900]!r}")

    async def _ask(self, data: bytes, method: str, broken: bool) -> int:
        """Send bytes and return the status of the answer; a connection is used again after a whole answer."""
        line = self._lines.pop() if self._lines else Line(*await asyncio.open_connection("127.0.0.1", self.port))
        try:
            line.writer.write(data)
            if broken:
                # Otherwise a server that was promised more would wait for it.
                line.writer.write_eof()
            head = await line.reader.readuntil(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            length = LENGTH.search(head)
            if length is None and status not in (204, 304):
                # Whoever asked for a stream or for the coach goes after a moment.
                await asyncio.sleep(0.05)
            elif length is not None and method != "HEAD" and not broken:
                await line.reader.readexactly(int(length[1]))
        except BaseException:
            line.writer.transport.abort()
            raise
        if broken or length is None or b"connection: close" in head:
            line.writer.transport.abort()
        else:
            self._lines.append(line)
        return status


async def fuzz(
    folder: Path,
    requests: int,
    seed: int,
    tell: bool = False,
    front: Callable[[int], AbstractContextManager[int]] = nullcontext,
) -> Fuzzer:
    """Send random requests over sockets to a service with a database in a folder.

    `front` puts a proxy in front of the service's port and returns its own port.
    """
    settings = Settings(
        database=str(folder / "tables.db"), bot_pace=0.0, undo_grace=0.0, log_level="critical", **NO_LIMITS
    )
    app = create_app(settings)
    port = free_port()
    # As a server of our own runs it; a connection that waits longer than a busy machine takes must not be closed.
    settled = {"http": "httptools", "timeout_keep_alive": 60, "log_config": None, "access_log": False}
    server = Server(Config(app, port=port, **settled))  # type: ignore[arg-type]
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.05)
    stack = ExitStack()
    fuzzer = Fuzzer(app, stack.enter_context(front(port)), Random(seed))
    asyncio.get_running_loop().set_exception_handler(fuzzer.not_caught)
    try:
        began = time.monotonic()
        for start in range(0, requests, ROUND):
            world = await World.make(app.state.service, fuzzer.random)
            for some in range(start, min(start + ROUND, requests), 4):
                await asyncio.gather(*(fuzzer.send(world) for _ in range(min(4, requests - some))))
            if tell:
                done = min(start + ROUND, requests)
                print(f"{done} requests, {done / (time.monotonic() - began):.0f} a second, {len(fuzzer.faults)} faults")
    finally:
        fuzzer.close()
        stack.close()
        server.should_exit = True
        await serving
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
