"""A guest's history as the pages show it: lines of games, sums by opponent, personal bests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from babel.dates import format_date

from starfrost.table.history import Bests, Played, Sum
from starfrost.table.results import DEVICE, PEOPLE, VARIANT, Result
from starfrost.web.boards import Board, board_of
from starfrost.words import Words
from starfrost.words.bots import bot_name
from starfrost.words.numbers import count, decimal
from starfrost.words.story import variant_label


def date(w: Words, at: float) -> str:
    """Return a day as the language writes it."""
    return _day(w.language, int(at // 86_400))


@lru_cache(maxsize=4096)
def _day(language: str, number: int) -> str:
    return format_date(datetime.fromtimestamp(number * 86_400, UTC), "medium", locale=language)


def seat_name(w: Words, row: Result | None) -> str:
    """Return the name of a seat in a list of finished games."""
    if row is None:
        return w("a guest")
    return bot_name(w, row.bot) if row.guest is None and row.bot else row.name


def opponents(w: Words, against: str) -> str:
    """Return in words who the others were."""
    names = {PEOPLE: w("people"), DEVICE: w("one device")}
    return w.all_of(names.get(name) or bot_name(w, name) for name in against.split("+")) if against else w("alone")


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


def line(w: Words, played: Played) -> Line:
    """Return a finished game as a list shows it."""
    mine = played.mine
    if (mine.mode or "").startswith(VARIANT):
        result = variant_label(w, str(mine.mode).removeprefix(VARIANT))
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
        date(w, mine.at),
        result,
        mine.counts and mine.share > 0,
    )


@dataclass(frozen=True)
class Summary:
    """The games of one kind in figures."""

    who: str
    against: str
    seats: int
    games: str
    won: str
    average: str
    best: str


def _summary(w: Words, who: str, against: str, seats: int, sums: Sequence[Sum]) -> Summary:
    games = sum(one.games for one in sums)
    share = sum(one.won for one in sums) / games
    average = sum(one.points for one in sums) / games
    best = max(one.best for one in sums)
    return Summary(who, against, seats, count(w, games), percent(w, share), decimal(w, average, 1), count(w, best))


def percent(w: Words, share: float, *, signed: bool = False) -> str:
    """Write a share in whole per cent; if `signed`, with its sign unless it is zero."""
    number = round(100 * share)
    return f"{'+' if signed and number > 0 else ''}{count(w, number)}\u00a0%"


def summaries(w: Words, sums: Iterable[Sum]) -> tuple[Summary | None, list[Summary]]:
    """Return all games in figures, and those against each kind of opponents at each size of table."""
    found = sorted(sums, key=lambda one: (one.seats, -one.games))
    if not found:
        return None, []
    kinds = [_summary(w, opponents(w, one.against), one.against, one.seats, [one]) for one in found]
    return _summary(w, "", "", 0, found), kinds


@dataclass(frozen=True)
class Best:
    """A personal record."""

    what: str
    value: str
    table: str = ""
    date: str = ""


def bests(w: Words, found: Bests | None) -> list[Best]:
    """Return the personal records in words."""
    if found is None:
        return []
    top, lead, fast = found.score, found.lead, found.fast
    told = [Best(w("Most points"), count(w, top.number), top.table_id, date(w, top.at))]
    if lead is not None:
        told.append(
            Best(
                w("Greatest victory"),
                w.plural("one point ahead", "%(n)s points ahead", lead.number),
                lead.table_id,
                date(w, lead.at),
            )
        )
    if fast is not None:
        told.append(
            Best(
                w("Fastest victory"), w.plural("one turn", "%(n)s turns", fast.number), fast.table_id, date(w, fast.at)
            )
        )
    if found.streak > 1:
        told.append(Best(w("Longest winning streak"), w.plural("one game", "%(n)s games", found.streak)))
    return told


def boards_played(sums: Iterable[Sum]) -> list[tuple[Board, int]]:
    """Return the games that a guest has finished, the most played first."""
    games: dict[str, int] = {}
    for one in sums:
        games[one.game] = games.get(one.game, 0) + one.games
    return [(board_of(game), n) for game, n in sorted(games.items(), key=lambda item: (-item[1], item[0]))]
