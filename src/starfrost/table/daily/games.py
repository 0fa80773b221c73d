"""The daily game: everybody plays the same deal, and only a guest's first attempt counts.

That attempt is a row of `daily_attempts`, stored together with the table where it is played. Its result is stored when
somebody next asks for it after the game has ended.
"""

import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import func, select, update

from starfrost.errors import Refused
from starfrost.games.registry import make_game
from starfrost.table.daily.best_play import result_of
from starfrost.table.daily.days import opens, read_day, today
from starfrost.table.daily.deals import Deals
from starfrost.table.host import TableHost
from starfrost.table.names import clean_key
from starfrost.table.new_table import new_table
from starfrost.table.schema import daily_attempts, guests, results, tables
from starfrost.table.snapshot import Snapshot
from starfrost.table.store import Conflict
from starfrost.table.table import Answer
from starfrost.table.view import Guest

_MOST_SETTLED: Final = 200
MOST_PLACES: Final = 50
"""Places that a leaderboard shows."""
_NEW: Final = 3
"""Games that somebody must have finished before an attempt is ranked: a second identity knows the dice of the first."""


@dataclass(frozen=True)
class Attempt:
    """A guest's first attempt at a daily game."""

    day: str
    game: str
    guest: str
    table: str
    share: str
    """The last part of the address that shows the result: unlike the table, it does not show the dice."""
    began: float
    ended: float | None = None
    won: bool = False
    points: int | None = None
    """The result (`best_play.Result`); None if there is none that counts."""
    scores: tuple[int, ...] = ()
    gains: tuple[int, ...] = ()
    """The points of each of the guest's turns."""
    ranked: bool = True
    """Whether the guest had finished enough games before."""

    @property
    def playing(self) -> bool:
        """Whether the game can still be finished in time."""
        return self.ended is None and time.time() < opens(self.day)

    @property
    def counts(self) -> bool:
        """Whether there is a result."""
        return self.points is not None


@dataclass(frozen=True)
class Place:
    """A line of a leaderboard."""

    rank: int | None
    name: str
    attempt: Attempt


@dataclass(frozen=True)
class Standings:
    """The results of a day: how often each was reached, best first, and the first places."""

    counts: tuple[tuple[bool, bool, int, int], ...]
    """Whether they are ranked, victory, points and the number of players."""
    places: tuple[Place, ...]
    newcomers: tuple[Place, ...] = ()
    """The first places of those who are not ranked yet."""

    @property
    def players(self) -> int:
        """The number of players with a result."""
        return sum(count for *_, count in self.counts)

    @property
    def ranked(self) -> int:
        """The number of players who are ranked."""
        return sum(count for ranked, _, _, count in self.counts if ranked)

    @property
    def mean(self) -> float:
        """The average points."""
        return sum(points * count for _, _, points, count in self.counts) / max(1, self.players)

    def rank(self, won: bool, points: int) -> int:
        """Return the place of a result among those that are ranked."""
        return 1 + sum(count for ranked, w, p, count in self.counts if ranked and (w, p) > (won, points))


_FINISHED_BEFORE: Final = (
    select(func.count())
    .select_from(results)
    .where(results.c.guest == daily_attempts.c.guest, results.c.at < daily_attempts.c.began)
    .correlate(daily_attempts)
    .scalar_subquery()
)
_RANKED: Final = _FINISHED_BEFORE >= _NEW
_ATTEMPTS: Final = select(daily_attempts, _RANKED.label("ranked"))


class DailyGames:
    """The deals, everybody's attempts and their results."""

    def __init__(self, tables: TableHost, join: Callable[..., Awaitable[Answer]]) -> None:
        self._tables = tables
        self._store = tables.store
        self._join = join
        self.deals = Deals(tables)

    # Playing

    async def begin(self, guest: Guest, day: str, game: str, *, practice: bool = False, key: str) -> str:
        """Return the table where a guest plays a daily game: the one of the first attempt, or a new one.

        The first attempt counts, and it is begun before the day ends. Practice is possible when it is over.
        Raises Refused.
        """
        row = await self.deals.row(read_day(day), game)
        attempt = await self.attempt(guest, day, game)
        if attempt is not None and attempt.playing:
            return await self._seated(attempt.table, guest)
        is_today = day == today()
        if not practice and attempt is not None:
            raise Refused("daily-once", "You have played this game already: only the first attempt counts.", 409)
        if not practice and not is_today:
            raise Refused("day-over", "This day is over. Its game can still be played as practice.", 409)
        if practice and is_today and attempt is None:
            raise Refused("daily-first", "Play the game that counts first; then you can practise.", 409)
        setup = json.loads(row.setup)
        open_key = f"{guest.id}:{clean_key(key)}"
        new = new_table(
            self._store.now(),
            guest.id,
            make_game(game, len(setup["seats"]), setup["headers"]),
            setup["mode"],
            tuple(setup["seats"]),
            "none",
            False,
            open_key=open_key,
            seed=row.seed,
            daily={"day": day, "counts": not practice, "opens": opens(day)},
        )
        began = {"day": day, "game": game, "guest": guest.id, "table_id": new.id, "began": time.time()}
        began["share"] = secrets.token_urlsafe(9)
        try:
            await self._tables.open(new, None if practice else began)
        except Conflict:
            # The same form was sent twice, or from two devices.
            found = await self.attempt(guest, day, game)
            table = await self._store.opened_with(open_key) if practice or found is None else found.table
            if table is None:
                raise
            return await self._seated(table, guest)
        return await self._seated(new.id, guest)

    async def _seated(self, table_id: str, guest: Guest) -> str:
        """Give the guest the seat of a table that was opened for them, unless they sit there already."""
        table = (await self._tables.look(table_id)).snapshot
        if table.status == "waiting":
            await self._join(table_id, guest, version=table.version, key="daily-seat")
        return table_id

    # Results

    async def attempt(self, guest: Guest | None, day: str, game: str) -> Attempt | None:
        """Return a guest's first attempt at a game, with its result if it has one."""
        if guest is None:
            return None
        attempts = daily_attempts.c
        query = _ATTEMPTS.where(attempts.day == day, attempts.game == game, attempts.guest == guest.id)
        found = await self._attempts(query)
        return found[0] if found else None

    async def shared(self, share: str) -> tuple[str, Attempt]:
        """Return the name of a player and the result that a shared address shows. Raises Refused."""
        query = _ATTEMPTS.add_columns(guests.c.name).join(guests, guests.c.id == daily_attempts.c.guest)
        found: Sequence[Any] = ()
        if re.fullmatch("[A-Za-z0-9_-]{1,16}", share):
            found = await self._store.rows(query.where(daily_attempts.c.share == share))
        if not found or found[0].points is None:
            raise Refused("no-result", "There is no such result; perhaps a part of the link is missing.", 404)
        return found[0].name, _attempt(found[0])

    async def attempts_of(self, guest: Guest) -> list[Attempt]:
        """Return all first attempts of a guest, newest first."""
        query = _ATTEMPTS.where(daily_attempts.c.guest == guest.id)
        return await self._attempts(query.order_by(daily_attempts.c.day.desc()))

    async def _attempts(self, query: Any) -> list[Attempt]:
        found = [_attempt(row) for row in await self._store.rows(query)]
        if any([await self._settle(attempt) for attempt in found if attempt.ended is None]):
            found = [_attempt(row) for row in await self._store.rows(query)]
        return found

    async def standings(self, day: str, game: str) -> Standings:
        """Return the results of a day so far."""
        attempts = daily_attempts.c
        of_day = (attempts.day == day) & (attempts.game == game)
        over = (
            _ATTEMPTS.join(tables, tables.c.id == attempts.table_id)
            .where(of_day, attempts.ended.is_(None), tables.c.status.in_(("over", "closed")))
            .limit(_MOST_SETTLED)
        )
        await self._attempts(over)
        with_result = _ATTEMPTS.where(of_day, attempts.points.is_not(None))
        found = with_result.subquery().c
        counts = select(found.ranked, found.won, found.points, func.count()).group_by(
            found.ranked, found.won, found.points
        )
        first = (
            with_result.add_columns(guests.c.name)
            .join(guests, guests.c.id == attempts.guest)
            .order_by(attempts.won.desc(), attempts.points.desc(), attempts.ended)
            .limit(MOST_PLACES)
        )
        counted = [
            (bool(ranked), bool(won), int(points), int(n)) for ranked, won, points, n in await self._store.rows(counts)
        ]
        so_far = Standings(tuple(sorted(counted, reverse=True)), ())
        leading = await self._store.rows(first.where(_RANKED))
        new = await self._store.rows(first.where(~_RANKED))
        return Standings(
            so_far.counts,
            tuple(Place(so_far.rank(row.won, row.points), row.name, _attempt(row)) for row in leading),
            tuple(Place(None, row.name, _attempt(row)) for row in new),
        )

    async def _settle(self, attempt: Attempt) -> bool:
        """Store the result of an attempt whose table has ended; return whether it has."""
        table = (await self._tables.look(attempt.table)).snapshot
        if not table.ended:
            return False
        values: dict[str, Any] = {"ended": table.moved_at}
        seats = table.played_by(attempt.guest)
        # A bot that played some of the moves, or a game finished after the day, makes it a result that does not count.
        if table.status == "over" and table.moved_at < opens(attempt.day) and seats and not table.changes:
            result = result_of(table.game, table.state, seats[0])
            values |= {"won": result.won, "points": result.points, "scores": " ".join(map(str, result.scores))}
            values["gains"] = json.dumps(_gains(table, seats[0]))
        attempts = daily_attempts.c
        query = update(daily_attempts).where(attempts.table_id == attempt.table, attempts.ended.is_(None))
        await self._store.execute(query.values(values))
        return True


def _attempt(row: Any) -> Attempt:
    return Attempt(
        row.day,
        row.game,
        row.guest,
        row.table_id,
        row.share,
        row.began,
        row.ended,
        bool(row.won),
        row.points,
        tuple(map(int, (row.scores or "").split())),
        tuple(json.loads(row.gains or "[]")),
        bool(row.ranked),
    )


def _gains(table: Snapshot, seat: int) -> list[int]:
    """Return the points of each turn of a seat; what the turns of others bring counts to the turn before."""
    game = table.game
    starts = [m.before for m in table.moves if game.starts_turn(m.before) and game.turn_of(m.before) == seat]
    scores = [game.scores(state)[seat] for state in (*starts, table.state)]
    return [after - before for before, after in pairwise(scores)]
