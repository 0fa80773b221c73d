"""Compression of pages and files, but not of the JSON interface and its streams."""

from typing import Final

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_IN_THREAD: Final = 65_536
"""Bytes from which an answer is compressed in a thread: half a millisecond in which moves can go on."""
_LEVEL: Final = 1
"""Scenes are a seventh of their size then, in a third of the time that a tenth would take."""


class CompressPages(GZipMiddleware):
    """Compress every answer outside the JSON interface."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=600, compresslevel=_LEVEL, thread_minimum_size=_IN_THREAD)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
