"""Tells guests by push messages that a table waits for them.

A message is sent by the process that stored the event: one process for every event, so nobody is told twice. If that
process dies in between, the message is lost; the table is not.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from structlog import get_logger

from starfrost.errors import Refused
from starfrost.table import CLOCKS, Snapshot, TableService
from starfrost.table.subscriptions import Subscription
from starfrost.table.tasks import end
from starfrost.web.boards import board_of
from starfrost.web.render import words_of
from starfrost.web.views.seats import seat_names
from starfrost.web.webpush import Signer, deliver, encrypt
from starfrost.words import Words

_log = get_logger("starfrost.web")
DAY: Final = 86_400
_Message = Callable[[Words, Snapshot], dict[str, str]]
_PAUSES: Final = (1.0, 5.0, 30.0)
"""Seconds before the next attempts, if a push service does not take a message."""


class Notifier:
    """Sends push messages."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._tasks: set[asyncio.Task[None]] = set()
        self.signer: Signer

    async def start(self) -> None:
        """Read the server's key, or make it, and listen for turns."""
        self.signer = Signer(await self._service.subscriptions.server_key("vapid", Signer.make))
        self._service.when_turned(self._turned)
        self._service.when_invited(self._invited)

    async def stop(self) -> None:
        """Give up what is not sent yet."""
        await end(list(self._tasks))

    def _turned(self, table: Snapshot) -> None:
        """Tell the guest whose turn it is now, unless their page of a fast game is open and tells them itself."""
        guest = table.awaited
        if guest is None or not self._service.subscriptions.has(guest):
            return
        if (CLOCKS[table.clock] or 0) < DAY and guest in self._service.streams.watchers(table.id).guests:
            return
        self._start(table, guest, self._turn_message)

    def _invited(self, table: Snapshot, guest: str, host: str) -> None:
        """Tell a guest that somebody wants to play again."""
        if self._service.subscriptions.has(guest):
            self._start(table, guest, partial(self._invitation_message, host=host))

    def _start(self, table: Snapshot, guest: str, message: _Message) -> None:
        task = asyncio.create_task(self._tell(table, guest, message), name="push")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, table: Snapshot, guest: str, message: _Message) -> None:
        try:
            found = await self._service.subscriptions.of(guest)
        except Refused as refusal:
            _log.warning("push failed", reason=str(refusal))
            return
        await asyncio.gather(*(self._send(one, table, message(words_of(one.language), table)) for one in found))

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

    async def _send(self, subscription: Subscription, table: Snapshot, message: dict[str, str]) -> None:
        settings = self._service.settings
        contact = settings.push_contact or f"https://{subscription.site}"
        left = (table.deadline([]) or time.time() + DAY) - time.time()
        headers = {
            "Authorization": self.signer.authorization(subscription.endpoint, contact),
            "Content-Type": "application/octet-stream",
            "TTL": str(max(60, int(left))),
            "Urgency": "high",
            # A push service that still keeps an older message about this table drops it.
            "Topic": table.id[:32],
        }
        shown = json.dumps(message, ensure_ascii=False).encode()
        body = encrypt(shown, subscription.p256dh, subscription.auth)
        result = await self._deliver(partial(deliver, subscription.endpoint, headers, body, settings.push_anywhere))
        self._service.metrics.pushes.labels(result).inc()
        if result == "gone":
            await self._service.subscriptions.remove(subscription)

    async def _deliver(self, attempt: Callable[[], Awaitable[tuple[int, str]]]) -> str:
        """Send a message, again if it seems worth it; return what became of it."""
        for pause in (*_PAUSES, None):
            try:
                status, after = await attempt()
            except Refused:
                return "refused"
            except OSError as error:
                _log.info("push service does not answer", error=type(error).__name__)
                status, after = 503, ""
            if status < 300:
                return "sent"
            if status in (404, 410):
                return "gone"
            if pause is None or (status < 500 and status != 429):
                break
            await asyncio.sleep(max(pause, min(60.0, float(after) if after.isdigit() else 0.0)))
        _log.warning("push failed", status=status)
        return "failed"
