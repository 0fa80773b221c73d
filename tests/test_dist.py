"""What `make dist` builds: it installs in an empty environment as the documentation says, and serves."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import yaml

import starfrost
from tests.docs.pages import ROOT, blocks
from tests.hosting.files import DEPLOY
from tests.serving import Player, for_server, free_port
from tests.waiting import eventually

UV = shutil.which("uv", path=str(Path(sys.executable).parent))


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "dist"
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return folder


def pip(environment: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pip in an environment, or uv in its place, which is quicker."""
    python = str(environment / "bin" / "python")
    command = [UV, "pip", *words, "--python", python] if UV else [python, "-m", "pip", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def is_ready(site: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{site}/readyz").is_success
    return False


def test_the_first_five_minutes(dist: Path, tmp_path: Path) -> None:
    """The lines of the page, word by word; only the port is one that is free here."""
    [block] = [block for block in blocks(ROOT / "docs" / "host.md") if block.language == "sh"]
    made, install, serve = block.text.splitlines()
    assert made == "make dist"
    venv, found = install.split(" && ")
    subprocess.run(venv.replace("python3", sys.executable, 1), shell=True, check=True, cwd=tmp_path)
    match = re.fullmatch(r'starfrost-env/bin/pip install "\$\(ls dist/\*\.whl\)(\[[a-z,]+\])"', found)
    assert match
    [wheel] = dist.glob("*.whl")
    done = pip(tmp_path / "starfrost-env", "install", f"{wheel}{match[1]}")
    assert done.returncode == 0, done.stderr[-2000:]
    port = free_port()
    command = [*serve.replace("0.0.0.0", "127.0.0.1").split(), "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        environment = {name: value for name, value in for_server().items() if name != "PYTHONPATH"}
        environment["XDG_DATA_HOME"] = environment["STARFROST_CACHE"] = str(tmp_path)
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path, env=environment)
    try:
        site = f"http://127.0.0.1:{port}"
        eventually(lambda: is_ready(site))
        assert f"{site}/" in (tmp_path / "log").read_text()
        anna = Player(site)
        assert "Starfrost" in anna.http.get("/").text
        assert anna.http.get("/rules/dicy-cards").is_success
        table = anna.open(seats=("open", "bot:greedy"))
        anna.join(table)
        eventually(lambda: anna.move(table) is None and anna.get(f"/tables/{table}")["status"] == "over")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_every_documented_install_can_be_had_from_the_wheel(dist: Path, tmp_path: Path) -> None:
    """Every `pip install` line of the documentation and of the messages is resolved in an empty environment."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "src").rglob("*.py"), *DEPLOY.iterdir()]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"pip install (?:'?starfrost|\"\$\(ls dist/\*\.whl\))\[([a-z,]+)\]", text))
    assert {"serve", "solver", "vector", "lab", "postgres", "plots", "cluster", "postgres,solver"} <= named
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "empty")], check=True)
    [wheel] = dist.glob("*.whl")
    for extras in ("", *(f"[{name}]" for name in sorted(named))):
        done = pip(tmp_path / "empty", "install", "--dry-run", f"{wheel}{extras}")
        assert done.returncode == 0, done.stderr[-2000:]
        # An unknown extra is no error for pip, only a warning.
        assert "does not" not in done.stderr, done.stderr[-2000:]


def test_the_version_is_the_newest_of_the_changelog() -> None:
    """A tag of this version builds a wheel of this version, and somebody who cites it names this version."""
    released = re.findall(
        r"^## (\d+\.\d+\.\d+)(?: - (\d{4}-\d\d-\d\d))?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert released[0] == (starfrost.__version__, str(cited["date-released"])) == (cited["version"], released[0][1])


def test_the_source_package_builds_the_wheel(dist: Path) -> None:
    [source] = dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "docs/rules/en/dicy-cards.md"} <= names
    assert not any(name.startswith(("tests/", "research/", "bench/")) for name in names)
    assert os.path.getsize(source) < 20_000_000
