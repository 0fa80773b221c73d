"""A real terminal for tests: the program runs behind a pseudo-terminal, the test reads frames and types answers."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from starfrost.games.record import Replay, parse_record, replay
from tests.interrupts import interruptible

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CLEAR = "\x1b[2J\x1b[H"
PATIENCE = 60.0
# Ctrl-C reaches only the session whose terminal this is.
START = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from starfrost.cli import main
main(sys.argv[1:])
"""


class Terminal:
    """One run of `starfrost play` in a terminal of a given size."""

    def __init__(self, *arguments: str, rows: int = 24, columns: int = 80, **environment: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        base = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "TERM": "xterm-256color"}
        # The program under test is the one that the tests import.
        base |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with interruptible():
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, "play", *arguments],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env={**base, "PYTHONUTF8": "1", **environment},
                start_new_session=True,
            )
        os.close(slave)
        self.raw = ""
        self.seen = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def _read(self, wait: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], wait)
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # The other side has closed.
            return False
        self.raw += data.decode("utf-8", errors="replace")
        return bool(data)

    def wait(self, patience: float = PATIENCE) -> str:
        """Read until the program asks something or has ended; return the new output, without colours."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            self._read(0.05)
            text = ESCAPE.sub("", self.raw[self.seen :])
            if text.endswith(" > ") or (self.process.poll() is not None and not self._read(0.05)):
                self.seen = len(self.raw)
                return text.replace("\r\n", "\n")
        raise AssertionError(f"nothing was asked for {patience} seconds; the screen ends with {self.raw[-300:]!r}")

    def type(self, answer: str) -> str:
        """Type an answer and return the next output."""
        os.write(self.master, f"{answer}\n".encode())
        return self.wait()

    def resize(self, rows: int, columns: int) -> str:
        """Give the window another size and return what is drawn for it."""
        before = len(self.raw)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        end, told = time.monotonic() + PATIENCE, False
        while time.monotonic() < end:
            self._read(0.05)
            if CLEAR in self.raw[before:]:
                drawn = ESCAPE.sub("", self.raw[self.raw.rindex(CLEAR) :]).replace("\r\n", "\n")
                if drawn.endswith(" > "):
                    self.seen = len(self.raw)
                    return drawn
            elif not told and time.monotonic() > end - PATIENCE * 3 / 4:
                # The signal came in the instant before the program started to read.
                told = True
                self.process.send_signal(signal.SIGWINCH)
        raise AssertionError(f"nothing was drawn; the screen ends with {self.raw[-300:]!r}")

    def close_input(self) -> str:
        """End the input, as Ctrl-D does."""
        os.write(self.master, b"\x04")
        return self.wait()

    def interrupt(self) -> str:
        """Press Ctrl-C, and again if there is no reaction.

        Python hears a signal that comes in the instant before it starts to read only once there is input.
        """
        os.write(self.master, b"\x03")
        try:
            return self.wait(PATIENCE / 4)
        except AssertionError:
            os.write(self.master, b"\x03")
            return self.wait()

    def kill(self) -> None:
        """Kill the program without warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def status(self) -> int:
        """The exit status."""
        return self.process.wait(PATIENCE)

    def frames(self) -> list[list[str]]:
        """Return every drawn screen, as lines without colours."""
        drawn = self.raw.replace("\r\n", "\n").split(CLEAR)
        return [ESCAPE.sub("", frame).rstrip("\n").split("\n") for frame in drawn]


def saved(folder: Path) -> Replay:
    """Return the only record in a folder, replayed and checked."""
    (path,) = folder.glob("*.sfr")
    return replay(parse_record(path.read_text(encoding="utf-8")))


def headers(folder: Path) -> dict[str, Any]:
    """Return the further headers of the only record in a folder."""
    return dict(saved(folder).record.headers)
