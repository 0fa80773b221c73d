"""Compression of pages and files, but not of the JSON interface and its streams."""

import zlib
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

from starlette.middleware.gzip import GZipMiddleware, GZipResponder
from starlette.types import ASGIApp, Receive, Scope, Send

_fast: Any = None
with suppress(ImportError):
    # There is none for every kind of processor.
    _fast = import_module("isal.isal_zlib")

_IN_THREAD: Final = 65_536
"""Bytes from which an answer is compressed in a thread: half a millisecond in which moves can go on."""
_SMALLEST: Final = 600
_LEVEL: Final = 1
"""Where there is only zlib: scenes are a seventh of their size then, in a third of the time of a tenth."""
_GZIP: Final = 31
"""What both libraries call a gzip file with the largest window."""


def packed(body: bytes) -> bytes:
    """Compress an answer. ISA-L takes a sixth of zlib's time for a scene and makes it a little smaller."""
    small: bytes = _fast.compress(body, 2, _GZIP) if _fast else zlib.compress(body, _LEVEL, _GZIP)
    return small


class _Packed(GZipResponder):
    """Compresses a whole answer at once."""

    def _compress_body(self, body: bytes, more_body: bool) -> bytes:
        if more_body or self._compressor is not None:
            return super()._compress_body(body, more_body)
        return packed(body)


class CompressPages(GZipMiddleware):
    """Compress every answer outside the JSON interface."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=_SMALLEST, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
        elif any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"]):
            await _Packed(self.app, _SMALLEST, _LEVEL, thread_minimum_size=_IN_THREAD)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
