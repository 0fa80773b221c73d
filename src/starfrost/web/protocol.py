"""HTTP as uvicorn speaks it, with an end to headers that never end and to connections that never ask."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["BoundedProtocol"]

LARGEST_HEAD = 65_536
"""Bytes of a request before its headers are complete."""
PATIENCE = 15.0
"""Seconds until the first request's headers must be complete."""


class BoundedProtocol(HttpToolsProtocol):
    """The parser has no limit of its own: it would collect a header for as long as somebody sends one."""

    _head = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(PATIENCE, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what arrives before the headers are complete."""
        self._head += len(data)
        if self._head > LARGEST_HEAD + len(data):
            self.send_400_response("Request headers too large.")
            return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Go on to the request."""
        self._head = 0
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A body is not a head; its size is limited elsewhere."""
        self._head = 0
        super().on_body(body)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
