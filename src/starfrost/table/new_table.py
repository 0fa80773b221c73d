"""A new table: its row, its freshly sealed seed and the event that opens it."""

import secrets
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from starfrost.fair.dice import Seed
from starfrost.games.core import Game
from starfrost.games.variants import RULES
from starfrost.table.coaching import CoachMode
from starfrost.table.log import ENTERED_FORMAT, USUAL_FORMAT, VARIANT_FORMAT, Event, TableRow, write_body
from starfrost.table.table import Table
from starfrost.table.view import DiceSource

origin_now: Final[ContextVar[str | None]] = ContextVar("origin", default=None)
"""The origin of a table that is opened now; None if it is opened by nobody from outside."""


class NewTable(NamedTuple):
    """A table to be opened, with the guests for whom seats are kept there."""

    row: TableRow
    seed: Seed
    event: Event
    kept_for: tuple[str, ...]
    replaces: str | None = None
    """The table that its room had before."""

    @property
    def id(self) -> str:
        """Return the table's id."""
        return self.row.id

    def in_memory(self) -> Table:
        """Return the table as it is in memory once it has been stored."""
        return Table.replayed(self.row, self.seed, 0, [self.event])


def new_table(
    now: float,
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
    coach: CoachMode = "ask",
    given: tuple[str, ...] = (),
    seed: Seed | None = None,
    daily: dict[str, Any] | None = None,
    asked: str | None = None,
    room: str | None = None,
    dice: DiceSource = "sealed",
    position: str | None = None,
) -> NewTable:
    """Prepare a table with a freshly sealed seed, or a table of the daily game with the seed of its day."""
    seed = seed or Seed.fresh()
    status = "waiting" if "open" in seats else "running"
    ids = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    # Older servers must not take a variant for the official game, nor roll where people enter their dice, nor begin
    # elsewhere than in the position that was set up.
    format = (
        ENTERED_FORMAT if dice != "sealed" or position else VARIANT_FORMAT if RULES in game.headers() else USUAL_FORMAT
    )
    row = TableRow(ids[0], host, status, clock, public, ids[1], open_key, now, origin_now.get(), format, room)
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
    special["position"] = position
    body |= {name: value for name, value in special.items() if value}
    if coach != "ask":
        body["coach"] = coach
    if dice != "sealed":
        body |= {"dice": dice, "commitment": ""}
    event = Event(row.id, 1, now, "open", host, asked, write_body(body), format)
    kept = dict.fromkeys(seat[0] for seat in reserved or () if seat is not None and seat[0] != host)
    return NewTable(row, seed, event, tuple(kept))
