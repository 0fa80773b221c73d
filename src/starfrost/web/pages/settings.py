"""The reader's settings: stored in cookies, sent by a plain form."""

from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from starfrost.boards.drawing import SETTINGS
from starfrost.web.asking import service_of
from starfrost.web.guests import current_guest
from starfrost.web.render import go_to
from starfrost.web.routing import Pages

router = Pages()

YEAR: Final = 365 * 24 * 3600

# Browsers do not send unticked boxes; these are the values that they stand for.
SWITCHES: Final = {"sound": "off", "notify": "off", "confirm": "off", "board": "picture", "handover": "off"}


def own_path(text: object) -> str:
    """Return a path of this site; the start page if the text would lead to another site."""
    path = str(text or "/")
    safe = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if safe and len(path) < 4096 else "/"


@router.post("/settings")
async def save(request: Request) -> Response:
    """Store the settings and go back to the page where the reader was."""
    form: FormData = await request.form()
    # Without scripts the set-up form has these settings too: what it held goes back into it.
    kept = [(name, str(value)) for name, value in form.multi_items() if name not in (*SETTINGS, "back", "key")]
    back = str(form.get("back") or "/")
    answer = go_to(request, own_path(f"{back}?{urlencode(kept)}" if kept else back))
    for name, values in SETTINGS.items():
        value = str(form.get(name, SWITCHES.get(name, "")))
        if value in values:
            secure = request.url.scheme == "https"
            answer.set_cookie(f"sf-{name}", value, max_age=YEAR, samesite="lax", secure=secure, httponly=True)
    guest = await current_guest(request)
    pace = str(form.get("pace"))
    if guest is not None and pace in SETTINGS["pace"]:
        service_of(request).wish_pace(guest, pace)
    return answer
