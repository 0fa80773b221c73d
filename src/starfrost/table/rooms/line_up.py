"""Who plays the next game of a room, and a game like one that was played."""

from collections.abc import Mapping, Sequence
from random import SystemRandom
from typing import Any, NamedTuple

from starfrost.bots.registry import bots_here
from starfrost.games.core import Game
from starfrost.games.kit import CUSTOM, MODE
from starfrost.games.registry import GAMES
from starfrost.table.opening import Opening
from starfrost.table.snapshot import RANDOM, Snapshot


class LineUp(NamedTuple):
    """Who plays the next game of a room."""

    words: tuple[str, ...]
    kept: list[tuple[str, str] | None]
    out: list[str]
    """Who played last and now waits, because others have waited longer."""


def players(table: Snapshot | None) -> list[tuple[str, str]]:
    """Return who sits at a table, or is to sit at it, with their names; whoever has left is not among them."""
    if table is None:
        return []
    unplayed = not table.moves
    found = [(seat.guest if seat.kind == "person" else seat.reserved, seat) for seat in table.seats]
    return [(who, seat.name) for who, seat in found if who and (seat.kind == "person" or (unplayed and not seat.away))]


def line_up(
    game: Game[Any, Any], opening: Opening, before: Snapshot | None, waiting: Sequence[str], names: Mapping[str, str]
) -> LineUp:
    """Say who sits where in the next game of a room; `names` are its members.

    Who played last sits one seat further, who waits comes after them, and if that are too many, those stay out who
    were first the last time. Bots that the host had seated fill what is left; other seats are free.
    """
    size, order = len(opening.seats), players(before)
    if before is not None and before.moves:
        order = [*order[1:], *order[:1]]
    order = [one for one in order if one[0] in names]
    known = {guest for guest, _ in order}
    new = [(guest, names[guest]) for guest in waiting if guest in names and guest not in known][:size]
    # Who was first the last time is the last of those who were moved on.
    stays, out = order[: size - len(new)], order[size - len(new) :]
    people: list[tuple[str, str] | None] = [*stays, *new]
    if opening.first == RANDOM:
        SystemRandom().shuffle(people)
    left = size - len(people)
    bots = [seat.bot for seat in before.seats if seat.bot and seat.kind == "bot" and not seat.player] if before else []
    known_bots = [f"bot:{bot}" for bot in bots if bot in bots_here(game)][:left]
    free = left - len(known_bots)
    return LineUp(
        ("open",) * (len(people) + free) + tuple(known_bots), [*people, *([None] * left)], [o[0] for o in out]
    )


def like(table: Snapshot) -> Opening:
    """Return a request for a table like another one, all of whose seats are free."""
    kit = GAMES[table.game.name]
    decided = set() if table.mode in (None, CUSTOM) else set(kit.decided)
    options = {
        name: text for name, text in table.game.headers().items() if name in kit.option_names and name not in decided
    }
    if table.mode not in (None, CUSTOM):
        options[MODE] = str(table.mode)
    return Opening(table.game.name, ("open",) * len(table.seats), options, table.clock)
