"""The light core: what `pip install starfrost` alone can do, and the sentence for each part that needs an extra.

The core is installed for real: a wheel is built and put into a virtual environment that holds only the distributions
that the wheel's own metadata asks for (linked from the environment of the tests, so that no download is needed).
"""

import os
import re
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import starfrost
from starfrost.boards.assets import FONTS, STATIC
from tests.games.records import RECORDS

ROOT = Path(__file__).parents[1]
EXTRAS = "serve|solver|vector|cluster|plots|postgres"
SENTENCE = re.compile(rf"pip install '?(starfrost\[({EXTRAS})\]|cupy-cuda13x)'?\.")
CORE = {"babel", "numpy", "platformdirs", "rich", "typer"}
"""What the rules, bots and the terminal game need; a longer list needs a reason."""

EVERY_MODULE = """
import importlib, pkgutil, starfrost
for module in pkgutil.walk_packages(starfrost.__path__, "starfrost.", onerror=lambda name: None):
    if module.name.endswith("__main__") or ".migrations." in module.name:
        continue
    try:
        importlib.import_module(module.name)
    except starfrost.MissingExtra as missing:
        print(module.name, missing, sep=": ")
    except ModuleNotFoundError:
        # What a server is made of: whoever asks `starfrost.table` for it is told the extra.
        if not module.name.startswith("starfrost.table."):
            raise
"""


def needs(metadata: Distribution, extras: frozenset[str] = frozenset()) -> dict[str, Distribution]:
    """Return a distribution and all that it asks for, by name."""
    found = {metadata.name.lower(): metadata}
    for line in metadata.requires or ():
        wanted = Requirement(line)
        if any(wanted.marker is None or wanted.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            found |= needs(distribution(wanted.name), frozenset(wanted.extras))
    return found


class Core:
    """An environment with the core alone."""

    def __init__(self, folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT], check=True)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "venv", with_pip=False)
        self.bin = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        install = [*pip, "--python", self.bin / "python", "install", "--no-deps", "--no-index", wheel]
        subprocess.run(install, check=True)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        (own,) = site.glob("starfrost-*.dist-info")
        self.distributions = needs(Distribution.at(own))
        for name, one in self.distributions.items():
            tops = {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}
            for top in tops if name != "starfrost" else ():
                (site / top).symlink_to(Path(str(one.locate_file(top))))
        self.home = folder

    def run(self, *command: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of this environment; nothing of the source tree can be imported."""
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment |= {"HOME": str(self.home), "STARFROST_CACHE": str(self.home / "cache")}
        program, *rest = command
        return subprocess.run(
            [self.bin / program, *rest],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            env=environment,
            cwd=self.home,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Core:
    return Core(tmp_path_factory.mktemp("core"))


def succeeds(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result.stdout


def test_the_core_asks_for_few_distributions(core: Core) -> None:
    direct = core.distributions["starfrost"].requires or []
    assert {Requirement(line).name for line in direct if "extra ==" not in line} == CORE
    assert core.distributions["starfrost"].version == starfrost.__version__


def test_the_wheel_holds_the_typefaces(core: Core) -> None:
    """They are made when the wheel is built: nothing that makes them is needed to serve."""
    (folder,) = core.home.glob("venv/lib/python*/site-packages/starfrost/web/static")
    assert {path.name: path.read_bytes() for path in folder.glob("*.woff")} == {
        name: (STATIC / name).read_bytes() for name in FONTS
    }
    assert "fonttools" not in needs(core.distributions["starfrost"], frozenset({"all"}))


def test_commands_of_the_core(core: Core) -> None:
    assert f"starfrost {starfrost.__version__}" in succeeds(core.run("starfrost", "--version"))
    assert "simulate" in succeeds(core.run("starfrost", "--help"))
    assert "game-00" in succeeds(core.run("starfrost", "replay", RECORDS / "game-00.sfr"))
    unproven = core.run("starfrost", "verify", RECORDS / "game-00.sfr")
    assert (unproven.returncode, unproven.stderr) == (1, "")
    assert "game-00" in unproven.stdout
    assert "Puzzle" in succeeds(core.run("starfrost", "puzzle"))
    for game, bots, games in (("dicy-cards", "planner,greedy", "2"), ("dice-stars", "strong,planner", "1")):
        told = succeeds(
            core.run("starfrost", "simulate", game, "--bots", bots, "--games", games, "--jobs", "2", "--json")
        )
        assert f'"games": {games}' in told


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_game_in_the_terminal(core: Core, language: str) -> None:
    options = ["--players", "Anna,bot:planner", "--goal", "20", "--seed", "1", "--lang", language, "--no-color"]
    # An action and an empty line in turn: "Enter: continue" follows a decision.
    told = succeeds(core.run("starfrost", "play", "dicy-cards", *options, "--save-dir", language, typed="1\n\n" * 300))
    (saved,) = (core.home / language).glob("*.sfr")
    assert "winners:" in saved.read_text(encoding="utf-8")
    assert {"en": "Enter: continue", "de": "Enter: weiter"}[language] in told


def test_the_api_of_the_core(core: Core) -> None:
    code = """
import starfrost
for name in starfrost.game_ids():
    for bot in starfrost.bot_names(name):
        record = starfrost.play(starfrost.make(name), [bot, "greedy"], seed=1)
        assert starfrost.replay(starfrost.parse_record(starfrost.write_record(record))).finished
        print(name, bot)
"""
    told = succeeds(core.run("python", "-c", code)).split("\n")
    assert "dicy-cards planner" in told
    assert "dice-stars strong" in told
    # Without Numba nothing can be solved.
    assert "dicy-cards perfect" not in told


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("serve", "serve"),
        ("solve --mode b", "solver"),
        ("puzzle --verify", "solver"),
        ("atlas --figures pictures", "plots"),
    ],
)
def test_a_command_names_its_extra(core: Core, command: str, extra: str) -> None:
    result = core.run("starfrost", *command.split())
    assert result.returncode == 2, result.stdout
    assert result.stderr.startswith("starfrost: ")
    assert result.stderr.count("\n") == 1
    assert f"starfrost[{extra}]" in result.stderr


@pytest.mark.parametrize("command", ["train dice-stars", "train dicy-cards", "atlas --compute atlas.csv"])
def test_research_is_not_installed(core: Core, command: str) -> None:
    result = core.run("starfrost", *command.split())
    assert result.returncode == 2, result.stdout
    assert result.stderr.startswith("starfrost: This is research, which is not installed: run python -m research.")
    assert result.stderr.count("\n") == 1


def test_every_module_can_be_imported_or_names_its_extra(core: Core) -> None:
    told = dict(line.split(": ", 1) for line in succeeds(core.run("python", "-c", EVERY_MODULE)).splitlines())
    assert all(SENTENCE.search(sentence) for sentence in told.values()), told
    assert {
        "starfrost.web",
        "starfrost.games.dicy_cards.solver.kernels",
        "starfrost.adapters",
    } <= set(told)
    for part in ("fair", "bots", "words", "terminal", "lab", "api", "cli"):
        assert not [name for name in told if name.split(".")[1] == part]
