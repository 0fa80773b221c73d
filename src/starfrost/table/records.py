"""A table's game as a record, with what proves its dice."""

from starfrost.games.core import CHANCE
from starfrost.games.record import Event, Record, write_record
from starfrost.table.dice import write_contributions
from starfrost.table.state import Table

__all__ = ["table_record"]


def table_record(table: Table) -> str:
    """Write the moves that stand; headers carry the commitment and, once the table is over or closed, the seed."""
    headers = {"mode": table.mode} if table.mode else {}
    headers |= {"table": table.id, "commitment": table.commitment}
    if table.status != "waiting" and table.dice is not None:
        headers["contributions"] = write_contributions(seat.contribution for seat in table.seats)
    if table.status in ("over", "closed"):
        headers["seed"] = table.seed.unseal().hex()
    players = tuple(seat.name or f"Seat {number}" for number, seat in enumerate(table.seats, start=1))
    events = tuple(Event(CHANCE if seat is None else seat, action) for seat, action in table.moves)
    return write_record(Record(table.game, players, events, headers))
