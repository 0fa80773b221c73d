"""What people do at a table, wherever its log is kept: in the store of a server, or on a device without one."""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from starfrost.table import coaching, commands, rematches
from starfrost.table.coaching import Help
from starfrost.table.commands import Decision
from starfrost.table.names import clean_name
from starfrost.table.new_table import NewTable
from starfrost.table.opening import check_bot
from starfrost.table.snapshot import Snapshot
from starfrost.table.table import Answer, Table
from starfrost.table.view import Guest


class Play(ABC):
    """The commands of people at tables."""

    stand_in_bot: str
    """The bot that takes the seat of somebody who left or resigned."""
    sealed = True
    """Whether nobody who plays can know the dice before they are rolled."""
    bots_alone: bool
    """Whether bots may play without any person."""

    @abstractmethod
    async def snapshot(self, table_id: str) -> Snapshot:
        """Return the current version of a table. Raises Refused if there is none."""

    @abstractmethod
    async def _submit(
        self,
        table_id: str,
        guest: str | None,
        key: str | None,
        decide: Callable[[Table], Decision],
        expected: dict[str, Any],
        opens: Sequence[NewTable] = (),
    ) -> Answer:
        """Carry out a command as `TableHost.submit` does. Raises Refused."""

    @abstractmethod
    def _now(self) -> float:
        """Return the time of the log."""

    @abstractmethod
    async def _gone(self, table: Snapshot) -> int | None:
        """Return the seat (from 1) whose person is away too long."""

    @abstractmethod
    async def _withdraw(self, table_id: str | None, closed: str | None) -> None:
        """Let a table offer a rematch again after the table of its rematch was closed; nothing if either is None."""

    async def join(
        self,
        table_id: str,
        guest: Guest,
        *,
        version: int,
        key: str,
        seat: int | None = None,
        name: str | None = None,
        contribution: str | None = None,
        invitation: str | None = None,
        program: bool = False,
    ) -> Answer:
        """Take a seat; `program` says that no person plays."""

        def decide(table: Table) -> Decision:
            invited = table.snapshot.is_invitation(invitation)
            return commands.join(
                table.snapshot, guest.id, name, guest.name, seat, contribution, invited, version, self._now(), program
            )

        named = clean_name(name) if name else None
        expected = {"kind": {"join"}, "seat": seat, "name": named, "contribution": contribution}
        expected["program"] = program or None
        return await self._submit(table_id, guest.id, key, decide, expected)

    async def unseat(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Free a seat before the start; whoever sat there cannot sit down again."""

        def decide(table: Table) -> Decision:
            return commands.unseat(table.snapshot, guest.id, seat, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"leave"}, "seat": seat})

    async def leave(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Leave a seat; in a running game a bot takes it."""

        def decide(table: Table) -> Decision:
            return commands.leave(table.snapshot, guest.id, seat, self.stand_in_bot, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"leave", "bot"}, "seat": seat})

    async def resign(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Resign from a running game; a bot plays on."""

        def decide(table: Table) -> Decision:
            return commands.resign(table.snapshot, guest.id, seat, self.stand_in_bot, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"bot"}, "seat": seat})

    async def stand_in(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Let a bot play for a person who is gone, until they return."""
        gone = await self._gone(await self.snapshot(table_id))

        def decide(table: Table) -> Decision:
            return commands.stand_in(table.snapshot, guest.id, seat, gone, self.stand_in_bot, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"bot"}, "seat": seat})

    async def seat_bot(self, table_id: str, guest: Guest, seat: int, bot: str, *, version: int, key: str) -> Answer:
        """Put a bot on a free seat."""

        def decide(table: Table) -> Decision:
            check_bot(table.snapshot.game, bot)
            others = (other.kind for number, other in enumerate(table.snapshot.seats, start=1) if number != seat)
            commands.needs_person(any(kind != "bot" for kind in others) or self.bots_alone)
            return commands.seat_bot(table.snapshot, guest.id, seat, bot, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"bot"}, "seat": seat, "bot": bot})

    async def act(self, table_id: str, guest: Guest, seat: int, action: Any, *, version: int, key: str) -> Answer:
        """Play an action of the game, its notation or `ROLL`."""

        def decide(table: Table) -> Decision:
            return commands.act(table.snapshot, table.dice, guest.id, seat, action, version)

        expected = {"kind": {"act"}, "seat": seat, "action": action}
        return await self._submit(table_id, guest.id, key, decide, expected)

    async def undo(self, table_id: str, guest: Guest, seat: int, *, version: int, key: str) -> Answer:
        """Take back the seat's own last move."""

        def decide(table: Table) -> Decision:
            return commands.undo(table.snapshot, guest.id, seat, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"undo"}, "seat": seat})

    async def note_help(self, table_id: str, guest: Guest, what: str, number: int) -> None:
        """Note in the record that a guest had a hint before an event (from 1) or had it judged. Raises Refused."""
        table = await self.snapshot(table_id)
        coaching.helped(table, guest.id)
        if Help(what, number) not in table.helps:

            def decide(table: Table) -> Decision:
                return commands.ask_coach(table.snapshot, guest.id, what, number)

            await self._submit(table_id, guest.id, secrets.token_hex(8), decide, {"kind": {"coach"}})

    async def close(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Close an unfinished table, which reveals its seed: the host may, and every player if somebody is gone."""
        gone = await self._gone(await self.snapshot(table_id))

        def decide(table: Table) -> Decision:
            return commands.close(table.snapshot, guest.id, version, "host", gone)

        answer = await self._submit(table_id, guest.id, key, decide, {"kind": {"close"}})
        await self._withdraw(answer.snapshot.previous, table_id)
        return answer

    async def rematch(self, table_id: str, guest: Guest, *, version: int, key: str) -> Answer:
        """Open another game: a new table with the seats moved on by one and kept for the people who sat here."""
        opened: list[NewTable] = []
        if await self.rematch_of(table_id) is None:
            await self._withdraw(table_id, (await self.snapshot(table_id)).rematch)

        def decide(loaded: Table) -> Decision:
            table = loaded.snapshot
            opened[:] = [rematches.again(self._now(), guest, table, previous=table.id)]
            return commands.rematch(table, guest.id, opened[0].id, version)

        return await self._submit(table_id, guest.id, key, decide, {"kind": {"rematch"}}, opened)

    async def rematch_of(self, table_id: str) -> str | None:
        """Return the table of a table's rematch; None if there is none or it was closed. Raises Refused."""
        return await rematches.standing(self.snapshot, (await self.snapshot(table_id)).rematch)
