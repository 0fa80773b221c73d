"""Tells guests by push messages that a table waits for them.

A message is sent by the process that stored the event: one process for every event, so nobody is told twice. If that
process dies in between, the message is lost; the table is not.
"""

import asyncio
import json
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
from starfrost.table.subscriptions import Subscription
from starfrost.table.tasks import end
from starfrost.web.outbox import IN_FLIGHT, Letter, Outbox
from starfrost.words import Words

if TYPE_CHECKING:
    from starfrost.web.webpush import PushClient, Signer

_log = get_logger("starfrost.web")
DAY: Final = 86_400
_Message = Callable[[Words, Snapshot], dict[str, str]]


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
        from starfrost.web.webpush import origin_of

        table, message = self._news.pop((guest, table_id))
        until = table.deadline([]) or time.time() + DAY
        for one in found:
            try:
                origin = origin_of(one.endpoint, self._service.settings.push_anywhere)
            except Refused:
                # Subscribed before it was checked as it is today.
                self._outbox.count("refused")
                await self._forget(one)
                continue
            text = json.dumps(message(words_of(one.language), table), ensure_ascii=False)
            self._outbox.put(Letter(one, origin, table_id, text, until))

    def _turn_message(self, w: Words, table: Snapshot) -> dict[str, str]:
        """Return what the service worker shows; nothing about the position is in it."""
        seats = self._service.show(table, None).seats
        others = [name for i, name in enumerate(seat_names(w, seats)) if i != table.acting]
        game = board_of(table.game.name).title
        body = w("%(game)s with %(names)s", game=game, names=w.all_of(others)) if others else game
        return {"title": w("Your turn"), "body": body, "url": f"/t/{table.id}", "tag": table.id}

    def _invitation_message(self, w: Words, table: Snapshot, host: str) -> dict[str, str]:
        """Return the invitation that the service worker shows."""
        title = w("%(name)s wants to play again", name=host)
        return {"title": title, "body": board_of(table.game.name).title, "url": f"/t/{table.id}", "tag": table.id}

    async def _send(self, letter: Letter) -> tuple[int, str]:
        """Send a message once; return the status and Retry-After. Raises OSError and Refused."""
        authorization = (await self.signer()).authorization(
            letter.origin, self._service.settings.push_contact or f"https://{letter.to.site}"
        )
        headers: dict[bytes | str, bytes | str] = {
            "Authorization": authorization,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(60, int(letter.until - time.time()))),
            "Urgency": "high",
            # A push service that still keeps an older message about this table drops it.
            "Topic": letter.table[:32],
        }
        from starfrost.web.webpush import encrypt

        status, after = await self._client.post(letter.to.endpoint, headers, encrypt(letter.text.encode(), letter.to))
        if status in (404, 410):
            await self._forget(letter.to)
        return status, after

    async def _forget(self, gone: Subscription) -> None:
        try:
            await self._service.subscriptions.remove(gone)
        except Refused as refusal:
            _log.warning("push subscription not removed", reason=str(refusal))
