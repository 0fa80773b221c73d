"""`make hosting`: the image is built from a bare Debian of this machine's release, and a game is played in it."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.hosting.files import DEPLOY
from tests.serving import Player, free_port
from tests.waiting import eventually

ROOT = [] if os.geteuid() == 0 else ["sudo", "-n"]
SOURCES = ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources")
# What pip needs on this machine to reach its packages.
BORROWED = [path for path in ("/etc/ssl/certs", "/etc/pip.conf") if Path(path).exists()]
USER = 10001


def mirror() -> str:
    """Return where this machine gets its Debian packages from."""
    lines = [line for path in map(Path, SOURCES) if path.exists() for line in path.read_text().splitlines()]
    found = [re.match(r"(?:URIs:|deb(?: \[[^\]]*\])?) (\S+)", line) for line in lines]
    return next(match[1] for match in found if match)


class Buildah:
    """A store of images and containers in a folder; commands run without a daemon, in a chroot."""

    def __init__(self, folder: Path) -> None:
        self._store = ["--root", f"{folder}/store", "--runroot", f"{folder}/run", "--storage-driver", "vfs"]
        self._environment = {**os.environ, "TMPDIR": str(folder)}

    def command(self, *words: str) -> list[str]:
        return [*ROOT, "buildah", *self._store, *words]

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, check=False, env=self._environment, cwd=DEPLOY.parent
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.strip()

    def inside(self, container: str, *words: str) -> list[str]:
        return self.command("run", "--isolation", "chroot", "--network", "host", container, "--", *words)


@pytest.fixture(scope="module")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buildah]:
    """Build the image as Containerfile says; only the image that it starts from is another one."""
    folder = tmp_path_factory.mktemp("image")
    bare = folder / "bare"
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    packages = "--include=python3,python3-venv,python-is-python3,ca-certificates"
    subprocess.run(
        [*ROOT, "debootstrap", "--variant=minbase", packages, release, str(bare), mirror()],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    buildah = Buildah(folder)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", "dist"], check=True, cwd=DEPLOY.parent)
    container = buildah("from", "scratch")
    buildah("add", container, str(bare), "/")
    buildah("commit", container, "localhost/bare")
    borrowed = [word for path in BORROWED for word in ("--volume", f"{path}:{path}:ro")]
    buildah(
        *("build", "--isolation", "chroot", "--network", "host", *borrowed),
        *(
            "--build-arg",
            "PYTHON=localhost/bare",
            "--format",
            "docker",
            "-f",
            "deploy/Containerfile",
            "-t",
            "starfrost",
        ),
        ".",
    )
    yield buildah
    buildah("rm", "--all")
    subprocess.run([*ROOT, "rm", "-r", str(folder)], check=True)


def served(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """Return the servers below a process: those that Python runs."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            found += [child] if child.cmdline()[0].startswith("/opt/starfrost/bin/python") else []
    return found


def test_a_game_is_played_in_the_image(buildah: Buildah) -> None:
    container = buildah("from", "--pull-never", "localhost/starfrost")
    entry, port = buildah("inspect", "--format", "{{.OCIv1.Config.Entrypoint}}", container).strip("[]"), free_port()
    command = buildah.inside(container, entry, "serve", "--host", "127.0.0.1", "--port", str(port))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # The image's own health check, on the port that is free here.
        [check] = re.findall(r'CMD \["python", "-c", "(.*)"\]', (DEPLOY / "Containerfile").read_text())
        health = buildah.inside(container, "python", "-c", check.replace("8000", str(port)))
        eventually(lambda: not subprocess.run(health, capture_output=True, check=False).returncode)
        assert {id for server in served(process) for id in server.uids()} == {USER}
        anna = Player(f"http://127.0.0.1:{port}")
        assert anna.http.get("/").is_success
        table = anna.open(seats=("open", "bot:greedy"))
        anna.join(table)
        eventually(lambda: anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over")
        assert "\nseed: " in anna.http.get(f"/api/tables/{table}/record").text
    finally:
        subprocess.run([*ROOT, "kill", *(str(server.pid) for server in served(process)[:1] or [process])], check=True)
        process.wait(60)
    listed = subprocess.run(
        buildah.inside(container, entry, "admin", "list"), capture_output=True, text=True, check=True
    )
    assert "Anna" in listed.stdout
