"""Online play: the service (the one authority), the store (an event log), fair dice and live signals."""

from starfrost.errors import MissingExtra, Refused

try:
    from starfrost.table.guests import Guest
    from starfrost.table.opening import Opening
    from starfrost.table.service import TableService
    from starfrost.table.settings import CLOCKS, REACTIONS, Settings
    from starfrost.table.streams import Signal
    from starfrost.table.tables import Answer
except ModuleNotFoundError as missing:
    raise MissingExtra("The server needs more parts: pip install 'starfrost[serve]'.") from missing

__all__ = ["CLOCKS", "REACTIONS", "Answer", "Guest", "Opening", "Refused", "Settings", "Signal", "TableService"]
