"""What the commands of a table give back."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Write


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


class NewTable(NamedTuple):
    """A table to be opened: what to store, what to call once it is stored, and its id."""

    write: Write
    adopt: Callable[[], None]
    id: str
