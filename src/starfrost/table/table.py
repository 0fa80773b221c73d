"""A table in memory: a copy of its log, its current snapshot, and what only the service may know (seed and dice).

A `Table` changes only by `adopt`ing a stored event, so everything that it shows is durable.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field, replace
from typing import Any

from starfrost.fair.dice import FairDice, Seed
from starfrost.table.apply import apply, first_snapshot
from starfrost.table.log import FORMAT, Event, TableRow
from starfrost.table.snapshot import Outcome, Snapshot


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an accepted command; a repeat of the command gets the same."""

    table: str
    version: int
    raw: bytes
    """The event as JSON."""
    snapshot: Snapshot = field(compare=False, repr=False)
    """The table after the command; for a repeated command the table now."""

    @property
    def event(self) -> dict[str, Any]:
        """Return the event as a dictionary."""
        found: dict[str, Any] = json.loads(self.raw)
        return found


class Table:
    """One table in the memory of this process."""

    __slots__ = (
        "_row",
        "_seed",
        "at",
        "dice",
        "dropped",
        "epoch",
        "keys",
        "lock",
        "log",
        "newer",
        "own",
        "snapshot",
        "used",
    )

    def __init__(self, row: TableRow, seed: Seed, epoch: int = 0) -> None:
        self._row = row
        self._seed = seed
        self.epoch = epoch
        """How often the log had been rewritten when it was read."""
        self.snapshot: Snapshot
        self.dice: FairDice | None = None
        """The dice of the game, once it has begun."""
        self.log: list[bytes] = []
        """The events as JSON, as everybody may see them."""
        self.keys: dict[str, int] = {}
        """The versions that idempotency keys stand for."""
        self.lock = asyncio.Lock()
        self.newer = False
        """A newer version wrote the next event of the log: until this server understands it, nobody moves here."""
        self.own = False
        """This process stored the last event: it plays the bot whose turn it is."""
        self.dropped = False
        """This copy is not used any more: the next reader gets a new one."""
        self.used = time.monotonic()
        self.at = 0.0
        """When the last event was stored."""

    @classmethod
    def replayed(cls, row: TableRow, seed: Seed, epoch: int, log: list[Event]) -> "Table":
        """Return a table as its log says, up to the first event of a newer version."""
        table = cls(row, seed, epoch)
        for event in log:
            table.adopt(event)
            if table.newer:
                break
        return table

    @property
    def id(self) -> str:
        """Return the table's id."""
        return self._row.id

    @property
    def opener(self) -> tuple[str, str]:
        """Return where the table was opened from and who opened it; the time of bots is shared between them."""
        return self._row.origin or self._row.host, self._row.host

    @property
    def version(self) -> int:
        """Return the number of events so far."""
        return len(self.log)

    def after(self, event: Event, body: dict[str, Any] | None = None, outcome: Outcome | None = None) -> Snapshot:
        """Return what an event makes of the table; `outcome` is what an action led to, if the caller knows it."""
        body = json.loads(event.body) if body is None else body
        if event.kind == "open":
            return first_snapshot(self._row, self._seed.commitment, event, body)
        return apply(self.snapshot, event, body, outcome)

    def adopt(self, event: Event, snapshot: Snapshot | None = None) -> None:
        """Take over the next stored event; `snapshot` is what it makes of the table, if the caller knows that."""
        if event.seq <= self.version:
            return
        if max(event.format, self._row.format) > FORMAT:
            self.newer = True
            return
        if event.seq > self.version + 1:
            self.dropped = True
            return
        self.newer = self.own = False
        self.snapshot, self.at = snapshot or self.after(event), event.at
        if self.dice is None and self.snapshot.status == "running":
            contributions = [seat.contribution for seat in self.snapshot.seats]
            self.dice = FairDice(self._seed, self.snapshot.dice_name, contributions)
        self.open_envelope()
        self.log.append(_public_json(event))
        if event.key is not None:
            self.keys[event.key] = event.seq
        self.used = time.monotonic()

    def open_envelope(self) -> None:
        """Show the seed if its time has come: the table has ended and, in a daily game, so has the day."""
        snapshot = self.snapshot
        if snapshot.entered:
            # No die of this table follows from its seed.
            return
        if snapshot.ended and snapshot.seed is None and (not snapshot.daily or time.time() >= snapshot.daily.opens):
            self.snapshot = replace(snapshot, seed=self._seed.unseal().hex())

    def answer(self, seq: int) -> Answer:
        """Return the answer that carries a stored event."""
        return Answer(self.id, seq, self.log[seq - 1], self.snapshot)


def _public_json(event: Event) -> bytes:
    """Write an event as everybody may see it; the body is JSON already."""
    head = f'{{"version":{event.seq},"kind":"{event.kind}","at":{event.at:.3f}'
    tail = event.body[1:]
    if event.kind == "open":
        # The guests for whom seats are kept are not shown.
        body = json.loads(event.body)
        body.pop("reserved", None)
        tail = json.dumps(body, separators=(",", ":"))[1:]
    return (head + ("," if tail != "}" else "") + tail).encode()
