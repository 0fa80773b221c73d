"""Online play: the service (the one authority), snapshots of tables, the event log, fair dice and event streams.

A name is imported when it is first used: what decides about a table (`commands`, `snapshot`, `view`) needs nothing but
the standard library and the rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from starfrost.errors import MissingExtra

if TYPE_CHECKING:
    from starfrost.errors import Refused
    from starfrost.table.clocks import CLOCKS
    from starfrost.table.moves import ROLL
    from starfrost.table.opening import Opening
    from starfrost.table.service import TableService
    from starfrost.table.settings import Settings
    from starfrost.table.snapshot import Snapshot
    from starfrost.table.streams import Signal
    from starfrost.table.table import Answer
    from starfrost.table.view import REACTIONS, Guest, SeatView, TableView

__all__ = [
    "CLOCKS",
    "REACTIONS",
    "ROLL",
    "Answer",
    "Guest",
    "Opening",
    "Refused",
    "SeatView",
    "Settings",
    "Signal",
    "Snapshot",
    "TableService",
    "TableView",
]

_WHERE: Final = {
    "CLOCKS": "table.clocks",
    "REACTIONS": "table.view",
    "ROLL": "table.moves",
    "Answer": "table.table",
    "Guest": "table.view",
    "Opening": "table.opening",
    "Refused": "errors",
    "SeatView": "table.view",
    "Settings": "table.settings",
    "Signal": "table.streams",
    "Snapshot": "table.snapshot",
    "TableService": "table.service",
    "TableView": "table.view",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'starfrost.table' has no attribute {name!r}")
    try:
        globals()[name] = getattr(import_module(f"starfrost.{_WHERE[name]}"), name)
    except ModuleNotFoundError as missing:
        raise MissingExtra("The server needs more parts: pip install 'starfrost[serve]'.") from missing
    return globals()[name]
