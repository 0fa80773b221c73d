"""How the reader is told that it is their turn: addresses of their own, quiet hours, and a calendar."""

from datetime import UTC, datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from starfrost.boards import board_of
from starfrost.boards.previews import Preview
from starfrost.boards.seats import seat_names
from starfrost.errors import Refused
from starfrost.table import CLOCKS, Guest, TableView
from starfrost.table.clocks import DAY, REMINDER
from starfrost.table.subscriptions import Subscription
from starfrost.web.asking import address_of, service_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.problems import explain
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import go_to, page, reader_of
from starfrost.web.routing import Pages

router = Pages()

_HERE: Final = "/me/told"
_ZONES: Final = range(-12 * 60, 14 * 60 + 1, 30)
"""By how many minutes clocks may be ahead of UTC."""


async def _show(request: Request, guest: Guest | None, status: int = 200, **more: Any) -> HTMLResponse:
    service, found = service_of(request), list[Subscription]()
    if guest is not None:
        found = await service.subscriptions.of(guest.id)
    quiet = found[0].quiet.split("-") if found and found[0].quiet else []
    values: dict[str, Any] = {"calendar": "", "error": "", "typed": ""} | more
    return page(
        request,
        "told.html",
        status,
        guest=guest,
        browsers=sum(not one.is_plain for one in found),
        addresses=[one for one in found if one.is_plain],
        quiet=[int(hour) for hour in quiet],
        east=found[0].east if found else None,
        zones=[(one, f"UTC{'+' if one >= 0 else '−'}{abs(one) // 60}:{abs(one) % 60:02}") for one in _ZONES],
        calendar_made=await service.devices.phrase_made(guest, "calendar") if guest else None,
        back=_HERE,
        preview=Preview(address=""),
        **values,
    )


@router.get(_HERE)
async def show(request: Request) -> Response:
    """Show how the reader is told."""
    return await _show(request, await current_guest(request))


@router.post(_HERE)
async def change(request: Request) -> Response:
    """Add or remove an address, or choose quiet hours."""
    form = await request.form()
    guest, token = await guest_for(request)
    request.app.state.limits.command(guest.id)
    subscriptions, address = service_of(request).subscriptions, str(form.get("address", "")).strip()
    try:
        if address:
            await _add(request, guest, address)
        elif form.get("remove"):
            for one in await subscriptions.of(guest.id):
                if one.id == form["remove"]:
                    await subscriptions.remove(one)
        elif "from" in form:
            east = str(form.get("east", ""))
            zone = int(east) if east.lstrip("-").isdecimal() and int(east[:5]) in _ZONES else None
            hours = f"{form['from']}-{form.get('to')}" if form["from"] else ""
            await subscriptions.be_quiet(guest.id, hours[:8], zone)
    except Refused as refusal:
        text = explain(reader_of(request).w, refusal)
        return await _show(request, guest, refusal.status, error=text, typed=address)
    answer = go_to(request, _HERE)
    if token:
        remember(answer, request, token)
    return answer


async def _add(request: Request, guest: Guest, address: str) -> None:
    """Send messages to an address from now on, beginning with one that says so. Raises Refused."""
    from starfrost.web.webpush import check_address

    service = service_of(request)
    request.app.state.limits.guess(address_of(request))
    check_address(address, service.settings.push_anywhere)
    site = str(request.base_url).rstrip("/")[:255]
    new = Subscription(guest.id, address, "", "", reader_of(request).language, site)
    await service.subscriptions.add(new)
    await request.app.state.notifier.greet(new)


# The calendar


@router.post(f"{_HERE}/calendar")
async def make_calendar(request: Request) -> Response:
    """Make the link of a calendar and show it this once."""
    guest, token = await guest_for(request)
    request.app.state.limits.guess(address_of(request))
    code = await service_of(request).devices.new_calendar(guest)
    link = f"{request.base_url}calendar/{code}.ics?lang={reader_of(request).language}"
    answer = await _show(request, guest, calendar=link)
    if token:
        remember(answer, request, token)
    return answer


@router.get("/calendar/{code}.ics")
async def calendar(request: Request, code: str) -> Response:
    """Return until when a guest can play in games with a day or more for a turn, for calendars."""
    service = service_of(request)
    guest = await service.devices.calendar_of(code[:100])
    if guest is None:
        request.app.state.limits.code(address_of(request))
        raise Refused("not-found", "There is nothing here.", 404)
    turns = [
        view
        for view in await service.tables_to_play(guest)
        if view.deadline and view.acting in view.mine and (CLOCKS[view.clock] or 0) >= DAY
    ]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Starfrost//Turns//EN", "X-WR-CALNAME:Starfrost"]
    lines += ["REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"]
    lines += [line for view in turns for line in _event(request, view)]
    text = "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])
    return Response(text, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "no-store"})


def _event(request: Request, view: TableView) -> list[str]:
    w, until = reader_of(request).w, view.deadline or 0.0
    others = [name for name, seat in zip(seat_names(w, view.seats), view.seats, strict=True) if not seat.yours]
    title = w("%(game)s with %(names)s", game=board_of(view.game.name).title, names=w.all_of(others))
    summary = f"{w('Your turn')}: {title}".replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
    return [
        "BEGIN:VEVENT",
        f"UID:{view.id}-{view.version}@{request.url.hostname}",
        f"DTSTAMP:{_stamp(until - (CLOCKS[view.clock] or 0))}",
        f"DTSTART:{_stamp(until - 900)}",
        f"DTEND:{_stamp(until)}",
        f"SUMMARY:{summary}",
        f"URL:{request.base_url}t/{view.id}",
        *("BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{summary}"),
        f"TRIGGER:-PT{round((CLOCKS[view.clock] or 0) / REMINDER / 3600)}H",
        *("END:VALARM", "END:VEVENT"),
    ]


def _stamp(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y%m%dT%H%M%SZ}"


def _folded(line: str) -> str:
    """Break a line after at most 75 bytes, as calendars want it."""
    parts, size = [""], 0
    for sign in line:
        size += len(sign.encode())
        if size > 74:
            parts.append("")
            size = len(sign.encode())
        parts[-1] += sign
    return "\r\n ".join(parts)
