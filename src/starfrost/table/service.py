"""The table service: the one authority over tables, for the pages, the JSON interface and the bots."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from random import SystemRandom
from typing import Any

from starfrost.errors import Refused
from starfrost.games.setup import rematch_game
from starfrost.players.registry import add_bots
from starfrost.table import coaching, commands
from starfrost.table.answers import Answer, NewTable
from starfrost.table.archive import Archive
from starfrost.table.coaching import Help
from starfrost.table.commands import Decision
from starfrost.table.daily import DailyGames
from starfrost.table.devices import Devices
from starfrost.table.guests import Guest, Guests
from starfrost.table.historian import Historian
from starfrost.table.history import History
from starfrost.table.metrics import Metrics
from starfrost.table.names import clean_key, clean_name
from starfrost.table.new_table import new_table
from starfrost.table.opening import Opening, check_bot
from starfrost.table.own_data import OwnData
from starfrost.table.puzzle_book import PuzzleBook
from starfrost.table.quota import Quota
from starfrost.table.records import table_record
from starfrost.table.refusals import key_used, unavailable
from starfrost.table.retention import Retention
from starfrost.table.scheduler import Scheduler
from starfrost.table.settings import REACTIONS, Settings
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict, Unavailable
from starfrost.table.streams import Signal, Streams, Tell
from starfrost.table.subscriptions import Subscriptions
from starfrost.table.table import Table
from starfrost.table.tables import Tables, Told
from starfrost.table.upkeep import Upkeep
from starfrost.table.view import TableView
from starfrost.table.writes import act_at


class TableService:
    """Tables, guests and the commands between them."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.metrics = Metrics()
        self._tables = Tables(self.settings, self.metrics, self._changed)
        self._store = self._tables.store
        self.guests = Guests(self._store, self._tables.spawn)
        self._scheduler = Scheduler(self._tables)
        self.history = History(self._store)
        self.historian = Historian(self._tables)
        self.subscriptions = Subscriptions(self._store)
        self.puzzles = PuzzleBook(self._store)
        self._invited: Callable[[Snapshot, str, str], None] = lambda table, guest, host: None
        self.devices = Devices(self._tables)
        self.own_data = OwnData(self._tables)
        self.archive = Archive(self._store)
        self.retention = Retention(self._tables)
        self.upkeep = Upkeep(self._store, self.own_data, self.retention)
        self.quota = Quota(self._store, self.settings, self.upkeep.exceptions.times)
        self._tables.forgotten = self.guests.forget
        self.daily = DailyGames(self._tables, partial(new_table, self._tables), self.join)
        self._ready_until = 0.0

    @property
    def tables(self) -> Tables:
        """Return the tables of this process, for what passes requests on to other processes."""
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
        for part in (self.subscriptions, self.historian, self.retention, self.upkeep):
            await part.start()
        self.daily.deals.start()

    def when_turned(self, call: Callable[[Snapshot], None]) -> None:
        """Call this whenever an event stored by this process makes a table wait for another guest."""
        self._tables.turned = call

    def when_invited(self, call: Callable[[Snapshot, str, str], None]) -> None:
        """Call this with the table, the guest and the name of the host whenever somebody is invited to play again."""
        self._invited = call

    async def stop(self) -> None:
        """End the streams, store pending writes and close everything."""
        self.streams.close()
        self.daily.deals.stop()
        for part in (self.upkeep, self.retention, self.historian, self.subscriptions, self._scheduler, self._tables):
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
        self._scheduler.paces.wish(guest.id, pace)

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
                    self._tables,
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
                    asked=opening.asked,
                )
                await self._tables.writer.write(new.write, new.adopt)
                self.metrics.commands.labels("open").inc()
                return self._tables.answer(await self._tables.replicas.look(new.id), 1)
        except Conflict:
            found = await self._store.opened_with(open_key)
        except Unavailable:
            raise unavailable() from None
        if found is None:
            raise unavailable()
        table = await self._tables.replicas.look(found)
        # Tables of older versions do not say what was asked for.
        if opening.asked not in table.keys and any(word.startswith("asked:") for word in table.keys):
            raise key_used()
        return self._tables.answer(table, 1)

    async def join(
        self,
        table_id: str,
        guest: Guest,
        *,
        version: int,
        key: str,
        seat: int | None = None,
        name: str | None = None,
        contribution: str | None = None,
        invitation: str | None = None,
    ) -> Answer:
        """Take a seat."""

        def decide(table: Table) -> Decision:
            invited = table.snapshot.is_invitation(invitation)
            return commands.join(
                table.snapshot, guest.id, name, guest.name, seat, contribution, invited, version, time.time()
            )

        named = clean_name(name) if name else None
        expected = {"kind": {"join"}, "seat": seat, "name": named, "contribution": contribution}
        return await self._tables.submit(table_id, guest.id, key, decide, expected)

    async def leave(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Leave a seat; in a running game a bot takes it."""

        def decide(table: Table) -> Decision:
            return commands.leave(table.snapshot, guest.id, seat, self.settings.stand_in, version)

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"leave", "bot"}, "seat": seat})

    async def resign(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Resign from a running game; a bot plays on."""

        def decide(table: Table) -> Decision:
            return commands.resign(table.snapshot, guest.id, seat, self.settings.stand_in, version)

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"bot"}, "seat": seat})

    async def seat_bot(self, table_id: str, guest: Guest, seat: int, bot: str, *, version: int, key: str) -> Answer:
        """Put a bot on a free seat."""

        def decide(table: Table) -> Decision:
            check_bot(table.snapshot.game, bot)
            others = (other.kind for number, other in enumerate(table.snapshot.seats, start=1) if number != seat)
            commands.needs_person(any(kind != "bot" for kind in others) or self.settings.bots_alone)
            return commands.seat_bot(table.snapshot, guest.id, seat, bot, version)

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"bot"}, "seat": seat, "bot": bot})

    async def act(self, table_id: str, guest: Guest, seat: int, action: Any, *, version: int, key: str) -> Answer:
        """Play an action of the game, its notation or `ROLL`."""
        decide = partial(act_at, guest.id, seat, action, version)
        expected = {"kind": {"act"}, "seat": seat, "action": action}
        return await self._tables.submit(table_id, guest.id, key, decide, expected)

    def act_now(
        self, table_id: str, guest: Guest, seat: int, action: str, *, version: int, key: str, done: Told
    ) -> bool:
        """Begin to play an action if that needs no waiting, and return whether it was begun (`Tables.submit_now`)."""
        return self._tables.submit_now(table_id, guest.id, key, partial(act_at, guest.id, seat, action, version), done)

    async def undo(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Take back the seat's own last move."""

        def decide(table: Table) -> Decision:
            return commands.undo(table.snapshot, guest.id, seat, version)

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"undo"}, "seat": seat})

    async def note_help(self, table_id: str, guest: Guest, what: str, number: int) -> None:
        """Note in the record that a guest had a hint before an event (from 1) or had it judged. Raises Refused."""
        table = await self.snapshot(table_id)
        coaching.helped(table, guest.id)
        if Help(what, number) not in table.helps:

            def decide(table: Table) -> Decision:
                return commands.ask_coach(table.snapshot, guest.id, what, number)

            await self._tables.submit(table_id, guest.id, secrets.token_hex(8), decide, {"kind": {"coach"}})

    async def close(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Close an unfinished table, which reveals its seed."""

        def decide(table: Table) -> Decision:
            return commands.close(table.snapshot, guest.id, version, "host")

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"close"}})

    async def rematch(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Open another game: a new table with the seats moved on by one and kept for the people who sat here."""
        opened: list[NewTable] = []

        def decide(loaded: Table) -> Decision:
            table = loaded.snapshot
            opened[:] = [self._again(guest, table, previous=table.id)]
            return commands.rematch(table, guest.id, opened[0].id, version)

        return await self._tables.submit(table_id, guest.id, key, decide, {"kind": {"rematch"}}, opened)

    def _again(
        self, guest: Guest, table: Snapshot, *, previous: str | None = None, open_key: str | None = None
    ) -> NewTable:
        """Prepare another game like that of a table: seats moved on by one and kept for the people who sat there."""
        order = [*table.seats[1:], table.seats[0]]
        words = tuple(f"bot:{seat.bot}" if seat.kind == "bot" and not seat.player else "open" for seat in order)
        # A seat is kept for its player, also for one who was away at the end.
        kept = [(seat.player, seat.name) if seat.player else None for seat in order]
        game = rematch_game(table.game, table.mode, SystemRandom())
        return new_table(
            self._tables,
            guest.id,
            game,
            table.mode,
            words,
            table.clock,
            table.public and previous is not None,
            previous=previous,
            reserved=kept,
            open_key=open_key,
            coach=table.coach,
        )

    async def invite_again(self, table_id: str, guest: Guest, *, key: str) -> str:
        """Open a table like one where the guest played, and invite the people of that table; return its id.

        Whoever invites the same people again while they have not come gets the same table. Raises Refused.
        """
        table = await self.snapshot(table_id)
        others = {seat.player for seat in table.seats if seat.player not in (None, guest.id)}
        if not table.ended or not table.played_by(guest.id) or not others:
            raise Refused("nobody-to-invite", "You have not played a game with other people at this table.", 403)
        open_key = f"{guest.id}:{clean_key(key)}"
        try:
            found = await self._store.opened_with(open_key)
            found = found or await self.history.invited_to(guest.id, (str(other) for other in others))
            if found is not None:
                return found
            new = self._again(guest, table, open_key=open_key)
            await self._tables.writer.write(new.write, new.adopt)
        except (Conflict, Unavailable):
            raise unavailable() from None
        self.metrics.commands.labels("open").inc()
        opened = (await self._tables.replicas.look(new.id)).snapshot
        for other in sorted(str(other) for other in others):
            self._invited(opened, other, guest.name)
        return new.id

    async def press_on(self, table_id: str, guest: Guest, seat: int) -> None:
        """Let bots answer a person's move at once: it will not be taken back."""
        table = (await self._tables.load(table_id)).snapshot
        commands.own_seat(table, guest.id, seat)
        if table.undoable == seat - 1:
            self._scheduler.press_on(table_id, table.moved)

    async def react(self, table_id: str, guest: Guest, reaction: str) -> None:
        """Send a reaction to everybody who watches now."""
        seats = (await self._tables.load(table_id)).snapshot.seats_of(guest.id)
        if not seats:
            raise Refused("not-your-seat", "Only players at the table can react.", 403)
        if reaction not in REACTIONS:
            raise Refused("bad-reaction", "A reaction is one of %(reactions)s.", 422, reactions=", ".join(REACTIONS))
        self.streams.send(table_id, "reaction", {"seat": seats[0] + 1, "reaction": reaction})

    # Reading

    async def snapshot(self, table_id: str) -> Snapshot:
        """Return the current version of a table. Raises Refused if there is none."""
        return (await self._tables.replicas.look(table_id)).snapshot

    def show(self, snapshot: Snapshot, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a version of a table as a guest (None: a stranger), who may have its invitation, may see it."""
        watchers, held = self.streams.watchers(snapshot.id), self._scheduler.held_until(snapshot)
        invited, downtimes = snapshot.is_invitation(invitation), self._scheduler.downtimes
        seen = snapshot.seen_by(guest.id if guest else None, watchers, downtimes, invited, held)
        return self._tables.replicas.marked(seen)

    async def view(self, table_id: str, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a table as a guest may see it now. Raises Refused if there is none."""
        return self.show(await self.snapshot(table_id), guest, invitation)

    async def events(self, table_id: str, after: int = 0) -> list[dict[str, Any]]:
        """Return the events after a version."""
        return [json.loads(raw) for raw in await self.raw_events(table_id, after)]

    async def raw_events(self, table_id: str, after: int = 0) -> list[bytes]:
        """Return the events after a version, each as JSON."""
        return (await self._tables.replicas.look(table_id)).log[max(after, 0) :]

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
            if refusal.code != "no-table" or (found := await self.archived(table_id)) is None:
                raise
            return found

    async def archived(self, table_id: str) -> str | None:
        """Return the record of a table whose events were removed; None if it is not in the archive."""
        try:
            return await self.archive.record(table_id)
        except Unavailable:
            raise unavailable() from None

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
        try:
            ids = await found
            reached = await self._tables.replicas.reached(ids)
        except Unavailable:
            raise unavailable() from None
        views = []
        for table_id in ids:
            try:
                table = await self._tables.replicas.look(table_id, reached.get(table_id))
                views.append(self.show(table.snapshot, guest))
            except Refused as refusal:
                # Deleted meanwhile, or damaged: the list shows the others.
                if refusal.code not in ("no-table", "unreadable", "newer"):
                    raise
        return views

    async def find_invitation(self, token: str) -> str | None:
        """Return the id of the table that an invitation is for, or None."""
        if len(token) > 32 or "\0" in token:
            return None
        try:
            found: str | None = await self._store.invited_by(token)
        except Unavailable:
            raise unavailable() from None
        return found

    def watch(
        self, table_id: str, guest: Guest | None, after: int = 0, tell: Tell | None = None
    ) -> AsyncGenerator[Signal, None]:
        """Yield signals of a table until the service stops; the first at once if `after` is behind."""
        return self.streams.watch(table_id, guest.id if guest else None, self._reached, after, tell)

    async def _reached(self, table_id: str) -> int:
        return (await self._tables.load(table_id)).version

    async def ready(self) -> bool:
        """Return whether the store takes a write; asked at most once a second, because every write reaches the disk."""
        if time.monotonic() < self._ready_until:
            return True
        try:
            await asyncio.wait_for(self._store.ping(), 2)
        except (Unavailable, Conflict, TimeoutError):
            return False
        self._ready_until = time.monotonic() + 1
        return True
