"""A guest's finished games: lists, sums, bests and opponents, read from the results that the store keeps."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, select

from starfrost.games.registry import GAMES
from starfrost.table.results import PEOPLE, HistoryEntry, Result
from starfrost.table.schema import invitations, results, tables
from starfrost.table.store import Store

_RESULT = [results.c[name] for name in Result._fields]
_CHUNK = 400
"""Tables that one query asks for."""
_LATEST = 60
"""Games with people among which opponents are looked for."""


class Sum(NamedTuple):
    """All games of one kind: one game, one table size, the same opponents."""

    game: str
    seats: int
    against: str
    games: int
    won: float
    """Victories; a shared one counts as its share."""
    points: int
    best: int
    first: float
    """When the first of them ended."""


class Mark(NamedTuple):
    """A personal best: its number, and the table where it was reached and when."""

    number: int
    table_id: str
    at: float


class Bests(NamedTuple):
    """A guest's personal bests in one game."""

    score: Mark
    lead: Mark | None
    """The greatest victory over others; None without one."""
    fast: Mark | None
    """The victory in the fewest turns; None without one."""
    streak: int
    """The most victories in a row."""
    rated: int
    """The games that the level rests on."""


class Point(NamedTuple):
    """What a game says about the guest who played it."""

    table_id: str
    at: float
    share: float
    level: float | None
    deviation: float | None
    accuracy: float | None
    luck: float | None
    judged: str | None
    """`exact` or `estimate`; None if nobody has judged the game."""
    costs: dict[str, tuple[int, float]]
    """For each kind of decision how many there were and what they cost, as chances to win."""


class Opponents(NamedTuple):
    """People whom a guest played with, and the last table where all of them met."""

    table_id: str
    game: str
    names: tuple[str, ...]
    at: float
    games: int


class History:
    """What is stored of finished games."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def sums(self, guest: str) -> list[Sum]:
        """Return the sums of a guest's games, by game, table size and opponents."""
        kind = (results.c.game, results.c.seats, results.c.against)
        query = select(
            *kind,
            func.count(),
            func.sum(results.c.share),
            func.sum(results.c.score),
            func.max(results.c.score),
            func.min(results.c.at),
        )
        query = query.where(*_chosen(guest), results.c.counts).group_by(*kind)
        return [Sum(*row) for row in await self._store.rows(query)]

    async def count(self, guest: str, game: str | None = None, against: str | None = None) -> int:
        """Return how many finished games a guest has."""
        query = select(func.count(results.c.table_id.distinct())).where(*_chosen(guest, game, against))
        return int(await self._store.scalar(query))

    async def page(
        self, guest: str, limit: int, offset: int = 0, game: str | None = None, against: str | None = None
    ) -> list[HistoryEntry]:
        """Return a guest's finished games, newest first; each table once."""
        same = results.alias()
        first = select(func.min(same.c.seat)).where(same.c.table_id == results.c.table_id, same.c.guest == guest)
        query = select(results.c.table_id).where(*_chosen(guest, game, against))
        query = query.where(results.c.seat == first.scalar_subquery()).order_by(results.c.at.desc())
        found = await self._store.column(query.limit(limit).offset(offset))
        seats = await self._seats(found)
        return [_played(guest, seats[table]) for table in found]

    async def _seats(self, found: Sequence[str]) -> dict[str, list[Result]]:
        """Return the results of these tables."""
        seats: dict[str, list[Result]] = {table: [] for table in found}
        for start in range(0, len(found), _CHUNK):
            chunk = results.c.table_id.in_(found[start : start + _CHUNK])
            for row in await self._store.rows(select(*_RESULT).where(chunk).order_by(results.c.seat)):
                seats[row[0]].append(Result(*row))
        return seats

    async def bests(self, guest: str, game: str) -> Bests | None:
        """Return a guest's records in a game; None if the guest has not finished any."""
        columns = ("score", "lead", "turns", "share", "seats", "level", "table_id", "at")
        query = select(*(results.c[name] for name in columns)).where(*_chosen(guest, game), results.c.counts)
        # One pass over the rows takes less time than a query for each number.
        rows = await self._store.rows(query.order_by(results.c.at))
        if not rows:
            return None
        won = [row for row in rows if row[3] > 0 and row[4] > 1]
        score, lead = max(rows, key=itemgetter(0)), max(won, key=itemgetter(1), default=None)
        fast = min(won, key=itemgetter(2), default=None)
        return Bests(
            Mark(score[0], *score[-2:]),
            None if lead is None else Mark(lead[1], *lead[-2:]),
            None if fast is None else Mark(fast[2], *fast[-2:]),
            max((len(list(run)) for winning, run in groupby(row[3] > 0 for row in rows) if winning), default=0),
            sum(row[5] is not None for row in rows),
        )

    async def trend(self, guest: str, game: str, limit: int) -> list[Point]:
        """Return a guest's last games of one kind, the oldest first."""
        columns = [results.c[name] for name in Point._fields]
        query = select(*columns).where(*_chosen(guest, game), results.c.counts).order_by(results.c.at.desc())
        rows = await self._store.rows(query.limit(limit))
        return [Point(**dict(row._mapping, costs=json.loads(row.costs or "{}"))) for row in reversed(rows)]

    async def opponents(self, guest: str, limit: int) -> list[Opponents]:
        """Return the groups of people whom a guest played with last."""
        query = select(results.c.table_id).where(*_chosen(guest), results.c.against.contains(PEOPLE))
        found = await self._store.column(query.order_by(results.c.at.desc()).limit(_LATEST))
        groups: dict[frozenset[str], Opponents] = {}
        met: Counter[frozenset[str]] = Counter()
        for table, rows in (await self._seats(found)).items():
            others = {row.guest: row.name for row in rows if row.guest not in (None, guest)}
            who = frozenset(str(one) for one in others)
            if who:
                met[who] += 1
                mine = next(row for row in rows if row.guest == guest)
                groups.setdefault(who, Opponents(table, mine.game, tuple(others.values()), mine.at, 0))
        return [group._replace(games=met[who]) for who, group in list(groups.items())[:limit]]

    async def records(self, guest: str) -> AsyncIterator[HistoryEntry]:
        """Yield all of a guest's finished games, newest first, a few at a time."""
        offset = 0
        while found := await self.page(guest, _CHUNK, offset):
            for played in found:
                yield played
            offset += len(found)

    # Invitations

    async def invitations(self, guest: str) -> list[str]:
        """Return the tables that wait for a guest, newest first."""
        query = (
            select(invitations.c.table_id)
            .join(tables, and_(tables.c.id == invitations.c.table_id, tables.c.status == "waiting"))
            .where(invitations.c.guest == guest)
            .order_by(invitations.c.at.desc())
        )
        return await self._store.column(query.limit(20))

    async def invited_to(self, host: str, guests: Iterable[str]) -> str | None:
        """Return a waiting table of this host to which all of these guests are invited."""
        wanted = set(guests)
        query = (
            select(invitations.c.table_id)
            .join(tables, and_(tables.c.id == invitations.c.table_id, tables.c.status == "waiting"))
            .where(tables.c.host == host, invitations.c.guest.in_(wanted))
            .group_by(invitations.c.table_id)
            .having(func.count() == len(wanted))
        )
        found: str | None = await self._store.scalar(query)
        return found

    async def decline(self, guest: str, table_id: str) -> None:
        """Forget an invitation. Raises Refused."""
        here = invitations.c.table_id == table_id
        await self._store.execute(delete(invitations).where(invitations.c.guest == guest, here))


def _chosen(guest: str, game: str | None = None, against: str | None = None) -> list[ColumnElement[bool]]:
    # A game whose package is no longer installed cannot be shown.
    found = [results.c.guest == guest, results.c.game.in_(list(GAMES))]
    if game is not None:
        found.append(results.c.game == game)
    if against is not None:
        found.append(results.c.against == against)
    return found


def _played(guest: str, rows: list[Result]) -> HistoryEntry:
    by_seat = {row.seat: row for row in rows}
    mine = next(row for row in rows if row.guest == guest)
    return HistoryEntry(mine, tuple(by_seat.get(seat) for seat in range(1, mine.seats + 1)))
