"""Finished games in lists: who played, how it ended, and when."""

from dataclasses import dataclass

from starfrost.boards import Board, board_of
from starfrost.table.results import DEVICE, HERE, VARIANT, HistoryEntry, Result
from starfrost.words import Words
from starfrost.words.bots import bot_name
from starfrost.words.numbers import short_date
from starfrost.words.story import variant_label


def seat_name(w: Words, row: Result | None) -> str:
    """Return the name of a seat in a list of finished games."""
    if row is None:
        return w("a guest")
    return bot_name(w, row.bot) if row.guest is None and row.bot else row.name


@dataclass(frozen=True)
class Line:
    """A finished game in a list."""

    table: str
    board: Board
    names: str
    score: str
    """The points of all seats, in the order of the names."""
    date: str
    result: str
    won: bool


def line(w: Words, played: HistoryEntry) -> Line:
    """Return a finished game as a list shows it."""
    mine = played.mine
    if (mine.mode or "").startswith(VARIANT):
        result = variant_label(w, str(mine.mode).removeprefix(VARIANT))
    elif mine.table_id.startswith(HERE):
        result = w("played on your device")
    elif not mine.counts:
        result = "" if DEVICE in mine.against else w("practice")
    elif mine.share == 0:
        result = w("left early") if mine.bot else w("lost")
    else:
        result = w("won") if mine.share == 1 else w("shared victory")
    return Line(
        mine.table_id,
        board_of(mine.game),
        w.all_of(seat_name(w, row) for row in played.seats),
        " : ".join("–" if row is None else str(row.score) for row in played.seats),
        short_date(w, mine.at),
        result,
        mine.counts and mine.share > 0,
    )
