"""Rates with confidence intervals, and ratings fitted to them.

A game gives each player a credit: 1 for a win, 1/k for a victory shared by k, 0 otherwise. Games on the same dice
are not independent, so they form one group, and the interval follows from the spread of the means of the groups.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

Z: Final = 1.959964
"""The half-width of the 95 % interval of a normal variable, in standard deviations."""
ELO: Final = 400 / log(10)
"""Rating points for odds of e to 1: 400 points are odds of 10 to 1."""


class Rate(NamedTuple):
    """A mean credit, its 95 % interval, and the number of independent games with the same information."""

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

    Wilson's interval is valid near 0 and 1; its number of independent games is the one that has the variance between
    the groups. One imagined group of medium spread prevents certainty after a few equal groups.
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
    # Rounding would miss exactly 0 and 1.
    return (0.0 if mean == 0 else middle - reach), (1.0 if mean == 1 else middle + reach)


class Rating(NamedTuple):
    """A rating and its 95 % interval, in points of which 400 are odds of ten to one."""

    points: float
    low: float
    high: float


def ratings(duels: Mapping[tuple[str, str], Rate], anchor: str) -> dict[str, Rating]:
    """Return the maximum-likelihood ratings of all players (Bradley and Terry), with `anchor` at 0.

    A duel counts as its number of independent games and one drawn game more, so that a player who never lost has a
    finite rating; the intervals are those of the distance to the anchor.
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
