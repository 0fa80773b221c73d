"""Guests: a name, and a token for each of their devices; no account. Tokens are stored hashed."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME
from starfrost.table.names import clean_name
from starfrost.table.schema import devices, guests
from starfrost.table.store import Conflict, Store, Unavailable, unavailable
from starfrost.table.view import Guest

_MOST_IN_MEMORY = 20_000
_FRESH = 3600.0
"""Seconds for which a guest is remembered without a look into the store."""
_FRESH_ELSEWHERE = 5.0
"""The same where other processes may rename the guest or sign the device out."""
_GATHER = 0.2
"""Seconds in which guests gather who are looked up again together."""
_SEEN = 6 * 3600.0
"""Seconds after which it is noted again that a device is used."""


class _Known(NamedTuple):
    guest: Guest
    until: float


class Guests:
    """All guests; recent ones are cached."""

    def __init__(self, store: Store, spawn: Callable[[Coroutine[Any, Any, None], str], object]) -> None:
        self._store = store
        self._spawn = spawn
        self._fresh = _FRESH if store.settings.is_sqlite else _FRESH_ELSEWHERE
        self._recent: dict[str, _Known] = {}
        self._again: set[str] = set()
        """Hashes of tokens that are looked up again soon."""

    async def of_user(self, user: str) -> Guest:
        """Return the guest of somebody whom the host's proxy has signed in, from the first time on the same."""
        key = await self._store.server_key("users", lambda: secrets.token_bytes(32))
        token = hmac.new(key, user.encode(), hashlib.sha256).hexdigest()
        found = await self.find(token)
        if found is None:
            try:
                found, _ = await self.create(user[:LONGEST_NAME], token=token)
            except Refused:
                # Two of their pages came at once, or it cannot be stored.
                if (found := await self.find(token)) is None:
                    raise
        return found

    async def create(self, name: str, label: str = "", token: str = "") -> tuple[Guest, str]:
        """Create a guest on a device; return it and its token, which cannot be read again."""
        guest = Guest(secrets.token_hex(8), clean_name(name))
        token = token or secrets.token_urlsafe(24)
        row = {"id": guest.id, "name": guest.name, "created": time.time()}

        def work(connection: Connection) -> None:
            connection.execute(insert(guests), [row])
            connection.execute(insert(devices), [new_device(guest.id, token, label)])

        try:
            await self._store.write(work)
        except (Unavailable, Conflict):
            raise unavailable() from None
        self._remember(hash_token(token), guest)
        return guest, token

    async def find(self, token: str) -> Guest | None:
        """Return the guest who holds a token, or None."""
        token_hash = hash_token(token)
        known = self.recent(token_hash)
        if known is not None:
            return known
        held = devices.c.token_hash == token_hash
        query = select(guests.c.id, guests.c.name, devices.c.seen).join(devices, devices.c.guest == guests.c.id)
        try:
            async with self._store.read() as connection:
                row = (await connection.execute(query.where(held))).first()
        except Unavailable:
            raise unavailable() from None
        if row is None:
            self._recent.pop(token_hash, None)
            return None
        guest = Guest(row[0], row[1])
        self._remember(token_hash, guest)
        if time.time() - row[2] > _SEEN:
            used = update(devices).where(held).values(seen=time.time())
            with suppress(Unavailable, Conflict):
                await self._store.write(lambda connection: connection.execute(used))
        return guest

    def recent(self, token_hash: str) -> Guest | None:
        """Return the guest who holds the token of a hash, if that is known without a look into the store.

        Whoever is busy is looked up before that is too long ago, many guests at once: a look for each would hold up
        a move of each of them every few seconds.
        """
        known = self._recent.get(token_hash)
        left = 0.0 if known is None else known.until - time.monotonic()
        if known is None or left <= 0:
            return None
        if left < self._fresh / 2 and token_hash not in self._again:
            if not self._again:
                self._spawn(self._look_again(), "guests")
            self._again.add(token_hash)
        return known.guest

    async def _look_again(self) -> None:
        await asyncio.sleep(_GATHER)
        asked, self._again = self._again, set()
        before = {hashed: known for hashed in asked if (known := self._recent.get(hashed)) is not None}
        query = select(devices.c.token_hash, guests.c.id, guests.c.name, devices.c.seen)
        query = query.join(guests, devices.c.guest == guests.c.id).where(devices.c.token_hash.in_(before))
        # Without an answer each is looked up when it is needed.
        with suppress(Unavailable):
            async with self._store.read() as connection:
                rows = (await connection.execute(query)).all()
            for hashed, guest, name, seen in rows:
                # Whoever was forgotten meanwhile has changed since; use of a device is noted where one is looked up.
                if self._recent.get(hashed) is before[hashed] and time.time() - seen <= _SEEN:
                    self._remember(hashed, Guest(guest, name))
            for hashed in before.keys() - {row[0] for row in rows}:
                self._recent.pop(hashed, None)

    async def rename(self, guest: Guest, name: str) -> Guest:
        """Rename a guest; seats already taken keep the old name."""
        renamed = Guest(guest.id, clean_name(name))
        query = update(guests).where(guests.c.id == guest.id).values(name=renamed.name)
        try:
            await self._store.write(lambda connection: connection.execute(query))
        except (Unavailable, Conflict):
            raise unavailable() from None
        return renamed

    def forget(self, guest_id: str) -> None:
        """Look into the store when one of the guest's tokens is used again."""
        self._recent = {hashed: known for hashed, known in self._recent.items() if known.guest.id != guest_id}

    def _remember(self, token_hash: str, guest: Guest) -> None:
        if len(self._recent) >= _MOST_IN_MEMORY:
            self._recent.clear()
        self._recent[token_hash] = _Known(guest, time.monotonic() + self._fresh)


def new_device(guest: str, token: str, label: str) -> dict[str, object]:
    """Return the row of a new device of a guest."""
    now = time.time()
    return {
        "id": secrets.token_hex(8),
        "guest": guest,
        "token_hash": hash_token(token),
        "label": label,
        "created": now,
        "seen": now,
    }


def hash_token(token: str) -> str:
    """Return what is stored of a token or of the code of a link."""
    # Both have at least 128 random bits: a plain hash is enough, there is nothing to guess.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
