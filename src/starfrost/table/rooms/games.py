"""What happens in rooms: who comes gets a seat or waits, and one game follows another.

The database decides who opens the next table: `rooms.table_id` changes in the transaction that stores it.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select, update

from starfrost.errors import Refused
from starfrost.table import commands
from starfrost.table.clocks import CLOCKS, DAY
from starfrost.table.host import TableHost
from starfrost.table.new_table import new_table
from starfrost.table.opening import Opening
from starfrost.table.presence import GONE
from starfrost.table.rooms.book import Member, Room, RoomBook, only_host
from starfrost.table.rooms.line_up import line_up, players
from starfrost.table.schema import guests, room_members
from starfrost.table.snapshot import RANDOM, Snapshot
from starfrost.table.store import Conflict
from starfrost.table.table import Answer, Table
from starfrost.table.view import Guest, TableView

_TRIES: Final = 4
JUST: Final = 600.0
"""Seconds after a game for which its players are expected at the next one, whether or not their pages say so."""


@dataclass(frozen=True)
class Around:
    """What a member sees of the room around a table."""

    room: Room
    waits: bool = False
    """Whether the reader plays in the next game."""
    next: str | None = None
    """The table of a later game, if one waits or runs."""
    by: str = ""
    """Who opened it."""


class Rooms(RoomBook):
    """All rooms."""

    def __init__(self, tables: TableHost, join: Callable[..., Awaitable[Answer]]) -> None:
        super().__init__(tables)
        self._join = join
        self.invited: Callable[[Snapshot, str, str], None] = lambda table, guest, host: None
        """Called with a new table, a member who is not there, and the name of whoever opened it."""

    async def around(self, view: TableView, guest: Guest | None) -> Around | None:
        """Return what a guest may know of the room of a table; None for others, and for tables without a room."""
        if view.room is None or guest is None:
            return None
        room = await self.known(view.room)
        if room is None:
            return None
        waits = False
        if not view.mine:
            try:
                mine = await self.standing(room, guest.id)
            except Refused:
                return None
            if mine is None:
                return None
            waits = mine.waits is not None
        after = await self._look(room.table_id) if view.status in ("over", "closed") else None
        if after is None or after.id == view.id or after.ended:
            return Around(room, waits)
        by = next((seat.name for seat in after.seats if seat.guest == after.host), "")
        by = by or await self._store.scalar(select(guests.c.name).where(guests.c.id == after.host)) or ""
        return Around(room, waits, after.id, by)

    async def remove(self, room: Room, guest: Guest, other: str) -> None:
        """Remove somebody from a room, and from a game that has not begun."""
        only_host(room, guest)
        if other == guest.id or await self.standing(room, other) is None:
            raise Refused("no-member", "This person does not belong to the room.", 404)
        await self.note(room, other, removed=True, waits=None)
        table = await self._look((await self.get(room.id) or room).table_id)
        if table is not None and table.status == "waiting":
            for number, seat in enumerate(table.seats, start=1):
                if other in (seat.guest, seat.reserved) and table.host != other:
                    await self._free(table.id, number)

    async def sat_down(self, table: Snapshot, guest: Guest) -> None:
        """Note that somebody sits at a table of a room: they belong to it, and do not wait any more."""
        room = await self.get(str(table.room))
        if room is not None:
            with suppress(Refused):
                await self.admit(room, guest)
                await self.note(room, guest.id, waits=None)

    # Playing

    async def come(self, room: Room, guest: Guest, contribution: str | None = None) -> str | None:
        """Seat whoever comes, or let them wait for the next game; return the table to look at, if there is one."""
        await self.admit(room, guest)
        await self.note(room, guest.id, seen=self._store.now())
        table = await self._look((await self.get(room.id) or room).table_id)
        if table is None or table.ended:
            return None
        if table.status == "waiting" and not table.seats_of(guest.id):
            for _ in range(_TRIES):
                if await self._sit(table, guest, contribution):
                    return table.id
                absent = await self._absent(room, table)
                if absent is None:
                    break
                await self._free(table.id, absent)
                table = await self._look(table.id) or table
        if guest.id not in {one for one, _ in players(table)}:
            await self._wait(room, [guest.id])
        return table.id

    async def _sit(self, table: Snapshot, guest: Guest, contribution: str | None, name: str | None = None) -> bool:
        key = secrets.token_hex(8)
        own = {"contribution": contribution, "invitation": table.invitation, "name": name}
        try:
            await self._join(table.id, guest, version=table.version, key=key, **own)
        except Refused as refusal:
            if refusal.code in ("removed", "storage", "busy", "newer", "no-table"):
                raise
            return False
        return True

    async def _absent(self, room: Room, table: Snapshot) -> int | None:
        """Return a seat (from 1) that has been kept long enough for somebody who is not there."""
        here = self._here(table, await self.members(room))
        for number, seat in enumerate(table.seats, start=1):
            if seat.kind == "open" and seat.reserved and seat.reserved not in here:
                opened = table.moved_at or (await self._tables.look(table.id)).at
                if self._store.now() - opened > GONE:
                    return number
        return None

    def _here(self, table: Snapshot | None, members: Sequence[Member]) -> set[str]:
        watching = self._tables.streams.watchers(table.id).guests if table is not None else frozenset()
        now = self._store.now()
        return {one.guest for one in members if one.guest in watching or now - one.seen < GONE}

    def _expected(self, before: Snapshot | None, opening: Opening, members: Sequence[Member]) -> set[str]:
        """Return the members for whom the next game keeps seats: who is here, has just played, or plays by days."""
        if (CLOCKS[opening.clock] or 0) >= DAY:
            return {one.guest for one in members}
        just = before is not None and self._store.now() - before.moved_at < JUST
        return self._here(before, members) | ({who for who, _ in players(before)} if just else set())

    async def present(self, room: Room, members: Sequence[Member]) -> set[str]:
        """Return the members who look at the room or its table now."""
        return self._here(await self._look(room.table_id), members)

    async def next(self, room: Room, guest: Guest, *, key: str) -> str:
        """Return the table of the next game: the one that waits or runs already, or a new one. Raises Refused."""
        if await self.standing(room, guest.id) is None:
            raise Refused("no-member", "Come into the room first.", 403)
        for _ in range(_TRIES):
            room = await self.get(room.id) or room
            before = await self._look(room.table_id)
            if before is not None and not before.ended:
                return before.id
            try:
                return await self._open(room, guest, before, key)
            except Conflict:
                continue
            except Refused as refusal:
                if refusal.code not in ("rematch-open", "busy", "stale"):
                    raise
        raise Refused("busy", "Many commands reached this table at once; try again.", 503)

    async def _open(self, room: Room, guest: Guest, before: Snapshot | None, key: str) -> str:
        opening, members = room.opening, await self.members(room)
        game, mode = await opening.made()
        there = self._expected(before, opening, members) | {guest.id}
        waiting = [one.guest for one in members if one.waits is not None]
        if guest.id not in waiting:
            waiting.append(guest.id)
        line = line_up(game, opening, before, waiting, {one.guest: one.name for one in members if one.guest in there})
        first = opening.first if before is None else RANDOM if opening.first == RANDOM else None
        new = new_table(
            self._store.now(),
            guest.id,
            game,
            mode,
            line.words if before is not None else opening.arranged(),
            opening.clock,
            False,
            previous=before.id if before else None,
            reserved=line.kept if before is not None else None,
            first=first,
            room=room.id,
        )
        new = new._replace(replaces=room.table_id)
        if before is None or before.rematch is not None:
            opened = (await self._tables.open(new)).snapshot
        else:

            def decide(table: Table) -> commands.Decision:
                return commands.rematch(table.snapshot, guest.id, new.id, table.version, member=True)

            answer = await self._tables.submit(before.id, guest.id, key, decide, {"kind": {"rematch"}}, [new])
            if answer.event["table"] != new.id:
                return str(answer.event["table"])
            opened = new.in_memory().snapshot
        self.changed(room, table_id=new.id)
        if before is not None:
            self._tables.fanout.signal(before.id, "offer", {"table": new.id})
            await self._wait(room, line.out)
        here = self._here(before, members)
        for one in members:
            if one.guest != guest.id and one.guest not in here:
                self.invited(opened, one.guest, guest.name)
        return new.id

    async def rematch(self, table: Snapshot, guest: Guest, *, key: str) -> Answer | None:
        """Offer the next game of a table's room; None if the table has no room. Raises Refused, also if it is open."""
        room = await self.get(table.room) if table.room is not None else None
        if room is None:
            return None
        opened = await self.next(room, guest, key=key)
        if opened == table.id:
            raise Refused("not-over", "The game is not over yet.", 409)
        loaded = await self._tables.look(table.id)
        asked = loaded.keys.get(f"{guest.id}:{key}")
        if asked is None:
            raise Refused("rematch-open", "A rematch has already been opened.", 409, detail={"table": opened})
        return loaded.answer(asked)

    async def play(self, room: Room, guest: Guest, opening: Opening, *, key: str) -> str:
        """Have the room play another game from now on; return its table. A table that waits is replaced by it."""
        room = await self.change(await self.get(room.id) or room, guest, usual=opening)
        before = await self._look(room.table_id)
        if before is not None and before.status == "running":
            return before.id
        sitting = []
        if before is not None and before.status == "waiting":
            sitting = [(Guest(str(seat.guest), seat.name), seat.name) for seat in before.seats if seat.kind == "person"]
            await self._tables.close_unfinished(before.id, "host")
        table_id = await self.next(room, guest, key=key)
        for one, name in sitting:
            table = await self._look(table_id)
            if table is not None and table.status == "waiting" and one.id != guest.id:
                await self._sit(table, one, None, name)
        return table_id

    # What all of them need

    async def _free(self, table_id: str, number: int) -> None:
        def decide(table: Table) -> commands.Decision:
            return commands.unseat(table.snapshot, None, number, table.version)

        # Somebody else may have been first.
        with suppress(Refused):
            await self._tables.submit(table_id, None, None, decide, {})

    async def _look(self, table_id: str | None) -> Snapshot | None:
        """Return a table, if there still is one."""
        if table_id is None:
            return None
        try:
            return (await self._tables.look(table_id)).snapshot
        except Refused as refusal:
            if refusal.code not in ("no-table", "unreadable"):
                raise
            return None

    async def _wait(self, room: Room, who: Sequence[str]) -> None:
        """Let members wait for the next game; who waits already keeps their place."""
        mine = (room_members.c.room == room.id) & room_members.c.guest.in_(who) & room_members.c.waits.is_(None)
        await self._store.execute(update(room_members).where(mine).values(waits=self._store.now()))
