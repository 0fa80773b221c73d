"""Questions to the coach, asked from another process: what travels is text and plain values."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from starfrost.coach.judge import Advice, Checked, Judge, Shares, Verdict, advise, check, judge_move
from starfrost.coach.registry import COACHES
from starfrost.games.core import Game
from starfrost.games.registry import make_game

SetUp = tuple[str, int, tuple[tuple[str, str], ...]]
"""A game by its name, number of seats and headers."""


def set_up(game: Game[Any, Any], headers: Mapping[str, str] | None = None) -> SetUp:
    """Return a game as a worker can be told of it."""
    return game.name, game.seats, tuple(sorted((game.headers() if headers is None else headers).items()))


@lru_cache(maxsize=16)
def _judge(name: str, seats: int, headers: tuple[tuple[str, str], ...], exact: bool) -> Judge:
    """Return a judge; `exact` makes another one as soon as a set-up is solved."""
    judge = COACHES[name].judge(make_game(name, seats, dict(headers)))
    if judge is None:
        raise LookupError(name)
    return judge


def ask_advice(what: SetUp, exact: bool, position: str) -> Advice | None:
    """Return what to do in a position; None if nobody can say."""
    try:
        judge = _judge(*what, exact)
    except LookupError:
        return None
    return advise(judge, judge.game.parse_position(position))


def ask_verdict(what: SetUp, exact: bool, position: str, action: str) -> Verdict | None:
    """Judge a move; None if nobody can."""
    try:
        judge = _judge(*what, exact)
    except LookupError:
        return None
    return judge_move(judge, judge.game.parse_position(position), judge.game.parse_action(action))


class Values(NamedTuple):
    """What the coach knows of a position."""

    shares: Shares
    """Every seat's chance to win, if all play as well as the coach can tell."""
    options: tuple[tuple[str, float], ...]
    """Every action, as records write it, with the acting seat's chance after it, the best first."""
    exact: bool


def ask_values(what: SetUp, exact: bool, position: str) -> Values | None:
    """Return the values of a position and of all that can be done in it; None if nobody can say."""
    try:
        judge = _judge(*what, exact)
    except LookupError:
        return None
    state = judge.game.parse_position(position)
    seat = judge.game.actor(state)
    if seat < 0:
        return Values(judge.value(state), (), not judge.error)
    options = judge.options(state)
    return Values(options[0].shares, tuple((str(one.action), one.shares[seat]) for one in options), not judge.error)


def ask_check(what: SetUp, decision: tuple[str, str]) -> Checked:
    """Judge a decision, given as position and action, by a judge that is at hand and not exact."""
    judge, (position, action) = _judge(*what, False), decision
    return check(judge, judge.game.parse_position(position), judge.game.parse_action(action))
