"""The table service: the one authority over tables, as the pages, the JSON interface and the bots see it."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any

from starfrost.errors import Refused
from starfrost.games.core import Game
from starfrost.table import commands
from starfrost.table.commands import Decision
from starfrost.table.dice import Seed
from starfrost.table.guests import Guest, Guests
from starfrost.table.metrics import Metrics
from starfrost.table.names import clean_key
from starfrost.table.opening import Opening, check_bot, set_up
from starfrost.table.records import table_record
from starfrost.table.scheduler import Scheduler
from starfrost.table.settings import REACTIONS, Settings
from starfrost.table.state import Table
from starfrost.table.store import Conflict, Event, TableRow, Unavailable, Write
from starfrost.table.streams import Signal, Streams
from starfrost.table.tables import Answer, NewTable, Tables, dump, key_used, unavailable
from starfrost.table.view import view

__all__ = ["TableService"]


class TableService:
    """Tables, guests and everything that happens between them."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.metrics = Metrics()
        self._tables = Tables(self.settings, self.metrics, self._changed)
        self._store = self._tables.store
        self._guests = Guests(self._store)
        self._scheduler = Scheduler(self._tables)

    @property
    def streams(self) -> Streams:
        """Give the live streams."""
        return self._tables.streams

    async def start(self) -> None:
        """Open the store and begin to write, listen and keep the clocks. Raises UsageError."""
        await self._tables.start()
        await self._scheduler.start()

    async def stop(self) -> None:
        """End the streams, store what is on its way, and let go of everything."""
        self.streams.close()
        await self._scheduler.stop()
        await self._tables.stop()

    def _changed(self, table: Table) -> None:
        self._scheduler.wake_bot(table)

    # Guests

    async def new_guest(self, name: str) -> tuple[Guest, str]:
        """Welcome a guest: the guest and the token, which is shown this once."""
        return await self._guests.create(name)

    async def find_guest(self, token: str) -> Guest | None:
        """Find the guest who holds a token."""
        return await self._guests.find(token)

    async def rename_guest(self, guest: Guest, name: str) -> Guest:
        """Give a guest another name; seats already taken keep theirs."""
        return await self._guests.rename(guest, name)

    # Commands

    async def open(self, guest: Guest, opening: Opening, *, key: str) -> Answer:
        """Open a table: its commitment is published before anybody can add randomness."""
        open_key = f"{guest.id}:{clean_key(key)}"
        game, headers, mode = set_up(opening)
        try:
            found = await self._store.opened_with(open_key)
            if found is None:
                new = self._new_table(
                    guest.id, game, headers, mode, opening.seats, opening.clock, opening.public, open_key=open_key
                )
                await self._tables.writer.write(new.write, new.adopt)
                self.metrics.commands.labels("open").inc()
                return self._tables.answer(await self.load(new.id), 1)
        except Conflict:
            found = await self._store.opened_with(open_key)
        except Unavailable:
            raise unavailable() from None
        if found is None:
            raise unavailable()
        answer = self._tables.answer(await self.load(found), 1)
        first = answer.event
        if (first["game"], first["seats"], first["clock"]) != (opening.game, list(opening.seats), opening.clock):
            raise key_used()
        return answer

    def _new_table(
        self,
        host: str,
        game: Game[Any, Any],
        headers: dict[str, str],
        mode: str | None,
        seats: tuple[str, ...],
        clock: str,
        public: bool,
        *,
        open_key: str | None = None,
        previous: str | None = None,
        reserved: list[tuple[str, str] | None] | None = None,
    ) -> NewTable:
        """Prepare a table with a freshly sealed seed."""
        seed = Seed.fresh()
        now = time.time()
        starts = "open" not in seats
        status = "running" if starts else "waiting"
        row = TableRow(secrets.token_urlsafe(16), host, status, clock, public, secrets.token_urlsafe(16), open_key, now)
        body: dict[str, Any] = {
            "game": game.name,
            "headers": headers,
            "mode": mode,
            "seats": list(seats),
            "clock": clock,
            "public": public,
            "commitment": seed.commitment,
            "previous": previous,
        }
        if starts:
            body["starts"] = True
        if reserved is not None:
            body["reserved"] = reserved
        event = Event(row.id, 1, now, "open", host, None, dump(body))

        def adopt() -> None:
            table = Table(row, seed)
            table.adopt(event, body)
            self._tables.add(table)

        return NewTable(Write((event,), ((row, seed),)), adopt, row.id)

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
            invited = invitation is not None and secrets.compare_digest(invitation.encode(), table.invitation.encode())
            return commands.join(table, guest.id, name or guest.name, seat, contribution, invited, version)

        expected = {"kind": {"join"}, "seat": seat}
        return await self._tables.submit(table_id, guest.id, key, version, decide, expected)

    async def leave(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Stand up; in a running game a bot sits down."""
        decide = partial(self._with_stand_in, commands.leave, guest.id, seat, version)
        return await self._tables.submit(
            table_id, guest.id, key, version, decide, {"kind": {"leave", "bot"}, "seat": seat}
        )

    async def resign(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Give up a running game; a bot plays on."""
        decide = partial(self._with_stand_in, commands.resign, guest.id, seat, version)
        return await self._tables.submit(table_id, guest.id, key, version, decide, {"kind": {"bot"}, "seat": seat})

    def _with_stand_in(
        self,
        command: Callable[[Table, str, int, str, int], Decision],
        guest: str,
        seat: int,
        version: int,
        table: Table,
    ) -> Decision:
        return command(table, guest, seat, self.settings.stand_in, version)

    async def seat_bot(self, table_id: str, guest: Guest, seat: int, bot: str, *, version: int, key: str) -> Answer:
        """Put a bot on a free seat."""

        def decide(table: Table) -> Decision:
            check_bot(table.game, bot)
            return commands.seat_bot(table, guest.id, seat, bot, version)

        return await self._tables.submit(
            table_id, guest.id, key, version, decide, {"kind": {"bot"}, "seat": seat, "bot": bot}
        )

    async def act(self, table_id: str, guest: Guest, seat: int, action: str, *, version: int, key: str) -> Answer:
        """Play an action."""
        decide = partial(_act, guest.id, seat, action, version)
        expected = {"kind": {"act"}, "seat": seat, "action": action}
        return await self._tables.submit(table_id, guest.id, key, version, decide, expected)

    async def undo(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Take back one's own last move."""

        def decide(table: Table) -> Decision:
            return commands.undo(table, guest.id, seat, version)

        return await self._tables.submit(table_id, guest.id, key, version, decide, {"kind": {"undo"}, "seat": seat})

    async def close(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """End an unfinished table and open its envelope."""

        def decide(table: Table) -> Decision:
            return commands.close(table, guest.id, version, "host")

        return await self._tables.submit(table_id, guest.id, key, version, decide, {"kind": {"close"}})

    async def rematch(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Offer another game: a new table with the seats moved on by one and kept for the people who sat here."""
        opened: list[NewTable] = []

        def decide(table: Table) -> Decision:
            order = [*table.seats[1:], table.seats[0]]
            words = tuple(f"bot:{seat.bot}" if seat.kind == "bot" and not seat.vacated else "open" for seat in order)
            kept = [(seat.guest, seat.name) if seat.guest else None for seat in order]
            game, headers, mode = table.game, table.headers, table.mode
            if mode == "interglacial":
                game, headers, mode = set_up(Opening(game.name, words, {"mode": mode}))
            new = self._new_table(
                guest.id, game, headers, mode, words, table.clock, table.public, previous=table.id, reserved=kept
            )
            opened[:] = [new]
            return commands.rematch(table, guest.id, new.id, version)

        return await self._tables.submit(table_id, guest.id, key, version, decide, {"kind": {"rematch"}}, opened)

    async def react(self, table_id: str, guest: Guest, reaction: str) -> None:
        """Send a reaction to everybody who watches now."""
        table = await self.load(table_id)
        seats = table.seats_of(guest.id)
        if not seats:
            raise Refused("not-your-seat", "Only who sits at the table may react.", 403)
        if reaction not in REACTIONS:
            raise Refused("bad-reaction", "A reaction is one of %(reactions)s.", 422, reactions=", ".join(REACTIONS))
        data = {"seat": seats[0] + 1, "reaction": reaction}
        self._tables.react(table, data)

    # Reading

    async def load(self, table_id: str) -> Table:
        """Give the table in memory, to read only. Raises Refused if there is none."""
        return await self._tables.load(table_id)

    async def view(self, table_id: str, guest: Guest | None) -> dict[str, Any]:
        """Give the table as this guest may see it."""
        table = await self.load(table_id)
        return view(table, guest.id if guest else None, *self.streams.watchers(table_id), self._scheduler.downtimes)

    async def events(self, table_id: str, after: int = 0) -> list[dict[str, Any]]:
        """Give the events after a version."""
        return [json.loads(raw) for raw in await self.raw_events(table_id, after)]

    async def raw_events(self, table_id: str, after: int = 0) -> list[bytes]:
        """Give the events after a version, each as JSON."""
        table = await self.load(table_id)
        return table.log[max(after, 0) :]

    async def record(self, table_id: str) -> str:
        """Write the table's game as a record; the seed is in it once the table is over or closed."""
        return table_record(await self.load(table_id))

    async def game_of(self, table_id: str) -> tuple[Game[Any, Any], Any]:
        """Give the game and its state as the games room knows them."""
        table = await self.load(table_id)
        return table.game, table.line.state

    async def history(self, table_id: str) -> list[tuple[int | None, Any, Any]]:
        """Give the moves that stand: seat (from 0, None for dice), action, and the state before it."""
        table = await self.load(table_id)
        state = table.game.start()
        told: list[tuple[int | None, Any, Any]] = []
        for seat, action in table.moves:
            told.append((seat, action, state))
            state = table.game.apply(state, action)
        return told

    async def open_tables(self) -> list[dict[str, Any]]:
        """List public tables that wait for players, newest first."""
        return await self._summaries(self._store.public_tables)

    async def tables_of(self, guest: Guest) -> list[dict[str, Any]]:
        """List a guest's tables, newest first."""
        return await self._summaries(partial(self._store.tables_of, guest.id), guest)

    async def _summaries(self, find: Callable[[], Any], guest: Guest | None = None) -> list[dict[str, Any]]:
        try:
            ids = await find()
        except Unavailable:
            raise unavailable() from None
        wanted = ("id", "version", "status", "game", "headers", "mode", "clock", "seats", "acting", "scores", "winners")
        views = [await self.view(table_id, guest) for table_id in ids]
        return [{name: found[name] for name in wanted} for found in views]

    async def find_invitation(self, token: str) -> str | None:
        """Find the table that an invitation is for."""
        if len(token) > 32 or "\0" in token:
            return None
        try:
            found: str | None = await self._store.invited_by(token)
        except Unavailable:
            raise unavailable() from None
        return found

    async def watch(self, table_id: str, guest: Guest | None, after: int = 0) -> AsyncGenerator[Signal, None]:
        """Yield signals of a table until the service stops; at once if its version is beyond `after`."""
        table = await self.load(table_id)
        async for signal in self.streams.watch(table_id, guest.id if guest else None, table.version, after):
            yield signal

    async def ready(self) -> bool:
        """Say whether the store answers."""
        try:
            await asyncio.wait_for(self._store.ping(), 2)
        except (Unavailable, TimeoutError):
            return False
        return True


def _act(guest: str | None, seat: int, action: str, version: int, table: Table) -> Decision:
    return commands.act(table, guest, seat, action, version)
