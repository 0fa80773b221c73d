"""Guests: a name and a token, no account."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from starfrost.web.api.models import GuestMade, GuestName, GuestShown, Tables
from starfrost.web.api.parts import ERRORS, as_json, commanding
from starfrost.web.asking import address_of, service_of
from starfrost.web.guests import device_label, known_guest

router = APIRouter(tags=["guests"], responses=ERRORS)


@router.post("/guests", status_code=201, response_model=GuestMade)
async def make_guest(request: Request, body: GuestName) -> GuestMade:
    """Make a guest. Keep the token: it is shown only this once."""
    request.app.state.limits.opening(address_of(request))
    guest, token = await service_of(request).new_guest(body.name, device_label(request.headers.get("user-agent", "")))
    return GuestMade(id=guest.id, name=guest.name, token=token)


@router.get("/me", response_model=GuestShown)
async def show_me(request: Request) -> GuestShown:
    """Show who you are."""
    guest = await known_guest(request)
    return GuestShown(id=guest.id, name=guest.name)


@router.patch("/me", response_model=GuestShown)
async def rename_me(request: Request, body: GuestName) -> GuestShown:
    """Change your name; seats already taken keep theirs."""
    guest = await service_of(request).rename_guest(await commanding(request), body.name)
    return GuestShown(id=guest.id, name=guest.name)


@router.get("/me/tables", response_model=Tables)
async def my_tables(request: Request) -> Response:
    """List the tables that you opened or joined, newest first."""
    guest = await known_guest(request)
    return as_json({"tables": [view.summary() for view in await service_of(request).tables_of(guest)]})
