"""The tables in this process's memory, and the one path that all commands take.

A command is checked against the current table, becomes one event, is stored, and only then changes the table and is
answered and announced. A table handles one command at a time; the writer stores those of all tables together.

Where several processes share a Postgres, a process has only those tables in memory that it owns (`table.leases`); it
reads others as they are stored, and takes them over if it is told to carry out a command there.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from structlog import get_logger

from starfrost.errors import NotationError, Refused
from starfrost.table.answers import Answer, NewTable
from starfrost.table.commands import Decision
from starfrost.table.due import note_due
from starfrost.table.leases import Leases, release
from starfrost.table.leavers import Leavers
from starfrost.table.metrics import Metrics
from starfrost.table.names import clean_key
from starfrost.table.postgres_append import PostgresAppender
from starfrost.table.postgres_notify import PostgresNotifier
from starfrost.table.refusals import check_id, key_used, newer, unavailable
from starfrost.table.replicas import Replicas
from starfrost.table.settings import Settings
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict, Event, Fenced, Store, Unavailable
from starfrost.table.streams import Streams
from starfrost.table.table import Table
from starfrost.table.tasks import end
from starfrost.table.writer import Writer
from starfrost.table.writes import stored

_log = get_logger("starfrost.table")
_PRESENCE_DELAY = 0.1
Told = Callable[[Answer | None], None]


class Tables:
    """Tables in memory, their commands and their signals."""

    def __init__(self, settings: Settings, metrics: Metrics, changed: Callable[[Snapshot], None]) -> None:
        self.settings = settings
        self.metrics = metrics
        self.store = Store(settings)
        self.streams = Streams(self._presence_changed)
        self.writer = Writer(self.store, metrics.batch_size)
        self._changed = changed
        self.turned: Callable[[Snapshot], None] = lambda table: None
        """Called in the process that stored an event, if the table waits for another guest since then."""
        self.ended: Callable[[Snapshot], None] = lambda table: None
        """Called in the process that stored the last event of a game."""
        self.forgotten: Callable[[str], None] = lambda guest: None
        """Called in every process when a guest is renamed, signed out or deleted."""
        self.used: Callable[[str, str, float], None] = lambda limit, client, cost: None
        """Called when a client has used a limit in another process."""
        self.opened: Callable[[str, str, dict[str, int]], None] = lambda gauge, process, counts: None
        """Called when another process tells what clients have open there."""
        self.left: Callable[[str], None] = lambda table_id: None
        """Called when another process takes a table over."""
        self.downtimes: Callable[[], list[tuple[float, float]]] = list
        self.leases: Leases | None = None
        self.addresses: tuple[str, ...] = ()
        """Where other servers of the same Postgres reach this one."""
        self.replicas = Replicas(self)
        self.leavers = Leavers(self)
        self._in_memory: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._notifier: PostgresNotifier | None = None
        self._appender: PostgresAppender | None = None
        self._presence_due: set[str] = set()

    async def start(self) -> None:
        """Open the store, start writing and listening. Raises UsageError."""
        await self.store.open()
        self.writer.start()
        self.store.give_back = note_due
        if not self.settings.is_sqlite:
            self._notifier = PostgresNotifier(self.settings, self._notified, self._listening_again)
            self._notifier.start()
            leases = self.leases = Leases(self.store, self.addresses, self._lost, self._ask_for)
            self.store.fence = leases.fence
            appender = self._appender = PostgresAppender(self.settings)
            self.store.append_moves = lambda rows: appender.append(leases.server, rows)
            self.store.give_back = lambda connection, leaving: release(connection, leases.server, leaving)
            await leases.start()

    async def stop(self) -> None:
        """Store pending writes and close everything."""
        await end(list(self._tasks))
        await self.writer.stop()
        if self._appender is not None:
            await self._appender.close()
        if self.leases is not None:
            with suppress(Unavailable, Conflict):
                await self.leases.stop()
        if self._notifier is not None:
            await self._notifier.stop()
        await self.store.close()

    def spawn(self, coroutine: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run a task that is cancelled when the tables stop."""
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Commands

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

        `guest` is None for bots and the scheduler. `expected` is what a stored event must
        say to count as the same command. Raises Refused.
        """
        full_key = None if guest is None else f"{guest}:{clean_key(key)}"
        for _ in range(5):
            table = await self.load(table_id)
            async with table.lock:
                if table.stale:
                    continue
                if full_key is not None and full_key in table.keys:
                    return self._first_answer(table, table.keys[full_key], expected)
                if table.newer:
                    await self.catch_up(table)
                    if table.newer:
                        raise newer()
                decision = decide(table)
                event, write = stored(table, guest, full_key, decision)
                adopt: Callable[[], None] = partial(self._adopt, table, event, decision)
                for new in opens:
                    write = write._replace(
                        events=(event, *new.write.events), opens=new.write.opens, invites=new.write.invites
                    )
                    adopt = partial(_both, adopt, new.adopt)
                try:
                    await self.writer.write(write, adopt)
                except Conflict:
                    await self.catch_up(table)
                    continue
                except Unavailable as error:
                    self.drop(table)
                    if isinstance(error, Fenced) and self.leases is not None:
                        self.leases.lose(str(error))
                    raise unavailable() from None
            self.metrics.command(decision.kind).inc()
            return self.answer(table, event.seq)
        raise Refused("busy", "Many commands reached this table at once; try again.", 503)

    def submit_now(self, table_id: str, guest: str, key: str, decide: Callable[[Table], Decision], done: Told) -> bool:
        """Begin to carry out a new command if that needs no waiting, and return whether it was begun. Raises Refused.

        `done` gets the answer once the command is stored, or None if it was not: then it must be submitted again.
        """
        table = self._in_memory.get(table_id)
        if table is None or table.newer or table.lock.locked() or (self.leases is not None and not self.leases.is_good):
            return False
        full_key = f"{guest}:{clean_key(key)}"
        if full_key in table.keys:
            return False
        table.used = time.monotonic()
        decision = decide(table)
        if not _lock_now(table.lock):
            return False
        event, write = stored(table, guest, full_key, decision)

        def written(error: Exception | None) -> None:
            table.lock.release()
            if error is None:
                self.metrics.command(decision.kind).inc()
            done(self.answer(table, event.seq) if error is None else None)

        self.writer.put(write, partial(self._adopt, table, event, decision), written)
        return True

    def _adopt(self, table: Table, event: Event, decision: Decision) -> None:
        """Apply an event that is now durable, and announce it."""
        before = table.snapshot.awaited
        table.noted = True
        table.adopt(event, decision.body, decision.outcome)
        if table.stale:
            self.streams.announce(table.id, event.seq)
            self.drop(table)
        else:
            self.streams.announce(table.id, event.seq, table.log[-1])
            self._changed(table.snapshot)
            if decision.status == "over":
                self.ended(table.snapshot)
            if table.snapshot.awaited not in (None, before, event.guest):
                self.turned(table.snapshot)

    def add(self, table: Table) -> None:
        """Add a table that has just been stored; among several processes the first that is asked for it owns it."""
        if self.leases is None:
            table.noted = True
            self._in_memory[table.id] = table
            self._changed(table.snapshot)

    def answer(self, table: Table, seq: int) -> Answer:
        """Return the answer that carries a stored event."""
        return Answer(table.id, seq, table.log[seq - 1], table.snapshot)

    def _first_answer(self, table: Table, seq: int, expected: dict[str, Any]) -> Answer:
        answer = self.answer(table, seq)
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

    # Tables in memory

    async def load(self, table_id: str) -> Table:
        """Return a table that this process may change, read from its log if it is not in memory. Raises Refused."""
        if self.leases is not None and not self.leases.is_good:
            await self.leases.make_good()
        table = self._in_memory.get(table_id)
        if table is not None:
            table.used = time.monotonic()
            table.open_envelope()
            return table
        await self.leavers.gone(table_id)
        task = self._loading.get(table_id)
        if task is None:
            task = self._loading[table_id] = asyncio.create_task(self._read(table_id))
            task.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(task)

    async def _read(self, table_id: str) -> Table:
        while True:
            if self.leases is None:
                table = await self.read(table_id, whole=False)
                break
            check_id(table_id)
            await self.leases.acquire(table_id)
            server = self.leases.server
            table = await self.read(table_id, whole=False)
            if self.leases.server == server and self.leases.is_good:
                break
        if table.newer and self.leases is not None:
            # A server of a newer version can go on with it.
            self.leavers.put_off([table_id])
            raise newer()
        table.noted = self.leases is not None
        self._in_memory[table_id] = table
        self.replicas.forget(table_id)
        self.streams.announce(table_id, table.version)
        self._changed(table.snapshot)
        return table

    def owns(self, table_id: str) -> bool:
        """Return whether a table is in memory and nobody else can have changed it."""
        return table_id in self._in_memory and (self.leases is None or self.leases.is_good)

    def peek(self, table_id: str) -> Table | None:
        """Return a table if it is in memory."""
        return self._in_memory.get(table_id)

    async def read(self, table_id: str, whole: bool = True) -> Table:
        """Read a table from its log and do not keep it. Raises Refused.

        `whole` refuses a table with events of a newer version, which otherwise ends before the first of them.
        """
        check_id(table_id)
        try:
            found = await self.store.table(table_id)
            log = await self.store.log(table_id) if found else []
        except Unavailable:
            raise unavailable() from None
        if found is None or not log:
            raise Refused("no-table", "This table does not exist.", 404)
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

    async def catch_up(self, table: Table) -> None:
        """Read the events that a table lacks."""
        table.newer = False
        try:
            for event in await self.store.log(table.id, table.version):
                if event.seq == table.version + 1:
                    table.adopt(event)
        except Unavailable:
            self.drop(table)
            raise unavailable() from None
        self.streams.announce(table.id, table.version)

    def drop(self, table: Table) -> None:
        """Remove a table from memory; the next reader loads it from its log."""
        table.stale = True
        if self._in_memory.get(table.id) is table:
            del self._in_memory[table.id]

    # Tables that other processes have

    def _ask_for(self, owner: str, table_id: str) -> None:
        if self.leases is not None:
            self._tell("give", {"owner": owner, "heir": self.leases.server}, table_id)

    def _lost(self) -> None:
        """Forget all tables and end their streams: other processes may have taken them over."""
        for table in self.in_memory():
            self.drop(table)
            self.left(table.id)
        self.replicas.forget()
        self.streams.end_all()

    async def reload(self, table_id: str, wake: bool = False) -> None:
        """Show a table whose log was rewritten anew, in every process; `wake`: even if nobody looks at it now."""
        self._tell("rewritten", {}, table_id)
        if wake or table_id in self._in_memory or table_id in self._loading or self.streams.is_watched(table_id):
            await self._read_again(table_id)

    async def _read_again(self, table_id: str) -> None:
        reading = self._loading.get(table_id)
        if reading is not None:
            # It may have read the log as it was before.
            await asyncio.wait([reading])
        if table_id in self._in_memory:
            self.drop(self._in_memory[table_id])
        try:
            table = await self.load(table_id)
        except Refused:
            # It was deleted, or the store does not answer and the next reader loads it.
            return
        self._changed(table.snapshot)

    def forget_guest(self, guest_id: str) -> None:
        """Have every process look up a guest again."""
        self.forgotten(guest_id)
        self._tell("guest", {"guest": guest_id})

    def tell_use(self, limit: str, client: str, cost: float) -> None:
        """Tell the other processes how much of a limit a client has used."""
        self._tell("used", {"limit": limit, "client": client, "cost": cost})

    def tell_open(self, gauge: str, counts: Mapping[str, int]) -> None:
        """Tell the other processes how many connections or streams clients have open here."""
        self._tell("open", {"gauge": gauge, "counts": counts})

    def _tell(self, kind: str, data: Mapping[str, Any], table_id: str = "") -> None:
        if self._notifier is not None:
            self._notifier.notify({"kind": kind, "table": table_id, "data": data})

    async def loaded(self, table_id: str) -> Table | None:
        """Return a table if it is in memory, or once it is if it is being read."""
        if table_id in self._loading:
            await asyncio.wait([self._loading[table_id]])
        return self._in_memory.get(table_id)

    def in_memory(self) -> list[Table]:
        """Return the tables in memory."""
        return list(self._in_memory.values())

    # Presence and messages of other processes

    def _presence_changed(self, table_id: str) -> None:
        """Send who is present soon: only once when a thousand watchers come together."""
        if table_id not in self._presence_due:
            self._presence_due.add(table_id)
            asyncio.get_running_loop().call_later(_PRESENCE_DELAY, self._send_presence, table_id)

    def _send_presence(self, table_id: str) -> None:
        self._presence_due.discard(table_id)
        table = self._in_memory.get(table_id)
        if table is not None:
            self.streams.send(table_id, "presence", table.snapshot.presence(self.streams.watchers(table_id)))

    def _notified(self, message: dict[str, Any]) -> None:
        table_id, data = message["table"], message["data"]
        if message["kind"] == "guest":
            self.forgotten(data["guest"])
        elif message["kind"] == "rewritten":
            self.replicas.forget(table_id)
            if table_id in self._in_memory or table_id in self._loading:
                self.spawn(self._read_again(table_id), "rewritten")
        elif message["kind"] == "give" and self.leases is not None and data["owner"] == self.leases.server:
            self.leavers.hand_over(table_id, data["heir"])
        elif message["kind"] == "used":
            # An older version tells of one use at a time and does not say so.
            self.used(data["limit"], data["client"], data.get("cost", 1.0))
        elif message["kind"] == "open":
            self.opened(data["gauge"], message["from"], data["counts"])

    def _listening_again(self) -> None:
        """Read tables again that are used again: that one was rewritten may have been missed."""
        self.replicas.forget()
        for table in self.in_memory():
            self.drop(table)


def _lock_now(lock: asyncio.Lock) -> bool:
    """Acquire a lock if nobody holds it or waits for it, and return whether that was so."""
    acquiring = lock.acquire()
    try:
        acquiring.send(None)
    except StopIteration:
        return True
    acquiring.close()
    return False


def _both(first: Callable[[], None], second: Callable[[], None]) -> None:
    first()
    second()


def _same_action(table: Snapshot, stored: object, given: Any) -> bool:
    if stored == str(given):
        return True
    try:
        return stored == str(table.game.parse_action(str(given)))
    except NotationError:
        return False
