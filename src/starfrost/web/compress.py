"""Compression of pages and files, but not of the JSON interface and its streams."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send


class CompressPages(GZipMiddleware):
    """Compress every answer outside the JSON interface."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=600, compresslevel=6)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
