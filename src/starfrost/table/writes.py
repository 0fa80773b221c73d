"""From a command to what it stores."""

import json
import time
from typing import Any

from starfrost.table import commands
from starfrost.table.commands import Decision
from starfrost.table.results import results_of
from starfrost.table.store import Event, Write
from starfrost.table.table import Table

_compact = json.JSONEncoder(separators=(",", ":")).encode


def act_at(guest: str | None, seat: int, action: Any, version: int, table: Table) -> Decision:
    """Play an action at a table, as `commands.act`; `guest` is None for a bot."""
    return commands.act(table.snapshot, table.dice, guest, seat, action, version)


def stored(table: Table, guest: str | None, key: str | None, decision: Decision) -> tuple[Event, Write]:
    """Return the event that a decision becomes, and what is stored with it."""
    event = Event(table.id, table.version + 1, time.time(), decision.kind, guest, key, dump(decision.body))
    status = (table.id, decision.status) if decision.status else None
    write = Write((event,), (), status, takes=None if table.noted else table.id)
    if decision.status == "over" and decision.outcome is not None:
        line, moves = decision.outcome
        ended = results_of(table.snapshot, line.state, [*table.snapshot.moves, *moves], event.at)
        write = write._replace(results=tuple(result._asdict() for result in ended))
    return event, write


def dump(body: dict[str, Any]) -> str:
    """Write an event's body as JSON."""
    return _compact(body)
