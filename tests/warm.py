"""Servers that start at once: a process that has imported everything already forks for each of them.

A server spends almost all of its start with imports, over three seconds of a processor, and the tests start a hundred.
What a fresh interpreter does differently is seen by the tests that start one (`fresh`): some of the command, of kills
and of two servers.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.interrupts import interruptible

ROOT = Path(__file__).parent.parent

# Forks are not for Windows, and the measuring of coverage does not go along.
POSSIBLE = hasattr(os, "fork") and not any(name.startswith("COVERAGE_PROCESS") for name in os.environ)


def start(
    arguments: list[str], environment: dict[str, str], output: int, *, before: str = "", fresh: bool = False
) -> "subprocess.Popen[bytes] | Warm":
    """Run `starfrost` in a session of its own; `before` is Python that it runs first.

    With `fresh` it starts as a person starts it, imports and all.
    """
    if POSSIBLE and not fresh:
        return Warm(arguments, environment, output, before)
    program = ["-c", f"{before}\nfrom starfrost.cli import main\nmain()"] if before else ["-m", "starfrost"]
    with interruptible():
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )


class Warm:
    """A forked server, with the part of `subprocess.Popen` that the tests use."""

    def __init__(self, arguments: list[str], environment: dict[str, str], output: int, before: str = "") -> None:
        told, tells = os.pipe()
        request = {"arguments": arguments, "environment": environment, "folder": os.getcwd(), "before": before}
        try:
            path = environment.get("PYTHONPATH", "")
            socket.send_fds(_forking(path)[0], [json.dumps(request).encode() + b"\n"], [output, tells])
        finally:
            os.close(tells)
        self._lines = os.fdopen(told, "rb", buffering=0)
        self.pid = int(self._lines.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._end_within(0)

    def wait(self, timeout: float | None = None) -> int:
        ended = self._end_within(timeout)
        if ended is None:
            raise subprocess.TimeoutExpired("starfrost serve", timeout or 0)
        return ended

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._lines], [], [], seconds)[0]:
            self.returncode = int(self._lines.readline())
            self._lines.close()
        return self.returncode


@cache
def _forking(path: str) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process that forks, which ends with this one; a path of imports has one of its own."""
    ours, theirs = socket.socketpair()
    with theirs:
        code = f"from tests.warm import serve; serve({theirs.fileno()})"
        command = [sys.executable, "-c", code]
        environment = {**os.environ, "PYTHONPATH": path}
        return ours, subprocess.Popen(
            command, cwd=ROOT, env=environment, pass_fds=[theirs.fileno()], start_new_session=True
        )


def serve(channel: int) -> None:
    """Be that process: import, then fork for every request, and say of every child when it ended and how."""
    # All that is imported stays: to look for garbage there takes time in every child.
    gc.disable()
    from starfrost.cli import main
    from starfrost.web.server import run

    assert run
    gc.freeze()
    gc.enable()
    main(_fork_again_and_again(socket.socket(fileno=channel)))


def _fork_again_and_again(requests: socket.socket) -> list[str]:
    """Return the arguments of a server, in its own process."""
    running: dict[int, int] = {}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        if woken in select.select([requests, woken], [], [])[0]:
            os.read(woken, 1000)
            for pid in [*running]:
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    _tell(running.pop(pid), os.waitstatus_to_exitcode(status))
            continue
        data, files, _, _ = socket.recv_fds(requests, 1 << 16, 2)
        if not data:
            sys.exit()
        output, tells = files
        while not data.endswith(b"\n"):
            data += requests.recv(1 << 16)
        pid = os.fork()
        if pid:
            running[pid] = tells
            os.write(tells, b"%d\n" % pid)
            os.close(output)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        for file in (requests.detach(), woken, wakes, output, tells, *running.values()):
            os.close(file)
        request = json.loads(data)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        tempfile.tempdir = None
        sys.argv = ["starfrost", *request["arguments"]]
        exec(request["before"], {})
        return sys.argv[1:]


def _tell(pipe: int, status: int) -> None:
    with suppress(BrokenPipeError):
        os.write(pipe, b"%d\n" % status)
    os.close(pipe)
