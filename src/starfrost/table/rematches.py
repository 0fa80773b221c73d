"""The next game of the people at a table: preparing it, and withdrawing the offer when its table was closed."""

from collections.abc import Awaitable, Callable
from random import SystemRandom

from starfrost.errors import Refused
from starfrost.games.setup import rematch_game
from starfrost.table.new_table import NewTable, new_table
from starfrost.table.snapshot import Snapshot
from starfrost.table.view import Guest


def again(
    now: float, guest: Guest, table: Snapshot, *, previous: str | None = None, open_key: str | None = None
) -> NewTable:
    """Prepare another game like that of a table: seats moved on by one, and kept for the people who sat there."""
    # A head start stays with whom it was given to, and so does the order of play for which it was found.
    even = len(set(table.game.scores(table.game.start()))) == 1
    order = [*table.seats[1:], table.seats[0]] if even else table.seats
    words = tuple(f"bot:{seat.bot}" if seat.kind == "bot" and not seat.player else "open" for seat in order)
    # A seat is kept for its player, also for one who was away at the end.
    kept = [(seat.player, seat.name) if seat.player else None for seat in order]
    game = rematch_game(table.game, table.mode, SystemRandom())
    return new_table(
        now,
        guest.id,
        game,
        table.mode,
        words,
        table.clock,
        table.public and previous is not None,
        previous=previous,
        reserved=kept,
        open_key=open_key,
        coach=table.coach,
        dice=table.dice,
    )


async def standing(look: Callable[[str], Awaitable[Snapshot]], offered: str | None) -> str | None:
    """Return the table of a rematch that was offered, or None if it was closed. Raises Refused."""
    try:
        closed = offered is not None and (await look(offered)).status == "closed"
    except Refused as refusal:
        # A closed table may be deleted.
        if refusal.code != "no-table":
            raise
        return None
    return None if closed else offered
