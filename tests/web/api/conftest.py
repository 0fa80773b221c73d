from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from starfrost.table import Settings
from starfrost.web.app import create_app
from tests.serving import Server
from tests.table.helpers import empty_database


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FastAPI]:
    made = create_app(Settings(database=empty_database(tmp_path), bot_pace=0.0, undo_grace=0.0))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://table.test") as made:
        yield made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with Server(str(folder / "tables.db"), folder / "log") as running:
        yield running
