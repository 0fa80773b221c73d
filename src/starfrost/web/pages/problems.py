"""Friendly answers to what goes wrong: a page that says what happened and what to do next."""

import re
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import Response

from starfrost.errors import Refused
from starfrost.web.render import page, reader_of
from starfrost.web.views.refusals import explain, heading

__all__ = ["install"]

TABLE: Final = re.compile(r"/t/([A-Za-z0-9_-]{1,32})")


async def _page_error(request: Request, refusal: Refused) -> Response:
    if request.url.path.startswith("/static/"):
        return Response(str(refusal), refusal.status, media_type="text/plain")
    w = reader_of(request).w
    table = TABLE.match(request.url.path)
    path = f"/t/{table[1]}" if table and refusal.status != 404 else ""
    answer = page(
        request, "problem.html", refusal.status, heading=heading(w, refusal), text=explain(w, refusal), path=path
    )
    if refusal.status == 429:
        answer.headers["retry-after"] = str(getattr(refusal, "wait", 1))
    return answer


def install(app: FastAPI) -> None:
    """Answer lost addresses and refused commands with a page; the JSON interface keeps its own answers."""
    app.state.page_error = _page_error
