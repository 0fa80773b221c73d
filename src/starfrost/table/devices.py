"""The devices of a guest, the phrase or link that brings the guest to another one, and the link of a calendar."""

import asyncio
import secrets
import time
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, delete, func, insert, select

from starfrost.errors import Refused
from starfrost.table.guests import hash_token, new_device
from starfrost.table.host import TableHost
from starfrost.table.phrase import hash_phrase, new_phrase, read_phrase
from starfrost.table.schema import carriers, devices, guests
from starfrost.table.view import Guest

MOST_DEVICES: Final = 20
LINK_LASTS: Final = 600.0
"""Seconds for which the code of a link can be used."""


class Device(NamedTuple):
    """A browser or program that acts for a guest."""

    id: str
    label: str
    """What the device calls itself, such as `Firefox, Android`; may be empty."""
    created: float
    seen: float
    """When it was last used, to the nearest hours."""
    here: bool
    """Whether it is the device that asks."""


class Devices:
    """Signing devices in and out."""

    def __init__(self, tables: TableHost) -> None:
        self._store = tables.store
        self._forget = tables.forget_guest
        # A slow hash takes a core: attempts wait for each other instead of for everybody else's moves.
        self._hashing = asyncio.Semaphore(1)

    async def of(self, guest: Guest, token: str) -> list[Device]:
        """Return a guest's devices, the one with this token first, then the last used."""
        found = await self._store.rows(select(devices).where(devices.c.guest == guest.id))
        here = hash_token(token)
        listed = [Device(row.id, row.label, row.created, row.seen, row.token_hash == here) for row in found]
        return sorted(listed, key=lambda device: (not device.here, -device.seen))

    async def sign_out(self, guest: Guest, device_id: str, token: str) -> bool:
        """Sign a device out; return whether it was the one with this token.

        Another device must not come back with the phrase that it knows, so the phrase and links stop working as well.
        """
        here = hash_token(token)

        def work(connection: Connection) -> str | None:
            mine = (devices.c.id == device_id) & (devices.c.guest == guest.id)
            found: str | None = connection.execute(select(devices.c.token_hash).where(mine)).scalar()
            connection.execute(delete(devices).where(mine))
            if found is not None and found != here:
                connection.execute(delete(carriers).where(carriers.c.guest == guest.id))
            return found

        gone = await self._store.write(work)
        if gone is None:
            raise Refused("no-device", "This device is not signed in.", 404)
        self._forget(guest.id)
        return gone == here

    async def phrase_made(self, guest: Guest, kind: str = "phrase") -> float | None:
        """Return when the guest's current phrase or calendar link was made; None if there is none."""
        query = select(carriers.c.created).where(carriers.c.guest == guest.id, carriers.c.kind == kind)
        found: float | None = await self._store.scalar(query)
        return found

    async def new_phrase(self, guest: Guest) -> str:
        """Make a recovery phrase in place of the last one; it cannot be read again."""
        phrase = new_phrase()
        await self._replace(guest, "phrase", await self._hash(phrase), None)
        return phrase

    async def new_link(self, guest: Guest) -> str:
        """Make the code of a link in place of the last one; it works once, and only for ten minutes."""
        code = secrets.token_urlsafe(16)
        await self._replace(guest, "link", hash_token(code), time.time() + LINK_LASTS)
        return code

    async def new_calendar(self, guest: Guest) -> str:
        """Make the code of a calendar link in place of the last one; it shows games and lets nobody play."""
        code = secrets.token_urlsafe(16)
        await self._replace(guest, "calendar", hash_token(code), None)
        return code

    async def calendar_of(self, code: str) -> Guest | None:
        """Return the guest whose calendar a code shows."""
        found = await self._store.rows(_holder(hash_token(code), "calendar"))
        return Guest(*found[0]) if found else None

    async def _replace(self, guest: Guest, kind: str, code_hash: str, expires: float | None) -> None:
        row = {"code_hash": code_hash, "guest": guest.id, "kind": kind, "created": time.time(), "expires": expires}

        def work(connection: Connection) -> None:
            connection.execute(delete(carriers).where(carriers.c.guest == guest.id, carriers.c.kind == kind))
            connection.execute(insert(carriers), [row])

        await self._store.write(work)

    async def whose(self, *, phrase: str = "", code: str = "") -> Guest:
        """Return the guest of a phrase or of a link's code without using it. Raises Refused."""
        found = await self._store.rows(_holder(await self._hashed(phrase, code)))
        if not found:
            raise _unknown(bool(code))
        return Guest(*found[0])

    async def sign_in(
        self, *, phrase: str = "", code: str = "", label: str = "", token: str | None = None
    ) -> tuple[Guest, str]:
        """Make the device with this token one of the guest's, with a token of its own; return both.

        A phrase works once on each device, a link's code only once. Raises Refused.
        """
        code_hash, now = await self._hashed(phrase, code), time.time()
        new, old = secrets.token_urlsafe(24), hash_token(token or "")

        left: list[str] = []

        def work(connection: Connection) -> tuple[str, str] | None:
            # Locked, so that a guest who is just being deleted gets no new device.
            row = connection.execute(_holder(code_hash).with_for_update(of=carriers)).first()
            if row is None:
                return None
            mine = devices.c.guest == row.guest
            if connection.execute(select(devices.c.id).where(mine, devices.c.token_hash == old)).first():
                raise Refused("already-here", "This device already belongs to %(name)s.", 409, name=row.name)
            if (
                connection.execute(select(func.count()).select_from(devices).where(mine)).scalar() or 0
            ) >= MOST_DEVICES:
                raise Refused(
                    "many-devices",
                    "At most %(most)s devices can be signed in; sign one out first.",
                    409,
                    most=MOST_DEVICES,
                )
            left[:] = connection.execute(select(devices.c.guest).where(devices.c.token_hash == old)).scalars()
            connection.execute(delete(devices).where(devices.c.token_hash == old))
            connection.execute(insert(devices), [new_device(row.guest, new, label)])
            connection.execute(delete(carriers).where(carriers.c.expires < now))
            connection.execute(delete(carriers).where(carriers.c.code_hash == code_hash, carriers.c.kind == "link"))
            return row.guest, row.name

        found = await self._store.write(work)
        if found is None:
            raise _unknown(bool(code))
        for before in left:
            self._forget(before)
        return Guest(*found), new

    async def _hashed(self, phrase: str, code: str) -> str:
        return hash_token(code) if code else await self._hash(read_phrase(phrase))

    async def _hash(self, phrase: str) -> str:
        salt = await self._store.server_key("recovery", lambda: secrets.token_bytes(16))
        async with self._hashing:
            return await asyncio.to_thread(hash_phrase, phrase, salt)


def _holder(code_hash: str, *kinds: str) -> Select[Any]:
    """Return the query for the guest whom a code that can still be used belongs to; usually one to sign in with."""
    valid = carriers.c.expires.is_(None) | (carriers.c.expires >= time.time())
    query = select(carriers.c.guest, guests.c.name).join(guests, guests.c.id == carriers.c.guest)
    return query.where(carriers.c.code_hash == code_hash, carriers.c.kind.in_(kinds or ("phrase", "link")), valid)


def _unknown(link: bool) -> Refused:
    if link:
        return Refused("no-link", "This link has been used, or its ten minutes are over. Make a new one.", 404)
    return Refused("no-phrase", "No one has this recovery phrase. Check every word, or make a new phrase.", 404)
