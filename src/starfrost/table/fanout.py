"""Fan-out: what happens at a table is told to everybody who watches it, in this process and in others.

Processes tell each other who watches where, and that a watched table has moved on. All of that may be lost: every
process also asks the database now and then, and whoever reads a table asks it anyway.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from structlog import get_logger

from starfrost.table.log import Event
from starfrost.table.pubsub import PubSub
from starfrost.table.store import Unavailable
from starfrost.table.streams import Streams
from starfrost.table.tasks import end, guarded, regularly
from starfrost.table.view import Watchers

if TYPE_CHECKING:
    from starfrost.table.host import TableHost

_log = get_logger("starfrost.table")
_PRESENCE_DELAY: Final = 0.1


class FanOut:
    """The streams of this process, and what it hears from the others."""

    def __init__(self, host: "TableHost") -> None:
        self._host = host
        self.streams = Streams(self._presence_changed)
        self.pubsub = PubSub(host.settings, self._told, self._tell_watched, self._poll_now)
        self.on_message: dict[str, Callable[..., Any]] = {
            "rewritten": self._rewritten,
            "moved": self._moved_elsewhere,
            "signal": self._signalled,
        }
        """What is called with the content of each kind of message from other processes."""
        self._polling: asyncio.Task[None] | None = None
        self._presence_due: set[str] = set()
        self._behind: dict[str, int] = {}
        """Watched tables that other processes have moved on, and to which version."""

    def start(self) -> None:
        """Start to listen to other processes, where there can be some."""
        self.pubsub.start()
        if self._host.is_shared:
            self._polling = regularly(self._look_at_watched, self._host.settings.beat, self._host.settings.beat)

    async def stop(self) -> None:
        """Stop listening and telling."""
        await end([self._polling] if self._polling else [])
        await self.pubsub.stop()

    def announce(self, table_id: str, version: int) -> None:
        """Signal the version that a table has reached to everybody who watches it."""
        self.streams.announce(table_id, version)
        if self.streams.is_watched_elsewhere(table_id):
            self.pubsub.send("moved", table=table_id, version=version)

    def signal(self, table_id: str, kind: str, data: dict[str, Any]) -> None:
        """Send a message that is not stored to everybody who watches a table, in every process."""
        self.streams.send(table_id, kind, data)
        self.pubsub.send("signal", table=table_id, what=kind, data=data)

    def _rewritten(self, table: str) -> None:
        self._host.spawn(self._host.read_again(table), "rewritten")

    def _signalled(self, table: str, what: str, data: dict[str, Any]) -> None:
        self.streams.send(table, what, data)

    def _told(self, kind: str, process: str, content: dict[str, Any]) -> None:
        try:
            if kind == "watching":
                self._watched_elsewhere(process, **content)
            elif kind == "gone":
                self._forget(process)
            elif kind in self.on_message:
                self.on_message[kind](**content)
        except (TypeError, ValueError) as error:
            # Another version says more, or less.
            _log.warning("message not understood", kind=kind, error=type(error).__name__)

    def _presence_changed(self, table_id: str) -> None:
        """Send who is present soon: only once when a thousand watchers come together."""
        if table_id not in self._presence_due:
            self._presence_due.add(table_id)
            asyncio.get_running_loop().call_later(_PRESENCE_DELAY, self._send_presence, table_id)

    def _send_presence(self, table_id: str) -> None:
        self._presence_due.discard(table_id)
        self._show_presence(table_id)
        self._tell_watching(table_id)

    def _show_presence(self, table_id: str) -> None:
        table = self._host.peek(table_id)
        if table is not None:
            self.streams.send(table_id, "presence", table.snapshot.presence(self.streams.watchers(table_id)))

    def _tell_watched(self) -> None:
        """Tell the other processes again who watches tables here, and forget those that do not tell it any more."""
        self._forget()
        for table_id in self.streams.watched:
            self._tell_watching(table_id)

    def _forget(self, process: str | None = None) -> None:
        for table_id in self.streams.forget_elsewhere(process):
            self._show_presence(table_id)

    def _tell_watching(self, table_id: str) -> None:
        if not self.pubsub.is_alone:
            here = self.streams.watchers_here(table_id)
            self.pubsub.send(
                "watching",
                table=table_id,
                version=self.streams.version(table_id),
                guests=sorted(here.guests),
                anonymous=here.anonymous,
                looking=sorted(here.looking),
            )

    def _watched_elsewhere(
        self, process: str, table: str, version: int, guests: list[str], anonymous: int, looking: list[str]
    ) -> None:
        before = self.streams.watchers(table)
        told = Watchers(frozenset(guests), anonymous, frozenset(looking))
        self.streams.note_elsewhere(process, table, told)
        if self.streams.watchers(table) != before:
            self._show_presence(table)
        copy = self._host.peek(table)
        if copy is not None and copy.version > version > 0:
            # What happened before this message came was not told.
            self.pubsub.send("moved", table=table, version=copy.version)

    def _moved_elsewhere(self, table: str, version: int) -> None:
        """Read on where somebody watches here; whoever reads another table asks the database anyway."""
        if version > self.streams.version(table) and self.streams.is_watched(table):
            if not self._behind:
                self._host.spawn(self._read_on_watched(), "read on")
            self._behind[table] = max(version, self._behind.get(table, 0))

    async def _read_on_watched(self) -> None:
        """Read the events that copies of watched tables lack, those of all tables together."""
        while self._behind:
            behind = dict(self._behind)
            try:
                copies = [copy for table_id in behind if (copy := self._host.peek(table_id)) is not None]
                tails: dict[str, list[Event]] = {}
                for event in await self._host.store.tails({copy.id: copy.version for copy in copies}):
                    tails.setdefault(event.table_id, []).append(event)
                for copy in copies:
                    self._host.read_on(copy, tails.get(copy.id, ()))
            except Unavailable as error:
                _log.warning("events unknown", error=error.cause)
            for table_id, version in behind.items():
                if self._host.peek(table_id) is None:
                    self.streams.announce(table_id, version)
                if self._behind[table_id] <= version:
                    del self._behind[table_id]

    def _poll_now(self) -> None:
        self._host.spawn(guarded(self._look_at_watched), "poll")

    async def _look_at_watched(self) -> None:
        """Look for what other processes did and did not tell, or told in vain."""
        stored = await self._host.store.versions(self.streams.watched)
        for table_id, version in stored.items():
            copy = self._host.peek(table_id)
            if copy is not None and copy.epoch != version.epoch:
                await self._host.read_again(table_id)
            self._moved_elsewhere(table_id, version.number)
