"""A new table: its row, its freshly sealed seed and the event that opens it."""

import secrets
import time
from typing import Any

from starfrost.fair.dice import Seed
from starfrost.games.core import Game
from starfrost.table.coaching import Coaching
from starfrost.table.store import Event, TableRow, Write
from starfrost.table.table import Table
from starfrost.table.tables import NewTable, Tables, dump


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
    asked: str | None = None,
) -> NewTable:
    """Prepare a table with a freshly sealed seed."""
    seed = Seed.fresh()
    now = time.time()
    starts = "open" not in seats
    status = "running" if starts else "waiting"
    row = TableRow(secrets.token_urlsafe(16), host, status, clock, public, secrets.token_urlsafe(16), open_key, now)
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
    if starts:
        body["starts"] = True
    if reserved is not None:
        body["reserved"] = reserved
    if first is not None:
        body["first"] = first
    if coach != "ask":
        body["coach"] = coach
    if given:
        body["given"] = given
    event = Event(row.id, 1, now, "open", host, asked, dump(body))

    def adopt() -> None:
        table = Table(row, seed)
        table.adopt(event, body)
        tables.add(table)

    kept = dict.fromkeys(seat[0] for seat in reserved or () if seat is not None and seat[0] != host)
    invites = tuple((row.id, guest, now) for guest in kept)
    return NewTable(Write((event,), ((row, seed),), invites=invites), adopt, row.id)
