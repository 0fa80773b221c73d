"""Tells guests by push messages that a table waits for them.

A message is sent by the process that stored the event: one process for every event, so nobody is told twice. If that
process dies in between, the message is lost; the table is not.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from structlog import get_logger

from starfrost.boards import board_of
from starfrost.boards.drawing import words_of
from starfrost.boards.seats import seat_names
from starfrost.errors import Refused
from starfrost.table import CLOCKS, Snapshot, TableService
from starfrost.table.clocks import DAY, REMINDER
from starfrost.table.subscriptions import Subscription
from starfrost.table.tasks import end
from starfrost.web.outbox import IN_FLIGHT, Letter, Outbox
from starfrost.words import Words
from starfrost.words.numbers import clock_time

if TYPE_CHECKING:
    from starfrost.web.webpush import PushClient, Signer

_log = get_logger("starfrost.web")
_LATE: Final = 1800.0
"""Seconds before the end of a turn at which a reminder comes too late."""
_TOPIC: Final = re.compile(r"https?://[^/]+/[-_A-Za-z0-9]{1,64}")
"""An address of ntfy."""
_Told = dict[str, str]
_Headers = dict[bytes | str, bytes | str]
_Message = Callable[[Words, Snapshot, Subscription], _Told]


class Notifier:
    """Writes push messages."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._news: dict[tuple[str, str], tuple[Snapshot, _Message]] = {}
        """What a guest is to be told about a table, until it is known which browsers are to tell them."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._outbox = Outbox(service.metrics, self._send)
        self._signer: Signer | None = None

    async def start(self) -> None:
        """Listen for turns."""
        self._service.when_turned(self._turned)
        self._service.when_invited(self._invited)
        self._service.when_waits(self._waits)

    async def stop(self) -> None:
        """Give up what is not sent yet."""
        await end(list(self._tasks))
        await self._outbox.stop()
        if "_client" in self.__dict__:
            await self._client.close()

    async def signer(self) -> "Signer":
        """Return the server's key, which is made when it is first asked for."""
        from starfrost.web.webpush import Signer

        if self._signer is None:
            self._signer = Signer(await self._service.subscriptions.server_key("vapid", Signer.make))
        return self._signer

    @cached_property
    def _client(self) -> "PushClient":
        # Encryption and its own client take a twentieth of a start, and many servers never send a message.
        from starfrost.web.webpush import PushClient

        return PushClient(IN_FLIGHT, self._service.settings.push_anywhere)

    def _turned(self, table: Snapshot) -> None:
        """Tell the guest whose turn it is now, unless they look at the page of a fast game, which tells them itself."""
        guest = table.awaited
        if guest is None or not self._service.subscriptions.has(guest):
            return
        if (CLOCKS[table.clock] or 0) < DAY and self._service.streams.is_looked_at(table.id, guest):
            return
        self._tell(table, guest, self._turn_message)

    def _waits(self, table: Snapshot) -> None:
        """Remind the guest whose turn it is, or tell them what their quiet hours have kept back."""
        if table.awaited is not None and self._service.subscriptions.has(table.awaited):
            self._tell(table, table.awaited, self._reminder)

    def _invited(self, table: Snapshot, guest: str, host: str) -> None:
        """Tell a guest that somebody wants to play again."""
        if self._service.subscriptions.has(guest):
            self._tell(table, guest, partial(self._invitation_message, host=host))

    def _tell(self, table: Snapshot, guest: str, message: _Message) -> None:
        looking = (guest, table.id) in self._news
        self._news[guest, table.id] = (table, message)
        if not looking:
            task = asyncio.create_task(self._write(guest, table.id), name="push")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _write(self, guest: str, table_id: str) -> None:
        """Write to every browser of a guest."""
        found: list[Subscription] = []
        try:
            found = await self._service.subscriptions.of(guest)
        except Refused as refusal:
            _log.warning("push failed", reason=str(refusal))
        table, message = self._news.pop((guest, table_id))
        try:
            if found and await self._put_off(found[0], table):
                return
        except Refused as refusal:
            _log.warning("push not put off", reason=str(refusal))
        until = table.deadline([]) or time.time() + DAY
        for one in found:
            await self._put(one, table_id, message(words_of(one.language), table, one), until)

    async def _put_off(self, one: Subscription, table: Snapshot) -> bool:
        """Return whether a guest wants silence now; have the table looked at again when that ends.

        If the reminder would fall into hours that end too late, it comes before them.
        """
        now, deadline = time.time(), table.deadline([])
        silence = one.silence(now)
        if (CLOCKS[table.clock] or DAY) < DAY or table.awaited is None:
            return silence is not None
        if silence is not None:
            if deadline is None or silence[1] < deadline - _LATE:
                await self._service.look_again(table, silence[1])
            return True
        if deadline is not None:
            silence = one.silence(deadline - (CLOCKS[table.clock] or DAY) / REMINDER)
            if silence is not None and now + _LATE < silence[0] - _LATE and silence[1] >= deadline - _LATE:
                await self._service.look_again(table, silence[0] - _LATE)
        return False

    async def _put(self, one: Subscription, table: str, told: _Told, until: float) -> None:
        from starfrost.web.webpush import check_address, origin_of

        check = check_address if one.is_plain else origin_of
        try:
            origin = check(one.endpoint, self._service.settings.push_anywhere)
        except Refused:
            # Subscribed before it was checked as it is today.
            self._outbox.count("refused")
            return await self._forget(one)
        self._outbox.put(Letter(one, origin, table, json.dumps(told, ensure_ascii=False), until))

    async def greet(self, one: Subscription) -> None:
        """Tell a new address what it will be told. Raises Refused."""
        w = words_of(one.language)
        told = {
            "title": "Starfrost",
            "body": w("You will be told here when it is your turn."),
            "url": "/",
            "tag": "new",
        }
        await self._put(one, "new", told, time.time() + DAY)

    def _turn_message(self, w: Words, table: Snapshot, to: Subscription) -> _Told:
        """Return what the service worker shows; nothing about the position is in it."""
        seats = self._service.show(table, None).seats
        others = [name for i, name in enumerate(seat_names(w, seats)) if i != table.acting]
        game = board_of(table.game.name).title
        body = w("%(game)s with %(names)s", game=game, names=w.all_of(others)) if others else game
        until = table.deadline([])
        if until is not None and to.east is not None and (CLOCKS[table.clock] or 0) >= DAY:
            ends = w("until %(time)s", time=clock_time(w, until, to.east))
            body = f"{body} · {ends}"
        return {"title": w("Your turn"), "body": body, "url": f"/t/{table.id}", "tag": table.id}

    def _reminder(self, w: Words, table: Snapshot, to: Subscription) -> _Told:
        """Return the same, or that time runs out if more than half of it has passed."""
        told, until = self._turn_message(w, table, to), table.deadline([])
        soon = until is not None and until - time.time() < (CLOCKS[table.clock] or 0) / 2
        return told | {"title": w("Your turn: time is running out")} if soon else told

    def _invitation_message(self, w: Words, table: Snapshot, to: Subscription, host: str) -> _Told:
        """Return the invitation that the service worker shows."""
        title = w("%(name)s wants to play again", name=host)
        return {"title": title, "body": board_of(table.game.name).title, "url": f"/t/{table.id}", "tag": table.id}

    async def _send(self, letter: Letter) -> tuple[int, str]:
        """Send a message once; return the status and Retry-After. Raises OSError and Refused."""
        headers, body = _plainly(letter) if letter.to.is_plain else await self._sealed(letter)
        status, after = await self._client.post(letter.to.endpoint, headers, body)
        if status in (404, 410):
            await self._forget(letter.to)
        return status, after

    async def _sealed(self, letter: Letter) -> tuple[_Headers, bytes]:
        """Return a message for a browser, which nobody on the way can read."""
        from starfrost.web.webpush import encrypt

        authorization = (await self.signer()).authorization(
            letter.origin, self._service.settings.push_contact or f"https://{letter.to.site}"
        )
        headers: _Headers = {
            "Authorization": authorization,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(60, int(letter.until - time.time()))),
            "Urgency": "high",
            # A push service that still keeps an older message about this table drops it.
            "Topic": letter.table[:32],
        }
        return headers, encrypt(letter.text.encode(), letter.to)

    async def _forget(self, gone: Subscription) -> None:
        try:
            await self._service.subscriptions.remove(gone)
        except Refused as refusal:
            _log.warning("push subscription not removed", reason=str(refusal))


def _plainly(letter: Letter) -> tuple[_Headers, bytes]:
    """Return a message as ntfy takes it, if the address is a topic; otherwise as JSON, which chats can show too."""
    told = json.loads(letter.text)
    link = f"{letter.to.site}{told['url']}"
    if _TOPIC.fullmatch(letter.to.endpoint):
        headers: _Headers = {"Title": told["title"].encode(), "Click": link, "Tags": "game_die"}
        return headers, told["body"].encode()
    text = f"{told['title']}: {told['body']} {link}"
    body = json.dumps({**told, "url": link, "text": text, "content": text}, ensure_ascii=False).encode()
    return {"Content-Type": "application/json"}, body
