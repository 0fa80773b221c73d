"""Pig is installed for the tests of this folder only: a folder with its dist-info on the path is all it takes."""

import os
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture
def pig(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Install Pig in this process; return its rules."""
    monkeypatch.syspath_prepend(str(FOLDER))
    from pig import game

    return game


@pytest.fixture
def environment() -> dict[str, str]:
    """Return what installs Pig in a child process."""
    return {"PYTHONPATH": os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])}
