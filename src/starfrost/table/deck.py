"""Practice that returns: positions that come back after growing intervals until they are known (Leitner's boxes).

A deck has the costly mistakes of a guest's own games and the puzzles that the guest missed. Whoever finds the best move
of a position that is due sees it again after the next interval; whoever does not starts again with the first one.
"""

import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, insert, select, update

from starfrost.table.puzzle_standing import Deck
from starfrost.table.schema import deck
from starfrost.table.store import Store

INTERVALS: Final = (1, 3, 7, 16, 35)
"""Days until a position comes back: in the first box, in the second, and so on; after the last one it is known."""
PUZZLE: Final = "puzzle"
MISTAKE: Final = "mistake"
DAY: Final = 86_400.0


class Card(NamedTuple):
    """A position of a guest's deck."""

    position: str
    """Its name in addresses, as for a puzzle."""
    game: str
    source: str
    """`puzzle` or `mistake`."""
    body: str
    """A mistake as a line of a file of puzzles; empty for a puzzle."""
    box: int
    due: float | None
    """When it comes back; None once it is known."""
    since: float


def after(box: int, right: bool) -> tuple[int, int | None]:
    """Return the box of a position after an answer, and in how many days it comes back; None if it is known."""
    box = box + 1 if right else 0
    return box, INTERVALS[box] if box < len(INTERVALS) else None


def put(
    connection: Connection, guest: str, game: str, source: str, found: Iterable[tuple[str, str]], at: float
) -> None:
    """Put positions into a guest's deck, each its name and body, unless they are in it already."""
    for position, body in found:
        known = select(deck.c.box).where(deck.c.guest == guest, deck.c.position == position)
        if connection.execute(known).first() is None:
            card = Card(position, game, source, body, 0, at + INTERVALS[0] * DAY, at)
            connection.execute(insert(deck), [{"guest": guest, **card._asdict()}])


class Decks:
    """The decks of all guests."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def standing(self, guest: str, at: float | None = None) -> Deck:
        """Return how a guest's deck stands. Raises Refused."""
        moment = time.time() if at is None else at
        rows = await self._store.rows(select(deck.c.due).where(deck.c.guest == guest))
        later = [due for (due,) in rows if due is not None and due > moment]
        known = sum(due is None for (due,) in rows)
        return Deck(len(rows) - len(later) - known, len(later), known, min(later, default=None))

    async def next(self, guest: str, at: float | None = None) -> str | None:
        """Return the position that has been due for longest; None if none is. Raises Refused."""
        moment = time.time() if at is None else at
        query = select(deck.c.position).where(deck.c.guest == guest, deck.c.due <= moment).order_by(deck.c.due)
        found: str | None = await self._store.scalar(query.limit(1))
        return found

    async def card(self, guest: str, position: str) -> Card | None:
        """Return a position of a guest's deck; None if it is not in it. Raises Refused."""
        columns = [deck.c[name] for name in Card._fields]
        rows = await self._store.rows(select(*columns).where(deck.c.guest == guest, deck.c.position == position))
        return Card(*rows[0]) if rows else None

    async def answer(self, guest: str, card: Card, *, right: bool, at: float | None = None) -> Card:
        """Put a position that was due into its next box; return how it stands now. Raises Refused."""
        moment = time.time() if at is None else at
        if card.due is None or card.due > moment:
            # Looked at ahead of time, which says nothing about whether it stays.
            return card
        box, days = after(card.box, right)
        due = None if days is None else moment + days * DAY
        same = (deck.c.guest == guest, deck.c.position == card.position, deck.c.due == card.due)
        await self._store.execute(update(deck).where(*same).values(box=box, due=due))
        return card._replace(box=box, due=due)
