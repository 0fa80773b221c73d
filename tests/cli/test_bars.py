"""The bar says that functions are compiled, until the first step is finished."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from starfrost.cli.bars import Compiling

PROGRAM = """
import sys, time
from pathlib import Path
from starfrost.cli.bars import bar
with bar("games", 10, quiet=False) as show:
    time.sleep(1)
    if sys.argv[1] != "no":
        Path(sys.argv[1], "module_1").mkdir()
        Path(sys.argv[1], "module_1", "f.nbc").touch()
    time.sleep(1.5)
    show(5)
    time.sleep(0.5)
"""


def shown(folder: Path, what: str) -> str:
    master, slave = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "LANG": "en_GB.UTF-8", "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, what], stderr=slave, env=environment) as program:
        os.close(slave)
        drawn = b""
        while True:
            try:
                if not (more := os.read(master, 4096)):
                    break
            except OSError:
                break
            drawn += more
    os.close(master)
    assert program.returncode == 0
    return drawn.decode()


def test_the_bar_says_that_functions_are_compiled(tmp_path: Path) -> None:
    drawn = shown(tmp_path, str(tmp_path))
    assert "games, compiling, once" in drawn
    assert "compiling" not in drawn.rpartition("5/10")[0][-60:], "not once games are played"
    assert "compiling" not in shown(tmp_path, "no"), "what is compiled already is no wait"


def test_code_of_an_earlier_run_is_not_compiled_now(tmp_path: Path) -> None:
    (tmp_path / "module_1").mkdir()
    old = tmp_path / "module_1" / "f.nbc"
    old.touch()
    os.utime(old, (1, 1))
    assert not Compiling(tmp_path)
