"""The scheduler: clocks, heartbeats, bots whose turn it is, and abandoned tables."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from structlog import get_logger

from starfrost.errors import Refused
from starfrost.games.core import CHANCE
from starfrost.players import progress
from starfrost.table import commands
from starfrost.table.bots import Thinkers
from starfrost.table.closing import close_unfinished
from starfrost.table.commands import Decision
from starfrost.table.due import free_held, take_due
from starfrost.table.paces import Paces
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Unavailable
from starfrost.table.table import Table
from starfrost.table.tables import Tables
from starfrost.table.tasks import end
from starfrost.table.writes import act_at

_log = get_logger("starfrost.table")
_TICK = 0.5
_PING = 15.0
_ROUND = 1.0
"""Seconds between looks for tables that need a server and that none has in memory."""
_BATCH = 20
_TRIES = 3
"""How often a bot may fail before its first legal action is played."""
_LONGEST_PAUSE = 10.0
"""Seconds between two tries to play a bot's move."""


async def pause(seconds: float) -> None:
    """Let people follow; a bot thinks meanwhile."""
    await asyncio.sleep(seconds)


class Scheduler:
    """Does what must happen at tables without a request."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._settings = tables.settings
        self._thinkers = Thinkers(self._settings.bot_workers, self._settings.bot_patience, self._settings.stand_in)
        self._playing: dict[str, asyncio.Task[None]] = {}
        self.paces = Paces()
        self._holding: dict[str, asyncio.Event] = {}
        self._pressed: dict[str, int] = {}
        """The version of each table whose move will not be taken back; bots answer it at once."""
        self.downtimes: list[tuple[float, float]] = []
        tables.downtimes = lambda: self.downtimes
        tables.left = self._leave_to_others
        self._quiet = 2 * self._settings.bot_pace + self._settings.undo_grace + 3
        """Seconds without an event after which a table that waits for a bot may have been forgotten."""
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self) -> None:
        """Record the downtime that ends now, then start the regular jobs."""
        # With one process every second of silence was downtime; with several another one may be alive.
        await self._beat(0.0 if self._settings.is_sqlite else 1.5 * self._settings.beat)
        if self._tables.leases is None:
            await self._tables.store.write(free_held)
        else:
            self._tasks = [asyncio.create_task(self._run(self._renew, self._tables.leases.beat), name="lease")]
        self._tasks += [
            asyncio.create_task(self._run(self._heartbeat, self._settings.beat), name="heartbeat"),
            asyncio.create_task(self._run(self._clocks, _TICK), name="clocks"),
            asyncio.create_task(self._run(self._look_after, _ROUND), name="due"),
            asyncio.create_task(self._run(self._ping, _PING), name="ping"),
        ]

    async def stop(self) -> None:
        """Stop the regular jobs, with a last heartbeat."""
        # A bot's last move may still be being written; it must not wake the next bot.
        self._stopping = True
        await end([*self._tasks, *self._playing.values()])
        self._thinkers.close()
        progress.stop()
        if self._tasks:
            await self._beat(3 * self._settings.beat)
        self._tasks = []

    @staticmethod
    async def _run(job: Callable[[], Coroutine[Any, Any, None]], pause: float) -> None:
        while True:
            try:
                await job()
            except (Unavailable, Refused) as error:
                _log.warning("scheduler waits", job=job.__name__, error=str(error))
            except Exception:
                _log.exception("scheduler failed", job=job.__name__)
            await asyncio.sleep(pause)

    # Downtime

    async def _beat(self, threshold: float) -> bool:
        """Record that the server is alive; return whether that worked, so that all downtimes are known."""
        try:
            self.downtimes = await asyncio.wait_for(self._tables.store.beat(threshold), 5)
        except (Unavailable, TimeoutError, Exception) as error:
            _log.warning("heartbeat failed", error=str(error) or type(error).__name__)
            return False
        return True

    async def _heartbeat(self) -> None:
        await self._beat(3 * self._settings.beat)

    async def _renew(self) -> None:
        if self._tables.leases is not None:
            await self._tables.leases.renew()

    async def _ping(self) -> None:
        self._tables.streams.ping()

    # Clocks

    async def _clocks(self) -> None:
        """Give the seats of people whose time is up to bots, and unload tables that are not in use."""
        tables = self._tables
        now = time.time()
        moved = {table.id: table.snapshot.moved for table in tables.in_memory()}
        self._pressed = {table_id: at for table_id, at in self._pressed.items() if moved.get(table_id, at + 1) <= at}
        late = [table for table in tables.in_memory() if self._is_late(table, now)]
        # A process that was suspended, or whose clock has jumped, learns of that downtime only from its own heartbeat.
        if late and await self._beat(3 * self._settings.beat):
            for table in late:
                if self._is_late(table, now):
                    await self._expire(table.id, now)
        oldest = time.monotonic() - self._settings.keep_hot
        tables.leavers.unload([table for table in tables.in_memory() if table.used < oldest and self._is_unused(table)])
        for table in tables.in_memory():
            if now - table.snapshot.moved_at > self._quiet and table.id not in self._playing:
                # Whatever ended the task that plays its bots: a table that waits for a bot is always woken again.
                self.wake_bot(table.snapshot, prepare=False)
        tables.metrics.hot_tables.set(len(tables.in_memory()))
        tables.metrics.streams.set(tables.streams.count)

    def _is_unused(self, table: Table) -> bool:
        watched = self._tables.streams.is_watched(table.id)
        busy = table.id in self._playing or _waits_for_bot(table.snapshot)
        return not table.lock.locked() and not watched and not busy

    def _is_late(self, table: Table, now: float) -> bool:
        due = table.snapshot.deadline(self.downtimes)
        return due is not None and now >= due and not table.newer

    async def _expire(self, table_id: str, now: float) -> None:
        def decide(table: Table) -> Decision:
            # Check again under the table's lock: a move may just have arrived.
            due, acting = table.snapshot.deadline(self.downtimes), table.snapshot.acting
            if due is None or now < due or acting is None:
                raise Refused("not-due", "A move arrived in time.")
            return commands.clock_out(table.snapshot, acting + 1, self._settings.stand_in)

        try:
            await self._tables.submit(table_id, None, None, decide, {})
        except Refused as refusal:
            if refusal.code not in ("not-due", "storage", "busy", "newer"):
                raise

    # Bots

    def wake_bot(self, table: Snapshot, prepare: bool = True) -> None:
        """Start the bots of a table whose turn it is, and have the cards solved for bots that need it."""
        if 0 < self._settings.longest_game <= table.version and not table.ended and not self._stopping:
            self._tables.spawn(self._close_long(table.id), "close")
            return
        if self._stopping or table.acting is None or table.paused:
            return
        if prepare:
            self._prepare(table)
        before = self._playing.get(table.id)
        # A task that has just found nothing more to do may still be listed.
        if (before is None or before.done()) and _waits_for_bot(table):
            task = self._tables.spawn(self._play_bots(table.id), "bot")
            self._playing[table.id] = task
            task.add_done_callback(partial(self._played, table.id))

    async def _close_long(self, table_id: str) -> None:
        if await close_unfinished(self._tables, table_id, "length"):
            _log.warning("table closed", table=table_id, why="length")

    def _played(self, table_id: str, task: asyncio.Task[None]) -> None:
        if self._playing.get(table_id) is task:
            del self._playing[table_id]

    def _leave_to_others(self, table_id: str) -> None:
        """Stop the bots of a table that another process takes over."""
        task = self._playing.pop(table_id, None)
        if task is not None:
            task.cancel()

    def _prepare(self, table: Snapshot) -> None:
        """Have the cards of a running table solved in the background if one of its bots needs that."""
        bots = [seat.bot for seat in table.seats if seat.kind == "bot" and seat.bot]
        if bots and progress.waiting(table.game, bots):
            self._tables.spawn(asyncio.to_thread(progress.prepare, table.game, bots), "solve")

    def held_until(self, table: Snapshot) -> float | None:
        """Return until when a table's bots wait for the last move to be taken back; None if they do not."""
        guest = table.before_bot
        if guest is None or self._pressed.get(table.id) == table.moved:
            return None
        until = table.moved_at + self._settings.undo_grace * self.paces.of(guest).grace
        # Only who looks at the table can notice the undo, and only who had a choice can regret it.
        looks = until > time.time() and guest in self._tables.streams.watchers(table.id).guests
        return until if looks and table.had_choice else None

    def press_on(self, table_id: str, moved: int) -> None:
        """Let the bots of a table answer the move of a version: it will not be taken back."""
        self._pressed[table_id] = moved
        if table_id in self._holding:
            self._holding[table_id].set()

    async def _hold(self, table: Snapshot) -> None:
        """Wait as long as the last move can be taken back."""
        until = self.held_until(table)
        if until is None:
            return
        pressed = self._holding[table.id] = asyncio.Event()
        try:
            await asyncio.wait_for(pressed.wait(), until - time.time())
        except TimeoutError:
            pass
        finally:
            self._holding.pop(table.id, None)

    async def _play_bots(self, table_id: str) -> None:
        """Play the moves of a table's bots until it is a person's turn; go on after every failure."""
        failures = 0
        while True:
            try:
                if not await self._play_bot(table_id, failures):
                    return
                failures = 0
                continue
            except Refused as refusal:
                if refusal.code in ("no-table", "unreadable", "newer"):
                    return
                if refusal.code in ("stale", "not-your-turn"):
                    await asyncio.sleep(0.05)
                    continue
                _log.warning("bot refused", table=table_id, code=refusal.code)
            except Exception:
                _log.exception("bot failed", table=table_id)
            failures += 1
            await asyncio.sleep(min(0.1 * 2**failures, _LONGEST_PAUSE))

    async def _play_bot(self, table_id: str, failures: int) -> bool:
        """Play one move of a table's bot; return whether there was one to play. Raises Refused."""
        loaded = await self._tables.load(table_id)
        table = loaded.snapshot
        acting = table.acting
        if acting is None or not _waits_for_bot(table):
            return False
        bot = table.seats[acting].bot or self._settings.stand_in
        pace = self._settings.bot_pace * self.paces.wait(table)
        if table.game.actor(table.state) == CHANCE:
            await pause(pace / 2)
            await self._hold(table)
            action = "roll"
        elif failures >= _TRIES:
            action = str(table.legal[0])
        else:
            thought = asyncio.create_task(
                self._thinkers.choose(bot, table.game, table.headers, table.state, loaded.opener)
            )
            try:
                await pause(pace)
                await self._hold(table)
                action = await thought
            finally:
                thought.cancel()
        decide = partial(act_at, None, acting + 1, action, table.version)
        await self._tables.submit(table_id, None, None, decide, {})
        return True

    # Tables that no process has in memory

    async def _look_after(self) -> None:
        """Take tables that wait for a bot or a clock and that no process has; close those idle for too long."""
        tables = self._tables
        while found := await take_due(tables.store, _BATCH, tables.leases.server if tables.leases else None):
            began = time.monotonic()
            while found:
                try:
                    await self._look_at(found[-1], time.time())
                except Exception:
                    tables.leavers.put_off(found)
                    raise
                found.pop()
            # With very many tables this takes long: it must not take all of the process's time.
            await asyncio.sleep(3 * (time.monotonic() - began))

    async def _look_at(self, table_id: str, now: float) -> None:
        tables = self._tables
        in_use = tables.owns(table_id)
        try:
            table = await tables.load(table_id)
        except Refused as refusal:
            if refusal.code not in ("no-table", "unreadable", "newer"):
                raise
            return
        if now - table.at > self._settings.idle_days * 86_400:
            await close_unfinished(tables, table_id, "idle")
        self.wake_bot(table.snapshot)
        due = table.snapshot.deadline(self.downtimes)
        if not in_use and self._is_unused(table) and (due is None or due > now + self._settings.keep_hot):
            tables.leavers.unload([table])


def _waits_for_bot(table: Snapshot) -> bool:
    acting = table.acting
    return acting is not None and table.seats[acting].kind == "bot" and not table.paused
