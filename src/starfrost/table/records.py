"""A table's game as a record, with what proves its dice."""

from datetime import UTC, datetime

from starfrost.fair.dice import write_contributions
from starfrost.fair.proof import DICE, ENTERED
from starfrost.games.record import Event, Record, write_record
from starfrost.table.snapshot import Snapshot


def table_record(snapshot: Snapshot) -> str:
    """Write the moves that stand; headers hold the commitment and, once the table is over or closed, the seed."""
    headers = {"mode": snapshot.mode} if snapshot.mode else {}
    # The dice of a daily game are computed under the name of its day, so that is the table to prove them with.
    headers["table"] = snapshot.dice_name
    headers |= {DICE: ENTERED} if snapshot.entered else {"commitment": snapshot.commitment}
    if snapshot.daily:
        headers["daily"] = snapshot.daily.day if snapshot.daily.counts else f"{snapshot.daily.day} practice"
    if snapshot.begun and not snapshot.entered:
        headers["contributions"] = write_contributions(seat.contribution for seat in snapshot.seats)
    if snapshot.seed is not None:
        headers["seed"] = snapshot.seed
    elif snapshot.daily:
        headers["seed-opens"] = f"{datetime.fromtimestamp(snapshot.daily.opens, UTC):%Y-%m-%dT%H:%M}Z"
    if snapshot.given:
        headers["given"] = str(snapshot.given)
    helps = [*(["practice"] if snapshot.coach == "practice" else []), *map(str, snapshot.helps)]
    if helps:
        headers["coach"] = " ".join(helps)
    players = tuple(seat.name or f"Seat {number}" for number, seat in enumerate(snapshot.seats, start=1))
    events = tuple(Event(move.seat, move.action) for move in snapshot.moves)
    return write_record(Record(snapshot.game, players, events, headers, snapshot.start))
