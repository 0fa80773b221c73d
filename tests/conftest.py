from collections.abc import Iterator

import pytest

from tests.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real Postgres, started when the first test asks for it."""
    cluster = Postgres()
    try:
        yield cluster.create()
    finally:
        cluster.remove()
