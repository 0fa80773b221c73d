"""A site below a path of another one, such as /games/: its proxy names the path in `X-Forwarded-Prefix`.

Inside, every address begins at the root: here the path is taken off what comes in and put before what goes out.
"""

import re
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import Message, Scope, Send

HEADER: Final = b"x-forwarded-prefix"
_PREFIX: Final = re.compile(r"(/[\w~-][\w.~-]*)+", re.ASCII)
_ADDRESS: Final = re.compile(r'(\s(?:href|src|action|formaction|data-next|data-address)=")/(?!/)')


def top_of(request: HTTPConnection) -> str:
    """Return the address of the start page: a path that ends with a slash."""
    return f"{request.scope.get('app_root_path', '')}/"


def placed(request: HTTPConnection, html: str) -> str:
    """Return a page with its addresses as they are outside."""
    top = top_of(request)
    return html if top == "/" else _ADDRESS.sub(rf"\1{top}", html)


def placed_header(name: str, value: str, top: str) -> str:
    """Return a header of an answer as it is outside."""
    if name in ("location", "x-go-to") and value.startswith("/"):
        return top + value[1:]
    if name == "set-cookie":
        return re.sub(r"(; Path=)/", rf"\1{top}", value, flags=re.IGNORECASE)
    return value


def below(scope: Scope, send: Send) -> tuple[Scope, Send]:
    """Return a request as the app sees it, and the way of its answer; the header comes from a proxy that is trusted."""
    prefix = next((value.decode("latin-1").rstrip("/") for name, value in scope["headers"] if name == HEADER), "")
    if not _PREFIX.fullmatch(prefix):
        return scope, send

    async def place(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, placed_header(name.decode(), value.decode("latin-1"), f"{prefix}/").encode("latin-1"))
                for name, value in message.get("headers", ())
            ]
        await send(message)

    # Some proxies take the path off, others pass it on.
    path = scope["path"].removeprefix(prefix) if f"{scope['path']}/".startswith(f"{prefix}/") else scope["path"]
    raw = path.encode() if path != scope["path"] else scope.get("raw_path")
    return {**scope, "path": path or "/", "raw_path": raw, "app_root_path": prefix}, place
