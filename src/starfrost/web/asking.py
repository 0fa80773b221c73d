"""What pages ask of the app around them: its service, its limits, and its thread for long work."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING, TypeVar, cast

from starlette.requests import HTTPConnection

if TYPE_CHECKING:
    from starfrost.table import TableService
    from starfrost.web.limits import Limits
    from starfrost.web.page_thread import PageThread

_T = TypeVar("_T")


def service_of(request: HTTPConnection) -> "TableService":
    """Return the service behind the app."""
    return cast("TableService", request.app.state.service)


async def in_page_thread(request: HTTPConnection, work: Callable[[], _T]) -> _T:
    """Do some work for a page about a whole game. Raises TooMany, and whatever the work raises."""
    request.app.state.limits.page(address_of(request))
    thread: PageThread = request.app.state.page_thread
    return await thread.run(work)


def address_of(request: HTTPConnection) -> str:
    """Return the address that the limits of a request are counted by."""
    return network_of(request.client.host if request.client else "")


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return what counts as one address: with IPv6 a network of 64 bits, because a household has that many."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((int(found) >> 64 << 64, 64)))


@asynccontextmanager
async def opening(request: HTTPConnection, guest: str) -> AsyncIterator[None]:
    """Open a table inside this, within the limits of the guest and of the address. Raises Refused."""
    limits: Limits = request.app.state.limits
    address = address_of(request)
    limits.opening(guest)
    limits.opening_here(address)
    async with request.app.state.service.quota.room(address):
        yield
