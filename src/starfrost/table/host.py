"""The tables of this process, and the one path that all commands take.

A command is checked against a copy of the table in memory, becomes one event, is stored if the table is still as it
was, and only then changes the copy and is answered and announced. No process owns a table: the database decides who
was first, and whoever was second reads what happened and decides again.

Where several processes share a Postgres, a copy may be behind: readers compare its version with the stored one, and a
command that is refused is decided again on what is stored.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from structlog import get_logger

from starfrost.errors import NotationError, Refused
from starfrost.table import commands
from starfrost.table.append import Append
from starfrost.table.clocks import CLOCKS, DAY, REMINDER
from starfrost.table.commands import Decision
from starfrost.table.fanout import FanOut
from starfrost.table.log import Event, write_body
from starfrost.table.metrics import Metrics
from starfrost.table.names import clean_key
from starfrost.table.new_table import NewTable
from starfrost.table.results import results_of
from starfrost.table.settings import Settings
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict, Opened, Store, Unavailable, Version, Write
from starfrost.table.table import Answer, Table
from starfrost.table.tasks import end
from starfrost.table.writer import Writer

_log = get_logger("starfrost.table")
_TRIES: Final = 8
"""How often a command is decided again because another one was first."""


class TableHost:
    """Tables in memory, their commands and their signals."""

    def __init__(self, settings: Settings, metrics: Metrics, changed: Callable[[Snapshot], None]) -> None:
        self.settings = settings
        self.metrics = metrics
        self.store = Store(settings)
        self.fanout = FanOut(self)
        self.streams = self.fanout.streams
        self.writer = Writer(self.store, metrics.batch_size)
        self.is_shared = not settings.is_sqlite
        """Other processes may change the tables, too."""
        self.takeover = max(1.0, 3 * settings.beat)
        """Seconds without a sign of life after which other processes play the bots of this one."""
        self._changed = changed
        self.turned: Callable[[Snapshot], None] = lambda table: None
        """Called in the process that stored an event, if the table waits for another guest since then."""
        self.waits: Callable[[Snapshot], None] = lambda table: None
        """Called in one process when a table without hurry, which has waited for a guest for long, was looked at."""
        self.ended: Callable[[Snapshot], None] = lambda table: None
        """Called in the process that stored the last event of a game."""
        self.forget_guest: Callable[[str], None] = lambda guest: None
        """Called when a guest was renamed, signed out or deleted here."""
        self.downtimes: Callable[[], list[tuple[float, float]]] = list
        self._in_memory: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open the store, start writing and listening. Raises UsageError."""
        await self.store.open()
        self.writer.start()
        self.fanout.start()

    async def stop(self) -> None:
        """Store pending writes and close everything."""
        await end(list(self._tasks))
        await self.writer.stop()
        await self.fanout.stop()
        await self.store.close()

    def spawn(self, coroutine: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run a task that is cancelled when the tables stop."""
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # The way of a command: fetch, authorise, decide, store, tell

    async def submit(
        self,
        table_id: str,
        guest: str | None,
        key: str | None,
        decide: Callable[[Table], Decision],
        expected: dict[str, Any],
        opens: Sequence[NewTable] = (),
    ) -> Answer:
        """Carry out a command and return its answer, or the first answer if the key was used before.

        `guest` is None for bots and the scheduler. `decide` says what the command does to the table, or refuses it.
        `expected` is what a stored event must say to count as the same command. Raises Refused.
        """
        full_key = None if guest is None else f"{guest}:{clean_key(key)}"
        fresh = False
        for _ in range(_TRIES):
            table = await (self.look(table_id, known_now=True) if fresh else self.load(table_id))
            async with table.lock:
                if table.dropped:
                    continue
                if full_key is not None and full_key in table.keys:
                    return _first_answer(table, table.keys[full_key], expected)
                try:
                    if table.newer:
                        raise newer()
                    decision = decide(table)
                except Refused:
                    # What the copy refuses, the stored table may allow.
                    if fresh or not (self.is_shared or table.newer):
                        raise
                    fresh = True
                    continue
                event = Event(
                    table_id, table.version + 1, self._time(), decision.kind, guest, full_key, write_body(decision.body)
                )
                after = table.after(event, decision.body, decision.outcome)
                append = Append(event, table.epoch, self.due(after, event.at), decision.status)
                write = self._opening(opens)._replace(append=append, results=_results(table, decision, event))
                try:
                    await self.writer.write(write, partial(self._adopt, table, table.snapshot, event, after, opens))
                except Conflict:
                    fresh = True
                    continue
                except Unavailable:
                    # Nobody knows whether it was stored: only what is in the log now is answered.
                    self.drop(table)
                    if full_key is None or full_key not in (table := await self.load(table_id)).keys:
                        raise
                    return _first_answer(table, table.keys[full_key], expected)
            self.metrics.command(decision.kind).inc()
            return table.answer(event.seq)
        raise Refused("busy", "Many commands reached this table at once; try again.", 503)

    def _time(self) -> float:
        """Return the time of an event, as exactly as it is shown."""
        return round(self.store.now(), 3)

    def due(self, table: Snapshot, at: float) -> float | None:
        """Return when some process must look at a table whose last event was at a time; None if it has ended."""
        if table.ended:
            return None
        if table.waits_for_bot:
            # Whoever stored the event plays the bot and says so again and again.
            return at + self.takeover
        deadline, seconds = table.deadline(self.downtimes()), CLOCKS[table.clock] or 0.0
        if deadline is None:
            return at + self.settings.idle_days * 86_400
        # A long clock is looked at once before it runs out: its player is reminded then.
        early = deadline - seconds / REMINDER
        return early if seconds >= DAY and self.store.now() < early else deadline

    def _adopt(self, table: Table, before: Snapshot, event: Event, after: Snapshot, opens: Sequence[NewTable]) -> None:
        """Apply an event that is now durable, and announce it."""
        # A reader may have found it in the log already.
        table.adopt(event, after)
        table.own = table.version == event.seq
        after = table.snapshot if table.own else after
        if table.dropped:
            self.drop(table)
        for new in opens:
            self._add(new.in_memory())
        self.fanout.announce(table.id, event.seq)
        self._changed(after)
        if event.kind == "act" and after.status == "over":
            self.ended(after)
        if after.awaited not in (None, before.awaited, event.guest):
            self.turned(after)

    async def open(self, new: NewTable, attempt: Mapping[str, Any] | None = None) -> Table:
        """Store a new table; `attempt` is the row of the daily game it stands for. Raises Conflict, Unavailable."""
        table = new.in_memory()
        await self.writer.write(self._opening([new])._replace(attempt=attempt), partial(self._add, table))
        self.metrics.command("open").inc()
        return table

    def _opening(self, opens: Sequence[NewTable]) -> Write:
        if not opens:
            return Write()
        opened = tuple(
            Opened(new.row, new.seed, new.event, self.due(new.in_memory().snapshot, new.event.at) or 0.0)
            for new in opens
        )
        invites = tuple((new.id, guest, new.event.at) for new in opens for guest in new.kept_for)
        rooms = [(new.row.room, new.replaces) for new in opens if new.row.room is not None]
        return Write(None, opened, invites, room=rooms[0] if rooms else None)

    def _add(self, table: Table) -> None:
        """Keep a table that has just been stored."""
        table.own = True
        self._in_memory[table.id] = table
        self._changed(table.snapshot)

    async def close_unfinished(self, table_id: str, why: str) -> bool:
        """Close a table and say why in its event; return whether that was done: it may have ended or be gone."""

        def decide(table: Table) -> Decision:
            return commands.close(table.snapshot, None, table.version, why)

        try:
            closed = (await self.submit(table_id, None, None, decide, {})).snapshot
        except Refused as refusal:
            if refusal.code not in ("not-running", "storage", "busy", "newer", "no-table", "unreadable"):
                raise
            return False
        await self.withdraw(closed.previous, closed.id)
        return True

    async def withdraw(self, table_id: str | None, closed: str | None) -> None:
        """Let a table offer a rematch again after the table of its rematch was closed; nothing if either is None."""
        if table_id is None or closed is None:
            return

        def decide(table: Table) -> Decision:
            return commands.withdraw(table.snapshot, closed)

        # Where this fails, whoever asks for a rematch withdraws the old one first.
        with suppress(Refused):
            await self.submit(table_id, None, None, decide, {})

    # Tables in memory

    async def look(self, table_id: str, at_least: int | None = None, *, known_now: bool = False) -> Table:
        """Return a table as it is stored now, or at least at a version that somebody was told. Raises Refused."""
        table = self._in_memory.get(table_id)
        if table is None:
            return await self.load(table_id)
        if (self.is_shared or known_now) and (at_least is None or table.version < at_least):
            stored = await self.store.versions([table_id])
            return await self._as_stored(table, stored.get(table_id))
        return await self.load(table_id)

    async def look_all(self, table_ids: Sequence[str]) -> list[Table]:
        """Return those tables of a list that can be read, as they are stored now. Raises Unavailable."""
        known = [table_id for table_id in table_ids if table_id in self._in_memory] if self.is_shared else []
        stored = await self.store.versions(known)
        found = []
        for table_id in table_ids:
            table = self._in_memory.get(table_id)
            try:
                if table is not None and table_id in stored:
                    found.append(await self._as_stored(table, stored[table_id]))
                else:
                    found.append(await self.look(table_id))
            except Refused as refusal:
                # Deleted meanwhile, or damaged.
                if refusal.code not in ("no-table", "unreadable", "newer"):
                    raise
        return found

    async def _as_stored(self, table: Table, stored: Version | None) -> Table:
        """Bring a table up to date with what is stored. Raises Refused."""
        # What a newer version wrote may be gone, or understood by now.
        table.newer = False
        if stored is None or stored.epoch != table.epoch:
            self.drop(table)
        elif stored.number > table.version:
            self.read_on(table, await self.store.log(table.id, table.version))
        return await self.load(table.id)

    def read_on(self, table: Table, tail: Iterable[Event]) -> None:
        """Take over events that other processes have stored."""
        for event in tail:
            table.adopt(event)
            if table.newer or table.dropped:
                break
            self.streams.announce(table.id, table.version)
        if table.dropped:
            self.drop(table)

    async def load(self, table_id: str) -> Table:
        """Return a table from memory, however old, or from its log. Raises Refused."""
        table = self._in_memory.get(table_id)
        if table is not None:
            table.used = time.monotonic()
            table.open_envelope()
            return table
        task = self._loading.get(table_id)
        if task is None:
            task = self._loading[table_id] = asyncio.create_task(self._load(table_id))
            task.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(task)

    async def _load(self, table_id: str) -> Table:
        table = await self.read(table_id, whole=False)
        self._in_memory[table_id] = table
        self.streams.announce(table_id, table.version)
        return table

    async def read(self, table_id: str, whole: bool = True) -> Table:
        """Read a table from its log and do not keep it. Raises Refused.

        `whole` refuses a table with events of a newer version, which otherwise ends before the first of them.
        """
        if len(table_id) > 32 or "\0" in table_id:
            raise _no_table()
        found = await self.store.table(table_id)
        log = await self.store.log(table_id) if found else []
        if found is None or not log:
            raise _no_table()
        # A long game takes several milliseconds to replay.
        try:
            table = await asyncio.to_thread(Table.replayed, *found, log)
        except Exception as error:
            # A damaged log, or the package of its game is gone: the other tables can be read.
            _log.error("table unreadable", table=table_id, error=type(error).__name__)
            raise Refused("unreadable", "This table cannot be read.", 500) from error
        if table.newer:
            _log.warning("table waits for an upgrade of this server", table=table_id, version=table.version)
            if whole or not table.version:
                raise newer()
        return table

    def peek(self, table_id: str) -> Table | None:
        """Return a table if it is in memory."""
        return self._in_memory.get(table_id)

    def in_memory(self) -> list[Table]:
        """Return the tables in memory."""
        return list(self._in_memory.values())

    def drop(self, table: Table) -> None:
        """Remove a table from memory; the next reader loads it from its log."""
        table.dropped = True
        if self._in_memory.get(table.id) is table:
            del self._in_memory[table.id]

    def evict(self) -> None:
        """Remove tables from memory that nobody has used for a while; the log has everything."""
        oldest = time.monotonic() - self.settings.keep_hot
        for table in self.in_memory():
            if table.used < oldest and not table.lock.locked() and not self.streams.is_watched(table.id):
                self.drop(table)

    async def rewritten(self, table_id: str) -> None:
        """Show a table whose log was rewritten anew, in every process."""
        self.fanout.pubsub.send("rewritten", table=table_id)
        await self.read_again(table_id)

    async def read_again(self, table_id: str) -> None:
        """Forget the copy of a table whose log was rewritten; one that is watched is read at once."""
        reading = self._loading.get(table_id)
        if reading is not None:
            # It may have read the log as it was before.
            await asyncio.wait([reading])
        if table_id in self._in_memory:
            self.drop(self._in_memory[table_id])
        if self.streams.is_watched(table_id):
            with suppress(Refused):
                await self.load(table_id)


def newer() -> Refused:
    """Return the refusal for a table with events that only a newer version understands."""
    return Refused(
        "newer", "This table is played by a newer version of Starfrost; this server waits for its upgrade.", 503
    )


def key_used() -> Refused:
    """Return the refusal for a key that was used for another command."""
    return Refused("key-used", "This key was used for another command.", 422)


def _no_table() -> Refused:
    return Refused("no-table", "This table does not exist.", 404)


def _results(table: Table, decision: Decision, event: Event) -> tuple[dict[str, Any], ...]:
    """Return the results that are stored with the end of a game."""
    if decision.status != "over" or decision.outcome is None:
        return ()
    line, moves = decision.outcome
    ended = results_of(table.snapshot, line.state, [*table.snapshot.moves, *moves], event.at)
    return tuple(result._asdict() for result in ended)


def _first_answer(table: Table, seq: int, expected: Mapping[str, Any]) -> Answer:
    """Return the answer to a command that is repeated. Raises Refused if the key was used for another one."""
    answer = table.answer(seq)
    event = answer.event
    for name, value in expected.items():
        if name == "kind":
            same = event["kind"] in value
        elif name == "action":
            same = _same_action(table.snapshot, event.get("action"), value)
        elif name == "contribution":
            # Only who joins before the start has one; without one of the player's own the server made it.
            own = event.get("contribution") if event.get("source") == "player" else None
            same = "source" not in event or own == value
        else:
            same = value is None or event.get(name) == value
        if not same:
            raise key_used()
    return answer


def _same_action(table: Snapshot, stored: object, given: Any) -> bool:
    if stored == str(given):
        return True
    try:
        return stored == str(table.game.parse_action(str(given)))
    except NotationError:
        return False
