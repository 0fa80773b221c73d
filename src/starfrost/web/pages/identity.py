"""Keeping an identity without an account: other devices, the download of everything stored, and deleting it."""

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from starfrost.boards.previews import Preview
from starfrost.errors import Refused
from starfrost.table import Guest
from starfrost.web.asking import address_of, service_of
from starfrost.web.guests import COOKIE, current_guest, device_label, remember, token_of
from starfrost.web.pages.problems import TABLE, explain
from starfrost.web.pages.setup import guest_for, name_from_form
from starfrost.web.render import go_to, page, qr_code, reader_of
from starfrost.web.routing import Pages
from starfrost.web.zipping import zipped
from starfrost.words.numbers import short_date

router = Pages()

_HERE = "/me/identity"


async def _show(request: Request, guest: Guest | None, status: int = 200, **more: Any) -> HTMLResponse:
    """Show who the reader is here, with what has just been made or gone wrong."""
    devices = service_of(request).devices
    listed = await devices.of(guest, token_of(request) or "") if guest else []
    values: dict[str, Any] = {"phrase": "", "link": "", "qr": "", "error": "", "saved": False} | more
    return page(
        request,
        "identity.html",
        status,
        guest=guest,
        devices=listed,
        phrase_made=await devices.phrase_made(guest) if guest else None,
        day=partial(short_date, reader_of(request).w),
        back=_HERE,
        **values,
    )


async def _own(request: Request) -> Guest:
    """Return the guest who changes something about themselves, and count it. Raises Refused."""
    guest = await current_guest(request)
    if guest is None:
        raise Refused("nobody", "You have no name here yet.", 403)
    request.app.state.limits.command(guest.id)
    return guest


@router.get(_HERE)
async def show(request: Request) -> Response:
    """Show the reader's name, devices and data."""
    return await _show(request, await current_guest(request), saved="saved" in request.query_params)


@router.post(f"{_HERE}/name")
async def rename(request: Request) -> Response:
    """Rename the reader, or make a guest of somebody who is new."""
    w = reader_of(request).w
    name = name_from_form((await request.form()).get("name"))
    guest = await current_guest(request)
    try:
        if not name:
            raise Refused("bad-name", "A name needs at least one visible character.", 422)
        guest, token = await guest_for(request, name)
    except Refused as refusal:
        return await _show(request, guest, refusal.status, error=explain(w, refusal))
    answer = go_to(request, f"{_HERE}?saved=")
    if token:
        remember(answer, request, token)
    return answer


@router.post(f"{_HERE}/phrase")
async def make_phrase(request: Request) -> Response:
    """Make a recovery phrase and show it this once."""
    guest = await _own(request)
    request.app.state.limits.guess(address_of(request))
    return await _show(request, guest, phrase=await service_of(request).devices.new_phrase(guest))


@router.post(f"{_HERE}/link")
async def make_link(request: Request) -> Response:
    """Make a link for one other device and show it as a QR code."""
    guest = await _own(request)
    back = str((await request.form()).get("to", ""))
    link = f"{request.base_url}me/device/{await service_of(request).devices.new_link(guest)}"
    if TABLE.fullmatch(back):
        link += f"?to={back}"
    qr = qr_code(link)
    return await _show(request, guest, link=link, qr=qr)


@router.post(f"{_HERE}/devices")
async def sign_out(request: Request) -> Response:
    """Sign one of the reader's devices out."""
    guest = await _own(request)
    device = str((await request.form()).get("device", ""))[:16]
    here = await service_of(request).devices.sign_out(guest, device, token_of(request) or "")
    answer = go_to(request, "/" if here else _HERE)
    if here:
        answer.delete_cookie(COOKIE, path="/")
    return answer


@router.get("/me/device")
async def enter(request: Request) -> Response:
    """Ask for a recovery phrase."""
    return await _arrive(request)


@router.get("/me/device/{code}")
async def arrive(request: Request, code: str, to: str = "") -> Response:
    """Ask whether this device shall be the guest's whose link was followed."""
    request.app.state.limits.guess(address_of(request))
    whose = await service_of(request).devices.whose(code=code[:100])
    return await _arrive(request, code=code, whose=whose, to=to)


@router.post("/me/device")
async def sign_in(request: Request) -> Response:
    """Make this device one of the guest's whose phrase or link it has."""
    form = await request.form()
    given = {"code": str(form["code"])[:100]} if form.get("code") else {"phrase": str(form.get("phrase", ""))}
    w, devices = reader_of(request).w, service_of(request).devices
    before = await current_guest(request)
    whose: Guest | None = None
    try:
        request.app.state.limits.guess(address_of(request))
        if before is not None and not form.get("replace"):
            whose = await devices.whose(**given)
            if whose.id != before.id and await service_of(request).tables_of(before, 1):
                return await _arrive(request, 409, whose=whose, before=before, to=form.get("to", ""), **given)
        label = device_label(request.headers.get("user-agent", ""))
        _, token = await devices.sign_in(**given, label=label, token=token_of(request))
    except Refused as refusal:
        return await _arrive(request, refusal.status, error=explain(w, refusal), **given)
    back = str(form.get("to", ""))
    answer = go_to(request, back if TABLE.fullmatch(back) else _HERE)
    remember(answer, request, token)
    return answer


async def _arrive(request: Request, status: int = 200, **more: Any) -> HTMLResponse:
    values: dict[str, Any] = {"phrase": "", "code": "", "whose": None, "before": None, "error": "", "to": ""} | more
    # The address of a link opens the guest's name, so a preview must not repeat it.
    preview = Preview(address="/me/device")
    return page(request, "device.html", status, back="/me/device", preview=preview, **values)


@router.get(f"{_HERE}/download")
async def download(request: Request) -> Response:
    """Return everything that is stored about the reader as one file."""
    guest = await _own(request)
    request.app.state.limits.download(guest.id)
    return StreamingResponse(
        zipped(service_of(request).own_data.files(guest)),
        media_type="application/zip",
        headers={
            "Content-Disposition": 'attachment; filename="starfrost.zip"',
            # It is compressed already.
            "Content-Encoding": "identity",
            "Cache-Control": "no-store",
        },
    )


@router.get(f"{_HERE}/delete")
async def ask_to_delete(request: Request) -> Response:
    """Say what deleting means and ask for confirmation."""
    guest = await _own(request)
    return page(request, "delete.html", guest=guest, error="")


@router.post(f"{_HERE}/delete")
async def delete(request: Request) -> Response:
    """Delete everything about the reader once that is confirmed."""
    guest = await _own(request)
    if (await request.form()).get("sure") != "yes":
        text = reader_of(request).w("Tick the box first: this cannot be undone.")
        return page(request, "delete.html", 422, guest=guest, error=text, back=f"{_HERE}/delete")
    await service_of(request).own_data.delete(guest)
    w = reader_of(request).w
    text = w("Nothing about you is stored here any more. If you play again, you are somebody new.")
    answer = page(request, "problem.html", heading=w("Everything is deleted"), text=text, path="", back="/")
    answer.delete_cookie(COOKIE, path="/")
    return answer
