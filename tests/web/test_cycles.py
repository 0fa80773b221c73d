"""A request leaves nothing for the garbage collector: its pauses are what makes a few moves slow."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from starfrost.table import Settings
from starfrost.web.app import create_app


class Asked:
    """A request that knows its scope, as that of a connection does; the scope knows it as well."""

    def __init__(self, path: str) -> None:
        self.scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "query_string": b""}
        self.scope |= {"scheme": "http", "headers": [], "client": ("127.0.0.1", 1)}
        self.status = 0

    async def receive(self) -> Message:
        return {"type": "http.request"}

    async def send(self, message: Message) -> None:
        self.status = self.status or message["status"]


@pytest.mark.parametrize("path", ["/healthz", "/api/tables", "/no-such-page"])
async def test_an_answered_request_is_gone_at_once(path: str, tmp_path: Path) -> None:
    app = create_app(Settings(database=str(tmp_path / "t.db")))
    async with app.router.lifespan_context(app):
        gc.disable()
        try:
            asked = Asked(path)
            await app(asked.scope, asked.receive, asked.send)
            assert asked.status in (200, 404)
            left = weakref.ref(asked)
            del asked
            assert left() is None
        finally:
            gc.enable()
