"""Guests: a name and a token, no account. Tokens are stored hashed."""

import hashlib
import secrets
from typing import NamedTuple

from starfrost.table.names import clean_name
from starfrost.table.store import Conflict, Store, Unavailable
from starfrost.table.tables import unavailable

_MOST_IN_MEMORY = 20_000


class Guest(NamedTuple):
    """A person with a name; the holder of the token is this guest."""

    id: str
    name: str


class Guests:
    """All guests; recent ones are cached."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent: dict[str, Guest] = {}

    async def create(self, name: str) -> tuple[Guest, str]:
        """Create a guest; return it and its token, which cannot be read again."""
        guest = Guest(secrets.token_hex(8), clean_name(name))
        token = secrets.token_urlsafe(24)
        try:
            await self._store.add_guest(guest.id, guest.name, _hash(token))
        except (Unavailable, Conflict):
            raise unavailable() from None
        self._remember(_hash(token), guest)
        return guest, token

    async def find(self, token: str) -> Guest | None:
        """Return the guest who holds a token, or None."""
        token_hash = _hash(token)
        guest = self._recent.get(token_hash)
        if guest is None:
            try:
                row = await self._store.guest(token_hash)
            except Unavailable:
                raise unavailable() from None
            if row is None:
                return None
            guest = Guest(*row)
            self._remember(token_hash, guest)
        return guest

    async def rename(self, guest: Guest, name: str) -> Guest:
        """Rename a guest; seats already taken keep the old name."""
        renamed = Guest(guest.id, clean_name(name))
        try:
            await self._store.rename_guest(guest.id, renamed.name)
        except (Unavailable, Conflict):
            raise unavailable() from None
        for token_hash, known in list(self._recent.items()):
            if known.id == guest.id:
                self._recent[token_hash] = renamed
        return renamed

    def _remember(self, token_hash: str, guest: Guest) -> None:
        if len(self._recent) >= _MOST_IN_MEMORY:
            self._recent.clear()
        self._recent[token_hash] = guest


def _hash(token: str) -> str:
    # A token has 192 random bits: a plain hash is enough, there is nothing to guess.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
