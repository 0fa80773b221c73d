"""How a page is drawn: the templates, and the reader's language and settings."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.runtime import Macro
from markupsafe import Markup

from starfrost.games.kit import LONGEST_NAME
from starfrost.web import assets
from starfrost.web.boards import board_of, boards
from starfrost.web.views.previews import LOCALES, Preview, wrapped
from starfrost.web.views.seats import seat_shape
from starfrost.words import LANGUAGE_NAMES, LANGUAGES, Words, best_language, mark

REACTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "clap": ("👏", mark("Well played!")),
    "laugh": ("😄", mark("Ha ha!")),
    "wow": ("😮", mark("Wow!")),
    "sigh": ("😩", mark("Oh no!")),
    "heart": ("❤️", mark("Love it!")),
    "hurry": ("⏳", mark("Your turn, please!")),
}
"""The reactions: a sign and its meaning."""

TEMPLATES: Final = Path(__file__).parent / "templates"

_MOST_DRAWN: Final = 4000
"""How many drawn parts of pages are kept for each language, each of about a kilobyte."""

PACES: Final = {"calm": 400, "brisk": 190, "instant": 0}
"""Milliseconds that a move of somebody else stays before the next one; the server's part is in `table.paces`."""

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "language": LANGUAGES,
    "theme": ("auto", "light", "dark"),
    "sound": ("off", "on"),
    "notify": ("off", "on"),
    "confirm": ("off", "on"),
    "board": ("picture", "text"),
    "handover": ("on", "off"),
    "pace": ("brisk", "calm", "instant"),
}
"""What a reader can set, each with its values; the first is the default."""


@dataclass(frozen=True)
class Reader:
    """The reader of a page: language and settings."""

    w: Words
    settings: Mapping[str, str]

    @property
    def language(self) -> str:
        """The code of the reader's language."""
        return self.w.language

    @property
    def text(self) -> bool:
        """Whether the reader wants tables in words instead of pictures."""
        return self.settings["board"] == "text"

    @property
    def at_once(self) -> bool:
        """Whether the reader wants to see the moves of others without any wait."""
        return self.settings["pace"] == "instant"

    @property
    def confirms(self) -> bool:
        """Whether the reader wants to confirm every move."""
        return self.settings["confirm"] == "on"


@cache
def words_of(language: str) -> Words:
    """Return the words of a language; they are read once."""
    return Words(language)


def reader_of(request: Request) -> Reader:
    """Read the settings from the cookies; `?lang=` and the browser's preference may also choose the language."""
    settings = {}
    for name, values in SETTINGS.items():
        chosen = request.cookies.get(f"sf-{name}", "")
        settings[name] = chosen if chosen in values else values[0]
    if request.cookies.get("sf-language") not in LANGUAGES:
        settings["language"] = best_language(request.headers.get("accept-language"))
    if request.query_params.get("lang") in LANGUAGES:
        settings["language"] = request.query_params["lang"]
    return Reader(words_of(settings["language"]), settings)


class _Compiled(BytecodeCache):
    """The templates that were compiled for one language, for the others: half a second of work in all."""

    def __init__(self) -> None:
        self._codes: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key] = bucket.code


_COMPILED: Final = _Compiled()


@cache
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, *(board.templates for board in boards() if board.templates)]),
        autoescape=True,
        undefined=StrictUndefined,
        # Otherwise every page checks on disk whether its ten templates have changed.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        bytecode_cache=_COMPILED,
    )
    words = words_of(language)
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        words.gettext, words.ngettext, newstyle=True
    )
    # A page asks for about fifty texts: they are looked up and marked as safe once.
    text = cache(lambda message: Markup(words.gettext(message)) % {})

    def gettext(message: str, /, **values: object) -> Markup:
        return Markup(words.gettext(message)) % values if values else text(message)

    @lru_cache(maxsize=_MOST_DRAWN)
    def once(macro: Macro, *values: Hashable) -> Markup:
        """Draw a part that depends on nothing but a few values, such as a card, unless it is still there."""
        return Markup(macro(*values))

    environment.globals.update(_=gettext, gettext=gettext, once=once)
    environment.globals.update(
        w=words,
        static=assets.url,
        languages=LANGUAGE_NAMES,
        paces=PACES,
        reactions=REACTIONS,
        board_of=board_of,
        boards=boards,
        longest_name=LONGEST_NAME,
        seat_shape=seat_shape,
        locales=LOCALES,
        wrapped=wrapped,
    )
    environment.globals["draw"] = environment.get_template("parts/drawings.html").module
    return environment


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


def part_of_page(language: str, template: str, /, **values: Any) -> str:
    """Draw what is the same for every reader of a language."""
    return _environment(language).get_template(template).render(**values)


def page(request: Request, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """Draw a page, or a part of one, for the reader who asked for it; `preview` is what a shared link shows of it."""
    reader = reader_of(request)
    values["preview"] = values.get("preview") or Preview()
    drawn = _environment(reader.language).get_template(template)
    return HTMLResponse(
        drawn.render(
            reader=reader,
            here=partial(_here, request, values.get("back", "")),
            origin=str(request.base_url).rstrip("/"),
            own_path=request.url.path,
            release=assets.digest(),
            **values,
        ),
        status_code=status,
        headers={"Cache-Control": "no-store", "Content-Language": reader.language, "Vary": "Cookie, Accept-Language"},
    )
