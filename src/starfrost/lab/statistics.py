"""Rates with confidence intervals, and ratings fitted to them.

A game gives each player a credit: 1 for a win, 1/k for a victory shared by k, 0 otherwise. Games on the same dice
are not independent, so they form one group, and the interval follows from the spread of the means of the groups.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Z: Final = 1.959964
"""The half-width of the 95% interval of a normal variable, in standard deviations."""
ELO: Final = 400 / log(10)
"""Rating points for odds of e to 1: 400 points are odds of 10 to 1."""


class Rate(NamedTuple):
    """A mean credit, its 95% interval, and the number of independent games with the same information."""

    mean: float
    low: float
    high: float
    games: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high


UNIT: Final = 27720
"""Credits are added as whole numbers of 1/27720: a victory shared by up to twelve is exact."""


def group_sums(
    groups: NDArray[np.float64] | Sequence[Sequence[float]], counts: NDArray[np.bool_] | None = None
) -> dict[str, Any]:
    """Return the sums of groups of credits, one row each, from which their rate follows.

    `counts` tells which of them count. The sums add up with `shards.add`.
    """
    if not isinstance(groups, np.ndarray):
        longest = max(map(len, groups))
        counts = np.array([[at < len(group) for at in range(longest)] for group in groups])
        groups = np.array([[*group, *[0.0] * (longest - len(group))] for group in groups])
    whole = np.rint(groups * UNIT).astype(np.int64)
    counted = np.ones(whole.shape, bool) if counts is None else counts
    won, sizes = (whole * counted).sum(axis=1), counted.sum(axis=1)
    return {
        "sizes": {str(size): int(number) for size, number in zip(*np.unique(sizes, return_counts=True), strict=True)},
        "credits": int(won.sum()),
        # A million groups of a dozen games stay far below the limit of 64 bits.
        "squares": int((won * won).sum()),
        "products": int((won * sizes).sum()),
    }


def games_in(sums: Mapping[str, Any]) -> int:
    """Return the number of games in the sums of groups."""
    return sum(int(size) * count for size, count in sums["sizes"].items())


def rate(groups: Sequence[Sequence[float]]) -> Rate:
    """Estimate a mean credit from groups of games on the same dice."""
    return rate_of(group_sums(groups))


def rate_of(sums: Mapping[str, Any]) -> Rate:
    """Estimate a mean credit from the sums of groups.

    Wilson's interval is valid near 0 and 1; its number of independent games is the one that has the variance between
    the groups. One imagined group of medium spread prevents certainty after a few equal groups.
    """
    sizes = {int(size): count for size, count in sums["sizes"].items()}
    games = games_in(sums)
    credits = sums["credits"]
    mean = credits / (games * UNIT)
    even = mean * (1 - mean)
    # The squared distances of the groups from the mean, multiplied by the squares of the games and the unit: exact.
    around = sum(size * size * count for size, count in sizes.items())
    spread = sums["squares"] * games**2 - 2 * credits * sums["products"] * games + credits**2 * around
    variance = (spread / (games * UNIT) ** 2 + even * max(sizes)) / games**2
    independent = even / variance if even else float(games)
    return Rate(mean, *_wilson(mean, independent), independent)


def _wilson(mean: float, games: float) -> tuple[float, float]:
    middle = (mean + Z * Z / (2 * games)) / (1 + Z * Z / games)
    reach = Z / (1 + Z * Z / games) * sqrt(mean * (1 - mean) / games + Z * Z / (4 * games * games))
    # Rounding would miss exactly 0 and 1.
    return (0.0 if mean == 0 else middle - reach), (1.0 if mean == 1 else middle + reach)


class Rating(NamedTuple):
    """A rating and its 95% interval, in points of which 400 are odds of ten to one."""

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
