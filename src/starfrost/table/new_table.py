"""A new table: its row, its freshly sealed seed and the event that opens it."""

import secrets
import time
from typing import Any

from starfrost.fair.dice import Seed
from starfrost.games.core import Game
from starfrost.games.variants import RULES
from starfrost.table.answers import NewTable
from starfrost.table.coaching import Coaching
from starfrost.table.quota import current_origin
from starfrost.table.schema import FORMAT, USUAL_FORMAT
from starfrost.table.store import Event, TableRow, Write
from starfrost.table.table import Table
from starfrost.table.tables import Tables
from starfrost.table.writes import dump


def new_table(
    tables: Tables,
    host: str,
    game: Game[Any, Any],
    mode: str | None,
    seats: tuple[str, ...],
    clock: str,
    public: bool,
    *,
    open_key: str | None = None,
    previous: str | None = None,
    reserved: list[tuple[str, str] | None] | None = None,
    first: int | str | None = None,
    coach: Coaching = "ask",
    given: tuple[str, ...] = (),
    seed: Seed | None = None,
    daily: dict[str, Any] | None = None,
    asked: str | None = None,
) -> NewTable:
    """Prepare a table with a freshly sealed seed, or a table of the daily game with the seed of its day."""
    seed = seed or Seed.fresh()
    now = time.time()
    status = "waiting" if "open" in seats else "running"
    ids = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    # Older servers must not take a variant for the official game.
    format = FORMAT if RULES in game.headers() else USUAL_FORMAT
    row = TableRow(ids[0], host, status, clock, public, ids[1], open_key, now, current_origin(), format)
    body: dict[str, Any] = {
        "game": game.name,
        "headers": dict(game.headers()),
        "mode": mode,
        "seats": list(seats),
        "clock": clock,
        "public": public,
        "commitment": seed.commitment,
        "previous": previous,
    }
    special = {"starts": status == "running", "reserved": reserved, "first": first, "given": given, "daily": daily}
    body |= {name: value for name, value in special.items() if value}
    if coach != "ask":
        body["coach"] = coach
    event = Event(row.id, 1, now, "open", host, asked, dump(body), format)

    def adopt() -> None:
        table = Table(row, seed)
        table.adopt(event, body)
        tables.add(table)

    kept = dict.fromkeys(seat[0] for seat in reserved or () if seat is not None and seat[0] != host)
    invites = tuple((row.id, guest, now) for guest in kept)
    return NewTable(Write((event,), ((row, seed),), invites=invites), adopt, row.id)
