"""The table service: the one authority over tables, for the pages, the JSON interface and the bots."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from starfrost.bots.registry import add_bots
from starfrost.errors import Refused
from starfrost.table import commands, rematches
from starfrost.table.archive import Archive
from starfrost.table.commands import Decision
from starfrost.table.daily.games import DailyGames
from starfrost.table.devices import Devices
from starfrost.table.guests import Guests
from starfrost.table.historian import Historian
from starfrost.table.history import History
from starfrost.table.host import TableHost, key_used
from starfrost.table.metrics import Metrics
from starfrost.table.names import clean_key
from starfrost.table.new_table import NewTable, new_table
from starfrost.table.opening import Opening
from starfrost.table.own_data import OwnData
from starfrost.table.play import Play
from starfrost.table.played_here import PlayedHere
from starfrost.table.presence import Presence
from starfrost.table.puzzle_book import PuzzleBook
from starfrost.table.quota import Quota
from starfrost.table.records import table_record
from starfrost.table.retention import Retention
from starfrost.table.rooms.games import Rooms
from starfrost.table.scheduler import Scheduler
from starfrost.table.settings import Settings
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict, Unavailable
from starfrost.table.streams import Signal, Streams
from starfrost.table.subscriptions import Subscriptions
from starfrost.table.table import Answer, Table
from starfrost.table.upkeep import Upkeep
from starfrost.table.view import HURRY, REACTIONS, Guest, TableView


class TableService(Play):
    """Tables, guests and the commands between them."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.stand_in_bot, self.bots_alone = self.settings.stand_in, self.settings.bots_alone
        self.metrics = Metrics()
        self._tables = TableHost(self.settings, self.metrics, self._changed)
        self._store = self._tables.store
        self.guests = Guests(self._store, self._tables.spawn)
        self._tables.forget_guest = self.guests.forget
        self._scheduler = Scheduler(self._tables)
        self.history = History(self._store)
        self.historian = Historian(self._tables)
        self.subscriptions = Subscriptions(self._store)
        self.puzzles = PuzzleBook(self._store)
        self._invited: Callable[[Snapshot, str, str], None] = lambda table, guest, host: None
        self.devices = Devices(self._tables)
        self.own_data = OwnData(self._tables)
        self.archive = Archive(self._store)
        self.played_here = PlayedHere(self._store)
        self.retention = Retention(self._tables)
        self.upkeep = Upkeep(self._store, self.own_data, self.retention)
        self.quota = Quota(self._store, self.settings, self.upkeep.moderation.times)
        self.daily = DailyGames(self._tables, self.join)
        self.rooms = Rooms(self._tables, self.join)
        self._presence = Presence(self._tables)
        self._ready_until = 0.0

    @property
    def tables(self) -> TableHost:
        """Return the tables of this process."""
        return self._tables

    @property
    def streams(self) -> Streams:
        """Return the open event streams of this process."""
        return self._tables.streams

    async def start(self) -> None:
        """Open the store, start writing, listening and the clocks. Raises UsageError."""
        add_bots(self.settings.guest_bots)
        await self._tables.start()
        await self._scheduler.start()
        for part in (self.subscriptions, self.historian, self.retention, self.upkeep, self._presence):
            await part.start()
        self.daily.deals.start()

    def when_turned(self, call: Callable[[Snapshot], None]) -> None:
        """Call this whenever an event stored by this process makes a table wait for another guest."""
        self._tables.turned = call

    def when_waits(self, call: Callable[[Snapshot], None]) -> None:
        """Call this when a table still waits for a guest: some time before the clock runs out, and when asked to."""
        self._tables.waits = call

    async def look_again(self, table: Snapshot, at: float) -> None:
        """Have a version of a table looked at at a time, if that is before it is due. Raises Refused."""
        due = self._tables.due(table, table.moved_at)
        if due is not None and at < due:
            await self._store.set_due(at, [table.id], table.version)

    def when_invited(self, call: Callable[[Snapshot, str, str], None]) -> None:
        """Call this with the table, the guest and the name of the host whenever somebody is invited to play again."""
        self._invited = self.rooms.invited = call

    async def stop(self) -> None:
        """End the streams, store pending writes and close everything."""
        self.streams.close()
        await self.daily.deals.stop()
        own = (self._presence, self.upkeep, self.retention, self.historian, self.subscriptions)
        for part in (*own, self._scheduler, self._tables):
            await part.stop()

    def _changed(self, table: Snapshot) -> None:
        self._scheduler.wake_bot(table)

    # Guests

    async def new_guest(self, name: str, device: str = "") -> tuple[Guest, str]:
        """Create a guest on a device; return it and its token, which cannot be read again."""
        return await self.guests.create(name, device)

    async def find_guest(self, token: str) -> Guest | None:
        """Return the guest who holds a token, or None."""
        return await self.guests.find(token)

    async def rename_guest(self, guest: Guest, name: str) -> Guest:
        """Rename a guest; seats already taken keep the old name."""
        renamed = await self.guests.rename(guest, name)
        self._tables.forget_guest(guest.id)
        return renamed

    def wish_pace(self, guest: Guest, pace: str) -> None:
        """Note how fast a guest wants to see the moves of bots: `calm`, `brisk` or `instant`."""
        self._scheduler.wish_pace(guest.id, pace)

    # Commands

    async def open(self, guest: Guest, opening: Opening, *, key: str) -> Answer:
        """Open a table; its commitment is published before anybody can add randomness."""
        open_key = f"{guest.id}:{clean_key(key)}"
        game, mode = await opening.made()
        commands.needs_person("open" in opening.seats or self.settings.bots_alone)
        try:
            found = await self._store.opened_with(open_key)
            if found is None:
                new = new_table(
                    self._store.now(),
                    guest.id,
                    game,
                    mode,
                    opening.arranged(),
                    opening.clock,
                    opening.public,
                    open_key=open_key,
                    first=opening.first,
                    coach=opening.coach,
                    given=opening.given,
                    dice=opening.dice,
                    position=opening.position,
                    asked=opening.asked,
                )
                return (await self._tables.open(new)).answer(1)
        except Conflict:
            found = await self._store.opened_with(open_key)
            if found is None:
                raise
        table = await self._tables.look(found)
        # Tables of older versions do not say what was asked for.
        if opening.asked not in table.keys and any(word.startswith("asked:") for word in table.keys):
            raise key_used()
        return table.answer(1)

    async def join(self, table_id: str, guest: Guest, **how: Any) -> Answer:
        """Take a seat."""
        answer = await super().join(table_id, guest, **how)
        if answer.snapshot.room is not None:
            await self.rooms.sat_down(answer.snapshot, guest)
        return answer

    async def rematch(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Open another game: in a room as its host arranged it, elsewhere with the seats moved on by one."""
        in_room = await self.rooms.rematch(await self.snapshot(table_id), guest, key=key)
        return in_room or await super().rematch(table_id, guest, version=version, key=key)

    async def _submit(
        self,
        table_id: str,
        guest: str | None,
        key: str | None,
        decide: Callable[[Table], Decision],
        expected: dict[str, Any],
        opens: Sequence[NewTable] = (),
    ) -> Answer:
        return await self._tables.submit(table_id, guest, key, decide, expected, opens)

    def _now(self) -> float:
        return self._store.now()

    async def _gone(self, table: Snapshot) -> int | None:
        return await self._presence.gone(table)

    async def _withdraw(self, table_id: str | None, closed: str | None) -> None:
        await self._tables.withdraw(table_id, closed)

    async def invite_again(self, table_id: str, guest: Guest, *, key: str) -> str:
        """Open a table like one where the guest played, and invite the people of that table; return its id.

        Whoever invites the same people again while they have not come gets the same table. Raises Refused.
        """
        table = await self.snapshot(table_id)
        others = {seat.player for seat in table.seats if seat.player not in (None, guest.id)}
        if not table.ended or not table.played_by(guest.id) or not others:
            raise Refused("nobody-to-invite", "You have not played a game with other people at this table.", 403)
        open_key = f"{guest.id}:{clean_key(key)}"
        found = await self._store.opened_with(open_key)
        found = found or await self.history.invited_to(guest.id, (str(other) for other in others))
        if found is not None:
            return found
        new = rematches.again(self._store.now(), guest, table, open_key=open_key)
        opened = (await self._tables.open(new)).snapshot
        for other in sorted(str(other) for other in others):
            self._invited(opened, other, guest.name)
        return new.id

    async def press_on(self, table_id: str, guest: Guest, seat: int) -> None:
        """Let bots answer a person's move at once: it will not be taken back."""
        table = await self.snapshot(table_id)
        commands.own_seat(table, guest.id, seat)
        if table.undoable == seat - 1:
            self._scheduler.press_on(table_id, table.moved)

    async def react(self, table_id: str, guest: Guest, reaction: str) -> None:
        """Send a reaction to everybody who watches now."""
        table = await self.snapshot(table_id)
        seats = table.seats_of(guest.id)
        room = await self.rooms.known(table.room) if table.room is not None and not seats else None
        if not seats and (room is None or not await self.rooms.is_member(room, guest)):
            raise Refused("not-your-seat", "Only players at the table can react.", 403)
        if reaction not in REACTIONS:
            raise Refused(
                "bad-reaction", "The reaction must be one of %(reactions)s.", 422, reactions=", ".join(REACTIONS)
            )
        if reaction == HURRY and table.awaited == guest.id:
            raise Refused("own-turn", "It is your own turn.", 409)
        by = {"seat": seats[0] + 1} if seats else {"seat": 0, "by": guest.name}
        self._tables.fanout.signal(table_id, "reaction", {**by, "reaction": reaction})

    # Reading

    async def snapshot(self, table_id: str) -> Snapshot:
        """Return the current version of a table. Raises Refused if there is none."""
        return (await self._tables.look(table_id)).snapshot

    def show(self, snapshot: Snapshot, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a version of a table as a guest (None: a stranger), who may have its invitation, may see it."""
        watchers, held = self.streams.watchers(snapshot.id), self._scheduler.held_until(snapshot)
        invited, downtimes = snapshot.is_invitation(invitation), self._scheduler.downtimes
        seen = snapshot.seen_by(guest.id if guest else None, watchers, downtimes, invited, held)
        table = self._tables.peek(snapshot.id)
        return replace(seen, upgrading=True) if table is not None and table.newer else seen

    async def view(self, table_id: str, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a table as a guest may see it now. Raises Refused if there is none."""
        table = await self.snapshot(table_id)
        return replace(self.show(table, guest, invitation), gone=await self.gone(table, guest))

    async def gone(self, table: Snapshot, guest: Guest | None) -> int | None:
        """Return the seat (from 1) whose person is away too long; whoever asks is not. Raises Refused."""
        self._presence.note(table, guest.id if guest else None)
        return await self._presence.gone(table)

    async def events(self, table_id: str, after: int = 0) -> list[dict[str, Any]]:
        """Return the events after a version."""
        return [json.loads(raw) for raw in await self.raw_events(table_id, after)]

    async def raw_events(self, table_id: str, after: int = 0, at_least: int | None = None) -> list[bytes]:
        """Return the events after a version, each as JSON: all, or those up to a version and perhaps some more."""
        return (await self._tables.look(table_id, at_least)).log[max(after, 0) :]

    async def record(self, table_id: str) -> str:
        """Return the table's game as a record, with the seed once the table is over or closed."""
        return await self._record(self.snapshot(table_id), table_id)

    async def past_record(self, table_id: str) -> str:
        """Return the record of a finished table without keeping the table in memory, for long lists of them."""
        return await self._record(self._read(table_id), table_id)

    async def _read(self, table_id: str) -> Snapshot:
        return (await self._tables.read(table_id)).snapshot

    async def _record(self, reading: Awaitable[Snapshot], table_id: str) -> str:
        """Return the record of a table, or of one in the archive."""
        try:
            return await asyncio.to_thread(table_record, await reading)
        except Refused as refusal:
            if refusal.code != "no-table" or (found := await self.archive.record(table_id)) is None:
                raise
            return found

    async def open_tables(self, guest: Guest | None = None, limit: int = 50) -> list[TableView]:
        """Return public tables that wait for players, newest first."""
        return await self._views(self._store.public_tables(limit), guest)

    async def tables_of(self, guest: Guest, limit: int = 50) -> list[TableView]:
        """Return the tables that a guest opened or joined, newest first."""
        return await self._views(self._store.tables_of(guest.id, limit), guest)

    async def tables_to_play(self, guest: Guest, limit: int = 50) -> list[TableView]:
        """Return a guest's unfinished tables, first those where a seat is kept: rematches and invitations."""
        invited = await self._views(self.history.invitations(guest.id), guest)
        kept = [view for view in invited if any(seat.kept_for_you for seat in view.seats)]
        found = await self._views(self._store.tables_of(guest.id, limit, unfinished=True), guest)
        known = {view.id for view in kept}
        return kept + [view for view in found if view.id not in known]

    async def _views(self, found: Awaitable[list[str]], guest: Guest | None) -> list[TableView]:
        return [self.show(table.snapshot, guest) for table in await self._tables.look_all(await found)]

    async def find_invitation(self, token: str) -> str | None:
        """Return the id of the table that an invitation is for, or None."""
        return None if len(token) > 32 or "\0" in token else await self._store.invited_by(token)

    def watch(
        self, table_id: str, guest: Guest | None, after: int = 0, looking: bool = False
    ) -> AsyncGenerator[Signal, None]:
        """Yield signals of a table until the service stops; the first at once if `after` is behind."""
        return self.streams.watch(table_id, guest.id if guest else None, self._reached, after, looking)

    async def _reached(self, table_id: str) -> int:
        return (await self._tables.look(table_id)).version

    async def ready(self) -> bool:
        """Return whether the store takes a write; asked at most once a second, because every write reaches the disk."""
        if time.monotonic() < self._ready_until:
            return True
        try:
            await asyncio.wait_for(self._store.ping(), 2)
        except (Unavailable, TimeoutError):
            return False
        self._ready_until = time.monotonic() + 1
        return True
