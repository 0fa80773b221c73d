"""A table in memory: its current snapshot, its log, and what only the service may know (seed and dice).

A `Table` changes only by `adopt`ing a stored event, so everything that it shows is durable.
"""

import asyncio
import json
import time
from dataclasses import replace
from typing import Any

from starfrost.fair.dice import FairDice, Seed
from starfrost.table.schema import FORMAT
from starfrost.table.snapshot import Outcome, Snapshot, apply, first_snapshot
from starfrost.table.store import Event, TableRow


class Table:
    """One table of this process."""

    __slots__ = ("_row", "_seed", "at", "dice", "keys", "lock", "log", "newer", "noted", "snapshot", "stale", "used")

    def __init__(self, row: TableRow, seed: Seed) -> None:
        self._row = row
        self._seed = seed
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
        self.noted = False
        """The store knows that a process has this table in memory."""
        self.stale = False
        """The log in the store has more than this table: load it again."""
        self.used = time.monotonic()
        self.at = 0.0
        """When the last event was stored."""

    @classmethod
    def replayed(cls, row: TableRow, seed: Seed, log: list[Event]) -> "Table":
        """Return a table as its log says, up to the first event of a newer version."""
        table = cls(row, seed)
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

    def adopt(self, event: Event, body: dict[str, Any] | None = None, outcome: Outcome | None = None) -> None:
        """Apply the next stored event; `outcome` is what an action led to, if the caller knows it already."""
        if event.seq != self.version + 1:
            self.stale = True
            return
        if max(event.format, self._row.format) > FORMAT:
            self.newer = True
            return
        if body is None:
            body = json.loads(event.body)
        if event.kind == "open":
            snapshot = first_snapshot(self._row, self._seed.commitment, event, body)
        else:
            snapshot = apply(self.snapshot, event, body, outcome)
        if self.dice is None and snapshot.status == "running":
            self.dice = FairDice(self._seed, snapshot.dice_name, [seat.contribution for seat in snapshot.seats])
        self.snapshot, self.at = snapshot, event.at
        self.open_envelope()
        self.log.append(_public_json(event))
        if event.key is not None:
            self.keys[event.key] = event.seq
        self.used = time.monotonic()

    def open_envelope(self) -> None:
        """Show the seed if its time has come: the table has ended and, in a daily game, so has the day."""
        snapshot = self.snapshot
        if snapshot.ended and snapshot.seed is None and (not snapshot.daily or time.time() >= snapshot.daily.opens):
            self.snapshot = replace(snapshot, seed=self._seed.unseal().hex())


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
