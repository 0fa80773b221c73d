"""The keeper: clocks, heartbeats, bots whose turn it is, and tables that everybody forgot."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from structlog import get_logger

from starfrost.errors import Refused
from starfrost.games.core import CHANCE
from starfrost.players.registry import BOTS
from starfrost.solver import progress as news
from starfrost.table import commands
from starfrost.table.bots import Thinkers
from starfrost.table.commands import Decision
from starfrost.table.settings import CLOCKS
from starfrost.table.state import Table
from starfrost.table.store import Unavailable
from starfrost.table.tables import Hall
from starfrost.table.tasks import end

__all__ = ["Keeper"]

_log = get_logger("starfrost.table")
_TICK = 0.5
_PING = 15.0
_ROUND = 5.0
"""Seconds between looks through the store for tables that another, dead process left behind."""


class Keeper:
    """What must happen at tables without anybody asking for it."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._settings = hall.settings
        self._thinkers = Thinkers(self._settings.bot_workers, self._settings.bot_patience)
        self._playing: dict[str, asyncio.Task[None]] = {}
        self.downtimes: list[tuple[float, float]] = []
        self._looked_at: dict[str, float] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self) -> None:
        """Note the downtime that ends now, then keep watch."""
        # With one process every second of silence was downtime; with several a neighbour may just have beaten.
        await self._beat(0.0 if self._settings.is_sqlite else 1.5 * self._settings.beat)
        self._tasks = [
            asyncio.create_task(self._run(self._beat_on, self._settings.beat), name="heartbeat"),
            asyncio.create_task(self._run(self._clocks, _TICK), name="clocks"),
            asyncio.create_task(self._run(self._round, _ROUND), name="round"),
            asyncio.create_task(self._run(self._ping, _PING), name="ping"),
        ]

    async def stop(self) -> None:
        """Stop watching, with a last heartbeat."""
        # A bot's last move may still be on its way to the disk; it must not wake the next bot.
        self._stopping = True
        await end([*self._tasks, *self._playing.values()])
        self._thinkers.close()
        news.stop()
        if self._tasks:
            await self._beat(3 * self._settings.beat)
        self._tasks = []

    @staticmethod
    async def _run(job: Callable[[], Coroutine[Any, Any, None]], pause: float) -> None:
        while True:
            try:
                await job()
            except (Unavailable, Refused) as error:
                _log.warning("keeper waits", job=job.__name__, error=str(error))
            except Exception:
                _log.exception("keeper failed", job=job.__name__)
            await asyncio.sleep(pause)

    # Downtime

    async def _beat(self, threshold: float) -> None:
        try:
            self.downtimes = await asyncio.wait_for(self._hall.store.beat(threshold), 5)
        except (Unavailable, TimeoutError, Exception) as error:
            _log.warning("heartbeat failed", error=str(error) or type(error).__name__)

    async def _beat_on(self) -> None:
        await self._beat(3 * self._settings.beat)

    async def _ping(self) -> None:
        self._hall.hub.ping()

    # Clocks

    async def _clocks(self) -> None:
        """Hand the seats of people whose time is up to bots, and forget tables that nobody uses."""
        hall = self._hall
        now = time.time()
        for table in hall.hot_tables():
            due = table.deadline(self.downtimes)
            if due is not None and now >= due:
                await self._time_is_up(table, now)
            elif (
                time.monotonic() - table.used > self._settings.keep_hot
                and not table.lock.locked()
                and not hall.hub.is_watched(table.id)
                and table.id not in self._playing
            ):
                hall.drop(table)
        hall.metrics.hot_tables.set(len(hall.hot_tables()))
        hall.metrics.streams.set(hall.hub.streams)

    async def _time_is_up(self, table: Table, now: float) -> None:
        def decide(current: Table) -> Decision:
            # Once more under the table's lock: a move may just have arrived.
            due = current.deadline(self.downtimes)
            acting = current.acting
            if due is None or now < due or acting is None:
                raise Refused("not-due", "A move arrived in time.")
            return commands.clock_out(current, acting + 1, self._settings.stand_in)

        try:
            await self._hall.submit(table.id, None, None, 0, decide, {})
        except Refused as refusal:
            if refusal.code not in ("not-due", "storage", "busy"):
                raise

    # Bots

    def wake_bot(self, table: Table) -> None:
        """See to it that a bot whose turn it is moves, and that one which needs solved cards gets them."""
        acting = table.acting
        if self._stopping or acting is None:
            return
        self._prepare(table)
        if table.id in self._playing:
            return
        if table.seats[acting].kind == "bot":
            task = self._hall.spawn(self._play_bots(table.id), "bot")
            self._playing[table.id] = task
            task.add_done_callback(lambda _: self._playing.pop(table.id, None))

    def _prepare(self, table: Table) -> None:
        """Have a running table's cards solved from its first moment on, outside the event loop."""
        bots = [seat.bot for seat in table.seats if seat.kind == "bot" and seat.bot]
        if any(bot in BOTS and BOTS[bot].tables for bot in bots):
            self._hall.spawn(asyncio.to_thread(news.prepare, table.game, bots), "solve")

    async def _play_bots(self, table_id: str) -> None:
        """Move for the bots of a table until a person's turn comes."""
        hall = self._hall
        failures = 0
        while failures < 20:
            try:
                table = await hall.hot(table_id)
                acting = table.acting
                if acting is None or table.seats[acting].kind != "bot":
                    return
                version = table.version
                bot = table.seats[acting].bot or self._settings.stand_in
                if table.game.actor(table.line.state) == CHANCE:
                    await asyncio.sleep(self._settings.bot_pace / 2)
                    action = "roll"
                else:
                    thought = asyncio.create_task(
                        self._thinkers.choose(bot, table.game, table.headers, table.line.state)
                    )
                    try:
                        await asyncio.sleep(self._settings.bot_pace)
                        action = await thought
                    finally:
                        thought.cancel()
                decide = partial(_act, acting + 1, action, version)
                await hall.submit(table_id, None, None, version, decide, {})
                failures = 0
            except Refused as refusal:
                failures += 1
                if refusal.code == "no-table":
                    return
                if refusal.code not in ("stale", "not-your-turn"):
                    _log.warning("bot refused", table=table_id, code=refusal.code)
                    await asyncio.sleep(min(0.1 * 2**failures, 2.0))

    # What others left behind

    async def _round(self) -> None:
        """Pick up tables that wait for a bot or a clock and are not in anybody's memory, and close forgotten ones."""
        hall = self._hall
        now = time.time()
        quiet = 0.0 if not self._looked_at else 2 * self._settings.bot_pace + 3
        found = await hall.store.unfinished(quiet)
        for table_id, status, clock, last in found:
            seconds = CLOCKS.get(clock)
            forgotten = now - last > self._settings.idle_days * 86_400
            overdue = status == "running" and seconds is not None and now - last >= seconds
            if not (forgotten or overdue) and self._looked_at.get(table_id) == last:
                continue
            self._looked_at[table_id] = last
            if status == "running" or forgotten:
                table = await hall.hot(table_id)
                if forgotten:
                    await self._forget(table_id, now)
                else:
                    self.wake_bot(table)
        self._looked_at = {table_id: last for table_id, _, _, last in found} or {"": 0.0}
        # Where there are very many tables this takes a while: it must not become all that the process does.
        await asyncio.sleep(min(60.0, 10 * (time.time() - now)))

    async def _forget(self, table_id: str, now: float) -> None:
        def decide(table: Table) -> Decision:
            return commands.close(table, None, table.version, "idle")

        try:
            await self._hall.submit(table_id, None, None, 0, decide, {})
        except Refused as refusal:
            if refusal.code not in ("not-running", "storage", "busy"):
                raise


def _act(seat: int, action: str, version: int, table: Table) -> Decision:
    return commands.act(table, None, seat, action, version)
