"""Push subscriptions of the reader's browser: the server's key, subscribing and unsubscribing, for the script."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from starfrost.table.subscriptions import Subscription
from starfrost.web.asking import service_of
from starfrost.web.guests import known_guest, remember
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import reader_of
from starfrost.web.routing import Pages

router = Pages()


class _Keys(BaseModel):
    p256dh: str = Field(max_length=100)
    auth: str = Field(max_length=40)


class _Asked(BaseModel):
    """A subscription as `PushSubscription.toJSON` writes it."""

    model_config = ConfigDict(extra="ignore")

    endpoint: str
    keys: _Keys = _Keys(p256dh="", auth="")
    east: int | None = Field(None, ge=-24 * 60, le=24 * 60)
    """By how many minutes the browser's clock is ahead of UTC."""


async def _asked(request: Request) -> _Asked:
    try:
        return _Asked.model_validate_json(await request.body())
    except ValidationError:
        from starfrost.web.webpush import bad_subscription

        raise bad_subscription("it has no endpoint or no keys") from None


def _subscription(request: Request, guest: str, asked: _Asked) -> Subscription:
    site = (request.url.hostname or "")[:255]
    keys: dict[str, Any] = asked.keys.model_dump()
    return Subscription(guest, asked.endpoint, **keys, language=reader_of(request).language, site=site, east=asked.east)


@router.get("/push")
async def key(request: Request) -> Response:
    """Return the public key of this server's messages."""
    return PlainTextResponse((await request.app.state.notifier.signer()).public)


@router.post("/push")
async def subscribe(request: Request) -> Response:
    """Send messages to this browser from now on, in the reader's language."""
    from starfrost.web.webpush import check_subscription

    service = service_of(request)
    asked = await _asked(request)
    guest, token = await guest_for(request)
    request.app.state.limits.command(guest.id)
    subscription = _subscription(request, guest.id, asked)
    check_subscription(subscription, service.settings.push_anywhere)
    await service.subscriptions.add(subscription)
    answer = Response(status_code=204)
    if token:
        remember(answer, request, token)
    return answer


@router.delete("/push")
async def unsubscribe(request: Request) -> Response:
    """Send no more messages to this browser."""
    guest = await known_guest(request)
    gone = _subscription(request, guest.id, await _asked(request))
    mine = await service_of(request).subscriptions.of(guest.id)
    for one in mine:
        if one.id == gone.id:
            await service_of(request).subscriptions.remove(one)
    return Response(status_code=204)
