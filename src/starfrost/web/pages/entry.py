"""The door of a server that lets in only people who know its entry code."""

from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import Response

from starfrost.errors import Refused
from starfrost.web.asking import address_of
from starfrost.web.guests import ENTRY, entry_pass
from starfrost.web.pages.settings import YEAR, own_path
from starfrost.web.render import go_to
from starfrost.web.routing import Pages

router = Pages()


@router.post("/enter")
async def enter(request: Request) -> Response:
    """Let somebody in who knows the code, and lead them where they wanted to go."""
    request.app.state.limits.guess(address_of(request))
    form = await request.form()
    code = str(form.get("code", "")).strip()
    if not compare_digest(entry_pass(code), entry_pass(request.app.state.settings.entry_code)):
        raise Refused("entry-code", "This is not the entry code. Ask whoever invited you.", 403)
    answer = go_to(request, own_path(form.get("back")))
    secure = request.url.scheme == "https"
    answer.set_cookie(ENTRY, entry_pass(code), max_age=YEAR, samesite="lax", secure=secure, httponly=True)
    return answer
