"""The host's page: tables, people, bans and what players report. Its key comes from `starfrost admin link`."""

from dataclasses import replace
from hmac import compare_digest
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from starfrost.errors import Refused, UsageError
from starfrost.table.host_lists import forget_reports, host_key, newest_tables, people, report, reported
from starfrost.table.store import Store
from starfrost.web.asking import address_of, service_of
from starfrost.web.guests import known_guest
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words.numbers import short_date

router = Pages()

_COOKIE: Final = "sf-host"


def _store(request: Request) -> Store:
    return service_of(request).upkeep.store


async def _check(request: Request, key: str) -> None:
    """Raise Refused for a key that is not the host's, and after too many of them."""
    if not compare_digest(key.encode(), (await host_key(_store(request))).encode()):
        request.app.state.limits.guess(address_of(request))
        raise Refused("not-the-host", "This page is for the host: starfrost admin link prints its address.", 403)


@router.get("/host")
async def show(request: Request, key: str = "", match: str = "") -> Response:
    """Show the host's page; the key of the link goes into a cookie."""
    if key:
        await _check(request, key)
        answer = RedirectResponse("/host", status_code=303)
        secure = request.url.scheme == "https"
        answer.set_cookie(_COOKIE, key, samesite="strict", httponly=True, secure=secure, path="/host")
        return answer
    await _check(request, request.cookies.get(_COOKIE, ""))
    return await _page(request, match)


async def _page(request: Request, match: str, said: str = "", status: int = 200) -> HTMLResponse:
    store, w = _store(request), reader_of(request).w
    return page(
        request,
        "host.html",
        status,
        said=said,
        match=match,
        reports=await reported(store),
        bans=[each for each in await service_of(request).upkeep.moderation.all() if each.banned],
        people=await people(store, match),
        tables=await newest_tables(store, match),
        day=lambda at: short_date(w, at) if at else "–",
    )


@router.post("/host")
async def decide(request: Request) -> Response:
    """Do what the host decided, and show the page again."""
    await _check(request, request.cookies.get(_COOKIE, ""))
    form = await request.form()
    service, what, whom = service_of(request), str(form.get("what")), str(form.get("whom", "")).strip()
    moderation, w = service.upkeep.moderation, reader_of(request).w
    try:
        if what in ("ban", "unban"):
            rule = replace(
                await moderation.about(whom), banned=what == "ban", until=None, why=str(form.get("why", ""))[:200]
            )
            await (moderation.put(rule) if rule.banned or rule.times != 1 else moderation.remove(rule.subject))
            await moderation.refresh()
        elif what == "close":
            await service.retention.close(whom)
        elif what == "forget":
            await forget_reports(_store(request), whom)
    except UsageError as problem:
        return await _page(request, "", w.say(problem), 422)
    return RedirectResponse("/host", status_code=303)


async def _others(request: Request, table: str) -> tuple[Any, list[tuple[str, str]]]:
    """Return who asks, and the ids and names of the other people at a table. Raises Refused."""
    guest = await known_guest(request)
    snapshot = await service_of(request).snapshot(table)
    if not any(seat.guest == guest.id for seat in snapshot.seats):
        raise Refused("not-seated", "Only whoever plays at a table can report somebody there.", 403)
    return guest, [(seat.guest, seat.name) for seat in snapshot.seats if seat.guest and seat.guest != guest.id]


@router.get("/t/{table}/report")
async def ask(request: Request, table: str) -> Response:
    """Ask whom and what somebody wants to report."""
    _, others = await _others(request, table)
    return page(request, "report.html", table=table, others=list(enumerate(others)), sent=False)


@router.post("/t/{table}/report")
async def send(request: Request, table: str) -> Response:
    """Store a report for the host."""
    guest, others = await _others(request, table)
    request.app.state.limits.opening(guest.id)
    form = await request.form()
    number = str(form.get("whom", ""))
    if not number.isdecimal() or int(number) >= len(others):
        raise Refused("nobody-there", "Choose whom you want to report.", 422)
    await report(_store(request), table, guest, others[int(number)][0], str(form.get("why", "")))
    return page(request, "report.html", table=table, others=[], sent=True)
