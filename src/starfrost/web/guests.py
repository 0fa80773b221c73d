"""Who is asking: a guest's token comes as a Bearer header from programs and as a cookie from browsers."""

from http.cookies import CookieError, SimpleCookie

from starlette.requests import HTTPConnection
from starlette.responses import Response

from starfrost.errors import Refused
from starfrost.table import Guest, TableService

__all__ = ["COOKIE", "current_guest", "forget", "known_guest", "remember", "token_of"]

COOKIE = "starfrost_guest"
_YEAR = 365 * 86_400
_LONGEST_TOKEN = 100


def token_of(headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return the token in raw headers; a Bearer header counts before a cookie."""
    cookie = None
    for name, value in headers:
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            return value[7:].decode("latin-1").strip()
        if name == b"cookie":
            cookie = value
    if cookie is None:
        return None
    try:
        morsel = SimpleCookie(cookie.decode("latin-1")).get(COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel is not None else None


async def current_guest(request: HTTPConnection) -> Guest | None:
    """Return the guest who asks; None for a stranger. Raises Refused if one address tries too many unknown tokens."""
    token = token_of(request.scope["headers"])
    if not token or len(token) > _LONGEST_TOKEN:
        return None
    service: TableService = request.app.state.service
    guest = await service.find_guest(token)
    if guest is None:
        request.app.state.limits.unknown_token(request.client.host if request.client else "")
    return guest


async def known_guest(request: HTTPConnection) -> Guest:
    """Return the guest who asks. Raises Refused for a stranger."""
    guest = await current_guest(request)
    if guest is None:
        raise Refused("who", "Say who you are first: make a guest and send its token.", 401)
    return guest


def remember(response: Response, request: HTTPConnection, token: str) -> None:
    """Leave the token with the browser: out of reach of scripts and of other sites."""
    response.set_cookie(
        COOKIE, token, max_age=_YEAR, path="/", httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )


def forget(response: Response) -> None:
    """Take the token back from the browser."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
