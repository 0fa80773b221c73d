"""What leaves the service about a table, in one place: nothing here shows a seed before its time."""

from typing import Any

from starfrost.table.settings import REACTIONS
from starfrost.table.state import Table

__all__ = ["presence", "view"]


def presence(table: Table, guests: set[str], nameless: int) -> dict[str, Any]:
    """Say which seats are connected, and how many others watch."""
    seated = {seat.guest for seat in table.seats if seat.guest}
    return {
        "seats": [number for number, seat in enumerate(table.seats, start=1) if seat.guest and seat.guest in guests],
        "watchers": len(guests - seated) + nameless,
    }


def view(
    table: Table, guest: str | None, present: set[str], nameless: int, downtimes: list[tuple[float, float]]
) -> dict[str, Any]:
    """Give the table as this guest may see it, ready for JSON."""
    acting = table.acting
    mine = set(table.seats_of(guest)) if guest is not None else set()
    ended = table.status in ("over", "closed")
    undoable = table.undoable()
    game = table.game
    state = table.line.state
    return {
        "id": table.id,
        "version": table.version,
        "status": table.status,
        "game": game.name,
        "headers": table.headers,
        "mode": table.mode,
        "clock": table.clock,
        "deadline": table.deadline(downtimes),
        "public": table.public,
        "host": guest is not None and guest == table.host,
        "invitation": table.invitation if guest is not None and (mine or guest == table.host) else None,
        "seats": [
            {
                "seat": number,
                "kind": seat.kind,
                "name": seat.name,
                "bot": seat.bot,
                "yours": guest is not None and seat.guest == guest,
                "present": seat.guest is not None and seat.guest in present,
                "vacated": seat.vacated and seat.kind == "bot",
                "reserved": seat.reserved is not None,
                "kept_for_you": guest is not None and seat.reserved == guest,
                "contribution": seat.contribution[1] or None,
                "source": seat.contribution[0],
            }
            for number, seat in enumerate(table.seats, start=1)
        ],
        "acting": None if acting is None else acting + 1,
        "turn": game.turn_of(state) + 1,
        "legal": list(table.legal()) if acting in mine else [],
        "undo": [undoable + 1] if undoable is not None and undoable in mine else [],
        "state": game.view(state, min(mine, default=None)),
        "scores": list(game.scores(state)),
        "winners": [seat + 1 for seat in game.winners(state)],
        "commitment": table.commitment,
        "seed": table.seed.unseal().hex() if ended else None,
        "previous": table.previous,
        "rematch": table.rematch,
        "watchers": presence(table, present, nameless)["watchers"],
        "reactions": list(REACTIONS),
    }
