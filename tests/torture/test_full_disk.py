"""A full disk: moves are refused, none is acknowledged falsely, and play goes on once there is room."""

import asyncio
import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serving import Server
from tests.torture.clients import Crowd

# The server's files may not grow beyond a limit: what the system answers then is what a full disk answers.
LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 MB where the system lets us mount one, an ordinary folder otherwise.

    Four would be too small for the games themselves: SQLite's log alone grows to that before it is folded in.
    """
    folder = tmp_path / "disk"
    folder.mkdir()
    with contextlib.suppress(FileNotFoundError):
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], check=False, capture_output=True
        )
    yield folder
    if folder.is_mount():
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_disk_that_is_full_and_then_is_not(small_disk: Path, tmp_path: Path) -> None:
    mounted = small_disk.is_mount()
    server = Server(str(small_disk / "t.db"), tmp_path / "log", before="" if mounted else LIMITED)
    with server:
        crowd = Crowd([server.url], 8)

        async def fill() -> None:
            await crowd.moved_since(time.monotonic())
            if mounted:
                fill_up(small_disk / "filler")
            for _ in range(1200):
                if crowd.refusals.get("storage", 0) >= 20:
                    break
                await asyncio.sleep(0.05)
            assert crowd.refusals.get("storage", 0) >= 20, "the disk never filled"
            if mounted:
                # It was asked for at most a second ago, perhaps.
                await asyncio.sleep(1.1)
                assert httpx.get(f"{server.url}/readyz").status_code == 503
                (small_disk / "filler").unlink()
            else:
                server.kill()
                server.before = ""
                server.start(wait=False)
            await crowd.moved_since(time.monotonic())

        await crowd.run(fill)
        assert await crowd.check() >= 8
    assert "full" in server.log.read_text() or not mounted


def test_a_start_on_a_full_disk_fails_in_one_sentence(small_disk: Path) -> None:
    if small_disk.is_mount():
        fill_up(small_disk / "filler")
    limit = "" if small_disk.is_mount() else LIMITED.replace("400_000", "4_000")
    command = f"{limit}\nfrom starfrost.cli import main\nmain()"
    arguments = ["serve", "--port", "0", "--database", str(small_disk / "t.db")]
    ended = subprocess.run(
        [sys.executable, "-c", command, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert re.fullmatch(r"starfrost: .*\n", ended.stderr), ended.stderr


def fill_up(path: Path) -> None:
    """Take all the room there is."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 1024)
