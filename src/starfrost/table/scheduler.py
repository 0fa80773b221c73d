"""The scheduler: clocks, heartbeats, bots whose turn it is, and abandoned tables.

The process that stored an event plays the bot whose turn it is then. `tables.due` says when somebody else must look at
a table: when a clock runs out, when patience ends, or when the process that plays its bots has been silent. Whoever
looks claims the table for some seconds. A claim saves work and decides nothing: a bot's move is stored like any other
command, so it does no harm if two processes make it.
"""

import asyncio
import time
from functools import partial

from structlog import get_logger

from starfrost.bots import progress
from starfrost.errors import Refused
from starfrost.games.core import CHANCE
from starfrost.table import commands
from starfrost.table.bots import BotWorkers
from starfrost.table.commands import Decision
from starfrost.table.host import TableHost
from starfrost.table.paces import Paces
from starfrost.table.snapshot import Snapshot
from starfrost.table.table import Table
from starfrost.table.tasks import end, guarded, regularly

_log = get_logger("starfrost.table")
_TICK = 0.5
_BATCH = 20
_UNREADABLE = 3600.0
"""Seconds until a table that cannot be read is looked at again."""
_TRIES = 3
"""How often a bot may fail before its first legal action is played."""
_LONGEST_PAUSE = 10.0
"""Seconds between two tries to play a bot's move."""


async def pause(seconds: float) -> None:
    """Let people follow; a bot thinks meanwhile."""
    await asyncio.sleep(seconds)


class Scheduler:
    """Does what must happen at tables without a request."""

    def __init__(self, tables: TableHost) -> None:
        self._tables = tables
        self._settings = tables.settings
        self._bots = BotWorkers(self._settings.bot_workers, self._settings.bot_patience, self._settings.stand_in)
        self._playing: dict[str, asyncio.Task[None]] = {}
        self.paces = Paces()
        self._holding: dict[str, asyncio.Event] = {}
        self._pressed: dict[str, int] = {}
        """The version of each table whose move will not be taken back; bots answer it at once."""
        self.downtimes: list[tuple[float, float]] = []
        tables.downtimes = lambda: self.downtimes
        tables.fanout.on_message |= {"go on": self._go_on, "pace": self.paces.wish}
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self) -> None:
        """Record the downtime that ends now, then start the regular jobs."""
        # With one process every second of silence was downtime; with several another one may be alive.
        await self._beat(0.0 if self._settings.is_sqlite else 1.5 * self._settings.beat)
        if not self._tables.is_shared:
            await self._tables.store.free_claims(self._tables.takeover)
        self._tasks = [
            regularly(self._heartbeat, self._settings.beat),
            regularly(self._look_after, _TICK),
        ]

    async def stop(self) -> None:
        """Stop the regular jobs, with a last heartbeat."""
        # A bot's last move may still be being written; it must not wake the next bot.
        self._stopping = True
        playing = list(self._playing)
        await end([*self._tasks, *self._playing.values()])
        self._bots.pool.close()
        progress.stop()
        if self._tasks:
            await self._beat(3 * self._settings.beat)
            await guarded(partial(self._tables.store.set_due, 0.0, playing))
        self._tasks = []

    # Downtime

    async def _beat(self, threshold: float) -> bool:
        """Record that the server is alive; return whether that worked, so that all downtimes are known."""
        try:
            self.downtimes = await asyncio.wait_for(self._tables.store.beat(threshold), 5)
        except Exception as error:
            _log.warning("heartbeat failed", error=getattr(error, "cause", str(error)) or type(error).__name__)
            return False
        return True

    async def _heartbeat(self) -> None:
        await self._beat(3 * self._settings.beat)
        if self._playing:
            # Others leave these tables alone, and take them over if this is not said in time.
            await self._tables.store.set_due(self._tables.store.now() + self._tables.takeover, self._playing)

    # Tables that are due

    async def _look_after(self) -> None:
        """Look at tables that wait for a bot that nobody plays, whose clock runs out, or that are idle for too long."""
        tables = self._tables
        moved = {table.id: table.snapshot.moved for table in tables.in_memory()}
        self._pressed = {table_id: at for table_id, at in self._pressed.items() if moved.get(table_id, at + 1) <= at}
        while found := await tables.store.claim_due(_BATCH, tables.takeover):
            began = time.monotonic()
            for table_id in found:
                await guarded(partial(self._look_at, table_id))
            # With very many tables this takes long: it must not take all of the process's time.
            await asyncio.sleep(3 * (time.monotonic() - began))
        tables.evict()
        tables.metrics.hot_tables.set(len(tables.in_memory()))
        tables.metrics.streams.set(tables.streams.count)

    async def _look_at(self, table_id: str) -> None:
        """Do what is due at a table that this process has claimed, and store when it is due again."""
        tables, now = self._tables, self._tables.store.now()
        try:
            table = await tables.look(table_id)
        except Refused as refusal:
            if refusal.code == "unreadable":
                await tables.store.set_due(now + _UNREADABLE, [table_id])
            if refusal.code not in ("no-table", "unreadable", "newer"):
                raise
            return
        # A process that was suspended, or whose clock has jumped, learns of that downtime only from its own heartbeat.
        if self._is_late(table, now) and await self._beat(3 * self._settings.beat) and self._is_late(table, now):
            await self._expire(table_id, now)
        elif now - table.at > self._settings.idle_days * 86_400:
            await tables.close_unfinished(table_id, "idle")
        elif table.snapshot.waits_for_bot:
            table.own = True
            self.wake_bot(table.snapshot)
        else:
            await tables.store.set_due(tables.due(table.snapshot, table.at), [table_id], table.version)
            if table.snapshot.awaited is not None:
                tables.waits(table.snapshot)

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
            if refusal.code not in ("not-due", "storage", "busy", "newer", "no-table"):
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
        if (before is None or before.done()) and table.waits_for_bot:
            task = self._tables.spawn(self._play_bots(table.id), "bot")
            self._playing[table.id] = task
            task.add_done_callback(partial(self._played, table.id))

    async def _close_long(self, table_id: str) -> None:
        if await self._tables.close_unfinished(table_id, "length"):
            _log.warning("table closed", table=table_id, why="length")

    def _played(self, table_id: str, task: asyncio.Task[None]) -> None:
        if self._playing.get(table_id) is task:
            del self._playing[table_id]

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
        looks = until > self._tables.store.now() and guest in self._tables.streams.watchers(table.id).guests
        return until if looks and table.had_choice else None

    def wish_pace(self, guest: str, pace: str) -> None:
        """Note, in every process, how fast a guest wants to see the moves of bots."""
        if self.paces.wish(guest, pace):
            self._tables.fanout.pubsub.send("pace", guest=guest, pace=pace)

    def press_on(self, table_id: str, moved: int) -> None:
        """Let the bots of a table answer the move of a version: it will not be taken back."""
        self._go_on(table_id, moved)
        self._tables.fanout.pubsub.send("go on", table=table_id, moved=moved)

    def _go_on(self, table: str, moved: int) -> None:
        self._pressed[table] = moved
        if table in self._holding:
            self._holding[table].set()

    async def _hold(self, table: Snapshot) -> None:
        """Wait as long as the last move can be taken back."""
        until = self.held_until(table)
        if until is None:
            return
        pressed = self._holding[table.id] = asyncio.Event()
        try:
            await asyncio.wait_for(pressed.wait(), until - self._tables.store.now())
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
                if refusal.code in ("stale", "not-your-turn", "not-your-seat", "not-running"):
                    # Somebody else moved: whether there is something left to play is seen at the next look.
                    await asyncio.sleep(0.05)
                    continue
                _log.warning("bot refused", table=table_id, code=refusal.code)
            except Exception:
                _log.exception("bot failed", table=table_id)
            failures += 1
            await asyncio.sleep(min(0.1 * 2**failures, _LONGEST_PAUSE))

    async def _play_bot(self, table_id: str, failures: int) -> bool:
        """Play one move of a table's bot; return whether there was one for this process. Raises Refused."""
        loaded = await self._tables.look(table_id)
        table = loaded.snapshot
        acting = table.acting
        # If another process stored the last event, that one plays.
        if acting is None or not table.waits_for_bot or not loaded.own:
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
            thought = asyncio.create_task(self._bots.choose(bot, table.game, table.headers, table.state, loaded.opener))
            try:
                await pause(pace)
                await self._hold(table)
                action = await thought
            finally:
                thought.cancel()

        def decide(loaded: Table) -> Decision:
            return commands.act(loaded.snapshot, loaded.dice, None, acting + 1, action, table.version)

        await self._tables.submit(table_id, None, None, decide, {})
        return True
