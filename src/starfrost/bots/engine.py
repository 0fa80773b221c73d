"""Engines: bots that are programs of their own, in any language, over standard input and output.

The protocol is lines of text, as in UCI (`docs/engines.md`). An engine that is silent for too long, says something
else than a legal action or ends has lost its game; its process is killed, and the next game starts a new one.
"""

import atexit
import errno
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from random import Random
from time import monotonic
from typing import IO, Any, Final

from starfrost.errors import Forfeit, StarfrostError, UsageError, quoted
from starfrost.games.core import Game

PROTOCOL: Final = 1
START: Final = 10.0
"""Seconds that an engine may take to start and to be ready."""
LONGEST_LINE: Final = 65_536
MOST_LINES: Final = 10_000
"""Lines that an engine may write for one choice, such as what it thinks."""

_WITH_PARENT: Final = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execvp(sys.argv[1], sys.argv[1:])"
"""What a new process does on Linux before it becomes the engine: it asks to be killed (9) with its parent (1)."""


def _started(command: str) -> "subprocess.Popen[bytes]":
    """Start an engine that ends with this process, even if that is killed. Raises OSError or ValueError."""
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if sys.platform.startswith("linux"):
        words = [sys.executable, "-S", "-c", _WITH_PARENT, *words]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


class _Process:
    """A running engine and the lines it writes."""

    def __init__(self, command: str) -> None:
        self._child = _started(command)
        # A full queue stops the reader, then the pipe, then the engine: it cannot fill our memory.
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=100)
        assert self._child.stdout is not None
        threading.Thread(target=self._read, args=(self._child.stdout,), daemon=True, name="engine").start()

    def _read(self, out: IO[bytes]) -> None:
        with suppress(ValueError, OSError):
            while line := out.readline(LONGEST_LINE):
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, line: str) -> None:
        """Write a line. Raises Forfeit if the engine has ended."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line.encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise self._ended() from None

    def wait_for(self, word: str, seconds: float) -> str | None:
        """Return the rest of the next line that begins with a word; None if there is none in time. Raises Forfeit."""
        end = monotonic() + seconds
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get(timeout=max(0.0, end - monotonic()))
            except queue.Empty:
                return None
            if not line:
                raise self._ended()
            if not line.endswith(b"\n") and len(line) >= LONGEST_LINE:
                raise Forfeit("it wrote too much", detail=quoted(line[:60].decode(errors="replace")))
            first, _, rest = line.decode(errors="replace").strip().partition(" ")
            if first == word:
                return rest.strip()
        raise Forfeit("it wrote too much", detail=str(MOST_LINES))

    def _ended(self) -> Forfeit:
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(0.5)
        return Forfeit("it stopped", detail=f"exit status {self._child.returncode}")

    def kill(self) -> None:
        """End the engine and everything that it started."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._child.pid, signal.SIGKILL)
            else:
                self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class Engine:
    """An engine as a bot; its process starts with the first choice and serves many games."""

    def __init__(self, name: str, command: str, seconds: float) -> None:
        self.name = name
        self._command = command
        self._seconds = seconds
        self._process: _Process | None = None
        self._playing = ""
        atexit.register(self.close)

    def choose(self, game: Game[Any, Any], state: Any, rng: Random) -> Any:
        """Return the engine's choice. Raises Forfeit if it gives none that is legal, in time."""
        try:
            return self._ask(game, state, rng.getrandbits(32))
        except Forfeit:
            self.close()
            raise

    def _ask(self, game: Game[Any, Any], state: Any, seed: int) -> Any:
        process = self._process or self._start()
        headers = "".join(f"\nheader {name} {value}" for name, value in sorted(game.headers().items()))
        playing = f"game {game.name} {game.seats}{headers}"
        if playing != self._playing:
            process.send(playing)
            self._playing = playing
        process.send(f"position {game.position_text(state)}")
        legal = game.legal_actions(state)
        process.send("legal " + "; ".join(map(str, legal)))
        process.send(f"go movetime {round(self._seconds * 1000)} seed {seed}")
        said = process.wait_for("bestmove", self._seconds)
        if said is None:
            raise Forfeit("it did not answer in time", detail=f"{self._seconds:g} s")
        try:
            action = game.parse_action(said)
        except StarfrostError:
            action = None
        if action not in legal:
            raise Forfeit("it chose an action that is not legal", detail=quoted(said))
        return action

    def _start(self) -> _Process:
        try:
            process = self._process = _Process(self._command)
        except (OSError, ValueError) as error:
            raise UsageError(
                "The engine %(bot)s cannot be started: %(reason)s.",
                bot=self.name,
                reason=getattr(error, "strerror", None) or str(error),
            ) from error
        self._playing = ""
        process.send(f"starfrost {PROTOCOL}")
        if process.wait_for("ready", START) is None:
            raise Forfeit("it did not say that it is ready", detail=f"{START:g} s")
        return process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()


@lru_cache(maxsize=16)
def engine_of(name: str, command: str, seconds: float) -> Engine:
    """Return the engine of a command, the same one for every game of this process."""
    return Engine(name, command, seconds)
