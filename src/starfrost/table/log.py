"""The log of events: one line of it, and the facts about a table that stand beside it."""

import json
from typing import Final, NamedTuple

USUAL_FORMAT: Final = 1
"""The format of most events and tables that this version writes."""

VARIANT_FORMAT: Final = 2
"""The format of tables of variants: older servers know no rules but the official ones."""

ENTERED_FORMAT: Final = 3
"""The format of tables whose dice people enter, or that begin in a position which was set up."""

FORMAT: Final = ENTERED_FORMAT
"""The highest format that this version understands."""

write_body = json.JSONEncoder(separators=(",", ":")).encode
"""Writes an event's body as JSON."""


class Event(NamedTuple):
    """One line of the log."""

    table_id: str
    seq: int
    at: float
    kind: str
    guest: str | None
    key: str | None
    body: str
    format: int = USUAL_FORMAT


class TableRow(NamedTuple):
    """The facts about a table that are stored beside its log."""

    id: str
    host: str
    status: str
    clock: str
    public: bool
    invitation: str
    open_key: str | None
    created: float
    origin: str | None = None
    format: int = USUAL_FORMAT
    room: str | None = None
    """The room in which it was opened."""
