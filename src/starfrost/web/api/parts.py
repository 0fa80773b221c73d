"""What the routes of the JSON interface share."""

import json
from typing import Any, cast

from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from starfrost.table import Answer, Guest, TableService
from starfrost.web.api.models import Error
from starfrost.web.guests import known_guest

_MEANINGS = {
    401: "No token, or one that nobody holds",
    403: "Not yours to do, or a request from another site",
    404: "No such table",
    409: "Refused as the table stands; code `stale` if it has moved on",
    413: "Too large",
    422: "Not understood or against the rules",
    429: "Too often; see Retry-After",
    503: "Could not be stored; try again with the same key",
}

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Error, "description": meaning} for status, meaning in _MEANINGS.items()
}


def service_of(request: Request) -> TableService:
    """Return the service behind the app."""
    return cast(TableService, request.app.state.service)


async def commanding(request: Request) -> Guest:
    """Return the guest who sends a command, and count it against their limit. Raises Refused."""
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    return guest


async def whole_body(request: Request) -> bytes:
    """Return the body of a request; as `Request.body`, which takes several times as long for one in a single piece."""
    body = b""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += bytes(message.get("body", b""))
        if not message.get("more_body", False):
            return body


def answered(answer: Answer, status: int = 200) -> Response:
    """Return the answer to a command: the event as it was stored."""
    return _Answer(answer_body(answer), status)


def answer_body(answer: Answer) -> bytes:
    """Write the answer to a command as JSON."""
    return b'{"table":"%s","version":%d,"event":%s}' % (answer.table.encode(), answer.version, answer.raw)


class _Answer(Response):
    """JSON that is ready to be sent; as `Response`, which takes longer to write two headers than we take for a move."""

    def __init__(self, body: bytes, status: int) -> None:
        self.body = body
        self.status_code = status
        self.background = None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]


def as_json(content: Any) -> Response:
    """Return JSON without spaces."""
    return Response(json.dumps(content, separators=(",", ":")), media_type="application/json")
