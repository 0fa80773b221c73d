"""The guest who sends a request: programs send the token as a Bearer header, browsers as a cookie."""

from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from starfrost.errors import Refused
from starfrost.table import Guest, TableService
from starfrost.web.limits import address_of

COOKIE = "starfrost_guest"
_YEAR = 365 * 86_400
_LONGEST_TOKEN = 100


def token_of(request: HTTPConnection) -> str | None:
    """Return the token of a request; a Bearer header counts before a cookie."""
    for name, value in request.scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            if scheme.lower() == "bearer":
                return str(token.strip())
            break
    return request.cookies.get(COOKIE)


async def current_guest(request: HTTPConnection) -> Guest | None:
    """Return the guest of a request, or None. Raises Refused for a banned guest and after too many unknown tokens."""
    token = token_of(request)
    if not token or len(token) > _LONGEST_TOKEN:
        return None
    service: TableService = request.app.state.service
    guest = await service.find_guest(token)
    if guest is None:
        request.app.state.limits.unknown_token(address_of(request))
    else:
        service.upkeep.exceptions.check(guest.id)
    return guest


async def known_guest(request: HTTPConnection) -> Guest:
    """Return the guest of a request. Raises Refused if there is none."""
    guest = await current_guest(request)
    if guest is None:
        raise Refused("who", "Identify yourself first: create a guest and send its token.", 401)
    return guest


_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def device_label(agent: str) -> str:
    """Return a short name of a browser and its system, so that people recognise their devices; empty if unknown."""
    found = (next((name for sign, name in names.items() if sign in agent), "") for names in (_BROWSERS, _SYSTEMS))
    return ", ".join(filter(None, found))


def remember(response: Response, request: HTTPConnection, token: str) -> None:
    """Store the token in a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        COOKIE, token, max_age=_YEAR, path="/", httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )
