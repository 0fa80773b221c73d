"""The statement by which a command is stored: each event of a batch only if its table is still as it was decided on.

`tables.version` decides which of two writers was first, and UNIQUE (table, seq) of the events repeats it. An event
whose table has moved on is left out, so the other tables of the batch do not suffer. Rows are locked in the order of
their ids: two servers never wait for each other.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from starfrost.table.log import Event


class Append(NamedTuple):
    """An event for a table that has the version before it, and what becomes of the table's row."""

    event: Event
    epoch: int
    """How often the table's log had been rewritten when the command was decided."""
    due: float | None
    """When a server must look at the table next; None if it has ended."""
    status: str | None = None
    """The table's new status, if it changes."""


_COLUMNS: Final = {
    "table_id": "text",
    "seq": "integer",
    "at": "float8",
    "kind": "text",
    "guest": "text",
    "key": "text",
    "body": "text",
    "format": "integer",
    "epoch": "integer",
    "due": "float8",
    "status": "text",
}
_EVENT: Final = ", ".join(Event._fields)

# A later time than the stored one need not be stored, unless that comes soon: most moves leave the index alone.
_MOVED: Final = """
UPDATE tables SET
  version = sent.seq,
  due = CASE WHEN tables.due < sent.due AND tables.due > sent.at + 60 THEN tables.due ELSE sent.due END,
  status = coalesce(sent.status, tables.status),
  origin = CASE WHEN sent.status IN ('over', 'closed') THEN NULL ELSE tables.origin END
FROM {source} WHERE tables.id = sent.table_id AND tables.version = sent.seq - 1 AND tables.epoch = sent.epoch
"""

_SQLITE_SENT: Final = (
    "(SELECT "
    + ", ".join(f"json_extract(value, '$.{name}') AS {name}" for name in _COLUMNS)
    + " FROM json_each(?)) AS sent"
)
_SQLITE_MOVE: Final = f"{_MOVED.format(source=_SQLITE_SENT)} RETURNING id"
_SQLITE_INSERT: Final = f"INSERT INTO events ({_EVENT}) SELECT {_EVENT} FROM {_SQLITE_SENT}"

_POSTGRES_SENT: Final = (
    "SELECT * FROM json_to_recordset(CAST(:rows AS json)) AS sent("
    + ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    + ")"
)
POSTGRES: Final = text(f"""
WITH sent AS MATERIALIZED ({_POSTGRES_SENT}),
held AS MATERIALIZED (
  SELECT id FROM tables WHERE id IN (SELECT table_id FROM sent) ORDER BY id FOR NO KEY UPDATE
),
moved AS ({_MOVED.format(source="sent JOIN held ON held.id = sent.table_id")} RETURNING tables.id)
INSERT INTO events ({_EVENT}) SELECT {_EVENT} FROM sent JOIN moved ON moved.id = sent.table_id RETURNING table_id
""")


def written(appends: Sequence[Append]) -> dict[str, str]:
    """Write events as the one parameter of the statements."""
    rows = [{**one.event._asdict(), "epoch": one.epoch, "due": one.due, "status": one.status} for one in appends]
    return {"rows": json.dumps(rows, separators=(",", ":"))}


def append_events(connection: Connection, appends: Sequence[Append]) -> set[str]:
    """Store events in a transaction; return the ids of the tables that got theirs."""
    rows = written(appends)
    if connection.dialect.name == "postgresql":
        return set(connection.execute(POSTGRES, rows).scalars())
    # By the driver alone: for one move SQLAlchemy takes longer than SQLite.
    with closing(connection.connection.cursor()) as cursor:
        moved = {table_id for (table_id,) in cursor.execute(_SQLITE_MOVE, tuple(rows.values()))}
        if len(moved) < len(appends):
            rows = written([one for one in appends if one.event.table_id in moved])
        cursor.execute(_SQLITE_INSERT, tuple(rows.values()))
    return moved
