"""Refusals for people: sentences and a page that say what happened and what to do next."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from markupsafe import escape
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards.assets import url
from starfrost.boards.drawing import words_of
from starfrost.errors import Refused
from starfrost.web.below import placed
from starfrost.web.render import is_fragment, page, reader_of, refusal_response
from starfrost.words import Words, mark

TABLE: Final = re.compile(r"/t/([A-Za-z0-9_-]{1,32})")
_ENDED: Final = re.compile(r"/(?:t|after)/([A-Za-z0-9_-]{1,32})")

PAUSED: Final = mark("Paused for an upgrade")
UPGRADING: Final = mark("This table waits until the server is upgraded. Nothing is lost.")

# Messages for people where they differ from those for programs.
SENTENCES: Final[Mapping[str, str]] = {
    "stale": mark("The game has moved on. This is the position now."),
    "bad-version": mark("The game has moved on. This is the position now."),
    "illegal": mark("The rules do not allow this move here. Choose another one."),
    "not-your-turn": mark("It is not your turn yet."),
    "not-your-seat": mark("This seat is not yours. You can watch, or open a table of your own."),
    "who": mark("We do not know you at this table. You can watch, or open a table of your own."),
    "no-table": mark("This table does not exist. Perhaps a part of the link is missing."),
    "not-found": mark("The address may be mistyped, or the page has moved."),
    "no-invitation": mark("You need the invitation link of this table to sit down. Ask whoever opened it."),
    "no-room": mark("There is no room with this code, or it is closed. Ask whoever invited you for the code."),
    "no-free-seat": mark("Every seat is taken. You can watch, or open a table of your own."),
    "seat-taken": mark("Somebody was faster: this seat is taken."),
    "seat-reserved": mark("This seat is reserved for a player of the previous game."),
    "seat-kept": mark("This seat is still kept for its player, who may come back."),
    "not-waiting": mark("This game has already begun or is over. You can watch, or open a table of your own."),
    "not-running": mark("This game has ended."),
    "not-host": mark("Only whoever opened the table can do this."),
    "not-over": mark("The game is not over yet."),
    "nothing-to-undo": mark("This move cannot be taken back any more: the game has moved on or dice have been rolled."),
    "not-gone": mark("A bot takes over only from somebody who has been away for two minutes while you wait."),
    "bad-name": mark("Choose a name of 1 to 24 characters."),
    "no-bot": mark("This bot does not play here. Choose another one."),
    "slow-down": mark("That was too fast. Wait a moment and try again."),
    "storage": mark("This could not be stored just now. Nothing is lost: try again."),
    "no-storage": mark("This device could not keep that: perhaps it has no room left. Make room, then do it again."),
    "busy": mark("This could not be stored just now. Nothing is lost: try again."),
    "newer": UPGRADING,
    "key-used": mark("This form was already sent. Here is how the table stands now."),
    "too-large": mark("This is too much at once. Send less."),
    "cross-site": mark("This came from another site, so nothing was done. Use the buttons of this page."),
    "address-too-long": mark("This link is too long. Perhaps two links were pasted together."),
    "headers-too-large": mark("Your browser sent too much data. Delete this site's cookies and try again."),
    "rematch-open": mark("A rematch has already been opened. Go back to the table and join it."),
    "no-seat": mark("There is no such seat. Go back to the table and choose another one."),
    "no-page": mark("The address may be mistyped, or the page has moved."),
    "bad-method": mark("This page only takes forms. Go back and use the buttons."),
    "bad-subscription": mark("This browser's push service cannot be used here."),
    "nobody": mark("You have no name here yet. Open a table or choose a name first."),
    "no-device": mark("This device is not signed in any more."),
    "bad-request": mark("Go back and try again; nothing is lost."),
}


def explain(w: Words, refusal: Refused) -> str:
    """Return a sentence that says why something was refused and what to do next."""
    return w(SENTENCES[refusal.code]) if refusal.code in SENTENCES else w.say(refusal)


def _heading(w: Words, refusal: Refused) -> str:
    if refusal.code == "newer":
        return w(PAUSED)
    if refusal.code == "needs-server":
        return w("This needs the server")
    if refusal.status == 404:
        return w("There is nothing here")
    if refusal.status in (401, 403) and refusal.code not in ("cross-site", "nobody", "no-coach", "banned", "metrics"):
        return w("This seat is not yours")
    return w("That did not work")


@cache
def _too_fast(language: str) -> str:
    w = words_of(language)
    sheets = "".join(f'<link rel="stylesheet" href="{url(f"css/{name}.css")}">' for name in ("fonts", "base"))
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>Starfrost</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{sheets}</head><body>'
        f'<main class="page narrow"><section class="panel pad"><h1>{escape(w("That did not work"))}</h1>'
        f'<p>{escape(w(SENTENCES["slow-down"]))}</p><a class="btn go" href="">{escape(w("Try again"))}</a>'
        "</section></main></body></html>"
    )


def too_fast(request: Request, refusal: Refused) -> Response:
    """Return a page for somebody who asks too fast; nothing is drawn, because refusing a flood must cost little."""
    language = reader_of(request).language
    headers = {"retry-after": str(getattr(refusal, "wait", 1)), "content-language": language}
    return Response(placed(request, _too_fast(language)), refusal.status, headers=headers, media_type="text/html")


async def page_error(request: Request, refusal: Refused) -> Response:
    """Return the page that explains a refusal; a script gets its code and the sentence."""
    if request.url.path.startswith("/static/"):
        return Response(str(refusal), refusal.status, media_type="text/plain")
    w = reader_of(request).w
    if is_fragment(request):
        return refusal_response(refusal, explain(w, refusal))
    old = _ENDED.fullmatch(request.url.path) if refusal.code == "no-table" and request.method == "GET" else None
    if old is not None and await request.app.state.service.archive.record(old[1]) is not None:
        # Its events were removed; its record can be replayed.
        return RedirectResponse(f"/replay/{old[1]}", status_code=303)
    if refusal.code == "entry-code":
        form = await request.form() if request.method == "POST" else {}
        back = str(form.get("back") or request.url.path)
        return page(request, "enter.html", refusal.status, text=w.say(refusal), back=back)
    table = TABLE.match(request.url.path)
    path = f"/t/{table[1]}" if table and refusal.status != 404 else ""
    facts = {"heading": _heading(w, refusal), "text": explain(w, refusal), "path": path}
    answer = page(request, "problem.html", refusal.status, **facts, again=path == request.url.path)
    if refusal.status in (429, 503):
        answer.headers["retry-after"] = str(getattr(refusal, "wait", 1))
    return answer
