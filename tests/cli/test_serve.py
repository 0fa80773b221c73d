"""`starfrost serve`, as a person starts and stops it."""

import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import psutil
import pytest
import structlog
import uvicorn

from starfrost.cli import main
from starfrost.fair.proof import prove
from starfrost.web.server import _Supervisor
from tests.postgres import Postgres
from tests.serving import Player, Server


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_under_two_seconds_with_streams_open(tmp_path: Path, number: int) -> None:
    with Server(str(tmp_path / "t.db"), tmp_path / "log", fresh=True) as server:
        anna = Player(server.url)
        table = anna.open(seats=("open", "bot:greedy"))
        anna.join(table)
        ended: list[str] = []

        def watch() -> None:
            with httpx.stream("GET", f"{server.url}/api/tables/{table}/stream", timeout=30) as stream:
                for line in stream.iter_lines():
                    if line.startswith("retry"):
                        started.release()
                ended.append("ended")

        started = threading.Semaphore(0)
        watchers = [threading.Thread(target=watch) for _ in range(20)]
        for watcher in watchers:
            watcher.start()
        for _ in watchers:
            assert started.acquire(timeout=20)
        anna.move(table)
        # Two seconds; more only where even an undisturbed start takes longer than that.
        assert server.stop(number) < max(2.0, server.start_took)
        for watcher in watchers:
            watcher.join(10)
        assert ended == ["ended"] * 20
        assert server.process is not None
        assert server.process.returncode == 128 + number
        assert "Traceback" not in server.log.read_text()
        # The bot has thought in a process of its own: that leaves nothing behind to complain of.
        assert "leaked" not in server.log.read_text()


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """Undo how a server in this process sets up its logs: their stream belongs to one test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("starfrost: ")
    assert error.count("\n") == 1
    return error


def test_several_workers_need_postgres(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = refusal(["--workers", "2", "--database", str(tmp_path / "t.db")], capsys)
    assert "Postgres" in error


def test_unknown_databases_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a database that Starfrost knows" in refusal(["--database", "mysql://x/y"], capsys)


def test_a_port_in_use_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Server(str(tmp_path / "t.db"), tmp_path / "log") as server:
        assert "cannot be used" in refusal(
            ["--port", str(server.port), "--database", str(tmp_path / "other.db")], capsys
        )


def test_a_second_server_on_one_file_is_refused(tmp_path: Path) -> None:
    with Server(str(tmp_path / "t.db"), tmp_path / "log"):
        second = subprocess.run(
            [sys.executable, "-m", "starfrost", "serve", "--port", "0", "--database", str(tmp_path / "t.db")],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert second.returncode == 2
    assert "Another server already uses" in second.stderr
    assert "Traceback" not in second.stderr


def test_nothing_to_configure(tmp_path: Path) -> None:
    """Without --database the file is in the user's data folder."""
    command = [sys.executable, "-c", "from starfrost.table import Settings; print(Settings().database)"]
    shown = subprocess.run(command, capture_output=True, text=True, env={"HOME": str(tmp_path)}, check=True).stdout
    assert shown.startswith("sqlite:///")
    assert "starfrost" in shown


def test_two_workers_on_one_postgres(postgres: Postgres, tmp_path: Path) -> None:
    """Two processes behind one port play a game, then stop in time although streams are open."""
    with Server(postgres.database(), tmp_path / "log", "--workers", "2", fresh=True) as server:
        anna, ben = Player(server.url), Player(server.url, "Ben")
        table = anna.open()
        anna.join(table, 1)
        ben.join(table, 2)
        codes: set[str] = set()
        for _ in range(400):
            # A new connection each time: whichever process takes it has to know.
            for player in (anna, ben):
                player.http.close()
                player.http = httpx.Client(base_url=server.url, headers=dict(player.http.headers), timeout=30)
                try:
                    player.move(table)
                except httpx.HTTPStatusError as error:
                    # This process had not heard of the last move yet: it says so, and we look again.
                    codes.add(error.response.json()["code"])
            if anna.get(f"/tables/{table}")["status"] == "over":
                break
        record = anna.http.get(f"/api/tables/{table}/record").text
        assert prove(record).finished
        assert codes <= {"stale", "not-your-turn"}
        with anna.http.stream("GET", f"/api/tables/{table}/stream"):
            took = server.stop()
        assert took < 5


def test_workers_end_with_a_killed_supervisor(postgres: Postgres, tmp_path: Path) -> None:
    """They would keep the port, and a new server could not start."""
    with Server(postgres.database(), tmp_path / "log", "--workers", "2") as server:
        assert server.process is not None
        workers = psutil.Process(server.process.pid).children(recursive=True)
        assert len(workers) >= 2
        # Only the supervisor, not its group.
        server.process.kill()
        server.process.wait()
        _, left = psutil.wait_procs(workers, timeout=60)
        assert not left
        server.start()


def test_a_worker_that_dies_while_it_starts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The supervisor asks each worker for an answer, and has as long for it as a worker may take to start."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    supervisor = _Supervisor(uvicorn.Config("nobody:app", workers=1), sockets=[])
    supervisor.init_processes()
    worker = supervisor.processes[0]
    worker.process.kill()
    worker.process.join()
    assert worker.parent_conn.poll(30)
    assert not worker.ping()


def measured(server: Server, name: str) -> float:
    """Read a number from any worker."""
    text = httpx.get(f"{server.url}/metrics", timeout=30).text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def test_every_worker_tells_the_numbers_of_all(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Server(postgres.database(), tmp_path / "log", "--workers", "2") as server, ExitStack() as streams:
        assert server.process is not None
        for _ in range(12):
            # A new connection each time: both workers get some.
            Player(server.url).open()
        assert [measured(server, "starfrost_commands_total") for _ in range(8)] == [12] * 8
        table = Player(server.url).open()
        for _ in range(8):
            client = streams.enter_context(httpx.Client(base_url=server.url, timeout=30))
            streams.enter_context(client.stream("GET", f"/api/tables/{table}/stream"))
        eventually(lambda: [measured(server, "starfrost_streams") for _ in range(8)] == [8] * 8)
        # What a dead worker counted stays; its streams are gone.
        workers = [one for one in psutil.Process(server.process.pid).children() if "spawn_main" in one.cmdline()[-2]]
        workers[0].kill()
        eventually(lambda: {measured(server, "starfrost_streams") for _ in range(8)} < {*range(8)})
        assert [measured(server, "starfrost_commands_total") for _ in range(8)] == [13] * 8
        assert server.stop() < 10
    assert not list(tmp_path.glob("starfrost-metrics-*"))


def eventually(happened: Callable[[], bool]) -> None:
    for _ in range(300):
        with suppress(httpx.TransportError):
            if happened():
                return
        time.sleep(0.1)
    raise AssertionError("it never happened")
