"""The stream of a table: server-sent events that resume where the reader left off."""

import asyncio
import json
from contextlib import aclosing
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from starfrost.table import Guest, Signal, TableService
from starfrost.web.api.models import OfferMessage, PingMessage, PresenceMessage, ReactionMessage, VersionMessage
from starfrost.web.api.parts import ERRORS
from starfrost.web.api.tables import TableId
from starfrost.web.asking import service_of
from starfrost.web.guard import LASTING, address_in
from starfrost.web.guests import current_guest
from starfrost.web.limits import Limits

router = APIRouter(tags=["live"], responses=ERRORS)


class EventStream(Response):
    """A response that lasts until the reader leaves or the server shuts down.

    Written by hand: with 1,000 streams open, sse-starlette takes twice the time per message and twice the memory. It
    begins when the layers around the app have returned, so that none of them takes memory as long as it lasts.
    """

    media_type = "text/event-stream"

    def __init__(
        self, service: TableService, table: str, guest: Guest | None, after: int, with_events: bool, looking: bool
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._service = service
        self._table = table
        self._guest = guest
        self._after = after
        self._with_events = with_events
        self._looking = looking

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limits: Limits = scope["app"].state.limits
        limits.check_stream(address_in(scope), self._guest and self._guest.id)
        scope[LASTING].append(self._last)

    async def _last(self, scope: Scope, receive: Receive, send: Send) -> None:
        limits: Limits = scope["app"].state.limits
        with limits.stream(address_in(scope), self._guest and self._guest.id):
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
            self.raw_headers = []
            sending = asyncio.ensure_future(self._send(send))
            try:
                # Also when the stream has come to its end.
                while (await receive())["type"] != "http.disconnect":
                    pass
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        watching = self._service.watch(self._table, self._guest, self._after, self._looking)
        try:
            async with aclosing(watching) as signals:
                async for signal in signals:
                    await send({"type": "http.response.body", "body": await self._message(signal), "more_body": True})
        finally:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _message(self, signal: Signal) -> bytes:
        if signal.kind != "version":
            return f"event: {signal.kind}\ndata: {json.dumps(signal.data, separators=(',', ':'))}\n\n".encode()
        more = b""
        if self._with_events:
            found = await self._service.raw_events(self._table, signal.after, signal.version)
            events = found[: signal.version - signal.after]
            more = b',"events":[%b]' % b",".join(events)
        return b'id: %d\nevent: version\ndata: {"version":%d%b}\n\n' % (signal.version, signal.version, more)


@router.get(
    "/tables/{table}/stream",
    status_code=200,
    response_class=EventStream,
    responses={200: {"model": VersionMessage | PresenceMessage | ReactionMessage | OfferMessage | PingMessage}},
    # FastAPI declares every answer that is not JSON as a text; the data of each message is an object.
    openapi_extra={"responses": {"200": {"content": {"text/event-stream": {"schema": {"type": "object"}}}}}},
    response_description="Server-sent events; the schema is that of the data of each message",
)
async def stream(
    request: Request,
    table: TableId,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    with_: Annotated[Literal["events", ""], Query(alias="with")] = "",
    pace: Annotated[Literal["calm", "brisk", "instant"] | None, Query(description="How fast bots should move")] = None,
    looking: Annotated[
        bool, Query(description="Whether a person sees the table: no push message of a fast game is sent then")
    ] = False,
) -> Response:
    """Watch a table: `version`, `presence`, `reaction`, `offer`, `ping`. Resumes after `Last-Event-ID` or `after`."""
    guest = await current_guest(request)
    service = service_of(request)
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdigit() and len(last) < 10:
        after = int(last)
    reached = (await service.snapshot(table)).version
    if guest is not None and pace is not None:
        service.wish_pace(guest, pace)
    return EventStream(service, table, guest, min(after, reached), with_ == "events", looking)
