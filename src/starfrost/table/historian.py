"""The historian: what is worked out after a game, in the background.

It fills in the results of games that ended before results were stored, keeps the levels of guests up to date, and has
finished games judged. All of it can be interrupted and repeated: a row says what is still missing in it.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, select, update
from structlog import get_logger

from starfrost.table import levels
from starfrost.table.deck import MISTAKE, put
from starfrost.table.host import TableHost
from starfrost.table.results import results_of
from starfrost.table.schema import events, results, tables
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Unavailable, Write
from starfrost.table.tasks import end, guarded, regularly

_log = get_logger("starfrost.table")
_SHARE = 4
"""While games of the past are filled in, moves get this many times the time that it takes."""
_MOST = 200
"""Games that wait to be judged; more are judged when their guests look at their history."""
_LATEST = 30
"""Games of one guest that are judged when the guest looks at the history."""
_AGAIN = 600.0
"""Seconds before a guest's games are looked through again."""


class Verdict(NamedTuple):
    """What the coach found about one seat of a finished game."""

    judged: str
    """`exact` or `estimate`."""
    accuracy: float | None
    luck: float
    costs: Mapping[str, tuple[int, float]]
    """For each kind of decision how many there were and what they cost, as chances to win."""
    practice: Sequence[tuple[str, str]] = ()
    """The costly mistakes as positions to practise: for each its name and body in a deck."""


Judge = Callable[[Snapshot, bool], Awaitable[Sequence[Verdict] | None]]
"""Judge every seat of a finished game, also by estimates if asked; None if nobody can judge it now."""


async def _nobody(table: Snapshot, estimates: bool) -> None:
    return None


class Historian:
    """The tasks that work off what is missing in the results."""

    def __init__(self, all_tables: TableHost) -> None:
        self._tables = all_tables
        self._store = all_tables.store
        self._ended: asyncio.Queue[str] = asyncio.Queue()
        self._unjudged: asyncio.Queue[tuple[Snapshot | str, bool]] = asyncio.Queue(_MOST)
        self._looked: dict[str, float] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.judge: Judge = _nobody

    async def start(self) -> None:
        """Start with what an earlier process left."""
        self._tables.ended = self._note
        self._tasks = [
            asyncio.create_task(guarded(self._past), name="history"),
            regularly(self._next_ended, 0),
            regularly(self._next_unjudged, 0),
        ]

    async def stop(self) -> None:
        """Stop; the next start goes on."""
        await end(self._tasks)

    def _note(self, table: Snapshot) -> None:
        """Note a game that has just ended."""
        self._ended.put_nowait(table.id)
        self._queue(table, False)

    def _queue(self, table: Snapshot | str, estimates: bool) -> None:
        if not self._unjudged.full():
            self._unjudged.put_nowait((table, estimates))

    # Games that ended before results were stored

    async def _past(self) -> None:
        """Store the results of tables that are over and have none, then rate what has no level."""
        known = select(results.c.table_id).where(results.c.table_id == tables.c.id).exists()
        query = select(tables.c.id).where(tables.c.status == "over", ~known).order_by(tables.c.created)
        for table_id in await self._store.column(query):
            began = time.monotonic()
            try:
                await self._fill_in(table_id)
            except Unavailable:
                raise
            except Exception as error:
                # Another process was first; or the package of a game is gone, and the other games can be read.
                _log.warning("a table is left out", table=table_id, error=type(error).__name__)
            await asyncio.sleep(_SHARE * (time.monotonic() - began))
        await self._rate(levels.unrated())

    async def _fill_in(self, table_id: str) -> None:
        table = (await self._tables.read(table_id)).snapshot
        last = select(events.c.at).where(events.c.table_id == table_id, events.c.seq == table.moved)
        at = await self._store.scalar(last)
        rows = tuple(row._asdict() for row in results_of(table, table.state, table.moves, at))
        await self._store.append([Write(invites=await self._waiting_rematch(table), results=rows)])

    async def _waiting_rematch(self, table: Snapshot) -> tuple[tuple[str, str, float], ...]:
        """Return the seats that are kept at a rematch that was offered before invitations were stored."""
        if table.rematch is None:
            return ()
        after = (await self._tables.read(table.rematch)).snapshot
        kept = (seat.reserved for seat in after.seats if seat.kind == "open" and seat.reserved)
        return tuple((after.id, guest, time.time()) for guest in kept) if after.status == "waiting" else ()

    # Levels

    async def _next_ended(self) -> None:
        await self._rate(levels.unrated([await self._ended.get()]))

    async def _rate(self, query: Any) -> None:
        for guest, game in await self._store.rows(query):
            while await self._store.write(partial(levels.bring_up_to_date, guest=guest, game=game)):
                await asyncio.sleep(0.01)

    # The coach

    async def look_at(self, guest: str) -> None:
        """Have a guest's latest games judged, also by estimates, because the guest wants to see that."""
        now = time.monotonic()
        if now - self._looked.get(guest, -_AGAIN) < _AGAIN:
            return
        if len(self._looked) > 10_000:
            self._looked.clear()
        self._looked[guest] = now
        mine = and_(results.c.guest == guest, results.c.counts, results.c.judged.is_(None))
        query = select(results.c.table_id).where(mine).order_by(results.c.at.desc()).limit(_LATEST)
        try:
            for table_id in await self._store.column(query):
                self._queue(table_id, True)
        except Unavailable as error:
            _log.warning("nothing is judged", error=error.cause)

    async def _next_unjudged(self) -> None:
        found, estimates = await self._unjudged.get()
        table = found if isinstance(found, Snapshot) else (await self._tables.read(found)).snapshot
        verdicts = await self.judge(table, estimates)
        if verdicts is None:
            return

        def work(connection: Connection) -> None:
            for seat, verdict in enumerate(verdicts, start=1):
                row = and_(results.c.table_id == table.id, results.c.seat == seat)
                *facts, costs, practice = verdict
                told = dict(zip(Verdict._fields, [*facts, json.dumps(costs)], strict=False))
                connection.execute(update(results).where(row).values(**told))
                guest = connection.execute(select(results.c.guest).where(row, results.c.counts)).scalar()
                if guest is not None:
                    put(connection, guest, table.game.name, MISTAKE, practice, time.time())

        await self._store.write(work)
