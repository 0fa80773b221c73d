"""Questions to the coach, asked from another process: what travels is text and plain values."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from starfrost.coach.analysis import Analysis
from starfrost.coach.estimate import Judge
from starfrost.coach.judging import Advice, Review, Verdict, advise, judge_move, review_of
from starfrost.coach.registry import COACHES
from starfrost.games.core import Game
from starfrost.games.record import parse_record, replay
from starfrost.games.registry import make_game

SetUp = tuple[str, int, tuple[tuple[str, str], ...]]
"""A game by its name, number of seats and headers."""


def set_up(game: Game[Any, Any], headers: Mapping[str, str] | None = None) -> SetUp:
    """Return a game as a worker can be told of it."""
    return game.name, game.seats, tuple(sorted((game.headers() if headers is None else headers).items()))


@lru_cache(maxsize=16)
def _judge(name: str, seats: int, headers: tuple[tuple[str, str], ...], exact: bool) -> tuple[Game[Any, Any], Judge]:
    """Return a judge; `exact` makes another one as soon as a set-up is solved."""
    game = make_game(name, seats, dict(headers))
    judge = COACHES[name].judge(game)
    if judge is None:
        raise LookupError(name)
    return game, judge


def ask_advice(what: SetUp, exact: bool, position: str) -> Advice | None:
    """Return what to do in a position; None if nobody can say."""
    try:
        game, judge = _judge(*what, exact)
    except LookupError:
        return None
    return advise(judge, game, game.parse_position(position))


def ask_verdict(what: SetUp, exact: bool, position: str, action: str) -> Verdict | None:
    """Judge a move; None if nobody can."""
    try:
        game, judge = _judge(*what, exact)
    except LookupError:
        return None
    return judge_move(judge, game, game.parse_position(position), game.parse_action(action))


def ask_analysis(record: str) -> Analysis | None:
    """Judge every event of a record; None if nobody can."""
    played = replay(parse_record(record))
    return COACHES[played.record.game.name].analyse(played)


def ask_reviews(record: str) -> list[Review] | None:
    """Review how every seat of a record played; None if nobody can."""
    played = replay(parse_record(record))
    coach = COACHES.get(played.record.game.name)
    found = coach.analyse(played) if coach is not None else None
    return None if found is None else [review_of(found, seat) for seat in range(played.record.game.seats)]
