"""What the routes of the JSON interface share."""

import json
from typing import Any

from fastapi import Request
from starlette.responses import Response

from starfrost.table import Answer, Guest
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


async def commanding(request: Request) -> Guest:
    """Return the guest who sends a command, and count it against their limit. Raises Refused."""
    guest = await known_guest(request)
    request.app.state.limits.command(guest.id)
    return guest


def answered(answer: Answer, status: int = 200) -> Response:
    """Return the answer to a command: the event as it was stored."""
    body = b'{"table":"%s","version":%d,"event":%s}' % (answer.table.encode(), answer.version, answer.raw)
    return Response(body, status, media_type="application/json")


def as_json(content: Any) -> Response:
    """Return JSON without spaces."""
    return Response(json.dumps(content, separators=(",", ":")), media_type="application/json")
