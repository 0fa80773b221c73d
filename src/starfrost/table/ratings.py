"""Ratings on the scale that most games use: 400 points more mean tenfold odds to win."""

from functools import cache
from math import log, sqrt
from typing import Any, Final, NamedTuple

START: Final = 1500.0
"""The rating of somebody about whom nothing is known."""
UNKNOWN: Final = 250.0
"""The deviation of such a rating."""


class Rating(NamedTuple):
    """An estimated strength and its standard deviation."""

    value: float = START
    deviation: float = UNKNOWN


@cache
def _model() -> Any:
    """Return the model; only whoever rates somebody needs its package."""
    from openskill.models import BradleyTerryFull

    # With this beta, two ratings that are known exactly have the odds of Elo's formula. Tau keeps them from freezing.
    return BradleyTerryFull(mu=START, sigma=UNKNOWN, beta=400 / log(10) / sqrt(2), tau=4.0)


def met(one: Rating, other: Rating, score: float) -> tuple[Rating, Rating]:
    """Return both ratings after a meeting: a score of 1 is a win of the first, 0.5 a tie, 0 a defeat."""
    teams = [[_model().rating(mu=rating.value, sigma=rating.deviation)] for rating in (one, other)]
    (first,), (second,) = _model().rate(teams, scores=[score, 1.0 - score])
    return Rating(first.mu, first.sigma), Rating(second.mu, second.sigma)
