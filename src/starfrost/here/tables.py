"""The tables of one device. The log of a table is kept before a command is answered, like that of a server's table."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Any, Final

from starfrost.bots.registry import make_bot
from starfrost.bots.thinking import think
from starfrost.errors import Refused
from starfrost.fair.dice import Seed
from starfrost.games.core import CHANCE
from starfrost.table import commands
from starfrost.table.commands import Decision
from starfrost.table.log import Event, TableRow, write_body
from starfrost.table.names import clean_key, clean_name
from starfrost.table.new_table import NewTable, new_table
from starfrost.table.opening import Opening
from starfrost.table.paces import Paces
from starfrost.table.play import Play
from starfrost.table.records import table_record
from starfrost.table.results import HistoryEntry, Result, results_of
from starfrost.table.snapshot import Snapshot
from starfrost.table.table import Answer, Table
from starfrost.table.view import Guest, TableView, Watchers

Keep = Callable[[Mapping[str, str]], Awaitable[None]]
"""Stores texts under names, all or none. Raises OSError if there is no room."""

ME: Final = "here"
"""The id of the person at this device."""
TABLE: Final = "table:"
"""Before the id of a table: the name of its log."""
GAME: Final = "game:"
"""Before the id of a table: the name of its finished game, which waits for a server."""
_GRACE: Final = 1.3
"""Seconds in which a move can be taken back before a bot answers it, as a server's `undo_grace`."""
_READING: Final = 0.4
"""Seconds until somebody has seen what they have rolled."""
_PAUSE: Final = 0.03
"""Seconds in which pages are answered before a bot thinks."""


class Tables(Play):
    """The tables of one device, and the person at it."""

    stand_in_bot = "greedy"
    bots_alone = False
    sealed = False
    history: Any
    puzzles: Any
    rooms: Any
    quota: Any
    upkeep: Any
    """What pages ask of a service besides tables; `Pages` sets them."""

    def __init__(self, keep: Keep, kept: Mapping[str, str], changed: Callable[[str, int], None]) -> None:
        """Go on with what was kept; `changed` is told of every new version of a table."""
        self._keep, self._changed = keep, changed
        self._logs = {name.removeprefix(TABLE): json.loads(text) for name, text in kept.items() if TABLE in name}
        self._tables: dict[str, Table] = {}
        self._bots: dict[str, asyncio.Task[None]] = {}
        self._preparing: dict[str, asyncio.Task[None]] = {}
        self._pressed: dict[str, int] = {}
        self._paces = Paces()
        self._name = kept.get("name", "")

    # The person

    async def new_guest(self, name: str, device: str = "") -> tuple[Guest, str]:
        """Give the person a name; return them and what stands for a token."""
        return await self.rename_guest(Guest(ME, name), name), ME

    async def find_guest(self, token: str) -> Guest | None:
        """Return the person, or None without a name."""
        return Guest(ME, self._name) if self._name else None

    async def rename_guest(self, guest: Guest, name: str) -> Guest:
        """Give the person another name."""
        self._name = clean_name(name)
        await self._keep({"name": self._name})
        return Guest(ME, self._name)

    def wish_pace(self, guest: Guest, pace: str) -> None:
        """Note how fast the person wants to see the moves of bots."""
        self._paces.wish(guest.id, pace)

    # Commands

    async def open(self, guest: Guest, opening: Opening, *, key: str) -> Answer:
        """Open a table; a form that is sent twice opens one."""
        open_key = f"{guest.id}:{clean_key(key)}"
        for table_id, log in self._logs.items():
            if TableRow(*log["row"]).open_key == open_key:
                return self._table(table_id).answer(1)
        game, mode = await opening.made()
        commands.needs_person("open" in opening.seats)
        new = new_table(
            self._now(),
            guest.id,
            game,
            mode,
            opening.arranged(),
            "none",
            False,
            open_key=open_key,
            first=opening.first,
            coach=opening.coach,
            given=opening.given,
            dice=opening.dice,
            position=opening.position,
        )
        await self._store(self._logged(new))
        return self._add(new).answer(1)

    async def _submit(
        self,
        table_id: str,
        guest: str | None,
        key: str | None,
        decide: Callable[[Table], Decision],
        expected: Mapping[str, Any],
        opens: Sequence[NewTable] = (),
    ) -> Answer:
        table = self._table(table_id)
        full_key = None if guest is None else f"{guest}:{clean_key(key)}"
        async with table.lock:
            if full_key in table.keys:
                return table.answer(table.keys[str(full_key)])
            decision = decide(table)
            body = write_body(decision.body)
            event = Event(table_id, table.version + 1, self._now(), decision.kind, guest, full_key, body)
            after = table.after(event, decision.body, decision.outcome)
            log = self._logs[table_id]
            log = {**log, "log": [*log["log"], event[1:]], "status": after.status}
            kept: dict[str, Any] = {TABLE + table_id: log}
            if decision.status == "over":
                log["results"] = results_of(after, after.state, after.moves, event.at)
                kept[GAME + table_id] = _finished(after, event.at)
            for new in opens:
                kept |= self._logged(new)
            await self._store(kept)
            self._logs[table_id] = log
            table.adopt(event, after)
        for new in opens:
            self._add(new)
        self._changed(table_id, event.seq)
        self._wake_bot(table_id)
        return table.answer(event.seq)

    async def press_on(self, table_id: str, guest: Guest, seat: int) -> None:
        """Let bots answer a move at once: it will not be taken back."""
        self._pressed[table_id] = self._table(table_id).snapshot.moved

    async def react(self, table_id: str, guest: Guest, reaction: str) -> None:
        """Send a reaction to everybody else: nobody."""

    def _now(self) -> float:
        return round(time.time(), 3)

    async def _gone(self, table: Snapshot) -> int | None:
        return None

    async def _withdraw(self, table_id: str | None, closed: str | None) -> None:
        if table_id is None or closed is None:
            return
        await self._submit(table_id, None, None, lambda table: commands.withdraw(table.snapshot, closed), {})

    # What is kept

    @staticmethod
    def _logged(new: NewTable) -> dict[str, Any]:
        log = {"row": new.row, "seed": new.seed.unseal().hex(), "log": [new.event[1:]], "status": new.row.status}
        return {TABLE + new.id: log}

    async def _store(self, what: Mapping[str, Any]) -> None:
        """Keep all of this or nothing. Raises Refused."""
        try:
            await self._keep({name: json.dumps(one) for name, one in what.items()})
        except OSError:
            raise Refused(
                "no-storage",
                "This device could not keep that: perhaps it has no room left. Make room, then do it again.",
                507,
            ) from None

    def _add(self, new: NewTable) -> Table:
        self._logs |= {new.id: self._logged(new)[TABLE + new.id]}
        self._tables[new.id] = new.in_memory()
        self._wake_bot(new.id)
        return self._tables[new.id]

    def _table(self, table_id: str) -> Table:
        """Return a table as its log says. Raises Refused."""
        if table_id not in self._tables:
            if table_id not in self._logs:
                raise Refused("no-table", "This table does not exist.", 404)
            log = self._logs[table_id]
            events = [Event(table_id, *event) for event in log["log"]]
            self._tables[table_id] = Table.replayed(TableRow(*log["row"]), Seed(bytes.fromhex(log["seed"])), 0, events)
            self._wake_bot(table_id)
        return self._tables[table_id]

    # Reading

    async def snapshot(self, table_id: str) -> Snapshot:
        """Return the current version of a table. Raises Refused if there is none."""
        return self._table(table_id).snapshot

    def show(self, table: Snapshot, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a version of a table as the person sees it."""
        watchers = Watchers(frozenset({ME}), 0, frozenset({ME}))
        seen = table.seen_by(guest.id if guest else None, watchers, [], False, self._held_until(table))
        # Nobody can be invited.
        return replace(seen, invitation=None)

    async def view(self, table_id: str, guest: Guest | None, invitation: str | None = None) -> TableView:
        """Return a table as the person sees it now. Raises Refused if there is none."""
        return self.show(self._table(table_id).snapshot, guest)

    async def gone(self, table: Snapshot, guest: Guest | None) -> int | None:
        """Return the seat whose person is away: nobody's."""
        return None

    async def record(self, table_id: str) -> str:
        """Return the record of a table's game."""
        return table_record(self._table(table_id).snapshot)

    async def archived(self, table_id: str) -> str | None:
        """Return a record from an archive: there is none."""
        return None

    async def find_invitation(self, token: str) -> str | None:
        """Return the table of an invitation: nobody is invited here."""
        return None

    async def open_tables(self, guest: Guest | None = None, limit: int = 50) -> list[TableView]:
        """Return the tables that wait for other people: none."""
        return []

    async def tables_to_play(self, guest: Guest, limit: int = 50) -> list[TableView]:
        """Return the unfinished tables, newest first."""
        unfinished = [table for table, log in self._logs.items() if log["status"] in ("waiting", "running")]
        unfinished.sort(key=lambda table: -self._logs[table]["log"][-1][1])
        return [self.show(self._table(table).snapshot, guest) for table in unfinished[:limit]]

    async def sums(self, guest: str) -> list[Result]:
        """Return what the finished games brought the person; pages ask which games there were."""
        return [played.mine for played in await self.page(guest, len(self._logs))]

    async def page(self, guest: str, limit: int) -> list[HistoryEntry]:
        """Return the finished games, newest first."""
        ended = [[Result(*one) for one in log["results"]] for log in self._logs.values() if "results" in log]
        ended.sort(key=lambda seats: -seats[0].at)
        mine = [(next(seat for seat in seats if seat.guest == guest), tuple(seats)) for seats in ended[:limit]]
        return [HistoryEntry(*played) for played in mine]

    # Bots

    def _held_until(self, table: Snapshot) -> float | None:
        """Return until when the bots of a table wait for the last move to be taken back; None if they do not."""
        guest = table.before_bot
        if guest is None or not table.had_choice or self._pressed.get(table.id) == table.moved:
            return None
        until = table.moved_at + _GRACE * self._paces.of(guest).grace
        return until if until > self._now() else None

    def _wake_bot(self, table_id: str) -> None:
        running = self._bots.get(table_id)
        table = self._tables[table_id].snapshot
        if table_id not in self._preparing and table.acting is not None:
            self._preparing[table_id] = asyncio.ensure_future(self._prepare(table))
        if table.waits_for_bot and (running is None or running.done()):
            self._bots[table_id] = asyncio.ensure_future(self._play_bots(table_id))

    async def _prepare(self, table: Snapshot) -> None:
        """Let bots find out what they need to know of this game, a part at a time: pages are answered in between."""
        await asyncio.sleep(_READING)
        for bot in {str(seat.bot) for seat in table.seats if seat.kind == "bot"}:
            prepare = getattr(make_bot(bot, table.game), "prepare", None)
            for _ in prepare(table.game) if prepare else ():
                await asyncio.sleep(_PAUSE)

    async def _play_bots(self, table_id: str) -> None:
        """Play the moves of a table's bots until it is a person's turn."""
        await self._preparing[table_id]
        while (table := self._table(table_id).snapshot).waits_for_bot:
            await asyncio.sleep(_PAUSE)
            if self._held_until(table) is not None or self._table(table_id).version != table.version:
                continue
            seat = int(table.acting or 0)
            action = "roll" if table.game.actor(table.state) == CHANCE else _choice(table, str(table.seats[seat].bot))

            def decide(loaded: Table, seat: int = seat, action: str = action, seen: int = table.version) -> Decision:
                return commands.act(loaded.snapshot, loaded.dice, None, seat + 1, action, seen)

            try:
                await self._submit(table_id, None, None, decide, {})
            except Refused as refusal:
                # Somebody has just taken their move back, or there is no room.
                await asyncio.sleep(2.0 if refusal.code == "no-storage" else _PAUSE)


def _choice(table: Snapshot, bot: str) -> str:
    headers = tuple(sorted(table.headers.items()))
    position = table.game.position_text(table.state)
    return think(bot, table.game.name, table.game.seats, headers, position, SystemRandom().getrandbits(64))


def _finished(table: Snapshot, at: float) -> dict[str, Any]:
    """Return what a server is told of a finished game: the record and who sat where."""
    return {"record": table_record(table), "at": at, "mine": [seat.player == ME for seat in table.seats]}
