"""A table's game as a record, with what proves its dice."""

from starfrost.fair.dice import write_contributions
from starfrost.games.record import Event, Record, write_record
from starfrost.table.snapshot import Snapshot


def table_record(snapshot: Snapshot) -> str:
    """Write the moves that stand; headers hold the commitment and, once the table is over or closed, the seed."""
    headers = {"mode": snapshot.mode} if snapshot.mode else {}
    headers |= {"table": snapshot.id, "commitment": snapshot.commitment}
    if snapshot.begun:
        headers["contributions"] = write_contributions(seat.contribution for seat in snapshot.seats)
    if snapshot.seed is not None:
        headers["seed"] = snapshot.seed
    if snapshot.given:
        headers["given"] = str(snapshot.given)
    helps = [*(["practice"] if snapshot.coach == "practice" else []), *map(str, snapshot.helps)]
    if helps:
        headers["coach"] = " ".join(helps)
    players = tuple(seat.name or f"Seat {number}" for number, seat in enumerate(snapshot.seats, start=1))
    events = tuple(Event(move.seat, move.action) for move in snapshot.moves)
    return write_record(Record(snapshot.game, players, events, headers))
