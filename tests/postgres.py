"""A real Postgres for the tests: the `pgserver` wheel's binaries or the machine's own, on a free port, as it is."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from importlib.util import find_spec
from pathlib import Path

from tests.serving import free_port


def _binaries() -> list[Path]:
    """Find folders with `initdb` and `pg_ctl`, the wheel's first."""
    found: list[Path] = []
    spec = find_spec("pgserver")
    if spec is not None and spec.origin is not None:
        found.append(Path(spec.origin).parent / "pginstall" / "bin")
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("pg_ctl")
    if on_path:
        found.append(Path(on_path).parent)
    return [folder for folder in found if (folder / "initdb").exists()]


class Postgres:
    """One cluster; it can be stopped as a crash would and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        # Postgres refuses to run as root: an ordinary user owns the cluster then.
        self._user = (
            next((user for user in ("postgres", "nobody") if _exists(user)), "nobody") if not os.getuid() else None
        )
        # Not in pytest's own folder, which nobody else may enter.
        self._folder = Path(tempfile.mkdtemp(prefix="starfrost-pg-"))
        self._data = self._folder / "data"
        if self._user:
            shutil.chown(self._folder, self._user)
        self._bin = Path()

    def create(self) -> "Postgres":
        problems = []
        for folder in _binaries():
            self._bin = folder
            shutil.rmtree(self._data, ignore_errors=True)
            try:
                # -N: it is used at once, so the disk need not have it.
                self._run(
                    "initdb", "-D", str(self._data), "-U", "starfrost", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
                )
                self.start()
            except (subprocess.CalledProcessError, OSError) as error:
                problems.append(f"{folder}: {getattr(error, 'stdout', error)}")
                continue
            return self
        raise RuntimeError(f"No Postgres can be started: {problems or 'no binaries found'}")

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [str(self._bin / program), *arguments],
            user=self._user,
            cwd=self._folder,
            check=True,
            timeout=120,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        return done.stdout

    def start(self) -> None:
        options = f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        # Its own log file: a child that keeps our pipe open would make us wait for ever.
        self._run(
            "pg_ctl", "-D", str(self._data), "-o", options, "-l", str(self._folder / "log"), "-w", "-t", "60", "start"
        )

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is a crash: the next start recovers from the write-ahead log."""
        self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "-t", "60", "stop")

    def database(self) -> str:
        """Create a database and return its address."""
        name = f"t{uuid.uuid4().hex[:12]}"
        self._run(
            "psql",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "starfrost",
            "-d",
            "postgres",
            "-c",
            f"CREATE DATABASE {name}",
        )
        return f"postgresql://starfrost@127.0.0.1:{self.port}/{name}"

    def remove(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
