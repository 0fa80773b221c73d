"""A real server in a process of its own, and clients for it."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from tests.waiting import PATIENCE
from tests.warm import Warm, start

DICY = {"mode": "glacial", "goal": "40"}


def for_server(**changes: str) -> dict[str, str]:
    """Return an environment without the settings of the tests, which a server would refuse."""
    return {name: value for name, value in os.environ.items() if not name.startswith("STARFROST_T")} | changes


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`starfrost serve` on a port of its own; it can be killed and started again. `warm.start` tells of the options."""

    def __init__(
        self,
        database: str,
        log: Path,
        *options: str,
        port: int | None = None,
        before: str = "",
        fresh: bool = False,
        **environment: str,
    ) -> None:
        self.port = port or free_port()
        self.database = database
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self.before = before
        self.fresh = fresh
        self._arguments = ["serve", "--port", str(self.port), "--database", database, *options]
        defaults = {
            "BOT_PACE": "0",
            "UNDO_GRACE": "0",
            "MOVES_PER_SECOND": "0",
            "OPENS_PER_MINUTE": "0",
            "TABLES_PER_ADDRESS": "0",
            "BEAT": "0.5",
        }
        defaults["REQUESTS_PER_SECOND"] = "0"
        self._environment = {f"STARFROST_{name}": value for name, value in {**defaults, **environment}.items()}
        self.process: subprocess.Popen[bytes] | Warm | None = None
        self.start_took = 0.0

    def start(self, wait: bool = True) -> "Server":
        environment = for_server(**self._environment)
        with self.log.open("ab") as log:
            self.process = start(self._arguments, environment, log.fileno(), before=self.before, fresh=self.fresh)
        if wait:
            began = time.monotonic()
            self.wait_until_ready()
            self.start_took = time.monotonic() - began
        return self

    @property
    def resume_limit(self) -> float:
        """Five seconds to be back after a kill; more only where even the undisturbed first start took long."""
        return max(5.0, 3 * self.start_took)

    def wait_until_ready(self, seconds: float = 60.0) -> None:
        assert self.process is not None
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"the server does not come up: {self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill it at once, as a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Ask it to stop and return the seconds it took."""
        assert self.process is not None
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(timeout=20)
        return time.monotonic() - began

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()


class Player:
    """A guest over HTTP."""

    def __init__(self, url: str, name: str = "Anna") -> None:
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)
        self.token: str = self.http.post("/api/guests", json={"name": name}).raise_for_status().json()["token"]
        self.http.headers["authorization"] = f"Bearer {self.token}"

    def get(self, path: str) -> Any:
        return self.http.get(f"/api{path}").raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        return self.http.post(f"/api{path}", json=body).raise_for_status().json()

    def open(self, game: str = "dicy-cards", seats: tuple[str, ...] = ("open", "open"), **more: Any) -> str:
        options = DICY if game == "dicy-cards" else {}
        body = {"game": game, "seats": list(seats), "options": options, "public": True, "key": "open", **more}
        table: str = self.post("/tables", **body)["table"]
        return table

    def join(self, table: str, seat: int | None = None) -> Any:
        return self.post(f"/tables/{table}/join", version=1, key=f"join{seat or ''}", seat=seat, contribution="mine")

    def move(self, table: str, action: str | None = None) -> Any:
        """Play an action, the first legal one by default, if it is one's turn."""
        view = self.get(f"/tables/{table}")
        if not view["legal"]:
            return None
        return self.post(
            f"/tables/{table}/act",
            version=view["version"],
            key=f"m{view['version']}",
            seat=view["acting"],
            action=action or view["legal"][0],
        )


def messages(lines: Iterator[str]) -> Iterator[tuple[str, str | None, Any]]:
    """Read server-sent events: name, id and data."""
    name, number, data = "", None, ""
    for line in lines:
        if not line:
            if data:
                yield name, number, json.loads(data)
            name, number, data = "", None, ""
        elif found := re.match(r"(event|id|data): (.*)", line):
            if found[1] == "event":
                name = found[2]
            elif found[1] == "id":
                number = found[2]
            else:
                data = found[2]
