"""The rooms that are stored: groups of friends that last, their members and their standings.

Guests who are deleted leave their rooms; what a room has played is in `results`, from which its standings are computed.
"""

import json
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from starfrost.errors import Refused
from starfrost.games.registry import GAMES
from starfrost.table.clocks import CLOCKS
from starfrost.table.host import TableHost
from starfrost.table.names import shorten_name, tidy_name
from starfrost.table.opening import Opening
from starfrost.table.phrase import new_code, read_code
from starfrost.table.results import Result
from starfrost.table.rooms.line_up import players
from starfrost.table.rooms.standings import Standings, standings
from starfrost.table.schema import guests, results, room_members, rooms
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict
from starfrost.table.view import Guest

MOST_ROOMS: Final = 30
"""Rooms of one host."""
MOST_MEMBERS: Final = 100
_MOST_RESULTS: Final = 10_000
"""Seats of finished games, newest first, that standings are computed from."""
_FRESH: Final = 5.0
"""Seconds for which a room is remembered: nobody may have told that it has changed."""
_SEEN: Final = 30.0
"""Seconds after which it is stored again that somebody looks at the room."""


class Room(NamedTuple):
    """A room as it is stored."""

    id: str
    code: str
    name: str
    host: str
    usual: str
    table_id: str | None
    closed: bool
    created: float

    @property
    def opening(self) -> Opening:
        """Return what the next table is like."""
        return Opening(**{**json.loads(self.usual), "seats": tuple(json.loads(self.usual)["seats"])})


class Member(NamedTuple):
    """Somebody who belongs to a room."""

    guest: str
    name: str
    since: float
    seen: float
    waits: float | None
    """Since when they wait for the next game; None if they do not."""


_ROOM = [rooms.c[name] for name in Room._fields]
_RESULT = [results.c[name] for name in Result._fields]


class RoomBook:
    """The rooms of one store."""

    def __init__(self, tables: TableHost) -> None:
        self._tables = tables
        self._store = tables.store
        self._known: dict[str, tuple[Room, float]] = {}
        tables.fanout.on_message["room"] = self._forget

    # Finding rooms

    async def find(self, text: str) -> Room | None:
        """Return the room of a code, however it was typed."""
        code = read_code(text)
        return None if code is None else await self._one(select(*_ROOM).where(rooms.c.code == code))

    async def get(self, room_id: str) -> Room | None:
        """Return a room by its id, as it is stored now."""
        found = await self._one(select(*_ROOM).where(rooms.c.id == room_id))
        if found is not None:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[room_id] = found, time.monotonic() + _FRESH
        return found

    async def of_member(self, guest: Guest) -> list[Room]:
        """Return the rooms of a guest, the ones seen last first."""
        mine = (room_members.c.guest == guest.id) & ~room_members.c.removed
        query = select(*_ROOM).join(room_members, room_members.c.room == rooms.c.id).where(mine)
        return [Room(*row) for row in await self._store.rows(query.order_by(room_members.c.seen.desc()).limit(20))]

    async def members(self, room: Room) -> list[Member]:
        """Return who belongs to a room: first those who wait for the next game, in that order."""
        columns = (guests.c.id, guests.c.name, room_members.c.since, room_members.c.seen, room_members.c.waits)
        query = select(*columns).join(room_members, room_members.c.guest == guests.c.id)
        query = query.where(room_members.c.room == room.id, ~room_members.c.removed)
        found = [Member(*row) for row in await self._store.rows(query)]
        return sorted(found, key=lambda one: (one.waits is None, one.waits or one.since, one.since))

    async def is_member(self, room: Room, guest: Guest | None) -> bool:
        """Return whether a guest belongs to a room."""
        return guest is not None and await self.standing(room, guest.id) is not None

    async def standing(self, room: Room, guest: str) -> Any:
        """Return the row of a member; None for others. Raises Refused for somebody who was removed."""
        query = select(room_members).where(room_members.c.room == room.id, room_members.c.guest == guest)
        found = await self._store.rows(query)
        if found and found[0].removed:
            raise Refused("no-room", "There is no room with this code, or it is closed.", 404)
        return found[0] if found else None

    async def known(self, room_id: str) -> Room | None:
        """Return a room as it was a few seconds ago at most."""
        known, until = self._known.get(room_id, (None, 0.0))
        return known if known is not None and time.monotonic() < until else await self.get(room_id)

    async def standings(self, room: Room, members: Sequence[Member]) -> Standings:
        """Compute the standings of a room."""
        query = select(*_RESULT).where(results.c.room == room.id, results.c.game.in_(list(GAMES)))
        rows = await self._store.rows(query.order_by(results.c.at.desc()).limit(_MOST_RESULTS))
        return standings([Result(*row) for row in rows], {one.guest: one.name for one in members})

    # Opening and changing rooms

    async def create(
        self, guest: Guest, opening: Opening, table: Snapshot | None = None, *, key: str | None = None
    ) -> Room:
        """Make a room for a game, with the people of a table that has ended or waits, if one is given.

        The same key, and the same table, get the same room again.
        """
        told = table.id if table is not None else key and f"{guest.id}:{key}"
        room_id = sha256(told.encode()).hexdigest()[:16] if told else secrets.token_hex(8)
        found = await self.get(room_id)
        if found is not None:
            return found
        host = select(func.count()).select_from(rooms).where(rooms.c.host == guest.id)
        if await self._store.scalar(host) >= MOST_ROOMS:
            raise Refused(
                "many-rooms", "You have %(most)s rooms already. Leave one of them first.", 409, most=MOST_ROOMS
            )
        now = self._store.now()
        room = Room(room_id, new_code(), "", guest.id, _written(opening), None, False, now)
        if table is not None and table.ended:
            # Its next game is offered to everybody who still looks at the result.
            room = room._replace(table_id=table.id)
        people = dict.fromkeys([guest.id, *(one for one, _ in players(table))] if table else [guest.id])
        rows = [
            {"room": room.id, "guest": one, "since": now, "seen": now, "waits": None, "removed": False}
            for one in people
        ]

        def work(connection: Connection) -> None:
            connection.execute(insert(rooms), [room._asdict()])
            connection.execute(insert(room_members), rows)

        await self._store.write(work)
        return room

    async def change(self, room: Room, guest: Guest, **values: Any) -> Room:
        """Change a room as its host wants: its `name`, `usual` game, whether it is `closed`, its `host`, its `code`."""
        only_host(room, guest)
        if "name" in values:
            values["name"] = shorten_name(tidy_name(values["name"]))
        if "usual" in values:
            values["usual"] = _written(values["usual"])
        if "code" in values:
            values["code"] = new_code()
        if "host" in values and await self.standing(room, values["host"]) is None:
            raise Refused("no-member", "This person does not belong to the room.", 404)
        await self._store.execute(update(rooms).where(rooms.c.id == room.id).values(values))
        return self.changed(room, **values)

    async def leave(self, room: Room, guest: Guest) -> None:
        """Leave a room; the host's place goes to whoever has been there longest, and an empty room is deleted."""
        await self._store.write(partial(leave_rooms, guest.id, room.id))
        self.changed(room)

    async def seen(self, room: Room, guest: Guest) -> None:
        """Note that a member looks at the room."""
        mine = await self.standing(room, guest.id)
        if mine is not None and self._store.now() - mine.seen > _SEEN:
            await self.note(room, guest.id, seen=self._store.now())

    async def admit(self, room: Room, guest: Guest) -> None:
        """Let somebody who has the code come in. Raises Refused if the room is closed or they were removed."""
        if await self.standing(room, guest.id) is not None:
            return
        count = select(func.count()).select_from(room_members).where(room_members.c.room == room.id)
        if room.closed or await self._store.scalar(count) >= MOST_MEMBERS:
            raise Refused("no-room", "There is no room with this code, or it is closed.", 404)
        now = self._store.now()
        row = {"room": room.id, "guest": guest.id, "since": now, "seen": now, "waits": None, "removed": False}
        with suppress(Conflict):
            await self._store.execute(insert(room_members).values(row))

    # What all of them need

    async def note(self, room: Room, guest: str, **values: Any) -> None:
        mine = (room_members.c.room == room.id) & (room_members.c.guest == guest)
        await self._store.execute(update(room_members).where(mine).values(values))

    def _forget(self, room: str) -> None:
        self._known.pop(room, None)

    def changed(self, room: Room, **values: Any) -> Room:
        self._forget(room.id)
        self._tables.fanout.pubsub.send("room", room=room.id)
        return room._replace(**values)

    async def _one(self, query: Select[Any]) -> Room | None:
        found = await self._store.rows(query)
        return Room(*found[0]) if found else None


def leave_rooms(guest: str, room: str | None, connection: Connection) -> None:
    """Take a guest out of a room, or of all of them; rooms that they hosted go to others, without their names."""
    mine = (
        room_members.c.guest == guest
        if room is None
        else (room_members.c.guest == guest) & (room_members.c.room == room)
    )
    here = or_(rooms.c.host == guest, rooms.c.id.in_(select(room_members.c.room).where(mine)))
    touched = connection.execute(
        select(rooms.c.id, rooms.c.host).where(here if room is None else rooms.c.id == room)
    ).all()
    connection.execute(delete(room_members).where(mine))
    for room_id, host in touched:
        left = (room_members.c.room == room_id) & ~room_members.c.removed
        heir = connection.execute(
            select(room_members.c.guest).where(left).order_by(room_members.c.since).limit(1)
        ).scalar()
        if heir is None:
            connection.execute(delete(room_members).where(room_members.c.room == room_id))
            connection.execute(update(results).where(results.c.room == room_id).values(room=None))
            connection.execute(delete(rooms).where(rooms.c.id == room_id))
        elif host == guest:
            connection.execute(update(rooms).where(rooms.c.id == room_id).values(host=heir, name=""))


def only_host(room: Room, guest: Guest) -> None:
    if room.host != guest.id:
        raise Refused("not-room-host", "Only the host of the room can do this.", 403)


def _written(opening: Opening) -> str:
    clock = opening.clock if opening.clock in CLOCKS else "none"
    return json.dumps(
        {
            "game": opening.game,
            "seats": list(opening.seats),
            "options": dict(opening.options),
            "clock": clock,
            "first": opening.first,
        }
    )
