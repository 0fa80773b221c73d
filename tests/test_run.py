"""A run of the tests depends on nothing outside it: earlier runs, the shell that started it, its language or clock."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import Server
from tests.terminal.pseudo import Terminal

PROBE = """
import os, pathlib

def test_probe():
    cache = pathlib.Path(os.environ["STARFROST_CACHE"])
    assert cache.is_dir()
    seen = [str(cache), os.environ["NUMBA_CACHE_DIR"], os.environ["LANG"]]
    seen += [os.environ.get(name, "unset") for name in ("LC_ALL", "LC_TIME", "LANGUAGE", "TZ")]
    pathlib.Path(os.environ["PYTEST_XDIST_WORKER"] + ".seen").write_text("|".join(seen))
"""


def probe(folder: Path) -> list[list[str]]:
    """Run a test in each of two workers with the settings of tests/conftest.py; return what each of them saw."""
    (folder / "test_probe.py").write_text(PROBE)
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    outside |= {"PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = ["-m", "pytest", "-q", "-p", "xdist", "-p", "tests.conftest", "-n", "2", "--dist", "each"]
    subprocess.run(
        [sys.executable, *command, "-c", os.devnull, "--rootdir", str(folder), "test_probe.py"],
        cwd=folder,
        env={**outside, "LC_ALL": "de_DE.UTF-8", "LC_TIME": "tr_TR.UTF-8", "LANGUAGE": "nl", "TZ": "UTC"},
        check=True,
        capture_output=True,
    )
    seen = [folder / f"gw{worker}.seen" for worker in range(2)]
    return [path.read_text().split("|") for path in seen]


def test_the_workers_of_a_run_share_a_cache_that_no_other_run_sees(tmp_path: Path) -> None:
    first, second = probe(tmp_path), probe(tmp_path)
    caches = [{seen[0] for seen in run} for run in (first, second)]
    assert [len(found) for found in caches] == [1, 1]
    assert len(caches[0] | caches[1] | {os.environ["STARFROST_CACHE"]}) == 3
    assert not any(Path(cache).exists() for cache in caches[0] | caches[1])
    assert all(Path(seen[1]).parent == Path(seen[0]) for seen in first + second)
    # Nor does the language or the time zone of the shell that starts a run reach the tests.
    there = ("C.UTF-8", "unset", "unset", "unset", "Pacific/Chatham")
    assert {tuple(seen[2:]) for seen in first + second} == {there}


@pytest.fixture
def background() -> Iterator[None]:
    """Ignore SIGINT, as a job does that a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("background")
def test_children_of_a_background_run_react_to_ctrl_c(tmp_path: Path) -> None:
    with Terminal("dice-stars", "--players", "Anna,bot:random", "--save-dir", str(tmp_path)) as terminal:
        terminal.wait()
        assert "Saved." in terminal.interrupt()
        assert terminal.status == 130
    with Server(str(tmp_path / "t.db"), tmp_path / "log", fresh=True) as server:
        server.stop(signal.SIGINT)
        assert server.process is not None
        assert server.process.returncode == 130
