"""How a page answers a request: the reader's language and settings, whole pages and fragments."""

import json
from functools import lru_cache, partial
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from starfrost.boards import assets
from starfrost.boards.drawing import SETTINGS, Reader, environment, part_of_page, words_of
from starfrost.boards.previews import Preview
from starfrost.errors import Refused
from starfrost.web.below import placed
from starfrost.words import LANGUAGES, best_language

FIRST: Final = "sf-first"
"""The cookie that holds the table of the reader's first game."""


def reader_of(request: Request) -> Reader:
    """Read the settings from the cookies; `?lang=` and the browser's preference may also choose the language."""
    chosen = {name: value for name, value in request.cookies.items() if name.startswith("sf-")}
    asked, preferred = request.query_params.get("lang", ""), request.headers.get("accept-language", "")
    return _reader(frozenset(chosen.items()), asked, preferred)


@lru_cache(maxsize=1000)
def _reader(chosen: frozenset[tuple[str, str]], asked: str, preferred: str) -> Reader:
    given, settings = dict(chosen), {}
    for name, values in SETTINGS.items():
        value = given.get(f"sf-{name}", "")
        settings[name] = value if value in values else values[0]
    if given.get("sf-language") not in LANGUAGES:
        settings["language"] = best_language(preferred)
    if asked in LANGUAGES:
        settings["language"] = asked
    return Reader(words_of(settings["language"]), settings, given.get(FIRST, ""))


def _here(request: Request, back: str = "") -> str:
    """Return the page's own address without `lang`, so that the page follows the settings when the reader returns.

    The answer to a form that was sent has no address of its own; `back` leads to the page with the form.
    """
    if back and request.method != "GET":
        return back
    query = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "lang"])
    return f"{request.url.path}?{query}" if query else request.url.path


def is_fragment(request: Request) -> bool:
    """Return whether a script asks: it gets the element that it swaps, and for a refusal its status and a sentence."""
    return request.headers.get("x-fragment") == "1"


def go_to(request: Request, path: str) -> Response:
    """Send the reader to another page; a script is told its address, because it would only see where it was led."""
    if is_fragment(request):
        return Response(status_code=204, headers={"X-Go-To": path})
    return RedirectResponse(path, status_code=303)


def drawing(request: Request, template: str, /, **values: Any) -> str:
    """Draw a template that is no page, such as a picture, in the reader's language."""
    return part_of_page(reader_of(request).language, template, **values)


def page(request: Request, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Draw a page, or a part of one, for the reader who asked for it; `preview` is what a shared link shows of it."""
    reader = reader_of(request)
    values["preview"] = values.get("preview") or Preview()
    drawn = environment(reader.language).get_template(template)
    html = drawn.render(
        reader=reader,
        here=partial(_here, request, values.get("back", "")),
        # A part of a page says nothing of its own address.
        origin="" if is_fragment(request) else str(request.base_url).rstrip("/"),
        own_path="" if is_fragment(request) else request.url.path,
        release=assets.digest(),
        alone=request.scope["app"].state.alone if "app" in request.scope else "",
        **values,
    )
    return HTMLResponse(
        placed(request, html),
        status_code=status,
        headers={"Cache-Control": "no-store", "Content-Language": reader.language, "Vary": "Cookie, Accept-Language"},
    )


def refusal_body(refusal: Refused, reason: str = "") -> bytes:
    """Write a refusal as JSON."""
    detail = {name: value for name, value in refusal.detail.items() if value is not None}
    return json.dumps({"code": refusal.code, "reason": reason or str(refusal), **detail}).encode()


def refusal_response(refusal: Refused, reason: str = "") -> Response:
    """Return a refusal as JSON: in English unless the reason is given in the reader's language."""
    headers = {}
    if refusal.status in (429, 503):
        headers["retry-after"] = str(getattr(refusal, "wait", 1))
    elif refusal.status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(refusal_body(refusal, reason), refusal.status, headers=headers, media_type="application/json")


def qr_code(link: str) -> Markup:
    """Return a drawing of a link that cameras can read."""
    # Most processes never draw one.
    import segno

    return Markup(segno.make(link, error="m").svg_inline(scale=4, border=2, omitsize=True))
