"""A guest's level in a game: a rating on the scale of the bots, after each game that counts.

The bots' ratings are fixed: they are measured (`starfrost strength`). A winner is compared with everybody, the others
only with the winner, because the measurements also ask only who won.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, select, update

from starfrost.bots.registry import rating_of
from starfrost.table.ratings import Rating, met
from starfrost.table.schema import results

MEASURED: Final = 25.0
"""The deviation of a bot's rating."""
_MOST: Final = 50
"""Games in one transaction: moves wait for it."""


class Finish(NamedTuple):
    """How somebody finished a game, and the rating before it."""

    rating: Rating
    share: float
    """The share of the victory; -1 for a guest who left the game to a bot."""


def after_game(me: Finish, others: Iterable[Finish]) -> Rating:
    """Return a rating after a game."""
    rating = me.rating
    for other in others:
        pair = (me.share, other.share)
        if max(pair) > 0 or min(pair) < 0:
            score = 0.5 if me.share == other.share else float(me.share > other.share)
            rating, _ = met(rating, other.rating, score)
    return rating


def _rated(guest: ColumnElement[bool]) -> ColumnElement[bool]:
    return and_(guest, results.c.counts, results.c.seats > 1)


def unrated(table_ids: Sequence[str] | None = None) -> Any:
    """Return the query for the guests and games whose levels are not up to date, at some tables or anywhere."""
    where = and_(_rated(results.c.guest.is_not(None)), results.c.level.is_(None))
    if table_ids is not None:
        where = and_(where, results.c.table_id.in_(table_ids))
    kind = (results.c.guest, results.c.game)
    return select(*kind).where(where).group_by(*kind).order_by(func.min(results.c.at))


def bring_up_to_date(connection: Connection, guest: str, game: str) -> bool:
    """Rate a guest's games from the first one without a level; return whether there are more to do."""
    mine = and_(_rated(results.c.guest == guest), results.c.game == game)
    first = connection.execute(select(func.min(results.c.at)).where(mine, results.c.level.is_(None))).scalar()
    if first is None:
        return False
    rows = select(results.c.table_id, results.c.seat, results.c.at).where(mine, results.c.at >= first)
    found = connection.execute(rows.order_by(results.c.at, results.c.table_id).limit(_MOST + 1)).all()
    rating = _level(connection, guest, game, first)
    for table_id, seat, at in found[:_MOST]:
        rating = after_game(*_table(connection, table_id, seat, at, rating))
        here = and_(results.c.table_id == table_id, results.c.seat == seat)
        connection.execute(update(results).where(here).values(level=rating.value, deviation=rating.deviation))
    if len(found) > _MOST:
        # The next transaction starts there, even if that game had a level from before the missing one.
        after = and_(results.c.table_id == found[_MOST][0], results.c.seat == found[_MOST][1])
        connection.execute(update(results).where(after).values(level=None, deviation=None))
    return len(found) > _MOST


def _level(connection: Connection, guest: str, game: str, before: float) -> Rating:
    """Return a guest's level before a time."""
    mine = and_(results.c.guest == guest, results.c.game == game, results.c.at < before, results.c.level.is_not(None))
    query = select(results.c.level, results.c.deviation).where(mine).order_by(results.c.at.desc()).limit(1)
    found = connection.execute(query).first()
    return Rating(*found) if found else Rating()


def _table(connection: Connection, table_id: str, seat: int, at: float, rating: Rating) -> tuple[Finish, list[Finish]]:
    """Return how a guest with this rating and the others finished a game."""
    columns = (results.c.seat, results.c.guest, results.c.bot, results.c.game, results.c.share)
    me, others = Finish(rating, 0.0), []
    for number, guest, bot, game, share in connection.execute(select(*columns).where(results.c.table_id == table_id)):
        standing = -1.0 if guest is not None and bot is not None else share
        if number == seat:
            me = Finish(rating, standing)
        elif guest is None:
            others.append(Finish(Rating(float(rating_of(game, str(bot))), MEASURED), standing))
        else:
            others.append(Finish(_level(connection, guest, game, at), standing))
    return me, others
