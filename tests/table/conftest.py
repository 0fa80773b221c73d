from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from starfrost.table import TableService
from tests.table.helpers import empty_database, running, settings_for


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[TableService]:
    empty_database(tmp_path)
    async with running(settings_for(tmp_path)) as running_service:
        yield running_service
