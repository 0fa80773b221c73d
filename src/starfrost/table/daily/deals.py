"""The deals of the daily game: for each game and day one sealed seed, from which everybody's dice follow.

A deal is made the day before, and its commitment is published then. Its seed leaves this module only for the tables
where it is played, and for everybody when the day is over: `Deal.seed` is None until then.
"""

import asyncio
import json
import random
import time
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Final

from sqlalchemy import func, insert, select, update
from structlog import get_logger

from starfrost.errors import Refused
from starfrost.fair.dice import Contribution, Seed
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.table.commands import DAILY
from starfrost.table.daily.best_play import best_play
from starfrost.table.daily.days import opens, read_day, shifted, today
from starfrost.table.host import TableHost
from starfrost.table.schema import daily_deals
from starfrost.table.store import Conflict
from starfrost.table.tasks import end, regularly
from starfrost.workers.pool import WorkerPool

_log = get_logger("starfrost.table")

_ROUND: Final = 30.0
"""Seconds between looks whether a deal is to be made or compared with the best play."""
_LONGEST: Final = 300.0
"""Seconds that the search for the best play of a deal may take."""
_LATEST: Final = 7
"""Days after which nobody looks for the best play of a deal any more."""


@dataclass(frozen=True)
class Deal:
    """The daily game of one day, as everybody may know it."""

    day: str
    game: str
    headers: Mapping[str, str]
    mode: str | None
    seats: tuple[str, ...]
    commitment: str
    sealed: float
    """When the seed was made."""
    opens: float
    """When the seed is shown."""
    seed: str | None
    """The seed in hexadecimal digits; None until the day is over."""
    best: Mapping[str, Mapping[str, Any]]
    """What bots and a search reached with the same dice (`best_play.Result`); empty until the day is over."""


class Deals:
    """The deals of all days."""

    def __init__(self, tables: TableHost) -> None:
        self._tables = tables
        self._store = tables.store
        self._workers = WorkerPool(niceness=10, idle=_ROUND)
        self._task: asyncio.Task[None] | None = None

    @property
    def games(self) -> tuple[str, ...]:
        """The games that have a daily game."""
        return tuple(name for name, kit in GAMES.items() if kit.daily is not None)

    def start(self) -> None:
        """Start to seal the deals of coming days and to compare those of past days with the best play."""
        self._task = regularly(self._look, _ROUND)

    async def stop(self) -> None:
        """Stop a search without waiting for it."""
        self._workers.close()
        if self._task is not None:
            await end([self._task])

    # Deals

    async def one(self, day: str, game: str) -> Deal:
        """Return the deal of a day that has come. Raises Refused."""
        return _shown(await self.row(read_day(day), game))

    async def of(self, day: str) -> list[Deal]:
        """Return the deals of a day that has come, one for each game; empty if nobody could play on that day."""
        return await self._all(read_day(day))

    async def sealed_after(self, day: str) -> list[Deal]:
        """Return the deals of the day after a day, sealed as they are, for their commitments."""
        return await self._all(shifted(day, 1))

    async def first_day(self) -> str | None:
        """Return the first day that had a deal."""
        found: str | None = await self._store.scalar(select(func.min(daily_deals.c.day)))
        return found

    async def _all(self, day: str) -> list[Deal]:
        await self._seal(day)
        stored = await self._store.rows(select(daily_deals).where(daily_deals.c.day == day))
        found = {row.game: _shown(row) for row in stored}
        return [found[game] for game in self.games if game in found]

    async def row(self, day: str, game: str) -> Any:
        """Return the stored row of a deal with its seed, for the table where it is played. Raises Refused."""
        if game not in self.games:
            raise Refused("no-daily", "There is no daily game of this name.", 404)
        await self._seal(day)
        query = select(daily_deals).where(daily_deals.c.day == day, daily_deals.c.game == game)
        found = await self._store.rows(query)
        if not found:
            raise Refused("no-deal", "There was no daily game on this day.", 404)
        return found[0]

    async def _seal(self, day: str) -> None:
        """Make the deals of today or tomorrow that are missing; the first process that asks for one makes it."""
        now = today()
        if day not in (now, shifted(now, 1)):
            return
        there = await self._store.column(select(daily_deals.c.game).where(daily_deals.c.day == day))
        for game in self.games:
            if game not in there:
                # If another process was first, its deal is the one of the day.
                with suppress(Conflict):
                    await self._store.execute(insert(daily_deals).values(_new_deal(day, game)))

    # What is done without a request

    async def _look(self) -> None:
        now = today()
        await self._seal(now)
        await self._seal(shifted(now, 1))
        await self._compare()

    async def _compare(self) -> None:
        """Find the best play of the deals whose day is over."""
        deals = daily_deals.c
        query = select(daily_deals).where(deals.best.is_(None), deals.day >= shifted(today(), -_LATEST))
        for row in await self._store.rows(query.order_by(deals.day)):
            if time.time() < opens(row.day):
                continue
            if not self._tables.settings.is_sqlite:
                # Several processes see the same: let one be first.
                await asyncio.sleep(random.uniform(0, 20))
            same = (deals.day == row.day) & (deals.game == row.game)
            if await self._store.scalar(select(deals.best).where(same)) is None:
                found = await self._searched(row)
                await self._store.execute(update(daily_deals).where(same).values(best=json.dumps(found)))

    async def _searched(self, row: Any) -> dict[str, Any]:
        """Have a process of its own look for the best play; nothing if it fails, so that it is not tried for ever."""
        setup = json.loads(row.setup)
        contributions: tuple[Contribution, ...] = tuple(
            ("server", DAILY) if word == "open" else ("bot", "") for word in setup["seats"]
        )
        # The day is over: the seed is public.
        arguments = (row.seed.unseal().hex(), f"daily-{row.day}", contributions, row.game)
        try:
            found: dict[str, Any] = await self._workers.run(
                best_play, *arguments, setup["headers"], setup["seats"], timeout=_LONGEST
            )
            return found
        except (BrokenProcessPool, TimeoutError) as error:
            _log.warning("no best play", day=row.day, game=row.game, error=type(error).__name__)
            return {}


def _new_deal(day: str, game: str) -> dict[str, Any]:
    """Return the row of a new deal with a freshly sealed seed."""
    daily = GAMES[game].daily
    assert daily is not None
    number = date.fromisoformat(day).toordinal()
    setup = Setup(game, len(daily.seats), daily.options(number))
    # Options that a mode draws follow from the day.
    headers = dict(setup.make(Random(number)).headers())
    stored = {"headers": headers, "mode": setup.mode, "seats": daily.seats}
    return {"day": day, "game": game, "setup": json.dumps(stored), "seed": Seed.fresh(), "created": time.time()}


def _shown(row: Any) -> Deal:
    """Return what everybody may know of a stored deal now: the one place that decides whether the seed is shown."""
    setup, seed, is_over = json.loads(row.setup), row.seed, time.time() >= opens(row.day)
    return Deal(
        row.day,
        row.game,
        setup["headers"],
        setup["mode"],
        tuple(setup["seats"]),
        seed.commitment,
        row.created,
        opens(row.day),
        seed.unseal().hex() if is_over else None,
        json.loads(row.best or "{}") if is_over else {},
    )
