import getpass
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Postgres

# Tests neither read nor fill a person's cache, and no bot has a set of cards solved behind their back.
os.environ["STARFROST_CACHE"] = str(Path(tempfile.gettempdir()) / f"starfrost-tests-{getpass.getuser()}")
os.environ["STARFROST_SOLVE"] = "never"
# Rich gives a dumb terminal a size of its own; what is drawn must not depend on where the tests are started.
os.environ["TERM"] = "xterm-256color"
# Errors speak the language of the environment; tests that want another than English say so.
for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real Postgres, started when the first test asks for it."""
    cluster = Postgres()
    try:
        yield cluster.create()
    finally:
        cluster.remove()
