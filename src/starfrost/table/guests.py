"""Guests: a name, and a token for each of their devices; no account. Tokens are stored hashed."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME
from starfrost.table.names import clean_name
from starfrost.table.schema import devices, guests
from starfrost.table.store import Store, Unavailable
from starfrost.table.view import Guest

_MOST_IN_MEMORY = 20_000
_FRESH = 3600.0
"""Seconds for which a guest is remembered without a look into the store, where no other server can change it."""
_SEEN = 6 * 3600.0
"""Seconds after which it is noted again that a device is used."""


class _Known(NamedTuple):
    guest: Guest
    until: float


class Guests:
    """All guests. One server on its own keeps recent ones; several ask their database, so that all answer the same."""

    def __init__(self, store: Store, spawn: Callable[[Coroutine[Any, Any, None], str], object]) -> None:
        self._store = store
        self._spawn = spawn
        self._keeps = store.settings.is_sqlite
        self._recent: dict[str, _Known] = {}
        self._changes = 0
        self._asked: dict[str, asyncio.Future[Guest | None]] = {}
        """Who waits for the holder of a token, by its hash; the next query answers them all."""
        self._asking = False

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

        await self._store.write(work)
        if self._keeps:
            self._remember(hash_token(token), guest)
        return guest, token

    async def find(self, token: str) -> Guest | None:
        """Return the guest who holds a token, or None."""
        token_hash = hash_token(token)
        known = self._recent.get(token_hash)
        if known is not None and known.until > time.monotonic():
            return known.guest
        answer = self._asked.get(token_hash)
        if answer is None:
            answer = self._asked[token_hash] = asyncio.get_running_loop().create_future()
        if not self._asking:
            self._asking = True
            self._spawn(self._ask(), "guests")
        return await asyncio.shield(answer)

    async def _ask(self) -> None:
        """Look up everybody who is asked for, and whoever is asked for meanwhile together afterwards."""
        asked: dict[str, asyncio.Future[Guest | None]] = {}
        try:
            while self._asked:
                asked, self._asked = self._asked, {}
                before = self._changes
                try:
                    found = await self._read(asked)
                except Exception as error:
                    for answer in asked.values():
                        answer.set_exception(error)
                        # Whoever asked may have gone away.
                        answer.exception()
                    continue
                for token_hash, answer in asked.items():
                    guest = found.get(token_hash)
                    # What was read before a change must not outlive it.
                    if guest is not None and self._keeps and self._changes == before:
                        self._remember(token_hash, guest)
                    answer.set_result(guest)
        finally:
            self._asking = False
            for answer in (*asked.values(), *self._asked.values()):
                answer.cancel()

    async def _read(self, token_hashes: Iterable[str]) -> dict[str, Guest]:
        held = devices.c.token_hash.in_(list(token_hashes))
        query = select(devices.c.token_hash, guests.c.id, guests.c.name, devices.c.seen)
        query = query.join(devices, devices.c.guest == guests.c.id).where(held)
        rows = await self._store.rows(query)
        now = time.time()
        if idle := [row[0] for row in rows if now - row[3] > _SEEN]:
            with suppress(Unavailable):
                await self._store.execute(update(devices).where(devices.c.token_hash.in_(idle)).values(seen=now))
        return {token_hash: Guest(guest, name) for token_hash, guest, name, _ in rows}

    async def rename(self, guest: Guest, name: str) -> Guest:
        """Rename a guest; seats already taken keep the old name."""
        renamed = Guest(guest.id, clean_name(name))
        await self._store.execute(update(guests).where(guests.c.id == guest.id).values(name=renamed.name))
        return renamed

    def forget(self, guest_id: str) -> None:
        """Look into the store when one of the guest's tokens is used again."""
        self._changes += 1
        self._recent = {hashed: known for hashed, known in self._recent.items() if known.guest.id != guest_id}

    def _remember(self, token_hash: str, guest: Guest) -> None:
        if len(self._recent) >= _MOST_IN_MEMORY:
            self._recent.clear()
        self._recent[token_hash] = _Known(guest, time.monotonic() + _FRESH)


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
