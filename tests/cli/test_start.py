"""The command starts fast: each command imports only the heavy parts that it needs."""

import subprocess
import sys

import pytest

from tests.games.records import RECORDS

LOADED = """
import sys
from starfrost.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"altair", "babel", "fastapi", "jax", "jinja2", "numba", "numpy", "sqlalchemy", "starlette", "uvicorn"}


def loaded(*arguments: str) -> set[str]:
    """Run the command and list the modules it has imported."""
    command = [sys.executable, "-c", LOADED, *arguments]
    return set(subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stderr.split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["replay", str(RECORDS / "game-00.sfr")]])
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    assert not HEAVY & loaded(*arguments)


def test_the_help_of_a_command_does_not_need_pydantic() -> None:
    assert "pydantic" not in loaded("simulate", "--help")


def test_a_command_leaves_the_others_alone() -> None:
    rooms = {name.split(".")[1] for name in loaded("replay", str(RECORDS / "game-00.sfr")) if "starfrost." in name}
    assert rooms == {"cli", "errors", "games", "plugins", "words"}
