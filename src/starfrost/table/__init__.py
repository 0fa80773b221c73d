"""Online play: the service (the one authority), snapshots of tables, the event log, fair dice and event streams."""

from starfrost.errors import MissingExtra, Refused

try:
    from starfrost.table.answers import Answer
    from starfrost.table.guests import Guest
    from starfrost.table.moves import ROLL
    from starfrost.table.opening import Opening
    from starfrost.table.service import TableService
    from starfrost.table.settings import CLOCKS, REACTIONS, Settings
    from starfrost.table.snapshot import Snapshot
    from starfrost.table.streams import Signal
    from starfrost.table.view import SeatView, TableView
except ModuleNotFoundError as missing:
    raise MissingExtra("The server needs more parts: pip install 'starfrost[serve]'.") from missing

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
