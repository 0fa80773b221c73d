"""Rates with honest intervals, and ratings fitted to them.

A game gives each player a credit: 1 for a win, 1/k for a victory shared by k, 0 otherwise. Games on the same dice
are not independent, so they form one group, and the spread of the groups' means says how much was really learned.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

__all__ = ["Rate", "Rating", "rate", "ratings"]

Z: Final = 1.959964
"""A normal variable stays within this many deviations of its mean 95 times in a hundred."""
ELO: Final = 400 / log(10)
"""Rating points for odds of e to 1: 400 points are odds of 10 to 1."""


class Rate(NamedTuple):
    """A mean credit, its 95 % interval, and the number of independent games that would say as much."""

    mean: float
    low: float
    high: float
    games: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high


def rate(groups: Sequence[Sequence[float]]) -> Rate:
    """Estimate a mean credit from groups of games on the same dice.

    Wilson's interval keeps its sense near 0 and 1; it is given the number of independent games that have the variance
    seen between the groups. One imagined group of middling spread keeps a handful of equal groups from looking certain.
    """
    games = sum(map(len, groups))
    mean = sum(map(sum, groups)) / games
    even = mean * (1 - mean)
    spread = sum((sum(group) - mean * len(group)) ** 2 for group in groups)
    largest = max(map(len, groups))
    variance = (spread + even * largest) / games**2
    independent = even / variance if even else float(games)
    return Rate(mean, *_wilson(mean, independent), independent)


def _wilson(mean: float, games: float) -> tuple[float, float]:
    middle = (mean + Z * Z / (2 * games)) / (1 + Z * Z / games)
    reach = Z / (1 + Z * Z / games) * sqrt(mean * (1 - mean) / games + Z * Z / (4 * games * games))
    # At the ends rounding would leave a speck.
    return (0.0 if mean == 0 else middle - reach), (1.0 if mean == 1 else middle + reach)


class Rating(NamedTuple):
    """A rating and its 95 % interval, in points of which 400 are odds of ten to one."""

    points: float
    low: float
    high: float


def ratings(duels: Mapping[tuple[str, str], Rate], anchor: str) -> dict[str, Rating]:
    """Fit a rating to every player so that the duels' rates are as likely as can be (Bradley and Terry), `anchor` at 0.

    Every duel counts as many games as it has independent ones, and one drawn game more, so that a player who never lost
    has a finite rating; the intervals are those of the distance to the anchor.
    """
    names = sorted({name for pair in duels for name in pair})
    free = [name for name in names if name != anchor]
    place = {name: at for at, name in enumerate(free)}
    points = np.zeros(len(free))
    for _ in range(200):
        slope = np.zeros(len(free))
        bend = np.eye(len(free)) * 1e-9
        for (one, other), result in duels.items():
            signs = [(place[name], sign) for name, sign in ((one, 1), (other, -1)) if name in place]
            expected = 1 / (1 + np.exp(-sum(sign * points[at] for at, sign in signs)))
            games = result.games + 1
            for at, sign in signs:
                slope[at] += sign * (result.games * result.mean + 0.5 - games * expected)
                for also, other_sign in signs:
                    bend[at, also] += sign * other_sign * games * expected * (1 - expected)
        step = np.linalg.solve(bend, slope)
        points += np.clip(step, -1, 1)
        if abs(step).max(initial=0) < 1e-10:
            break
    reach = Z * np.sqrt(np.diag(np.linalg.inv(bend))) if free else np.zeros(0)
    fitted = {
        name: Rating(ELO * points[at], ELO * (points[at] - reach[at]), ELO * (points[at] + reach[at]))
        for name, at in place.items()
    }
    return {name: fitted.get(name, Rating(0.0, 0.0, 0.0)) for name in names}
