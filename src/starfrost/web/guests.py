"""The guest who sends a request: programs send the token as a Bearer header, browsers as a cookie."""

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from starfrost.errors import Refused
from starfrost.table import Guest
from starfrost.web.asking import address_of, service_of

if TYPE_CHECKING:
    from starfrost.table import Settings

COOKIE = "starfrost_guest"
ENTRY = "sf-entry"
_OUTSIDE: Final = ("/static/", "/enter", "/sw.js", "/manifest", "/calendar/")
"""What is the same for everybody, the door itself, and calendars, which have codes of their own."""
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


def user_of(request: HTTPConnection) -> str:
    """Return the name under which a trusted proxy has signed somebody in; empty without one."""
    settings: Settings = request.app.state.settings
    return request.headers.get(settings.user_header, "").strip() if settings.user_header else ""


def entry_pass(code: str) -> str:
    """Return what shows that somebody knows the entry code."""
    return hmac.new(b"starfrost entry", code.encode(), hashlib.sha256).hexdigest()


def check_entry(request: HTTPConnection) -> None:
    """Raise Refused for somebody who has not said the entry code yet, if the host has set one."""
    settings: Settings = request.app.state.settings
    if not settings.entry_code or request.scope["path"].startswith(_OUTSIDE) or user_of(request):
        return
    wanted = entry_pass(settings.entry_code).encode()
    shown = (request.cookies.get(ENTRY, ""), entry_pass(request.headers.get("x-entry-code", "")))
    if not any(hmac.compare_digest(one.encode(), wanted) for one in shown):
        raise Refused("entry-code", "Type the entry code of this server: whoever invited you knows it.", 403)


async def current_guest(request: HTTPConnection) -> Guest | None:
    """Return the guest of a request, or None. Raises Refused for a banned guest and after too many unknown tokens."""
    token, user, service = token_of(request), user_of(request), service_of(request)
    if user and "authorization" not in request.headers:
        signed_in = await service.guests.of_user(user)
        service.upkeep.moderation.check(signed_in.id)
        return signed_in
    if not token or len(token) > _LONGEST_TOKEN:
        return None
    guest = await service.find_guest(token)
    if guest is None:
        request.app.state.limits.unknown_token(address_of(request))
    else:
        service.upkeep.moderation.check(guest.id)
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
