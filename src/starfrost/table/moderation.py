"""What the host decided about single guests and addresses: banned, or limits that are several times the usual ones.

`starfrost admin` writes the rows; every server reads them again every few seconds.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from sqlalchemy import Connection, delete, insert, select

from starfrost.errors import Refused, UsageError
from starfrost.table.schema import exceptions, guests
from starfrost.table.store import Store

_Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class ClientRule:
    """The row of one guest or address."""

    subject: str
    """The id of a guest, or a network: `203.0.113.7/32`."""
    guest: str | None = None
    banned: bool = False
    times: float = 1.0
    """How many times the usual limits apply."""
    why: str = ""
    created: float = 0.0
    until: float | None = None

    @property
    def network(self) -> _Network | None:
        """Return the addresses that it is about; None if it is about a guest."""
        return None if self.guest else ip_network(self.subject)


def as_network(text: str) -> _Network | None:
    """Read an address or a network; None if the text is neither."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


class Moderation:
    """The rows of one store, with a copy in memory."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of: dict[str, ClientRule] = {}
        self._networks: list[tuple[_Network, ClientRule]] = []

    async def all(self) -> list[ClientRule]:
        """Return what applies now, newest first. Raises Unavailable."""
        rows = await self._store.rows(select(exceptions).order_by(exceptions.c.created.desc()))
        now = time.time()
        return [ClientRule(**row._mapping) for row in rows if row.until is None or row.until > now]

    async def refresh(self) -> None:
        """Read the rows again. Raises Unavailable."""
        self._use(await self.all())

    def _use(self, found: Sequence[ClientRule]) -> None:
        networks = [(each.network, each) for each in found if each.network]
        self._of = {each.subject: each for each in found if each.guest}
        self._of |= {str(network[0]): each for network, each in networks if network.num_addresses == 1}
        self._networks = [(network, each) for network, each in networks if network.num_addresses > 1]

    def of(self, client: str) -> ClientRule | None:
        """Return what was decided about a guest or an address."""
        found = self._of.get(client)
        if found is None and self._networks:
            address = _address(client)
            if address is not None:
                found = next((each for network, each in self._networks if address in network), None)
        return found

    def times(self, client: str) -> float:
        """Return how many times the usual limits apply to a guest or an address."""
        if not self._of and not self._networks:
            return 1.0
        found = self.of(client)
        return found.times if found else 1.0

    def check(self, client: str) -> None:
        """Raise Refused if a guest or an address is banned."""
        if not self._of and not self._networks:
            return
        found = self.of(client)
        if found is not None and found.banned:
            raise Refused("banned", "The host of this server has banned you.", 403)

    async def put(self, each: ClientRule) -> None:
        """Store a decision in place of an earlier one. Raises Unavailable."""

        def work(connection: Connection) -> None:
            connection.execute(delete(exceptions).where(exceptions.c.subject == each.subject))
            connection.execute(insert(exceptions), [{**each.__dict__, "created": time.time()}])

        await self._store.write(work)

    async def remove(self, subject: str) -> bool:
        """Forget a decision; return whether there was one. Raises Unavailable."""
        return bool(await self._store.execute(delete(exceptions).where(exceptions.c.subject == subject)))

    async def about(self, text: str) -> ClientRule:
        """Return the decision about a guest (by id) or an address as it is, or an empty one. Raises UsageError."""
        network = as_network(text)
        subject = str(network) if network else text
        found = next((each for each in await self.all() if each.subject == subject), None)
        if found is not None or network is not None:
            return found or ClientRule(subject)
        known = await self._store.scalar(select(guests.c.id).where(guests.c.id == text[:32]))
        if known is None:
            raise UsageError("%(text)s is neither a guest's id nor an address.", text=repr(text))
        return ClientRule(known, known)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address; limits are counted by the IPv6 network of a household, whose first address stands for it."""
    try:
        return ip_address(text.partition("/")[0])
    except ValueError:
        return None
